import FoundationEssentials
import LinnetMacroExpansion
import Testing

/// One declaration with one mistake, from the table that the integration package compiles as well.
struct DiagnosticCase: CustomTestStringConvertible, Sendable {
  struct Fix: Sendable {
    let title: String
    /// The whole declaration after the Fix-It.
    var source = ""
    /// The mistakes that were hidden, or are none of this Fix-It's business.
    var remaining: [String] = []
  }

  let id: String
  /// Whether the conformance is declared where the macro cannot see it.
  let conformsElsewhere: Bool
  private(set) var markedSource = ""
  private(set) var message = ""
  private(set) var fixes: [Fix] = []

  var testDescription: String { "\(id): \(markedSource.split(separator: "\n").first ?? "")" }

  /// The declaration without the marker.
  var source: String { markedSource.split(separator: "▸", omittingEmptySubsequences: false).joined() }

  /// Where the report points, in UTF-8.
  var offset: Int { markedSource.prefix { $0 != "▸" }.utf8.count }

  static let path =
    #filePath.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/Fixtures/MacroIntegration/diagnostics.txt"

  /// The cases of the table, whose format is explained at its head.
  static func all() throws -> [DiagnosticCase] {
    var cases: [DiagnosticCase] = []
    let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("=== ") {
        cases.append(DiagnosticCase(head: line))
      } else if !cases.isEmpty {
        cases[cases.count - 1].read(line)
      }
    }
    return cases
  }

  private init(head: String) {
    let words = head.split(separator: " ")
    id = String(words[1])
    conformsElsewhere = words.contains("conforms-elsewhere")
  }

  private mutating func read(_ line: String) {
    if line.hasPrefix("--- ") {
      message = String(line.dropFirst(4))
    } else if line.hasPrefix(">>> ") {
      fixes.append(Fix(title: String(line.dropFirst(4))))
    } else if line.hasPrefix("... ") {
      fixes[fixes.count - 1].remaining = line.dropFirst(4).split(separator: " ").map(String.init)
    } else if line.isEmpty {
      return
    } else if fixes.isEmpty {
      markedSource += line + "\n"
    } else {
      fixes[fixes.count - 1].source += line + "\n"
    }
  }
}
