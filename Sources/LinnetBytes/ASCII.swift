/// ASCII classes of the HTTP grammar and case folding. Inlinable: parsers in other modules call them for each byte.
package enum ASCII {
  @inlinable package static var cr: UInt8 { 0x0D }
  @inlinable package static var lf: UInt8 { 0x0A }
  @inlinable package static var space: UInt8 { 0x20 }
  @inlinable package static var tab: UInt8 { 0x09 }
  @inlinable package static var colon: UInt8 { 0x3A }

  /// `tchar` of RFC 9110 §5.6.2, as one bit for each of the values 0...63 and 64...127.
  @inlinable package static func isToken(_ byte: UInt8) -> Bool {
    let bits: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : byte < 128 ? 0x57FF_FFFF_C7FF_FFFE : 0
    return bits >> UInt64(byte & 63) & 1 != 0
  }

  /// A byte that may stand in a field value: HTAB, SP, visible ASCII and obs-text (RFC 9110 §5.5).
  @inlinable package static func isFieldValue(_ byte: UInt8) -> Bool {
    byte >= 0x20 ? byte != 0x7F : byte == 0x09
  }

  @inlinable package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inlinable package static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- 0x61 < 6
  }

  @inlinable package static func isAlpha(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// `SP` or `HTAB`: OWS of RFC 9110 §5.6.3.
  @inlinable package static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  @inlinable package static func lowercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  @inlinable package static func uppercased(_ byte: UInt8) -> UInt8 {
    byte &- 0x61 < 26 ? byte & 0xDF : byte
  }

  @inlinable package static func digitValue(_ byte: UInt8) -> UInt8? { isDigit(byte) ? byte &- 0x30 : nil }

  @inlinable package static func hexValue(_ byte: UInt8) -> UInt8? {
    guard isHexDigit(byte) else { return nil }
    return isDigit(byte) ? byte &- 0x30 : (byte | 0x20) &- 0x61 &+ 10
  }

  /// The digit for a value below 16; for larger values that of the low four bits.
  @inlinable package static func lowercaseHexDigit(_ value: UInt8) -> UInt8 {
    let nibble = value & 0x0F
    return nibble < 10 ? 0x30 &+ nibble : 0x61 &+ nibble &- 10
  }

  @inlinable package static func uppercaseHexDigit(_ value: UInt8) -> UInt8 {
    uppercased(lowercaseHexDigit(value))
  }

  /// Whether two byte sequences are equal when ASCII letters are compared without case.
  @inlinable package static func equalIgnoringCase(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>)
    -> Bool
  {
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
  }
}

extension String {
  /// The string with `A`–`Z` folded to lower case and every other character kept.
  package var asciiLowercased: String {
    utf8.contains { $0 &- 0x41 < 26 } ? String(decoding: utf8.map(ASCII.lowercased), as: UTF8.self) : self
  }
}
