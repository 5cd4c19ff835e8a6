internal import LinnetBytes

/// Rules about the bytes of field names and values, shared by ``HTTPHeader`` and ``HTTPHeaders``.
enum FieldBytes {
  /// Why a field must not be sent, or nil. Whitespace around the value is not part of it (RFC 9110 §5.5).
  static func invalidity(name: Span<UInt8>, value: Span<UInt8>) -> HTTPHeaderError.Reason? {
    if name.isEmpty { return .emptyName }
    for index in name.indices where !isToken(name[index]) { return .invalidName }
    for index in value.indices where !isFieldValue(value[index]) { return .controlInValue(value[index]) }
    return nil
  }

  // These two are `ASCII.isToken` and `ASCII.isFieldValue` in a form that is inlined here: they run for every byte of
  // every field that is set, and the table of `ASCII` is behind a call into another module.

  /// `tchar` of RFC 9110 §5.6.2: the bits of two words stand for the bytes 0 to 127.
  static func isToken(_ byte: UInt8) -> Bool {
    let word: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return byte < 128 && word &>> UInt64(byte & 63) & 1 == 1
  }

  /// HTAB, SP, visible ASCII and obs-text (RFC 9110 §5.5).
  static func isFieldValue(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == 0x09 }

  /// The range of `bytes` without leading and trailing OWS (RFC 9110 §5.6.3).
  static func trimmed(_ bytes: Span<UInt8>) -> Range<Int> {
    trimmed(bytes, 0..<bytes.count)
  }

  /// `range`, which must lie inside `bytes`, without leading and trailing OWS.
  static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var lower = range.lowerBound
    var upper = range.upperBound
    while lower < upper, ASCII.isWhitespace(bytes[lower]) { lower += 1 }
    while upper > lower, ASCII.isWhitespace(bytes[upper - 1]) { upper -= 1 }
    return lower..<upper
  }

  /// A hash of the name without case from its length and four of its bytes: it only has to tell most of the few names
  /// of one message apart, and is computed for every field that is parsed.
  static func foldedHash(_ name: Span<UInt8>) -> UInt32 {
    let count = name.count
    guard count > 0 else { return 0 }
    var hash = UInt32(truncatingIfNeeded: count)
    hash = hash &* 31 &+ UInt32(name[0] | 0x20)
    hash = hash &* 31 &+ UInt32(name[count >> 2] | 0x20)
    hash = hash &* 31 &+ UInt32(name[count >> 1] | 0x20)
    hash = hash &* 31 &+ UInt32(name[count &- 1] | 0x20)
    return hash & 0x7FFF_FFFF
  }

  /// Whether two names are equal without case (RFC 9110 §5.1).
  static func equalIgnoringCase(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices {
      let (a, b) = (left[index], right[index])
      if a != b && ASCII.lowercased(a) != ASCII.lowercased(b) { return false }
    }
    return true
  }

  static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }

  /// Whether fields of this name carry credentials by definition.
  static func isSensitiveName(_ name: Span<UInt8>) -> Bool {
    switch name.count {
    case 6: equalIgnoringCase(name, "cookie".utf8Span.span)
    case 10: equalIgnoringCase(name, "set-cookie".utf8Span.span)
    case 13: equalIgnoringCase(name, "authorization".utf8Span.span)
    case 19: equalIgnoringCase(name, "proxy-authorization".utf8Span.span)
    default: false
    }
  }

  /// The text of received bytes: as UTF-8 when they are valid UTF-8, else each byte as the scalar of its value, the
  /// Latin-1 of older servers (RFC 9110 §5.5). No byte is lost either way.
  static func text(_ bytes: Span<UInt8>) -> String {
    if let utf8 = try? UTF8Span(validating: bytes) { return String(copying: utf8) }
    var text = ""
    for index in bytes.indices { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    return text
  }
}
