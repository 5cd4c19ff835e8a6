import LinnetHTTPTypes
import Testing

@Suite
struct HTTPURLErrorTests {
  @Test(
    "each error names the culprit in one line",
    arguments: [
      ("foo", HTTPURLError.missingScheme(in: "foo"), "missing scheme in \"foo\""),
      ("", .missingScheme(in: ""), "missing scheme in \"\""),
      ("//h/", .missingScheme(in: "//h/"), "missing scheme in \"//h/\""),
      ("FTP://h/", .unsupportedScheme("ftp"), "unsupported scheme \"ftp\""),
      ("localhost:80", .unsupportedScheme("localhost"), "unsupported scheme \"localhost\""),
      ("http://", .missingHost(in: "http://"), "missing host in \"http://\""),
      ("http://:80/", .missingHost(in: "http://:80/"), "missing host in \"http://:80/\""),
      ("http://u:p@/", .missingHost(in: "***@/"), "missing host in \"***@/\""),
      ("http://h:70000/", .portOutOfRange("70000"), "invalid port \"70000\": above 65535"),
      ("http://h:8x/", .invalidPort("8x"), "invalid port \"8x\""),
      ("http://h:-1/", .invalidPort("-1"), "invalid port \"-1\""),
      ("http://h:1:2/", .invalidPort("1:2"), "invalid port \"1:2\""),
      (
        "http://a b/", .invalidHost("a b", .forbiddenCharacter(" ")), "invalid host \"a b\": forbidden character U+0020"
      ),
      ("http://a|b/", .invalidHost("a|b", .forbiddenCharacter("|")), "invalid host \"a|b\": forbidden character \"|\""),
      (
        "http://1.2.3.4.5/", .invalidHost("1.2.3.4.5", .notAnIPv4Address),
        "invalid host \"1.2.3.4.5\": it ends in a number and is not an IPv4 address"
      ),
      (
        "http://[::1/", .invalidHost("[::1", .notAnIPv6Address),
        "invalid host \"[::1\": not an IPv6 address in brackets"
      ),
    ])
  func culprit(_ text: String, _ error: HTTPURLError, _ description: String) {
    #expect(throws: error) { try HTTPURL(text) }
    #expect(error.description == description)
  }

  @Test("port 0 parses, and connecting to it is an error that names the host")
  func portZero() throws {
    let url = try HTTPURL("http://example.com:0/")
    #expect(url.port == 0)
    #expect(url.description == "http://example.com:0/")
    let error = HTTPURLError.zeroPort(host: "example.com")
    #expect(throws: error) { try url.connectablePort() }
    #expect(error.description == "invalid port \"0\": cannot connect to port 0 of example.com")
    #expect(try HTTPURL("http://example.com:65535/").connectablePort() == 65535)
  }

  @Test("a message shows no password, no control character and no more than a line")
  func excerpt() {
    let long = "//user:secret@\u{1B}[31m" + String(repeating: "x", count: 500)
    let error = #expect(throws: HTTPURLError.self) { try HTTPURL(long) }
    let text = error?.description ?? ""
    #expect(!text.contains("secret") && !text.contains("user") && !text.contains("\u{1B}"))
    #expect(text.hasPrefix("missing scheme in \"***@") && text.count < 110)
  }

  @Test("format characters are escaped, so that a message cannot be turned around")
  func formatCharacters() {
    let error = #expect(throws: HTTPURLError.self) { try HTTPURL("http://a\u{200D}b/") }
    #expect(error?.description.contains("\u{200D}") == false)
    #expect(HTTPURLError.missingScheme(in: "x").description == "missing scheme in \"x\"")
    let reversed = #expect(throws: HTTPURLError.self) { try HTTPURL("\u{202E}moc") }
    #expect(reversed == .missingScheme(in: "\\u{202E}moc"))
  }

  @Test("a URL longer than the bound is refused, before and after encoding")
  func tooLong() {
    let count = HTTPURL.maximumBytes
    #expect(throws: HTTPURLError.tooLong(bytes: count + 1)) {
      try HTTPURL("http://h/" + String(repeating: "a", count: count - 8))
    }
    let error = #expect(throws: HTTPURLError.self) {
      try HTTPURL("http://h/" + String(repeating: " ", count: count / 2) + "a")
    }
    guard case .tooLong(let bytes) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(bytes > count)
  }
}
