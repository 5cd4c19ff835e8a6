internal import SwiftSyntax

/// The characters of a string literal as they are meant, each with the place where it is written.
struct PathLiteral {
  /// One character, or one interpolation.
  struct Unit {
    /// Nil for an interpolation.
    let scalar: Unicode.Scalar?
    /// The source text, so that escapes are copied as the author wrote them.
    let source: String
    let range: Range<AbsolutePosition>
  }

  private(set) var units: [Unit] = []
  private(set) var interpolations: [ExpressionSegmentSyntax] = []

  init(_ literal: StringLiteralExprSyntax) {
    for segment in literal.segments {
      if let text = segment.as(StringSegmentSyntax.self) {
        append(text.content)
      } else if let interpolation = segment.as(ExpressionSegmentSyntax.self) {
        interpolations.append(interpolation)
        let range = interpolation.positionAfterSkippingLeadingTrivia..<interpolation.endPositionBeforeTrailingTrivia
        units.append(Unit(scalar: nil, source: interpolation.trimmedDescription, range: range))
      }
    }
  }

  private mutating func append(_ content: TokenSyntax) {
    let scalars = Array(content.text.unicodeScalars)
    var position = content.positionAfterSkippingLeadingTrivia
    var index = 0
    while index < scalars.count {
      let (meaning, length) = Self.unescape(scalars, at: index)
      let source = String(String.UnicodeScalarView(scalars[index..<index + length]))
      let end = AbsolutePosition(utf8Offset: position.utf8Offset + source.utf8.count)
      units.append(Unit(scalar: meaning, source: source, range: position..<end))
      position = end
      index += length
    }
  }

  /// The scalar that starts at an index, and how many scalars of source it takes.
  private static func unescape(_ scalars: [Unicode.Scalar], at index: Int) -> (Unicode.Scalar, Int) {
    guard scalars[index] == "\\", index + 1 < scalars.count else { return (scalars[index], 1) }
    switch scalars[index + 1] {
    case "0": return ("\0", 2)
    case "t": return ("\t", 2)
    case "n": return ("\n", 2)
    case "r": return ("\r", 2)
    case "u":
      let rest = scalars[(index + 2)...]
      guard rest.first == "{", let end = rest.firstIndex(of: "}"),
        let value = UInt32(String(String.UnicodeScalarView(rest[(index + 3)..<end])), radix: 16),
        let scalar = Unicode.Scalar(value)
      else { return ("\\", 1) }
      return (scalar, end - index + 1)
    case let escaped: return (escaped, 2)
    }
  }
}
