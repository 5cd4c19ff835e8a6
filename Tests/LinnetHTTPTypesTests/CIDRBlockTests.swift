import LinnetHTTPTypes
import Testing

@Suite
struct CIDRBlockTests {
  @Test(
    "a block contains exactly the addresses with its prefix",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
      ("192.0.2.7", "192.0.2.8", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
      ("::/0", "2001:db8::1", true), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fc00::1", false),
      ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("::1/128", "::1", true), ("::1/128", "::2", false),
      ("192.168.1.77/24", "192.168.1.1", true),
    ])
  func membership(_ block: String, _ address: String, _ isMember: Bool) throws {
    #expect(try #require(CIDRBlock(block)).contains(try #require(IPAddress(address))) == isMember)
  }

  @Test(
    "malformed blocks are refused",
    arguments: [
      "", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/+8", "10.0.0.0/-1", "10.0/8", "10.0.0.0/8/8",
      "10.0.0.0/99999999999999999999", "example.com/8",
    ])
  func malformed(_ text: String) {
    #expect(CIDRBlock(text) == nil)
  }

  @Test("host bits are cleared in the text")
  func text() throws {
    #expect(try #require(CIDRBlock("10.1.2.3/8")).description == "10.0.0.0/8")
    #expect(try #require(CIDRBlock("2001:db8::1/32")).description == "2001:db8::/32")
    #expect(try #require(CIDRBlock("1.2.3.4/0")).description == "0.0.0.0/0")
  }
}
