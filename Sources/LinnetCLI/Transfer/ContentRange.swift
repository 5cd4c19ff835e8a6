/// A `Content-Range` of bytes (RFC 9110 §14.4).
package enum ContentRange: Sendable, Equatable {
  /// `bytes first-last/total`, where the total may be unknown.
  case bytes(first: UInt64, last: UInt64, total: UInt64?)
  /// `bytes */total`: what a 416 answer tells.
  case unsatisfied(total: UInt64)

  /// Parses a field; nil when it is not one about bytes, or contradicts itself.
  package init?(_ field: String) {
    let words = field.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
    guard words.count == 2, let unit = words.first, String(Substring(unit)).lowercased() == "bytes",
      let range = words.last
    else { return nil }
    let halves = range.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard halves.count == 2, let interval = halves.first, let totalText = halves.last else { return nil }
    let total = Self.number(totalText)
    if interval.elementsEqual("*".utf8) {
      guard let total else { return nil }
      self = .unsatisfied(total: total)
      return
    }
    let ends = interval.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard ends.count == 2, let first = ends.first.flatMap(Self.number), let last = ends.last.flatMap(Self.number),
      first <= last, total != nil || totalText.elementsEqual("*".utf8), total.map({ last < $0 }) ?? true
    else { return nil }
    self = .bytes(first: first, last: last, total: total)
  }

  private static func number(_ text: Substring.UTF8View) -> UInt64? {
    guard !text.isEmpty, text.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return UInt64(Substring(text))
  }
}
