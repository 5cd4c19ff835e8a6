import LinnetHTTPTypes
import LinnetTestRandom
import Testing

@Suite
struct IPAddressTests {
  @Test(
    "text forms are read and written in the canonical form",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"),
      ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
      ("2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
      ("::ffff:192.0.2.1", "::ffff:c000:201"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"),
      ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
      ("fe80::1:2", "fe80::1:2"),
    ])
  func canonicalText(_ text: String, _ canonical: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.description == canonical)
    #expect(IPAddress(canonical) == address)
    #expect(IPAddress(bytes: address.bytes) == address)
  }

  @Test(
    "what is not an address is refused",
    arguments: [
      "", ".", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4.", "1..2.3", "0x7f.1.1.1", "+1.2.3.4",
      " 1.2.3.4",
      ":", ":::", "1:", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "12345::", "g::", "::1%eth0", "[::1]",
      "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4",
      "99999999999999999999.1.1.1",
    ])
  func refused(_ text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test("classes of addresses, also when mapped into IPv6")
  func classes() throws {
    for text in ["127.9.9.9", "::1", "::ffff:127.0.0.1"] { #expect(try #require(IPAddress(text)).isLoopback) }
    for text in ["169.254.1.1", "fe80::1", "febf::1"] { #expect(try #require(IPAddress(text)).isLinkLocal) }
    for text in ["10.1.1.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fd00::1", "::ffff:10.0.0.1"] {
      #expect(try #require(IPAddress(text)).isPrivate)
    }
    for text in ["172.32.0.1", "8.8.8.8", "2001:db8::1", "128.0.0.1", "fec0::1"] {
      let address = try #require(IPAddress(text))
      #expect(!address.isLoopback && !address.isLinkLocal && !address.isPrivate && !address.isUnspecified)
    }
    #expect(try #require(IPAddress("::")).isUnspecified)
    #expect(try #require(IPAddress("::ffff:1.2.3.4")).unmapped == IPAddress(v4: 0x0102_0304))
  }

  @Test("only 4 or 16 bytes are an address", arguments: [0, 3, 5, 15, 17])
  func byteCounts(_ count: Int) {
    #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
  }

  @Test("random addresses survive the way through text")
  func roundTrip() {
    var generator = SeededGenerator(seed: 4291)
    for _ in 0..<5_000 {
      var bits = UInt128(generator.next()) << 64 | UInt128(generator.next())
      for piece in 0..<8 where Bool.random(using: &generator) { bits &= ~(0xFFFF << UInt128(piece * 16)) }
      let address = IPAddress(v6: bits)
      #expect(IPAddress(address.description) == address)
    }
  }
}
