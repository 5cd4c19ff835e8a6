import LinnetHTTPTypes
import Testing

@Suite
struct DomainNameTests {
  @Test(
    "a name is within another at a label boundary only",
    arguments: [
      ("a.example.com", "example.com", true), ("example.com", "Example.COM", true),
      ("badexample.com", "example.com", false),
      ("com", "example.com", false), ("a.example.com.", "example.com", true), ("example.com", "com.", true),
      ("a.b", ".", false), ("bücher.de", "xn--bcher-kva.de", true),
    ])
  func within(_ name: String, _ parent: String, _ isWithin: Bool) throws {
    #expect(try DomainName(name).isWithin(DomainName(parent)) == isWithin)
  }

  @Test("escapes are decoded before the name is checked")
  func escapes() throws {
    #expect(try DomainName("%65xample.com").ascii == "example.com")
    #expect(try DomainName("b%C3%BCcher.de").ascii == "xn--bcher-kva.de")
    #expect(throws: HTTPURLError.invalidHost("a%20b", .forbiddenCharacter(" "))) { try DomainName("a%20b") }
    #expect(throws: HTTPURLError.invalidHost("%FF", .notUTF8)) { try DomainName("%FF") }
    #expect(throws: HTTPURLError.invalidHost("a%zz", .forbiddenCharacter("%"))) { try DomainName("a%zz") }
  }

  @Test(
    "a number at the end makes it an address, not a name",
    arguments: ["1.2.3.4", "a.1", "a.0x", "08", "1.", "a.0xfg1."])
  func numbers(_ text: String) {
    if text == "a.0xfg1." {
      #expect(throws: Never.self) { try DomainName(text) }
    } else {
      #expect(throws: HTTPURLError.invalidHost(text, .notAnIPv4Address)) { try DomainName(text) }
    }
  }
}
