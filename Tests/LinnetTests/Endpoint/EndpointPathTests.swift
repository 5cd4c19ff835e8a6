import FoundationEssentials
import Linnet
import Testing

@Suite("Endpoint paths")
struct EndpointPathTests {
  private func join(_ base: String, _ path: String, _ query: String? = nil) throws -> String {
    try EndpointPath.url(base: HTTPURL(base), path: path, query: query).description
  }

  @Test(
    "A path stands below the base's path, whatever slashes are at the edges",
    arguments: [
      ("https://h/v1", "/users", "https://h/v1/users"), ("https://h/v1/", "users", "https://h/v1/users"),
      ("https://h/v1//", "//users", "https://h/v1/users"), ("https://h", "/users", "https://h/users"),
      ("https://h/", "users/", "https://h/users"), ("https://h", "", "https://h/"), ("https://h/", "/", "https://h/"),
      ("https://h/v1", "", "https://h/v1"), ("https://h/v1", "/", "https://h/v1"),
      ("https://h:8443/a%2Fb", "/c", "https://h:8443/a%2Fb/c"), ("https://[::1]/v1", "x", "https://[::1]/v1/x"),
      ("https://h/v1", "a//b", "https://h/v1/a//b"), ("https://h/v1", "a/b;c=1", "https://h/v1/a/b;c=1"),
      ("https://h/v1", "...", "https://h/v1/..."), ("https://h/v1", ".well-known/x", "https://h/v1/.well-known/x"),
      ("https://h/v1", "a..b/c.", "https://h/v1/a..b/c."),
      ("https://h/v1", "https://evil.test/x", "https://h/v1/https://evil.test/x"),
      ("https://h/v1", "@evil.test", "https://h/v1/@evil.test"),
      ("https://h", "//evil.test/x", "https://h/evil.test/x"),
    ])
  func joining(_ base: String, _ path: String, _ expected: String) throws {
    #expect(try join(base, path) == expected)
  }

  @Test(
    "What may not stand in a path is percent-encoded, and escapes are kept",
    arguments: [
      ("a b", "a%20b"), ("é", "%C3%A9"), ("한국", "%ED%95%9C%EA%B5%AD"), ("a%20b", "a%20b"), ("%c3%a9", "%c3%a9"),
      ("a%2Fb", "a%2Fb"), ("a\"b", "a%22b"), ("a<b>", "a%3Cb%3E"), ("a\\b", "a%5Cb"), ("a^b`c", "a%5Eb%60c"),
      ("{x|y}", "%7Bx%7Cy%7D"), ("[x]", "%5Bx%5D"), ("a\tb\r\nc", "a%09b%0D%0Ac"), ("a\0\u{7F}", "a%00%7F"),
      ("!$&'()*+,;=:@-._~", "!$&'()*+,;=:@-._~"), ("%25", "%25"), ("a%00b", "a%00b"),
    ])
  func encoding(_ path: String, _ expected: String) throws {
    #expect(try join("https://h", path) == "https://h/" + expected)
  }

  @Test(
    "A path with a delimiter, a broken escape or a segment that climbs is an invalid request",
    arguments: [
      "a?b", "?", "a#b", "#", "%", "a%", "a%2", "%2/", "%ZZ", "%G0", "%0g", "a%%20", ".", "..", "a/..", "a/../b", "./a",
      "a/./b",
      "/..", "../", "%2e", "%2E%2e", "a/%2e%2E/b", ".%2e", "%2e.", "%252e", "%252e%252e", "%25252e", "%25%32%65",
      "%2%65", "a\\..\\b",
      "..\\", "a%5c..%5cb", "a%2f..%2fb", "a/..%2f", "a%255c%252e%252e", "a%2F.%2Fb",
    ])
  func refusals(_ path: String) {
    for base in ["https://h", "https://h/v1/"] {
      let error = #expect(throws: NetworkError.self) { try join(base, path) }
      guard case .configuration(reason: .invalidRequest)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test("The query follows, after the base's own")
  func query() throws {
    #expect(try join("https://h/v1", "a", "x=1&y=2") == "https://h/v1/a?x=1&y=2")
    #expect(try join("https://h/v1?k=1", "a", "x=1") == "https://h/v1/a?k=1&x=1")
    #expect(try join("https://h/v1?k=1", "a") == "https://h/v1/a?k=1")
    #expect(try join("https://h/v1?", "a", "") == "https://h/v1/a")
    #expect(try join("https://h/v1", "a", "me%2Bx@a.test") == "https://h/v1/a?me%2Bx@a.test")
  }

  @Test(
    "A refusal shows a path on one line, not endless, and without what was meant to be a query",
    arguments: [
      ("/x?token=hunter2", "the path \"/x…\" contains \"?\""), ("/x#hunter2", "the path \"/x…\" contains \"#\""),
      ("\n/%zz", "the path \"%0A/%zz\" contains a \"%\""), ("/é/..", "the path \"/%C3%A9/..\" has a segment"),
      (
        String(repeating: "a", count: 10_000) + "%", "the path \"" + String(repeating: "a", count: 128) + "…\" contains"
      ),
    ])
  func messages(_ path: String, _ expected: String) {
    let error = #expect(throws: NetworkError.self) { try join("https://h", path) }
    guard case .configuration(reason: .invalidRequest(let reason))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.hasPrefix(expected), "\(reason)")
  }
}
