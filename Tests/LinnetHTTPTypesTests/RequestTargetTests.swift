import LinnetBytes
import LinnetHTTPTypes
import Testing

@Suite
struct RequestTargetTests {
  @Test(
    "the target of a URL is its path and query, byte for byte, never the fragment",
    arguments: [
      ("http://h", "/"), ("http://h?q", "/?q"), ("http://h/a%2fb%zz?x=%41#frag", "/a%2fb%zz?x=%41"),
      ("http://h/?", "/?"), ("http://h/#f", "/"), ("http://u:p@h:81/é?é", "/%C3%A9?%C3%A9"),
    ])
  func originForm(_ url: String, _ target: String) throws {
    let made = try HTTPURL(url).requestTarget
    #expect(made.description == target)
    #expect(made.form == .origin)
    var out = WriteBuffer()
    made.write(into: &out)
    #expect(out.takeAll() == Array(target.utf8))
  }

  @Test(
    "a proxy gets the whole URL without userinfo and fragment",
    arguments: [
      ("http://u:p@h/a?b#c", "http://h/a?b"), ("https://h:8443", "https://h:8443/"),
      ("ws://[::1]:81/x", "http://[::1]:81/x"),
    ])
  func absoluteForm(_ url: String, _ target: String) throws {
    let made = try HTTPURL(url).absoluteRequestTarget
    #expect(made.description == target)
    #expect(made.form == .absolute)
  }

  @Test("CONNECT names host and port, the default port too")
  func authorityForm() throws {
    let target = RequestTarget(authority: try HTTPURL("https://[::1]/").origin)
    #expect(target.description == "[::1]:443")
    #expect(target.form == .authority)
  }

  @Test(
    "a path given by hand cannot break the request line",
    arguments: [
      ("/a b", "/a%20b"), ("", "/"), ("?q", "/?q"), ("a", "/a"), ("/a\r\nHost: x", "/a%0D%0AHost:%20x"),
      ("/a#b", "/a%23b"), ("/a?b?c#d", "/a?b?c%23d"), ("/%20%zz", "/%20%zz"), ("/a/../b", "/a/../b"), ("/é", "/%C3%A9"),
    ])
  func encoded(_ text: String, _ target: String) {
    #expect(RequestTarget(origin: text).description == target)
  }

  @Test(
    "an exact target is kept, and its form recognised",
    arguments: [
      ("/../x", RequestTarget.Form.origin), ("*", .asterisk), ("http://h/", .absolute), ("h:80", .authority),
      ("h", .authority), ("//h/x", .origin), ("**", .authority), ("h:", .authority),
    ])
  func exact(_ text: String, _ form: RequestTarget.Form) throws {
    let target = try #require(RequestTarget(exactly: text))
    #expect(target.form == form)
    #expect(target.description == text)
  }

  @Test(
    "an exact target with anything but visible ASCII is refused",
    arguments: ["", " ", "/a b", "/\r\n", "/\u{7F}", "/é"])
  func refused(_ text: String) {
    #expect(RequestTarget(exactly: text) == nil)
  }

  @Test("the asterisk form is one byte")
  func asterisk() {
    #expect(RequestTarget.asterisk.description == "*")
    #expect(RequestTarget(exactly: "*") == .asterisk)
  }
}
