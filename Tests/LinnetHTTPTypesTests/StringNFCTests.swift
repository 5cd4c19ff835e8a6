import LinnetHTTPTypes
import Testing

@Suite
struct StringNFCTests {
  @Test(
    "composition, exclusions, reordering, Hangul and blocking",
    arguments: [
      ("e\u{301}", "\u{E9}"), ("\u{2126}", "\u{3A9}"), ("\u{1E9B}\u{323}", "\u{1E9B}\u{323}"),
      ("\u{958}", "\u{915}\u{93C}"),
      ("a\u{307}\u{323}", "\u{1EA1}\u{307}"), ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"),
      ("\u{AC00}\u{11A7}", "\u{AC00}\u{11A7}"),
      ("\u{344}", "\u{308}\u{301}"), ("x\u{315}\u{F73}", "x\u{F71}\u{F72}\u{315}"), ("A\u{30A}\u{301}", "\u{1FA}"),
      ("a\u{302}\u{300}\u{5B}", "\u{1EA7}\u{5B}"),
    ])
  func examples(_ text: String, _ normalised: String) {
    #expect(Array(text.normalizedNFC.unicodeScalars) == Array(normalised.unicodeScalars))
  }

  @Test("the result is canonically equivalent, and its own normalisation")
  func everyScalar() {
    // Ideographs and syllables without decompositions are left out to save time. The three Tibetan vowels are of class 0
    // and decompose to marks, which the standard library (6.3) fails to sort when it compares.
    let ranges: [Range<UInt32>] = [
      0x80..<0x3400, 0xA000..<0xAD00, 0xF900..<0x1_2000, 0x1_D000..<0x1_F000, 0x2_F800..<0x2_FA20,
    ]
    let tibetan: Set<UInt32> = [0xF73, 0xF75, 0xF81]
    for value in ranges.joined() where !tibetan.contains(value) {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else { continue }
      let text = "x\u{315}" + String(scalar) + "\u{301}\u{323}"
      let normalised = text.normalizedNFC
      guard normalised != text || !normalised.normalizedNFC.unicodeScalars.elementsEqual(normalised.unicodeScalars)
      else {
        continue
      }
      Issue.record("U+\(String(value, radix: 16)): \(normalised.unicodeScalars.map(\.value))")
    }
  }

  @Test("a long run of marks in the worst order takes no quadratic time")
  func longRun() {
    let text = "a" + String(repeating: "\u{301}\u{323}", count: 50_000)
    let normalised = Array(text.normalizedNFC.unicodeScalars)
    #expect(normalised.first == "\u{1EA1}" && normalised.count == 100_000 && normalised.last == "\u{301}")
  }
}
