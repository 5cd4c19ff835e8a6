/// Lays out JSON for people, and colours it: a line for each member, two spaces for each level. Pure, and fed in any pieces.
///
/// Values keep their bytes: neither numbers nor escapes are read. What is no JSON comes out in some layout, with nothing lost
/// but white space. Control characters, which JSON has not, are shown as escapes: a terminal does not obey them.
package struct JSONLayout: Sendable {
  private let indents: Bool
  private let colours: Bool
  private var depth = 0
  /// Whether each open bracket is a brace, as deep as is kept in mind.
  private var braces: [Bool] = []
  private var isInString = false
  private var isEscaped = false
  /// A number or a word has begun.
  private var isInWord = false
  /// The next string is the name of a member.
  private var expectsName = false
  /// A bracket was opened, and nothing stands in it yet.
  private var isOpening = false
  /// A value at the top has ended: another one begins a new line.
  private var isBetweenValues = false
  private var endsLine = true

  /// Deeper levels are not indented further, so that the layout is not much larger than its text.
  private static let maximumLevels = 64

  package init(indents: Bool, colours: Bool) {
    self.indents = indents
    self.colours = colours
  }

  package mutating func append(_ bytes: some Sequence<UInt8>, to out: inout [UInt8]) {
    for byte in bytes {
      if isInString { appendInString(byte, to: &out) } else { appendOutside(byte, to: &out) }
      if let last = out.last { endsLine = last == 0x0A }
    }
  }

  /// Ends the text, with a line end when it is laid out in lines.
  package mutating func finish(_ out: inout [UInt8]) {
    endWord(&out)
    if isInString { reset(&out) }
    if indents && !endsLine { out.append(0x0A) }
  }

  // MARK: Inside of a string

  private mutating func appendInString(_ byte: UInt8, to out: inout [UInt8]) {
    Self.appendShown(byte, to: &out)
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      expectsName = false
      reset(&out)
      isBetweenValues = depth == 0
    }
  }

  private static func appendShown(_ byte: UInt8, to out: inout [UInt8]) {
    guard byte < 0x20 || byte == 0x7F else {
      out.append(byte)
      return
    }
    let digits = String(byte, radix: 16)
    out.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8)
  }

  // MARK: Outside of strings

  private mutating func appendOutside(_ byte: UInt8, to out: inout [UInt8]) {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D:
      endWord(&out)
      if !indents { out.append(byte) }
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      beginValue(&out)
      out.append(byte)
      open(isBrace: byte == UInt8(ascii: "{"))
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      endWord(&out)
      close(&out)
      out.append(byte)
      isBetweenValues = depth == 0
    case UInt8(ascii: ","):
      endWord(&out)
      out.append(byte)
      isBetweenValues = false
      expectsName = braces.count == depth && braces.last ?? false
      newLine(&out)
    case UInt8(ascii: ":"):
      endWord(&out)
      out.append(byte)
      isBetweenValues = false
      expectsName = false
      if indents { out.append(0x20) }
    case UInt8(ascii: "\""):
      beginValue(&out)
      set(expectsName ? 34 : 32, &out)
      out.append(byte)
      isInString = true
    default:
      if !isInWord {
        beginValue(&out)
        set(0x61...0x7A ~= byte ? 35 : 36, &out)
        isInWord = true
      }
      Self.appendShown(byte, to: &out)
    }
  }

  private mutating func open(isBrace: Bool) {
    if braces.count == depth, depth < 1024 { braces.append(isBrace) }
    depth += 1
    isOpening = true
    expectsName = isBrace
  }

  private mutating func close(_ out: inout [UInt8]) {
    if braces.count == depth { _ = braces.popLast() }
    depth = max(0, depth - 1)
    expectsName = false
    if isOpening { isOpening = false } else { newLine(&out) }
  }

  private mutating func beginValue(_ out: inout [UInt8]) {
    endWord(&out)
    if isOpening {
      isOpening = false
      newLine(&out)
    } else if isBetweenValues {
      newLine(&out)
    }
    isBetweenValues = false
  }

  private mutating func endWord(_ out: inout [UInt8]) {
    guard isInWord else { return }
    isInWord = false
    reset(&out)
    isBetweenValues = depth == 0
  }

  private func newLine(_ out: inout [UInt8]) {
    guard indents else { return }
    out.append(0x0A)
    out.append(contentsOf: repeatElement(0x20, count: 2 * min(depth, Self.maximumLevels)))
  }

  // MARK: Colours

  private func set(_ colour: Int, _ out: inout [UInt8]) {
    if colours { out.append(contentsOf: "\u{1B}[\(colour)m".utf8) }
  }

  private func reset(_ out: inout [UInt8]) { set(0, &out) }
}
