internal import LinnetBytes

/// The grammar of ``MediaType``: WHATWG MIME Sniffing §4.4, which accepts everything RFC 9110 §8.3.1 does.
struct MediaTypeParser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The type and the subtype in lower case; nil when one is missing or not a token.
  mutating func parseEssence() -> (type: String, subtype: String)? {
    skipWhitespace()
    let type = take { $0 != UInt8(ascii: "/") }
    guard position < bytes.count else { return nil }
    position += 1
    let subtype = trimmingEnd(take { $0 != UInt8(ascii: ";") })
    guard MediaType.isToken(type), MediaType.isToken(subtype) else { return nil }
    return (text(type).asciiLowercased, text(subtype).asciiLowercased)
  }

  /// The parameters that follow; of those with one name the first.
  mutating func parseParameters() -> [MediaType.Parameter] {
    var parameters: [MediaType.Parameter] = []
    while position < bytes.count {
      position += 1  // the semicolon
      skipWhitespace()
      let name = take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
      guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else { continue }
      position += 1
      guard let value = parseValue(), MediaType.isToken(name) else { continue }
      let parameter = MediaType.Parameter(name: text(name), value: value)
      if !parameters.contains(where: { $0.name == parameter.name }) { parameters.append(parameter) }
    }
    return parameters
  }

  /// A token or quoted string; nil for an empty token and for control bytes.
  private mutating func parseValue() -> String? {
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      let value = parseQuotedString()
      _ = take { $0 != UInt8(ascii: ";") }
      return value.allSatisfy(ASCII.isFieldValue) ? String(decoding: value, as: UTF8.self) : nil
    }
    let value = trimmingEnd(take { $0 != UInt8(ascii: ";") })
    return !value.isEmpty && value.allSatisfy(ASCII.isFieldValue) ? text(value) : nil
  }

  /// The content of a quoted string (RFC 9110 §5.6.4); one that does not end runs to the end of the text.
  private mutating func parseQuotedString() -> [UInt8] {
    var value: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\"), position < bytes.count {
        value.append(bytes[position])
        position += 1
      } else {
        value.append(byte)
      }
    }
    return value
  }

  private mutating func skipWhitespace() {
    while position < bytes.count, ASCII.isWhitespace(bytes[position]) { position += 1 }
  }

  private mutating func take(while predicate: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, predicate(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  private func trimmingEnd(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var slice = slice
    while let last = slice.last, ASCII.isWhitespace(last) { slice.removeLast() }
    return slice
  }

  private func text(_ slice: ArraySlice<UInt8>) -> String { String(decoding: slice, as: UTF8.self) }
}
