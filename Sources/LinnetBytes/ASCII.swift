/// ASCII classes of the HTTP grammar and case folding, by table look-up.
package enum ASCII {
  package static var cr: UInt8 { 0x0D }
  package static var lf: UInt8 { 0x0A }
  package static var space: UInt8 { 0x20 }
  package static var tab: UInt8 { 0x09 }
  package static var colon: UInt8 { 0x3A }

  private static let tokenClass: UInt8 = 1
  private static let fieldValueClass: UInt8 = 2
  private static let digitClass: UInt8 = 4
  private static let hexClass: UInt8 = 8

  /// One byte of class bits for each of the 256 byte values.
  private static let classes: InlineArray<256, UInt8> = {
    var table = InlineArray<256, UInt8>(repeating: 0)
    for value in 0..<256 {
      let byte = UInt8(value)
      var bits: UInt8 = 0
      let isDigit = (0x30...0x39).contains(byte)
      let isAlpha = (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      if isDigit || isAlpha || "!#$%&'*+-.^_`|~".utf8.contains(byte) { bits |= tokenClass }
      if byte == 0x09 || (byte >= 0x20 && byte != 0x7F) { bits |= fieldValueClass }
      if isDigit { bits |= digitClass }
      if isDigit || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte) { bits |= hexClass }
      table[value] = bits
    }
    return table
  }()

  /// `tchar` of RFC 9110 §5.6.2.
  package static func isToken(_ byte: UInt8) -> Bool { classes[Int(byte)] & tokenClass != 0 }

  /// A byte that may stand in a field value: HTAB, SP, visible ASCII and obs-text (RFC 9110 §5.5).
  package static func isFieldValue(_ byte: UInt8) -> Bool { classes[Int(byte)] & fieldValueClass != 0 }

  package static func isDigit(_ byte: UInt8) -> Bool { classes[Int(byte)] & digitClass != 0 }

  package static func isHexDigit(_ byte: UInt8) -> Bool { classes[Int(byte)] & hexClass != 0 }

  package static func isAlpha(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// `SP` or `HTAB`: OWS of RFC 9110 §5.6.3.
  package static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  package static func lowercased(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
  }

  package static func uppercased(_ byte: UInt8) -> UInt8 {
    (0x61...0x7A).contains(byte) ? byte & 0xDF : byte
  }

  package static func digitValue(_ byte: UInt8) -> UInt8? { isDigit(byte) ? byte &- 0x30 : nil }

  package static func hexValue(_ byte: UInt8) -> UInt8? {
    guard isHexDigit(byte) else { return nil }
    return isDigit(byte) ? byte &- 0x30 : (byte | 0x20) &- 0x61 &+ 10
  }

  /// The digit for a value below 16; for larger values that of the low four bits.
  package static func lowercaseHexDigit(_ value: UInt8) -> UInt8 {
    let nibble = value & 0x0F
    return nibble < 10 ? 0x30 &+ nibble : 0x61 &+ nibble &- 10
  }

  package static func uppercaseHexDigit(_ value: UInt8) -> UInt8 {
    uppercased(lowercaseHexDigit(value))
  }

  /// Whether two byte sequences are equal when ASCII letters are compared without case.
  package static func equalIgnoringCase(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
  }
}

extension String {
  /// The string with `A`–`Z` folded to lower case and every other character kept.
  package var asciiLowercased: String {
    utf8.contains { (0x41...0x5A).contains($0) } ? String(decoding: utf8.map(ASCII.lowercased), as: UTF8.self) : self
  }
}
