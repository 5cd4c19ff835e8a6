import LinnetHTTPTypes
import LinnetTestRandom
import Testing

@Suite
struct HTTPURLTests {
  @Test("the parts of a full URL")
  func parts() throws {
    let url = try HTTPURL("HTTPS://us%20er:p%40ss@Example.COM:8443/a/./b/../c;d?x=1&y#frag")
    #expect(url.description == "https://us%20er:p%40ss@example.com:8443/a/c;d?x=1&y#frag")
    #expect(url.scheme == .https && url.isSecure)
    #expect(url.username == "us%20er" && url.password == "p%40ss")
    #expect(url.host == "example.com" && url.port == 8443 && url.effectivePort == 8443)
    #expect(url.path == "/a/c;d" && url.query == "x=1&y" && url.fragment == "frag")
    #expect(url.hostHeaderValue == "example.com:8443")
    #expect(url.redactedDescription == "https://***@example.com:8443/a/c;d?x=1&y#frag")
    #expect("\(url)" == url.description && String(reflecting: url) == url.redactedDescription)
    let userinfo = try #require(url.decodedUserinfo)
    #expect(userinfo.username == Array("us er".utf8) && userinfo.password == Array("p@ss".utf8))
    #expect(url.removingUserinfo() == (try HTTPURL("https://example.com:8443/a/c;d?x=1&y#frag")))
    #expect(url.removingUserinfo().path == "/a/c;d" && url.removingUserinfo().host == "example.com")
    #expect(url.removingFragment().description == "https://us%20er:p%40ss@example.com:8443/a/c;d?x=1&y")
    #expect(url.removingFragment().fragment == nil)
  }

  @Test(
    "the default port is not a part, whichever way it is written",
    arguments: [
      ("http://h:80", UInt16(80)), ("https://h:443", 443), ("ws://h:00080", 80), ("wss://h:443", 443),
      ("http://h:", 80),
    ])
  func defaultPort(_ text: String, _ port: UInt16) throws {
    let url = try HTTPURL(text)
    #expect(url.port == nil && url.effectivePort == port && url.hostHeaderValue == "h")
  }

  @Test("another scheme's default port is kept")
  func otherDefaultPort() throws {
    #expect(try HTTPURL("https://h:80").description == "https://h:80/")
    #expect(try HTTPURL("http://h:443").description == "http://h:443/")
  }

  @Test("an IPv6 host has brackets in texts and none in `host`")
  func ipv6() throws {
    let url = try HTTPURL("http://[2001:DB8:0::1]:81/x")
    #expect(url.host == "2001:db8::1" && url.hostHeaderValue == "[2001:db8::1]:81")
    #expect(url.address == IPAddress("2001:db8::1"))
    #expect(url.origin.host == "2001:db8::1" && url.description == "http://[2001:db8::1]:81/x")
    #expect(throws: HTTPURLError.self) { try HTTPURL("http://[fe80::1%25eth0]/") }
  }

  @Test(
    "IPv4 in every number form is the same host",
    arguments: [
      "127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0x7F000001", "017700000001", "127.0.0.1.", "１２７.1",
    ])
  func ipv4Forms(_ host: String) throws {
    let url = try HTTPURL("http://\(host)/")
    #expect(url.host == "127.0.0.1")
    #expect(url.address?.isLoopback == true)
  }

  @Test(
    "IPv4 numbers out of range are refused",
    arguments: [
      "256.1", "1.256.1", "4294967296", "0x100000000", "1.2.3.256", "1.2.65536", "99999999999999999999", "0x1g", "09.1",
      "1.2.3.4.5", "a.1", "1..2",
    ])
  func ipv4Refused(_ host: String) {
    if host == "0x1g" {
      #expect(throws: Never.self) { try HTTPURL("http://\(host)/") }
    } else {
      #expect(throws: HTTPURLError.invalidHost(host, .notAnIPv4Address)) { try HTTPURL("http://\(host)/") }
    }
  }

