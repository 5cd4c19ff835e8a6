internal import LinnetBytes

/// Which bytes stay as they are when text is percent-encoded; all others, above all every byte of non-ASCII text, become
/// `%XX` with upper-case digits.
struct PercentEscaping: Sendable {
  private let low: UInt64
  private let high: UInt64

  /// Keeps ASCII letters, digits and the characters of `punctuation`.
  init(keepingAlphanumericsAnd punctuation: String) {
    var low: UInt64 = 0
    var high: UInt64 = 0
    for byte in UInt8.min..<0x80 where ASCII.isAlpha(byte) || ASCII.isDigit(byte) || punctuation.utf8.contains(byte) {
      if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
    }
    self.low = low
    self.high = high
  }

  func keeps(_ byte: UInt8) -> Bool {
    let bits = byte < 64 ? low : byte < 128 ? high : 0
    return bits &>> UInt64(byte & 63) & 1 != 0
  }

  func escape(_ text: String) -> String {
    if text.utf8.allSatisfy(keeps) { return text }
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameter space: What a space becomes; nil for its escape.
  func append(_ text: String, to bytes: inout [UInt8], space: UInt8? = nil) {
    for byte in text.utf8 {
      if keeps(byte) {
        bytes.append(byte)
      } else if byte == ASCII.space, let space {
        bytes.append(space)
      } else {
        Self.appendEscape(of: byte, to: &bytes)
      }
    }
  }

  static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "%"))
    bytes.append(ASCII.uppercaseHexDigit(byte >> 4))
    bytes.append(ASCII.uppercaseHexDigit(byte))
  }
}

extension PercentEscaping {
  /// The unreserved characters of RFC 3986 §2.3.
  static let unreserved = PercentEscaping(keepingAlphanumericsAnd: "-._~")
  /// What may stand in a query (RFC 3986 §3.4), without the delimiters of pairs, and without `+`, which most servers
  /// read as a space.
  static let queryComponent = PercentEscaping(keepingAlphanumericsAnd: "-._~!$'()*,;:@/?")
  /// As ``queryComponent``, for the elements of a list that is separated by commas.
  static let queryListElement = PercentEscaping(keepingAlphanumericsAnd: "-._~!$'()*;:@/?")
  /// The `application/x-www-form-urlencoded` set of the WHATWG URL standard (§1.3).
  static let form = PercentEscaping(keepingAlphanumericsAnd: "*-._")
  /// `pchar` of RFC 3986 §3.3 without escapes.
  static let pathSegment = PercentEscaping(keepingAlphanumericsAnd: "-._~!$&'()*+,;=:@")
}
