import LinnetCLI
import LinnetTestRandom
import Testing

@Suite("Dates of the command line")
struct DateExpressionTests {
  @Test(
    "the forms of HTTP, ISO 8601 and what people write are understood",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "1994-11-06T08:49:37Z", "1994-11-06T08:49:37", "1994-11-06 08:49:37.250 UTC", "1994-11-06T09:49:37+01:00",
      "19941106T08:49:37Z", "06 Nov 1994 08:49:37", "06-Nov-94 08:49:37", "Nov 6 08:49:37 1994",
      "1994 November 6 08:49:37", "GMT 08:49:37 06-Nov-94 Sunday", "6 94 Nov 08:49:37",
      "Sun, 6 Nov 1994 01:49:37 -0700", "08:49:37 19941106", "sun, 06 nov 1994 08:49:37 gmt",
      "Sun, 06 Nov 1994 03:49:37 EST",
    ])
  func understood(_ text: String) {
    #expect(DateExpression.seconds(text) == 784_111_777, "\(text)")
  }

  @Test(
    "parts that are missing are zero",
    arguments: [
      ("1970-01-02", 86_400), ("20110620", 1_308_528_000), ("6 Nov 1994", 784_080_000), ("1970-01-01 00:01", 60),
    ]
      as [(String, Int64)])
  func parts(_ text: String, _ seconds: Int64) {
    #expect(DateExpression.seconds(text) == seconds)
  }

  @Test(
    "everything else is no date",
    arguments: [
      "", "yesterday", "1994", "Nov 1994", "31 Feb 1994", "1994-13-01", "1994-11-06T25:00:00", "06 Nov 1994 8:61",
      "6 Nov 1994 Nov", "06 Nov 1994 08:49:37 +9999", "/etc/passwd", "1994-11-06/x", "99999999999", "-", "+", "-1",
      "06 Nov 1994 08:49:37 08:49:37", "Sun Mon 6 Nov 1994", "19941106 7", "\u{0}", "5 5 5",
    ])
  func refused(_ text: String) {
    #expect(DateExpression.seconds(text) == nil)
  }

  @Test("any bytes give a date or none")
  func anyBytes() {
    var generator = SeededGenerator(seed: 3)
    let words = [
      "Sun", ",", " ", "06", "Nov", "-", "94", "1994", "08:49:37", ":", "+0100", "T", "Z", "GMT", ".", "19941106", "é",
    ]
    for _ in 0..<5000 {
      let count = Int.random(in: 0...12, using: &generator)
      let text = (0..<count).map { _ in words[Int.random(in: 0..<words.count, using: &generator)] }.joined()
      if let seconds = DateExpression.seconds(text) { #expect((-100_000_000_000...300_000_000_000).contains(seconds)) }
    }
  }

  @Test("a condition is met on the side of the moment that was asked for")
  func condition() {
    let since = TimeCondition(isSince: true, seconds: 100)
    #expect(since.fieldName == "If-Modified-Since")
    #expect([99, 100, 101].map { since.isMet(lastModified: $0) } == [false, false, true])
    let until = TimeCondition(isSince: false, seconds: 100)
    #expect(until.fieldName == "If-Unmodified-Since")
    #expect([99, 100, 101].map { until.isMet(lastModified: $0) } == [true, true, false])
  }
}