  @Test(
    "userinfo ends at the last @ and its parts are told apart",
    arguments: [
      ("http://a:b@h/", "a", "b"), ("http://a@h/", "a", ""), ("http://a:@h/", "a", ""), ("http://:b@h/", "", "b"),
      ("http://:@h/", "", ""), ("http://@h/", "", ""), ("http://a@b:c@h/", "a%40b", "c"),
      ("http://a:b:c@h/", "a", "b%3Ac"),
    ])
  func userinfo(_ text: String, _ username: String, _ password: String) throws {
    let url = try HTTPURL(text)
    #expect(url.username == username && url.password == password && url.host == "h")
    #expect(url.hasUserinfo == !(username + password).isEmpty)
    #expect(url.removingUserinfo().description == "http://h/")
    #expect(!url.redactedDescription.contains(":b"))
  }

  @Test(
    "escapes that are there are kept as they are",
    arguments: ["/%7e%7E%2f%2F", "/%", "/%zz", "/a%00", "/?%3f%", "/#%23%"])
  func escapesKept(_ rest: String) throws {
    #expect(try HTTPURL("http://h" + rest).description == "http://h" + rest)
  }

  @Test("bytes that are not UTF-8 are encoded one by one, but not in the host")
  func rawBytes() throws {
    let raw: [UInt8] = Array("http://h/".utf8) + [0xE9, 0xFF]
    #expect(try HTTPURL(bytes: raw.span).path == "/%E9%FF")
    let host: [UInt8] = Array("http://h".utf8) + [0xE9, 0x2F]
    #expect(throws: HTTPURLError.self) { try HTTPURL(bytes: host.span) }
  }

  @Test(
    "the quick way and the general parser agree",
    arguments: [
      "http://example.com", "https://example.com/", "http://example.com/a/b.c?d=e&f#g", "ws://a-b.c:81/x", "wss://h/?",
      "http://h/#", "http://h.:8080/a//b", "http://a..b/x%20y", "http://h1.example/a.b/.c", "http://h/%2e/x",
      "http://h:1",
    ])
  func quickWay(_ text: String) throws {
    let quick = try HTTPURL(text)
    // A leading space is dropped, and makes the quick way give up.
    let general = try HTTPURL(" " + text)
    #expect(quick == general)
    #expect(quick.path == general.path && quick.query == general.query && quick.fragment == general.fragment)
    #expect(quick.host == general.host && quick.port == general.port)
  }

  @Test("random bytes never trap, and what parses parses to itself again")
  func randomBytes() throws {
    var generator = SeededGenerator(seed: 20_260)
    let pieces: [[UInt8]] = [
      "http://", "https:", "ws:/", "//", "/", "\\", "?", "#", "@", ":", ":80", ":0", "[", "]", "::", "%2e", "%", "..",
      ".",
      "a", "B", "xn--", "é", "ß", "\u{200D}", "0x", "255", "\t", " ", "\u{0}", "host", "127.1", "\u{05D0}", "|", "'",
      "%41",
    ].map { Array($0.utf8) }
    let base = try HTTPURL("https://u:p@base.example:81/x/y/z?q#f")
    var parsed = 0
    for round in 0..<20_000 {
      var text: [UInt8] = Bool.random(using: &generator) ? Array("http://".utf8) : []
      for _ in 0..<Int.random(in: 0...10, using: &generator) {
        if round % 4 == 0 {
          text.append(UInt8(truncatingIfNeeded: generator.next()))
        } else {
          text += pieces.randomElement(using: &generator) ?? []
        }
      }
      for candidate in [try? HTTPURL(bytes: text.span), try? base.resolve(bytes: text.span)] {
        guard let url = candidate else { continue }
        parsed += 1
        try checkIntegrity(url)
      }
    }
    #expect(parsed > 10_000)
  }

  private func checkIntegrity(_ url: HTTPURL) throws {
    let text = url.description
    let again = try HTTPURL(text)
    #expect(again == url && again.description == text)
    #expect(again.host == url.host && again.path == url.path && again.port == url.port)
    #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    #expect(url.path.utf8.first == UInt8(ascii: "/") && !url.host.isEmpty)
    let userinfo = url.password.isEmpty ? url.username : "\(url.username):\(url.password)"
    let parts = [
      url.scheme.rawValue, "://", userinfo, url.hasUserinfo ? "@" : "", url.hostHeaderValue, url.path,
      url.query.map { "?" + $0 } ?? "", url.fragment.map { "#" + $0 } ?? "",
    ]
    #expect(parts.joined() == text)
    #expect(try url.resolve("").description == url.removingFragment().description)
    #expect(try url.resolve(text) == url)
  }
}
