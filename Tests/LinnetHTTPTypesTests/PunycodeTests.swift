import LinnetHTTPTypes
import LinnetTestRandom
import Testing

@Suite
struct PunycodeTests {
  /// RFC 3492 §7.1, with the ASCII letters in lower case.
  static let vectors: [(String, String)] = [
    ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"),
    ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
    ("pročprostěnemluvíčesky", "proprostnemluvesky-uyb24dma41a"),
    ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
    ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
    ("パフィーdeルンバ", "de-jg4avhby1noc0d"),
    ("-> $1.00 <-", "-> $1.00 <--"),
  ]

  @Test("the samples of RFC 3492 §7.1 encode and decode", arguments: vectors)
  func samples(_ text: String, _ coded: String) {
    let scalars = text.unicodeScalars.map(\.value)
    var output: [UInt8] = []
    #expect(Punycode.encode(scalars[...], into: &output))
    #expect(String(decoding: output, as: UTF8.self) == coded)
    #expect(Punycode.decode(coded.unicodeScalars.map(\.value)[...]) == scalars)
  }

  @Test(
    "overflow, foreign digits, surrogates and cut integers are refused",
    arguments: [
      "99999999", "a!", "é", "-é", "999999zzzzzzzzz", "a-9", "0",
    ])
  func malformed(_ coded: String) {
    #expect(Punycode.decode(coded.unicodeScalars.map(\.value)[...]) == nil)
  }

  @Test("random texts never trap, and what decodes encodes to the same")
  func random() {
    var generator = SeededGenerator(seed: 3492)
    let alphabet = Array("abcxyz0189-".unicodeScalars.map(\.value))
    for _ in 0..<20_000 {
      let coded = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
        alphabet.randomElement(using: &generator)
      }
      guard let decoded = Punycode.decode(coded[...]), decoded.contains(where: { $0 >= 0x80 }) else { continue }
      var output: [UInt8] = []
      #expect(Punycode.encode(decoded[...], into: &output))
      #expect(output.map(UInt32.init) == coded)
    }
  }
}
