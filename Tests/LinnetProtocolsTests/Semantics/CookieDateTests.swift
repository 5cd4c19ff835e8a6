import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite struct CookieDateTests {
  /// Far back, so that the limit of a lifetime does not matter for dates before.
  static let now = HTTPDate(secondsSince1970: 4_000_000_000)

  static func seconds(_ text: String) -> Int64? {
    (try? SetCookie(parsing: Array("a=b; Expires=\(text)".utf8), now: now))?.expires?.secondsSince1970
  }

  @Test(
    "the parts of a date are found in any order and between any delimiters",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("1994 8:49:37 november 6", 784_111_777),
      ("6/nOv/94 08:49:37trailing", 784_111_777), ("06th Nov 1994AD 08:49:37", 784_111_777),
      ("1 Jan 70 0:0:0", 0), ("1 Jan 69 0:0:0", 3_124_224_000), ("29 Feb 2000 0:0:0", 951_782_400),
      ("1 Jan 1601 0:0:0", -11_644_473_600),
    ])
  func valid(text: String, seconds: Int64) { #expect(Self.seconds(text) == seconds) }

  @Test(
    "a part that is missing or out of its range makes no date",
    arguments: [
      "", "Nov 1994 08:49:37", "6 1994 08:49:37", "6 Nov 08:49:37", "6 Nov 1994", "6 Nov 1994 24:0:0",
      "6 Nov 1994 8:60:0",
      "6 Nov 1994 8:49:60", "0 Nov 1994 8:49:37", "32 Nov 1994 8:49:37", "31 Nov 1994 8:49:37", "29 Feb 1900 0:0:0",
      "1 Jan 1600 0:0:0", "6 Nov 194 8:49:37", "6 Nov 19940 8:49:37", "006 Nov 1994 8:49:37", "6 Nov 1994 8:49",
      "6 Nov 1994 008:49:37", "6 Nov 1994 8:49:370", "6 No 1994 8:49:37",
    ])
  func invalid(text: String) { #expect(Self.seconds(text) == nil) }

  @Test(
    "the dates of the http-state suite", .enabled(if: HTTPStateSuite.isPresent, HTTPStateSuite.comment))
  func suite() throws {
    let dates = try HTTPStateSuite.load().dates
    for date in dates {
      let expected = date.expected.flatMap { HTTPDate($0, now: Self.now) }?.secondsSince1970
      #expect(date.expected == nil || expected != nil)
      // A quote and a backslash end nothing; a semicolon would, and none has one.
      #expect(Self.seconds(date.test) == expected, "\(date.test)")
    }
    #expect(dates.count == 70)
  }
}
