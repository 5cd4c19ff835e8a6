import LinnetHTTPTypes
import LinnetPolicies
import Testing

@Suite struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  static let now = HTTPDate(secondsSince1970: 784_111_777)

  @Test(
    "seconds and the three forms of a date are understood; what asks for no wait, or is neither, says nothing",
    arguments: [
      ("0", 0), ("120", 120), ("007", 7), ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
      ("Sunday, 06-Nov-94 08:49:38 GMT", 1), ("Sun Nov  6 09:49:37 1994", 3600),
      ("99999999999999999999999999", Double(UInt64.max)), ("Sun, 06 Nov 1994 08:49:37 GMT", nil),
      ("Sun, 06 Nov 1994 08:49:36 GMT", nil), ("", nil), ("-1", nil), ("+1", nil), ("1.5", nil), ("1s", nil),
      ("soon", nil), ("1, 2", nil), ("٣", nil), ("Sun, 31 Feb 2094 08:49:37 GMT", nil),
    ] as [(String, Double?)])
  func value(text: String, expected: Double?) {
    #expect(RetryAfter.seconds(in: text, now: Self.now) == expected)
  }

  @Test("of several fields the longest wait counts")
  func several() {
    let headers: HTTPHeaders = [
      HTTPHeader("Retry-After", "5"), HTTPHeader("retry-after", "7"), HTTPHeader("Retry-After", "x"),
    ]
    #expect(RetryAfter.seconds(in: headers, now: Self.now) == 7)
    #expect(RetryAfter.seconds(in: HTTPHeaders(), now: Self.now) == nil)
  }
}
