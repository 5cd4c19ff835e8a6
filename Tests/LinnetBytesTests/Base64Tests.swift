import LinnetBytes
import LinnetTestRandom
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test(
    "the vectors of RFC 4648 §10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, coded: String) {
    #expect(Base64.encode(plain.utf8) == coded)
    #expect(Base64.decode(coded.utf8) == Array(plain.utf8))
  }

  @Test("the URL alphabet has - and _ and no padding")
  func urlAlphabet() {
    #expect(Base64.encode([0xFB, 0xFF, 0xBF, 0xFA], alphabet: .url) == "-_-_-g")
    #expect(Base64.decode("-_-_-g".utf8, alphabet: .url) == [0xFB, 0xFF, 0xBF, 0xFA])
    #expect(Base64.decode("-_-_-g==".utf8, alphabet: .url) == [0xFB, 0xFF, 0xBF, 0xFA])
    #expect(Base64.encode([0xFB, 0xFF, 0xBF]) == "+/+/")
  }

  @Test(
    "anything but one canonical spelling is refused",
    arguments: [
      "Zg", "Zg=", "Zg===", "Zg====", "=", "==", "====", "Z", "Zh==", "Zm9=", "Zm9v=", "Zg==Zg==", "Zm9v\n", " Zm9v",
      "Zm-_", "Zm9v====", "Z=g=", "\u{0}AAA", "ZZZZ\u{80}",
    ])
  func strictness(coded: String) {
    #expect(Base64.decode(coded.utf8) == nil)
  }

  @Test("the URL alphabet is as strict", arguments: ["Zh", "Z", "Zg=", "Zm9v=", "Zm9v==", "Zm+/", "=", "===="])
  func urlStrictness(coded: String) {
    #expect(Base64.decode(coded.utf8, alphabet: .url) == nil)
  }

  @Test("bytes of every length come back", arguments: [Base64.Alphabet.standard, .url])
  func roundTrip(alphabet: Base64.Alphabet) {
    var generator = SeededGenerator(seed: 1)
    for length in 0..<200 {
      let bytes = generator.bytes(length)
      #expect(Base64.decode(Base64.encode(bytes, alphabet: alphabet).utf8, alphabet: alphabet) == bytes)
    }
  }

  @Test("what is accepted is what would be written: decoding is injective")
  func canonical() {
    var generator = SeededGenerator(seed: 2)
    let digits = Array("AQgwZ+/=".utf8)
    for _ in 0..<5000 {
      let text = (0..<8).map { _ in digits[Int.random(in: 0..<digits.count, using: &generator)] }
      if let bytes = Base64.decode(text) { #expect(Array(Base64.encode(bytes).utf8) == text) }
    }
  }
}
