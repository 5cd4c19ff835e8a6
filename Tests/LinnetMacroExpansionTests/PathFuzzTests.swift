import LinnetMacroExpansion
import LinnetTestRandom
import Testing

/// Random paths, judged a second time by rules that are written differently.
struct PathFuzzTests {
  private static let pieces = [
    "/", "/", ".", ".", "%", "2", "e", "E", "5", "F", "{a}", "{a}", "{b}", "{c}", "{", "}", "?", "#", "x", " ", "é",
    #"\\"#, "%2e", "%25",
  ]

  @Test("A path is refused exactly when a second reading finds a mistake", arguments: [1, 2, 3, 4] as [UInt64])
  func agreement(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15)
    var accepted = 0
    for _ in 0..<600 {
      let count = Int.random(in: 0...9, using: &generator)
      let path = (0..<count).compactMap { _ in Self.pieces.randomElement(using: &generator) }.joined()
      let run = try MacroRun(
        """
        @APIDefinition(method: .get, path: "\(path)", auth: .anonymous)
        struct Fetch {
          typealias APIResponse = User
          let a: Int, b: String
          var headers: HTTPHeaders { ["x": "\\(a)\\(b)"] }
        }
        """)
      #expect(run.findings.isEmpty == Self.isGood(path.replacing(#"\\"#, with: #"\"#)), "\(path)")
      accepted += run.findings.isEmpty ? 1 : 0
    }
    #expect(accepted > 50)
  }

  private static func isGood(_ path: String) -> Bool {
    let text = path.replacing("{a}", with: "x_y").replacing("{b}", with: "x_y")
    if text.contains(where: { "{}?#".contains($0) }) || text.hasPrefix("//") { return false }
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "%") {
      guard index + 2 < bytes.count,
        bytes[index + 1...index + 2].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit })
      else { return false }
    }
    var decoded = text.lowercased().replacing("%2f", with: "/").replacing("%5c", with: "/")
    while let next = Optional(decoded.replacing("%25", with: "%").replacing("%2e", with: ".")), next != decoded {
      decoded = next.replacing("%2f", with: "/").replacing("%5c", with: "/").replacing("%5f", with: "_")
    }
    return !decoded.split { $0 == "/" || $0 == "\\" }.contains { $0 == "." || $0 == ".." }
  }
}
