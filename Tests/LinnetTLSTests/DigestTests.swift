import LinnetTLS
import Testing

@Suite("Digests")
struct DigestTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(
    "the vectors of RFC 1321 and FIPS 180",
    arguments: [
      (Digest.Algorithm.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
      (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
      (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        .sha384, "abc",
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
      ),
      (
        .sha512, "abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
      (.sha512_256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    ])
  func vectors(algorithm: Digest.Algorithm, text: String, expected: String) throws {
    let bytes = Array(text.utf8)
    #expect(hex(try Digest.hash(bytes.span, with: algorithm)) == expected)
    var pieces = try Digest(algorithm)
    for byte in bytes { pieces.update([byte].span) }
    #expect(hex(pieces.finalize()) == expected)
  }

  @Test(
    "the HMAC vectors of RFC 2202 and RFC 4231",
    arguments: [
      (
        Digest.Algorithm.md5, [UInt8](repeating: 0x0B, count: 16), "Hi There", "9294727a3638bb1c13f48ef8158bfc9d"
      ),
      (.sha1, Array("Jefe".utf8), "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
      (
        .sha256, [UInt8](repeating: 0x0B, count: 20), "Hi There",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        .sha256, [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
      (
        .sha384, Array("Jefe".utf8), "what do ya want for nothing?",
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
      ),
      (
        .sha512, Array("Jefe".utf8), "what do ya want for nothing?",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
          + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
      ),
      (.sha256, [], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
  func hmac(algorithm: Digest.Algorithm, key: [UInt8], text: String, expected: String) throws {
    #expect(hex(try Digest.hmac(key: key.span, Array(text.utf8).span, with: algorithm)) == expected)
  }

  @Test("every algorithm gives as many bytes as it says", arguments: Digest.Algorithm.allCases)
  func lengths(algorithm: Digest.Algorithm) throws {
    #expect(try Digest.hash([UInt8]().span, with: algorithm).count == algorithm.byteCount)
  }
}
