/// A set of bytes: a bit for each of the 128 ASCII ones, and one for all others.
///
/// Two constants instead of a table, because they need no initialisation and stay in registers over a scan. The sets
/// are those of the WHATWG URL standard (§1.3 and §3.5).
struct URLByteSet: Sendable {
  private let low: UInt64
  private let high: UInt64
  private let hasNonASCII: Bool

  private init(_ low: UInt64, _ high: UInt64, nonASCII: Bool) {
    self.low = low
    self.high = high
    hasNonASCII = nonASCII
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word = byte & 0x40 == 0 ? low : high
    return byte < 0x80 ? (word &>> UInt64(byte & 0x3F)) & 1 != 0 : hasNonASCII
  }
}

extension URLByteSet {
  /// Controls, space and `" < > \``.
  static let encodedInFragment = URLByteSet(0x5000_0005_FFFF_FFFF, 0x8000_0001_0000_0000, nonASCII: true)
  /// Controls, space and `" # < > '` (the special-query percent-encode set).
  static let encodedInQuery = URLByteSet(0x5000_008D_FFFF_FFFF, 0x8000_0000_0000_0000, nonASCII: true)
  /// Controls, space and `" # < > ? ^ \` { }`.
  static let encodedInPath = URLByteSet(0xD000_000D_FFFF_FFFF, 0xA800_0001_4000_0000, nonASCII: true)
  /// Those of a path and `/ : ; = @ [ \ ] |`.
  static let encodedInUserinfo = URLByteSet(0xFC00_800D_FFFF_FFFF, 0xB800_0001_7800_0001, nonASCII: true)
  /// Those of userinfo and `% $ & ' + ,`.
  static let encodedInComponent = URLByteSet(0xFC00_98FD_FFFF_FFFF, 0xB800_0001_7800_0001, nonASCII: true)
  /// The forbidden domain code points (§3.5).
  static let forbiddenInDomain = URLByteSet(0xD400_8029_FFFF_FFFF, 0x9000_0000_7800_0001, nonASCII: false)
  /// `a`–`z`, `0`–`9`, `-` and `.`: a host of only these needs no change.
  static let plainInHost = URLByteSet(0x03FF_6000_0000_0000, 0x07FF_FFFE_0000_0000, nonASCII: false)
  /// `/ \ ? #`: what ends an authority or a path segment.
  static let delimiters = URLByteSet(0x8000_8008_0000_0000, 0x0000_0000_1000_0000, nonASCII: false)
}
