/// What each byte means to the URL parser, as bits found by one table look-up.
enum URLByteClass {
  static var encodedInFragment: UInt16 { 1 }
  static var encodedInQuery: UInt16 { 2 }
  static var encodedInPath: UInt16 { 4 }
  static var encodedInUserinfo: UInt16 { 8 }
  static var encodedInComponent: UInt16 { 16 }
  /// A forbidden domain code point (WHATWG URL §3.5).
  static var forbiddenInDomain: UInt16 { 32 }
  /// `a`–`z`, `0`–`9`, `-` and `.`: a host of only these needs no change.
  static var plainInHost: UInt16 { 64 }
  /// `/`, `\`, `?` and `#`: what ends an authority or a path segment.
  static var delimiter: UInt16 { 128 }

  static func of(_ byte: UInt8) -> UInt16 { table[Int(byte)] }

  private static let table: InlineArray<256, UInt16> = {
    var table = InlineArray<256, UInt16>(repeating: 0)
    for value in 0..<256 { table[value] = classes(of: UInt8(truncatingIfNeeded: value)) }
    return table
  }()

  private static func classes(of byte: UInt8) -> UInt16 {
    // The C0 control percent-encode set, which every other set contains.
    let isControl = byte <= 0x1F || byte > 0x7E
    var bits: UInt16 = 0
    func set(_ bit: UInt16, _ condition: Bool) { if condition { bits |= bit } }
    let inPath = isControl || " \"#<>?^`{}".utf8.contains(byte)
    let inUserinfo = inPath || "/:;=@[\\]|".utf8.contains(byte)
    set(encodedInFragment, isControl || " \"<>`".utf8.contains(byte))
    set(encodedInQuery, isControl || " \"#<>'".utf8.contains(byte))
    set(encodedInPath, inPath)
    set(encodedInUserinfo, inUserinfo)
    set(encodedInComponent, inUserinfo || "%$&'+,".utf8.contains(byte))
    set(forbiddenInDomain, byte <= 0x20 || byte == 0x7F || "#/:<>?@[\\]^|%".utf8.contains(byte))
    set(plainInHost, "abcdefghijklmnopqrstuvwxyz0123456789-.".utf8.contains(byte))
    set(delimiter, "/\\?#".utf8.contains(byte))
    return bits
  }
}
