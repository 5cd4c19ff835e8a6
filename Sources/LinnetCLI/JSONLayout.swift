/// Lays out JSON for people, and colours it: a line for each member, two spaces for each level. Pure, and fed in any pieces.
///
/// Only white space between tokens changes; the tokens keep their bytes. What is no JSON is not touched: from the first byte
/// that cannot stand where it does, the rest comes out as it is, together with the white space before it. At the top, values
/// may follow each other on lines of their own.
package struct JSONLayout: Sendable {
  private let indents: Bool
  private let colours: Bool
  private var place = Place.first
  private var token = Token.none
  /// Whether each open bracket is a brace.
  private var braces: [Bool] = []
  /// The white space since the last token, until it is known whether the layout takes its place.
  private var blanks: [UInt8] = []
  /// A line has ended since the last token.
  private var hasLineEnd = false
  private var endsLine = true

  /// What may follow the last token.
  private enum Place {
    /// Nothing was read yet, and a value has to come.
    case first
    /// A value at the top has ended.
    case next
    case arrayStart, arrayValue
    case objectStart, memberName, colon, memberValue
    /// A value has ended inside of brackets.
    case end
  }

  /// What is being read.
  private enum Token {
    case none
    case string, escape
    /// Digits of `\u` that are missing.
    case unicode(Int)
    case number(JSONNumberState)
    /// The bytes of a word that are missing.
    case word(ArraySlice<UInt8>)
    /// No JSON: until the end.
    case verbatim
  }

  /// Deeper levels are not indented further, so that the layout is not much larger than its text.
  private static let maximumIndentation = 64
  /// Nobody reads deeper ones: what is deeper stays as it is.
  private static let maximumLevels = 1024
  /// Servers that keep a connection alive with blanks send fewer. Behind more of them the text stays as it is.
  private static let maximumBlanks = 64 << 10

  package init(indents: Bool, colours: Bool) {
    self.indents = indents
    self.colours = colours
  }

  package mutating func append(_ bytes: some Sequence<UInt8>, to out: inout [UInt8]) {
    let count = out.count
    if bytes.withContiguousStorageIfAvailable({ append($0, to: &out) }) == nil {
      Array(bytes).withUnsafeBufferPointer { append($0, to: &out) }
    }
    if out.count > count, let last = out.last { endsLine = last == 0x0A }
  }

  /// Ends the text, with a line end when it is laid out in lines.
  package mutating func finish(_ out: inout [UInt8]) {
    switch token {
    case .verbatim: return
    case .none: break
    default: reset(&out)
    }
    // Blanks alone are no JSON.
    if case .first = place, case .none = token { out += blanks } else if indents && !endsLine { out.append(0x0A) }
    blanks = []
  }

  // MARK: Tokens

  private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      switch token {
      case .verbatim:
        out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[position...]))
        return
      case .none:
        if Self.isBlank(byte) {
          let end = bytes[position...].firstIndex { !Self.isBlank($0) } ?? bytes.count
          takeBlanks(UnsafeBufferPointer(rebasing: bytes[position..<end]), &out)
          position = end
        } else if takeOutside(byte, &out) {
          position += 1
        } else {
          giveUp(&out)
        }
      case .string:
        var end = position
        while end < bytes.count, bytes[end] >= 0x20, bytes[end] != 0x22, bytes[end] != 0x5C { end += 1 }
        if end > position {
          out.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[position..<end]))
          position = end
        } else if byte >= 0x20 {
          out.append(byte)
          position += 1
          if byte == 0x5C { token = .escape } else { endToken(&out) }
        } else {
          giveUp(&out)
        }
      case .escape, .unicode, .number, .word:
        if continueToken(byte, &out) { position += 1 }
      }
    }
  }

  /// Returns false when the byte is not a part of the token: it is to be looked at again.
  private mutating func continueToken(_ byte: UInt8, _ out: inout [UInt8]) -> Bool {
    var next: Token?
    switch token {
    case .escape:
      if byte == UInt8(ascii: "u") {
        next = .unicode(4)
      } else if "\"\\/bfnrt".utf8.contains(byte) {
        next = .string
      }
    case .unicode(let missing):
      let isDigit = 0x30...0x39 ~= byte || 0x61...0x66 ~= byte | 0x20
      if isDigit { next = missing == 1 ? .string : .unicode(missing - 1) }
    case .number(let state):
      if let state = state.after(byte) {
        next = .number(state)
      } else if state.isComplete {
        endToken(&out)
        return false
      }
    case .word(let missing):
      if missing.first == byte { next = .word(missing.dropFirst()) }
    case .none, .string, .verbatim: break
    }
    guard let next else {
      giveUp(&out)
      return false
    }
    out.append(byte)
    token = next
    if case .word(let missing) = next, missing.isEmpty { endToken(&out) }
    return true
  }

  private mutating func endToken(_ out: inout [UInt8]) {
    token = .none
    reset(&out)
    if case .memberName = place { place = .colon } else { endValue() }
  }

  private mutating func endValue() {
    place = braces.isEmpty ? .next : .end
    hasLineEnd = false
  }

  /// From here on everything stays as it is.
  private mutating func giveUp(_ out: inout [UInt8]) {
    if case .none = token {} else { reset(&out) }
    token = .verbatim
    out += blanks
    blanks = []
  }

  // MARK: Between tokens

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private mutating func takeBlanks(_ run: UnsafeBufferPointer<UInt8>, _ out: inout [UInt8]) {
    hasLineEnd = hasLineEnd || run.contains(0x0A)
    guard indents else {
      out.append(contentsOf: run)
      return
    }
    blanks.append(contentsOf: run)
    if blanks.count > Self.maximumBlanks { giveUp(&out) }
  }

  /// Returns false for a byte that cannot stand there.
  private mutating func takeOutside(_ byte: UInt8, _ out: inout [UInt8]) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard takesValue, braces.count < Self.maximumLevels else { return false }
      begin(&out)
      out.append(byte)
      braces.append(byte == UInt8(ascii: "{"))
      place = byte == UInt8(ascii: "{") ? .objectStart : .arrayStart
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte, &out)
    case UInt8(ascii: ","):
      guard case .end = place else { return false }
      blanks.removeAll(keepingCapacity: true)
      out.append(byte)
      place = braces.last ?? false ? .memberName : .arrayValue
    case UInt8(ascii: ":"):
      guard case .colon = place else { return false }
      blanks.removeAll(keepingCapacity: true)
      out.append(byte)
      place = .memberValue
    case UInt8(ascii: "\""):
      let isName = takesName
      guard isName || takesValue else { return false }
      begin(&out)
      // Which of the two places of a name it was makes no difference any more.
      if isName { place = .memberName }
      set(isName ? 34 : 32, &out)
      out.append(byte)
      token = .string
    default:
      guard takesValue, let first = Self.token(from: byte) else { return false }
      begin(&out)
      if case .word = first { set(35, &out) } else { set(36, &out) }
      out.append(byte)
      token = first
    }
    return true
  }

  private static func token(from byte: UInt8) -> Token? {
    switch byte {
    case UInt8(ascii: "t"): .word(Array("rue".utf8)[...])
    case UInt8(ascii: "f"): .word(Array("alse".utf8)[...])
    case UInt8(ascii: "n"): .word(Array("ull".utf8)[...])
    default: JSONNumberState(first: byte).map { .number($0) }
    }
  }

  private var takesValue: Bool {
    switch place {
    case .first, .arrayStart, .arrayValue, .memberValue: true
    case .next: hasLineEnd
    case .objectStart, .memberName, .colon, .end: false
    }
  }

  private var takesName: Bool {
    switch place {
    case .objectStart, .memberName: true
    default: false
    }
  }

  private mutating func close(_ byte: UInt8, _ out: inout [UInt8]) -> Bool {
    guard let isBrace = braces.last, isBrace == (byte == UInt8(ascii: "}")) else { return false }
    var isEmpty = true
    switch place {
    case .objectStart, .arrayStart: break
    case .end: isEmpty = false
    default: return false
    }
    braces.removeLast()
    blanks.removeAll(keepingCapacity: true)
    if !isEmpty { newLine(&out) }
    out.append(byte)
    endValue()
    return true
  }

  /// What the layout has before a value or a name, in place of the white space that was there.
  private mutating func begin(_ out: inout [UInt8]) {
    blanks.removeAll(keepingCapacity: true)
    switch place {
    case .first: break
    case .memberValue: if indents { out.append(0x20) }
    default: newLine(&out)
    }
  }

  private func newLine(_ out: inout [UInt8]) {
    guard indents else { return }
    out.append(0x0A)
    out.append(contentsOf: repeatElement(0x20, count: 2 * min(braces.count, Self.maximumIndentation)))
  }

  // MARK: Colours

  private func set(_ colour: Int, _ out: inout [UInt8]) {
    if colours { out.append(contentsOf: "\u{1B}[\(colour)m".utf8) }
  }

  private func reset(_ out: inout [UInt8]) { set(0, &out) }
}
