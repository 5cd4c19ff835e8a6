import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Signing: HMAC")
struct HMACRequestInterceptorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: [UInt8]
    let data: [UInt8]
    /// For SHA-256, SHA-384 and SHA-512, in hexadecimal.
    let codes: [String]
  }

  private static let largeKey = [UInt8](repeating: 0xAA, count: 131)

  /// RFC 4231 §4, without case 5, which truncates.
  static let vectors = [
    Vector(
      testDescription: "test case 1", key: [UInt8](repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
      codes: [
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
        "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
          + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
      ]),
    Vector(
      testDescription: "test case 2", key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
      codes: [
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
          + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
      ]),
    Vector(
      testDescription: "test case 3", key: [UInt8](repeating: 0xAA, count: 20),
      data: [UInt8](repeating: 0xDD, count: 50),
      codes: [
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
        "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
        "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
          + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
      ]),
    Vector(
      testDescription: "test case 4", key: Array(1...25), data: [UInt8](repeating: 0xCD, count: 50),
      codes: [
        "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
        "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c674cffb",
        "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
          + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
      ]),
    Vector(
      testDescription: "test case 6", key: largeKey,
      data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      codes: [
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
        "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
          + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
      ]),
    Vector(
      testDescription: "test case 7", key: largeKey,
      data: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      codes: [
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e",
        "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
          + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
      ]),
  ]

  private static func hexadecimal(_ base64: String?) -> String? {
    base64.flatMap { Data(base64Encoded: $0) }?.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  @Test("the signature of a body is that of RFC 4231", arguments: vectors)
  func published(_ vector: Vector) async throws {
    let file = try TemporaryDirectory()
    let path = try file.write(vector.data, to: "body")
    for (algorithm, code) in zip(HMACRequestInterceptor.Algorithm.allCases, vector.codes) {
      let signer = HMACRequestInterceptor(keyID: "k1", secret: Data(vector.key), algorithm: algorithm)
      for body in [RequestBody.data(Data(vector.data)), .file(URL(fileURLWithPath: path))] {
        let headers = try await signer.signatureHeaders(for: .post("https://a.test/"), body: body)
        #expect(Self.hexadecimal(headers["X-Signature"]) == code)
        #expect(headers["X-Signature-Key-Id"] == "k1")
        #expect(headers.count == 2)
      }
    }
  }

  @Test("no body and an empty one have the same signature, that of no bytes")
  func empty() async throws {
    let signer = HMACRequestInterceptor(keyID: "k", secret: Data(), signatureHeaderName: "X-S", keyIDHeaderName: "X-K")
    let none = try await signer.signatureHeaders(for: .get("https://a.test/"), body: .none)
    let empty = try await signer.signatureHeaders(for: .get("https://a.test/"), body: .data(Data()))
    #expect(none == empty)
    // HMAC-SHA-256 with an empty key of an empty message.
    #expect(
      Self.hexadecimal(none["X-S"]) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    #expect(none["X-K"] == "k")
  }

  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

  @Test("the canonical request covers method, path, query, date and body")
  func canonical() async throws {
    let signer = HMACRequestInterceptor(
      keyID: "k", secret: Data("key".utf8), coverage: .canonicalRequest,
      now: { Date(timeIntervalSince1970: 784_111_777.9) })
    let request = HTTPRequest.post("https://a.test:8443/a%2Fb?q=1&p=%20#fragment", body: .text("hello"))
    let headers = try await signer.signatureHeaders(for: request, body: .data(Data("hello".utf8)))
    // Computed with Python's hmac.
    #expect(headers["X-Signature"] == "mY3FVdBtF/whFwAZ5MwxnGc7NX3eiQBJiDUL9ZnjJeM=")
    #expect(headers["Date"] == Self.date)
  }

  @Test("a date that the request has is covered")
  func ownDate() async throws {
    let signer = HMACRequestInterceptor(
      keyID: "k", secret: Data("key".utf8), algorithm: .sha512, coverage: .canonicalRequest)
    let request = HTTPRequest.get("https://a.test", headers: ["Date": Self.date])
    let headers = try await signer.signatureHeaders(for: request, body: .none)
    #expect(
      headers["X-Signature"]
        == "cAxsBR2CcMYfyAnThdbLS5wH3Or0ahfMexwslC8aQDnilDIfYZHpOtkfBHK/fkuX+xGoKaJD9SeotMtevPEwLQ==")
    #expect(headers["Date"] == Self.date)
  }

  @Test("every part that is covered changes the signature")
  func covered() async throws {
    func signature(
      _ request: HTTPRequest = .get("https://a.test/p?q", headers: ["Date": HMACRequestInterceptorTests.date]),
      body: RequestBody = .none
    ) async throws -> String? {
      try await HMACRequestInterceptor(keyID: "k", secret: Data("key".utf8), coverage: .canonicalRequest)
        .signatureHeaders(for: request, body: body)["X-Signature"]
    }
    let signatures = [
      try await signature(), try await signature(.delete("https://a.test/p?q", headers: ["Date": Self.date])),
      try await signature(.get("https://a.test/P?q", headers: ["Date": Self.date])),
      try await signature(.get("https://a.test/p?Q", headers: ["Date": Self.date])),
      try await signature(.get("https://a.test/p?q", headers: ["Date": "Sun, 06 Nov 1994 08:49:38 GMT"])),
      try await signature(body: .data(Data([0]))),
    ]
    #expect(Set(signatures).count == signatures.count)
  }

  @Test("a file that cannot be read, and a URL that is none, are errors")
  func failures() async {
    let signer = HMACRequestInterceptor(keyID: "k", secret: Data("key".utf8), coverage: .canonicalRequest)
    await #expect(throws: (any Error).self) {
      try await signer.signatureHeaders(
        for: .get("https://a.test/"), body: .file(URL(fileURLWithPath: "/nonexistent/body")))
    }
    await #expect(throws: HTTPURLError.self) {
      try await signer.signatureHeaders(for: .get("nonsense"), body: .none)
    }
  }

  @Test("descriptions hide the signature")
  func hidden() async throws {
    let headers = try await HMACRequestInterceptor(keyID: "k", secret: Data("key".utf8))
      .signatureHeaders(for: .get("https://a.test/"), body: .none)
    #expect(!"\(headers)".contains(try #require(headers["X-Signature"])))
  }
}
