/// Searches that the head parser spends its time in: runs of token bytes and of field value bytes.
///
/// They keep no table, so that no look-up has to check whether a global was initialised, and look at eight bytes at a
/// time where they can.
enum ByteScan {
  /// One bit for each `tchar` of RFC 9110 §5.6.2 below 64 and from 64 on.
  private static var lowTokenBits: UInt64 { 0x03FF_6CFA_0000_0000 }
  private static var highTokenBits: UInt64 { 0x57FF_FFFF_C7FF_FFFE }

  static func isToken(_ byte: UInt8) -> Bool {
    let bits = byte < 64 ? lowTokenBits : highTokenBits
    return byte < 128 && (bits &>> UInt64(byte & 63)) & 1 == 1
  }

  /// HTAB, SP, visible ASCII and obs-text (RFC 9110 §5.5).
  static func isFieldValue(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == 0x09 }

  /// The first offset in `start..<end` whose byte is not a token character, or `end`.
  static func endOfToken(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    let limit = min(end, bytes.count)
    var position = max(0, start)
    while position < limit {
      // SAFETY: `0 <= position < bytes.count` by the loop's condition and the clamped start.
      let byte = unsafe bytes[unchecked: position]
      guard isToken(byte) else { return position }
      position &+= 1
    }
    return position
  }

  /// The first offset in `start..<end` whose byte may not stand in a field value, or `end`.
  static func endOfFieldValue(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    let limit = min(end, bytes.count)
    var position = max(0, start)
    // SAFETY: bytes have no padding.
    let raw = unsafe bytes.bytes
    while position &+ 8 <= limit {
      // SAFETY: eight bytes from `position` on lie before `bytes.count` by the loop's condition.
      let word = unsafe UInt64(
        littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: UInt64.self))
      let hits = controlBytes(word)
      if hits == 0 {
        position &+= 8
        continue
      }
      position &+= hits.trailingZeroBitCount &>> 3
      // SAFETY: the hit is one of the eight bytes.
      guard unsafe bytes[unchecked: position] == 0x09 else { return position }
      position &+= 1
    }
    while position < limit {
      // SAFETY: `0 <= position < bytes.count` by the loop's condition and the clamped start.
      guard isFieldValue(unsafe bytes[unchecked: position]) else { return position }
      position &+= 1
    }
    return position
  }

  /// The top bit of each byte that is below 0x20 or 0x7F. Bits above the lowest one may be wrong (a borrow runs upwards),
  /// the lowest one is right.
  private static func controlBytes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let belowSpace = (word &- ones &* 0x20) & ~word & tops
    let flipped = word ^ (ones &* 0x7F)
    return belowSpace | ((flipped &- ones) & ~flipped & tops)
  }

  /// Whether the bytes spell `text` when ASCII letters are compared without case; `text` is lower case.
  static func equals(_ bytes: Span<UInt8>, ignoringCase text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    // SAFETY: a StaticString's bytes live for ever, and both have the same count.
    return text.withUTF8Buffer { expected in
      for index in 0..<expected.count {
        let byte = bytes[index]
        let folded = byte &- 0x41 < 26 ? byte | 0x20 : byte
        if unsafe folded != expected[index] { return false }
      }
      return true
    }
  }

  /// `bytes` without spaces and tabs at both ends, as a range.
  static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var lower = range.lowerBound
    var upper = range.upperBound
    while lower < upper, bytes[lower] == 0x20 || bytes[lower] == 0x09 { lower += 1 }
    while lower < upper, bytes[upper - 1] == 0x20 || bytes[upper - 1] == 0x09 { upper -= 1 }
    return lower..<upper
  }

  /// Calls `body` with the range of each element of a comma-separated list, trimmed; empty elements are skipped
  /// (RFC 9110 §5.6.1). Commas inside quoted strings separate too: no caller's grammar has quoted strings.
  static func forEachListElement<E: Error>(
    _ bytes: Span<UInt8>, _ body: (Range<Int>) throws(E) -> Void
  ) throws(E) {
    var start = 0
    var position = 0
    while position <= bytes.count {
      if position == bytes.count || bytes[position] == 0x2C {
        let element = trimmed(bytes, start..<position)
        if !element.isEmpty { try body(element) }
        start = position + 1
      }
      position += 1
    }
  }
}
