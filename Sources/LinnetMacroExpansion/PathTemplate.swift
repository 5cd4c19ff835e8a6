internal import SwiftSyntax

/// The rules of a path literal that need no knowledge of the endpoint: its pieces, and what is wrong with its text.
struct PathTemplate {
  struct Placeholder {
    let name: String
    let range: Range<AbsolutePosition>
  }

  enum Piece {
    case text(String)
    case placeholder(Placeholder)
  }

  enum Fault {
    /// `https://` or `//`, from which some would read a host; the range has the host too, and the surplus is what a
    /// slash too many at the start would be.
    case absoluteURL(String, Range<AbsolutePosition>, surplus: Range<AbsolutePosition>?)
    /// A `?` or `#`, which would begin the query or the fragment; the range reaches to the end of the literal.
    case component(Unicode.Scalar, Range<AbsolutePosition>)
    /// A `%` without two hexadecimal digits, and what stands in their place.
    case percentEscape(String, Range<AbsolutePosition>)
    /// A segment that means `.` or `..`; the removal takes one slash with it.
    case dotSegment(String, Range<AbsolutePosition>, removal: Range<AbsolutePosition>?)
    /// A `{` that nothing closes, and where the `}` belongs.
    case unterminated(name: String, Range<AbsolutePosition>, closing: AbsolutePosition)
    /// A `}` that nothing opened.
    case unmatched(Range<AbsolutePosition>)
  }

  private(set) var pieces: [Piece] = []
  private(set) var faults: [Fault] = []
  private let units: [PathLiteral.Unit]

  var placeholders: [Placeholder] {
    pieces.compactMap { piece in
      if case .placeholder(let placeholder) = piece { placeholder } else { nil }
    }
  }

  init(_ literal: PathLiteral) {
    units = literal.units
    checkStart()
    var segment = 0
    var isPath = true
    var index = 0
    while index < units.count {
      let unit = units[index]
      switch unit.scalar {
      case "{":
        index = placeholder(at: index)
        continue
      case "}":
        faults.append(.unmatched(unit.range))
      case "?" where isPath, "#" where isPath:
        checkSegment(segment..<index)
        isPath = false
        faults.append(.component(unit.scalar ?? "?", unit.range.lowerBound..<units[units.count - 1].range.upperBound))
      case "%" where isPath && !(isHexDigit(index + 1) && isHexDigit(index + 2)):
        let digits = units[(index + 1)...].prefix(2).prefix { $0.scalar != nil && $0.scalar != "/" }
        faults.append(.percentEscape(unit.source + digits.map(\.source).joined(), unit.range))
      case "/" where isPath, "\\" where isPath:
        checkSegment(segment..<index)
        segment = index + 1
      default:
        break
      }
      append(unit.source)
      index += 1
    }
    if isPath { checkSegment(segment..<units.count) }
  }

  /// Refuses a path that begins as a URL with a host does.
  private mutating func checkStart() {
    let text = String(String.UnicodeScalarView(units.prefix(8).map { $0.scalar ?? "{" })).lowercased()
    guard let start = ["http://", "https://", "ws://", "wss://", "//"].first(where: text.hasPrefix) else { return }
    var end = start.unicodeScalars.count
    while end < units.count, units[end].scalar == "/" { end += 1 }
    let slashes = end
    while end < units.count, !["/", "\\", "?", "#"].contains(units[end].scalar) { end += 1 }
    let beginning = units[0].range.lowerBound
    let surplus = start == "//" ? beginning..<units[slashes - 1].range.lowerBound : nil
    faults.append(.absoluteURL(start, beginning..<units[end - 1].range.upperBound, surplus: surplus))
  }

  /// Reads a placeholder and returns the index after it.
  private mutating func placeholder(at opening: Int) -> Int {
    var end = opening + 1
    while end < units.count, let scalar = units[end].scalar, !["}", "{", "/"].contains(scalar) { end += 1 }
    let inside = units[(opening + 1)..<end]
    if end < units.count, units[end].scalar == "}" {
      let range = units[opening].range.lowerBound..<units[end].range.upperBound
      pieces.append(.placeholder(Placeholder(name: Self.bareName(inside), range: range)))
      return end + 1
    }
    let name = inside.prefix { $0.scalar.map { $0.properties.isXIDContinue } ?? false }
    faults.append(
      .unterminated(
        name: name.map(\.source).joined(), units[opening].range,
        closing: (name.last ?? units[opening]).range.upperBound))
    // What was meant is known well enough to look the property up.
    pieces.append(
      .placeholder(Placeholder(name: name.map(\.source).joined(), range: units[opening].range)))
    return opening + 1 + name.count
  }

  /// The text of some units; a name in backticks without them.
  private static func bareName(_ units: ArraySlice<PathLiteral.Unit>) -> String {
    let isQuoted = units.count > 2 && units.first?.scalar == "`" && units.last?.scalar == "`"
    return (isQuoted ? units.dropFirst().dropLast() : units).map(\.source).joined()
  }

  private mutating func append(_ text: String) {
    if case .text(let before)? = pieces.last {
      pieces.removeLast(); pieces.append(.text(before + text))
    } else {
      pieces.append(.text(text))
    }
  }

  private func isHexDigit(_ index: Int) -> Bool {
    guard index < units.count, let scalar = units[index].scalar else { return false }
    return Self.isHexDigit(scalar)
  }

  private static func isHexDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isASCIIHexDigit }

  /// Refuses a segment that is `.` or `..` once all its escapes are decoded, as often as some server may decode them.
  private mutating func checkSegment(_ indices: Range<Int>) {
    var text: [Unicode.Scalar] = []
    for unit in units[indices] {
      guard let scalar = unit.scalar, scalar != "{" else { return }
      text.append(scalar)
    }
    while true {
      let parts = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
      if parts.contains(where: { $0 == ["."] || $0 == [".", "."] }) { break }
      let decoded = Self.percentDecoded(text)
      if decoded == text { return }
      text = decoded
    }
    guard let first = indices.first, let last = indices.last else { return }
    let range = units[first].range.lowerBound..<units[last].range.upperBound
    let removal: Range<AbsolutePosition>? =
      if text != ["."] {
        nil
      } else if first > 0 {
        units[first - 1].range.lowerBound..<range.upperBound
      } else if last + 1 < units.count {
        range.lowerBound..<units[last + 1].range.upperBound
      } else {
        range
      }
    faults.append(.dotSegment(units[indices].map(\.source).joined(), range, removal: removal))
  }

  private static func percentDecoded(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var decoded: [Unicode.Scalar] = []
    var index = 0
    while index < text.count {
      if text[index] == "%", index + 2 < text.count, isHexDigit(text[index + 1]), isHexDigit(text[index + 2]),
        let value = UInt8(String(String.UnicodeScalarView(text[(index + 1)...(index + 2)])), radix: 16)
      {
        decoded.append(Unicode.Scalar(value))
        index += 3
      } else {
        decoded.append(text[index])
        index += 1
      }
    }
    return decoded
  }
}
