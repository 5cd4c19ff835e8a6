import LinnetHTTPTypes
import Testing

@Suite
struct OriginTests {
  @Test(
    "URLs have the same origin when scheme, host and port agree",
    arguments: [
      ("http://example.com/a", "http://EXAMPLE.com:80/b?c#d", true),
      ("http://example.com/", "https://example.com/", false),
      ("http://example.com/", "http://www.example.com/", false),
      ("http://example.com/", "http://example.com:8080/", false),
      ("https://u:p@example.com/", "https://example.com:443/", true),
      ("ws://example.com/", "http://example.com/", true),
      ("http://[::1]/", "http://[0:0::1]:80/", true), ("http://127.1/", "http://127.0.0.1/", true),
      ("http://h:443/", "https://h:443/", false),
    ])
  func sameOrigin(_ left: String, _ right: String, _ isSame: Bool) throws {
    let left = try HTTPURL(left)
    let right = try HTTPURL(right)
    #expect(left.isSameOrigin(as: right) == isSame)
    #expect(left.origin.isSameOrigin(as: right.origin) == isSame)
    #expect((left.origin == right.origin) == isSame)
  }

  @Test(
    "texts of an origin",
    arguments: [
      ("https://Example.com/x", "https://example.com", "example.com", "example.com:443"),
      ("http://example.com:8080", "http://example.com:8080", "example.com:8080", "example.com:8080"),
      ("wss://[2001:DB8::1]/", "https://[2001:db8::1]", "[2001:db8::1]", "[2001:db8::1]:443"),
    ])
  func texts(_ url: String, _ description: String, _ hostValue: String, _ authority: String) throws {
    let origin = try HTTPURL(url).origin
    #expect(origin.description == description)
    #expect(origin.hostHeaderValue == hostValue)
    #expect(origin.authority == authority)
  }

  @Test("a host given by hand is normalised")
  func normalised() throws {
    #expect(try Origin(scheme: .http, host: "BÜCHER.de").host == "xn--bcher-kva.de")
    #expect(try Origin(scheme: .https, host: "[::0:1]", port: 8443).description == "https://[::1]:8443")
    #expect(try Origin(scheme: .https, host: "::0:1") == Origin(scheme: .https, host: "[::1]", port: 443))
    #expect(try Origin(scheme: .http, host: "0x7f.1").host == "127.0.0.1")
  }

  @Test(
    "a host that is none is refused", arguments: ["", "a b", "a/b", "u@h", "h:80", "h?", "[::1", "1.2.3.4.5", "a\nb"])
  func refused(_ host: String) {
    #expect(throws: HTTPURLError.self) { try Origin(scheme: .http, host: host) }
  }
}
