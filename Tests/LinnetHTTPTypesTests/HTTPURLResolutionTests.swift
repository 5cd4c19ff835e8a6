import LinnetHTTPTypes
import Testing

@Suite
struct HTTPURLResolutionTests {
  /// RFC 3986 §5.4 on `http://a/b/c/d;p?q`. Where the WHATWG URL standard differs (another scheme is refused here) the
  /// comment says so.
  @Test(
    "the examples of RFC 3986 §5.4",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
      ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
      ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
      ("g;x", "http://a/b/c/g;x"),
      ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
      ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
      ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
      ("./g/.", "http://a/b/c/g/"),
      ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
      ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
      ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
      // The standard keeps the form that RFC 3986 allows "for backward compatibility".
      ("http:g", "http://a/b/c/g"),
    ])
  func rfc3986(_ reference: String, _ resolved: String) throws {
    #expect(try HTTPURL("http://a/b/c/d;p?q").resolve(reference).description == resolved)
  }

  @Test(
    "references as servers send them in Location",
    arguments: [
      ("https://other.example/x", "https://other.example/x"), ("//other.example", "https://other.example/"),
      ("/x y", "https://u:p@h:81/x%20y"), ("\\x", "https://u:p@h:81/x"), ("  /x\r\n", "https://u:p@h:81/x"),
      ("https:x", "https://u:p@h:81/a/x"), ("https:/x", "https://u:p@h:81/x"), ("https:", "https://u:p@h:81/a/b?q"),
      ("http:x", "http://x/"), ("%2e%2E/%2e", "https://u:p@h:81/"), ("é", "https://u:p@h:81/a/%C3%A9"),
      ("?", "https://u:p@h:81/a/b?"),
      ("#", "https://u:p@h:81/a/b?q#"), ("/\\evil", "https://evil/"), ("///x", "https://x/"), ("a:b", nil),
      ("mailto:x@y", nil),
      ("http://", nil), ("//h:99999", nil),
    ])
  func location(_ reference: String, _ resolved: String?) throws {
    #expect((try? HTTPURL("https://u:p@h:81/a/b?q#f").resolve(reference))?.description == resolved)
  }

  @Test(
    "a redirect keeps the fragment unless the new URL has one",
    arguments: [
      ("/n", "http://h/n#f"), ("/n#g", "http://h/n#g"), ("/n#", "http://h/n#"), ("//o?q", "http://o/?q#f"),
    ])
  func fragmentOfRedirect(_ location: String, _ target: String) throws {
    let original = try HTTPURL("http://h/a#f")
    let next = try original.resolve(location).inheritingFragment(of: original)
    let expected = try HTTPURL(target)
    #expect(next == expected && next.description == target && next.fragment == expected.fragment)
  }

  @Test(
    "user name and password are inherited unless the new URL has some; every part stays where it was",
    arguments: [
      ("https://u:p@h/a", "http://o:81/b?q#f", "http://u:p@o:81/b?q#f", "u", "p"),
      ("http://u@h/a", "https://[::1]/b", "https://u@[::1]/b", "u", ""),
      ("http://:p@h/", "http://h/", "http://:p@h/", "", "p"),
      ("http://u:p@h/", "http://v:w@h/", "http://v:w@h/", "v", "w"), ("http://h/", "http://o/", "http://o/", "", ""),
    ])
  func userinfo(_ original: String, _ url: String, _ expected: String, _ username: String, _ password: String) throws {
    let inherited = try HTTPURL(url).inheritingUserinfo(of: try HTTPURL(original))
    let parsed = try HTTPURL(expected)
    #expect(inherited.description == expected)
    #expect(inherited.username == username && inherited.password == password)
    #expect(inherited.host == parsed.host && inherited.path == parsed.path && inherited.query == parsed.query)
    #expect(inherited.fragment == parsed.fragment && inherited.effectivePort == parsed.effectivePort)
    #expect(inherited.removingUserinfo() == parsed.removingUserinfo())
  }

  @Test(
    "dot segments stay on request, and through everything that makes another URL of it",
    arguments: [
      ("http://a.test/b/../c/./d?e", "/b/../c/./d?e"), ("http://a.test/%2e%2E/x", "/%2e%2E/x"),
      ("http://a.test/..", "/.."),
      ("http://a.test", "/"), ("http://u:p@a.test/a b/..", "/a%20b/.."),
    ])
  func keepingDots(_ text: String, _ target: String) throws {
    let url = try HTTPURL(keepingDots: text)
    #expect(url.requestTarget.description == target)
    #expect(url.removingUserinfo().removingFragment().requestTarget.description == target)
    #expect(try url.resolve("?q").path == url.path)
    #expect(throws: HTTPURLError.self) { try HTTPURL(keepingDots: "a.test/..") }
  }
}
