import LinnetTestRandom

/// Random texts of the kinds that break encoders; the same seed gives the same ones.
struct RandomTexts {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private static let troublemakers = [
    ".", "..", "/", "\\", "%", "%2e", "%2E", "%252e", "%2f", "%5c", "?", "#", "@", ":", "//", "&", "=", "+", " ", ";",
    ",",
    "[", "]", "\r\n", "\r", "\n", "\t", "\0", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "é", "e\u{301}", "한", "👩‍👩‍👧",
    "\u{202E}",
    "https://evil.test", "%", "%0d%0a", "X: y", "\"", "'", "<", ">", "{", "}", "|", "^", "`", "~", "!", "$", "*", "(",
    ")",
  ]

  mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  mutating func text(upTo pieces: Int = 6) -> String {
    var text = ""
    for _ in 0..<number(below: pieces + 1) {
      switch number(below: 4) {
      case 0: text += Self.troublemakers.randomElement(using: &generator) ?? ""
      case 1: text.unicodeScalars.append(Unicode.Scalar(UInt32(number(below: 0x80))) ?? "x")
      case 2: text.unicodeScalars.append(Unicode.Scalar(UInt32(number(below: 0x11_0000))) ?? "y")
      default: text += ["user", "7", "Name", "a-b", "v1"].randomElement(using: &generator) ?? ""
      }
    }
    return text
  }
}
