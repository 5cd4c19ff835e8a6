internal import LinnetBytes

extension IPAddress {
  /// Four decimal numbers up to 255 without leading zeros.
  static func parseV4(_ text: ArraySlice<UInt8>) -> UInt32? {
    guard text.count <= 15 else { return nil }
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard (1...3).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
      guard let value = number(part, radix: 10), value <= 255 else { return nil }
      bits = bits << 8 | UInt32(value)
    }
    return bits
  }

  /// The IPv6 parser of the WHATWG URL standard §3.5, which accepts the forms of RFC 4291 §2.2.
  static func parseV6(_ text: ArraySlice<UInt8>) -> UInt128? {
    // The longest form is eight pieces of which the last two are written as IPv4: 45 bytes.
    guard text.count <= 45 else { return nil }
    var rest = text
    var before: [UInt16] = []
    var after: [UInt16]?
    if rest.starts(with: "::".utf8) {
      rest = rest.dropFirst(2)
      after = []
    } else if rest.isEmpty {
      return nil
    }
    while !rest.isEmpty {
      let end = rest.firstIndex(of: ASCII.colon) ?? rest.endIndex
      let piece = rest[..<end]
      let isLast = end == rest.endIndex
      var values: [UInt16] = []
      if isLast, piece.contains(UInt8(ascii: ".")) {
        guard let v4 = parseV4(piece) else { return nil }
        values = [UInt16(truncatingIfNeeded: v4 >> 16), UInt16(truncatingIfNeeded: v4)]
      } else {
        guard (1...4).contains(piece.count), let value = number(piece, radix: 16) else { return nil }
        values = [UInt16(truncatingIfNeeded: value)]
      }
      if after == nil { before += values } else { after? += values }
      if isLast { break }
      rest = rest[(end + 1)...]
      if rest.first == ASCII.colon {
        guard after == nil else { return nil }
        after = []
        rest = rest.dropFirst()
      } else if rest.isEmpty {
        return nil
      }
    }
    let tail = after ?? []
    // A compression stands for at least one piece; without one all eight must be there.
    guard after == nil ? before.count == 8 : before.count + tail.count <= 7 else { return nil }
    let pieces = before + [UInt16](repeating: 0, count: 8 - before.count - tail.count) + tail
    return pieces.reduce(0) { $0 << 16 | UInt128($1) }
  }

  /// The value of a number of at least one digit; nil for a foreign digit. Saturates.
  private static func number(_ digits: ArraySlice<UInt8>, radix: UInt64) -> UInt64? {
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      guard let digitValue = ASCII.hexValue(digit), UInt64(digitValue) < radix else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: radix)
      value = overflow ? .max : product.addingReportingOverflow(UInt64(digitValue)).partialValue
      if overflow || value < product { value = .max }
    }
    return value
  }
}

/// IPv4 addresses as URLs write them: decimal, octal (`0177`) and hexadecimal (`0x7f`) numbers, of which the last may
/// fill several bytes (WHATWG URL §3.5).
extension IPAddress {
  /// The "ends in a number checker": whether a host must be an IPv4 address.
  static func endsInNumber(_ host: ArraySlice<UInt8>) -> Bool {
    var labels = host
    if labels.last == UInt8(ascii: ".") { labels = labels.dropLast() }
    let start = labels.lastIndex(of: UInt8(ascii: ".")).map { $0 + 1 } ?? labels.startIndex
    let last = labels[start...]
    guard let first = last.first, ASCII.isDigit(first) else { return false }
    return last.allSatisfy(ASCII.isDigit) || urlNumber(last) != nil
  }

  /// The address that a host which ends in a number stands for.
  static func parseURLForm(_ host: ArraySlice<UInt8>) -> UInt32? {
    var parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    guard parts.count <= 4 else { return nil }
    var bits: UInt64 = 0
    for (index, part) in parts.enumerated() {
      guard let value = urlNumber(part) else { return nil }
      let isLast = index == parts.count - 1
      let bytes = isLast ? 4 - index : 1
      guard value < 1 << UInt64(8 * bytes) else { return nil }
      bits = bits << UInt64(8 * bytes) | value
    }
    return UInt32(truncatingIfNeeded: bits)
  }

  private static func urlNumber(_ text: ArraySlice<UInt8>) -> UInt64? {
    guard text.first == UInt8(ascii: "0"), text.count > 1 else { return number(text, radix: 10) }
    let rest = text.dropFirst()
    guard rest.first.map(ASCII.lowercased) == UInt8(ascii: "x") else { return number(rest, radix: 8) }
    return rest.count == 1 ? 0 : number(rest.dropFirst(), radix: 16)
  }
}
