internal import LinnetBytes
package import LinnetHTTPTypes

/// The wait that a server asks for in a `Retry-After` field (RFC 9110 §10.2.3).
package enum RetryAfter {
  /// The seconds to wait, not negative; nil when the value is neither a number of seconds nor a date of HTTP, and for a
  /// date that is not in the future: what asks for no wait says nothing.
  ///
  /// Digits beyond what fits saturate; the caller clamps anyway.
  package static func seconds(in value: String, now: HTTPDate) -> Double? {
    let digits = value.utf8
    if !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) {
      return Double(UInt64(value) ?? .max)
    }
    guard let date = HTTPDate(value, now: now), date > now else { return nil }
    return Double(date.secondsSince1970 - now.secondsSince1970)
  }

  /// What a response with these fields asks for: the longest of the waits, should there be several.
  package static func seconds(in headers: HTTPHeaders, now: HTTPDate) -> Double? {
    headers.values(for: "Retry-After").compactMap { seconds(in: $0, now: now) }.max()
  }
}
