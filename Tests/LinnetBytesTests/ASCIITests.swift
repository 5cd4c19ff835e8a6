import LinnetBytes
import Testing

@Suite("ASCII")
struct ASCIITests {
  static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
  static let digits = Array("0123456789".utf8)
  static let tokenMarks = Array("!#$%&'*+-.^_`|~".utf8)

  @Test("each class holds exactly the bytes that its grammar lists", arguments: 0...UInt8.max)
  func classes(byte: UInt8) {
    let isLetter = Self.letters.contains(byte)
    let isDigit = Self.digits.contains(byte)
    #expect(ASCII.isAlpha(byte) == isLetter)
    #expect(ASCII.isDigit(byte) == isDigit)
    #expect(ASCII.isToken(byte) == (isLetter || isDigit || Self.tokenMarks.contains(byte)))
    #expect(ASCII.isHexDigit(byte) == Array("0123456789abcdefABCDEF".utf8).contains(byte))
    #expect(ASCII.isFieldValue(byte) == (byte == 9 || (32...126).contains(byte) || byte >= 128))
    #expect(ASCII.isWhitespace(byte) == (byte == 9 || byte == 32))
  }

  @Test("folding changes letters only", arguments: 0...UInt8.max)
  func folding(byte: UInt8) {
    let scalar = Character(UnicodeScalar(byte))
    let isLetter = Self.letters.contains(byte)
    #expect(ASCII.lowercased(byte) == (isLetter ? scalar.lowercased().utf8.first : byte))
    #expect(ASCII.uppercased(byte) == (isLetter ? scalar.uppercased().utf8.first : byte))
  }

  @Test("digit values and digits are inverse", arguments: UInt8(0)...255)
  func digitValues(value: UInt8) {
    let text = String(value & 15, radix: 16)
    #expect(ASCII.lowercaseHexDigit(value) == text.utf8.first)
    #expect(ASCII.uppercaseHexDigit(value) == text.uppercased().utf8.first)
    #expect(ASCII.hexValue(ASCII.lowercaseHexDigit(value)) == value & 15)
    #expect(ASCII.hexValue(ASCII.uppercaseHexDigit(value)) == value & 15)
    #expect(ASCII.digitValue(value) == (Self.digits.contains(value) ? value - 48 : nil))
    if !ASCII.isHexDigit(value) { #expect(ASCII.hexValue(value) == nil) }
  }

  @Test(
    "comparison without case folds ASCII only",
    arguments: [
      ("Content-Length", "content-LENGTH", true), ("a", "ab", false), ("", "", true), ("[", "{", false),
      ("@", "`", false),
      ("\u{C4}", "\u{E4}", false),
    ])
  func comparison(left: String, right: String, equal: Bool) {
    #expect(ASCII.equalIgnoringCase(Array(left.utf8), Array(right.utf8)) == equal)
  }

  @Test("a string's ASCII letters are folded, others kept")
  func strings() {
    #expect("ÄBC-\u{212A}".asciiLowercased == "Äbc-\u{212A}")
    #expect("already".asciiLowercased == "already")
  }
}
