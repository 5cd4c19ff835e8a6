/// Base64 (RFC 4648 §4) and its URL-safe alphabet (§5).
package enum Base64 {
  package enum Alphabet: Sendable {
    case standard
    /// `-` and `_`, written without padding.
    case url
  }

  /// Padded to a multiple of four characters for ``Alphabet/standard``, unpadded for ``Alphabet/url``.
  package static func encode(_ bytes: some Sequence<UInt8>, alphabet: Alphabet = .standard) -> String {
    let digits = Array(alphabet == .standard ? standardDigits.utf8 : urlDigits.utf8)
    var output: [UInt8] = []
    output.reserveCapacity((bytes.underestimatedCount + 2) / 3 * 4)
    var group: UInt32 = 0
    var filled = 0
    for byte in bytes {
      group = group << 8 | UInt32(byte)
      filled += 1
      if filled == 3 {
        output.append(digits[Int(group >> 18 & 63)])
        output.append(digits[Int(group >> 12 & 63)])
        output.append(digits[Int(group >> 6 & 63)])
        output.append(digits[Int(group & 63)])
        group = 0
        filled = 0
      }
    }
    if filled == 1 {
      output.append(digits[Int(group >> 2 & 63)])
      output.append(digits[Int(group << 4 & 63)])
    } else if filled == 2 {
      output.append(digits[Int(group >> 10 & 63)])
      output.append(digits[Int(group >> 4 & 63)])
      output.append(digits[Int(group << 2 & 63)])
    }
    if alphabet == .standard {
      while output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Decodes strictly: nil for a foreign byte, wrong padding, or set bits after the end. Padding is optional for
  /// ``Alphabet/url`` and required for ``Alphabet/standard``.
  package static func decode(_ text: some Collection<UInt8>, alphabet: Alphabet = .standard) -> [UInt8]? {
    var input = Array(text)
    if alphabet == .standard && input.count % 4 != 0 { return nil }
    var padding = 0
    while padding < 2, input.last == UInt8(ascii: "=") {
      input.removeLast()
      padding += 1
    }
    if padding > 0 && (input.count + padding) % 4 != 0 { return nil }
    if input.count % 4 == 1 { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(input.count * 3 / 4)
    var group: UInt32 = 0
    var bits: UInt32 = 0
    for byte in input {
      guard let value = value(of: byte, alphabet) else { return nil }
      group = (group << 6 | UInt32(value)) & 0xFF_FFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: group >> bits))
      }
    }
    return group & ((1 << bits) - 1) == 0 ? output : nil
  }

  private static var standardDigits: String { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" }
  private static var urlDigits: String { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" }

  private static func value(of byte: UInt8, _ alphabet: Alphabet) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+") where alphabet == .standard, UInt8(ascii: "-") where alphabet == .url: 62
    case UInt8(ascii: "/") where alphabet == .standard, UInt8(ascii: "_") where alphabet == .url: 63
    default: nil
    }
  }
}
