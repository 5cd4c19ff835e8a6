import LinnetBytes
import LinnetHTTPTypes
import LinnetTestRandom
import Testing

@Suite("HTTPDate")
struct HTTPDateTests {
  /// 2026-06-15T12:00:00Z.
  private let now = HTTPDate(secondsSince1970: 1_781_524_800)

  @Test(
    "the three formats of one second are that second",
    arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func formats(_ text: String) {
    #expect(HTTPDate(text, now: now)?.secondsSince1970 == 784_111_777)
  }

  @Test(
    "known dates",
    arguments: [
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Tue, 19 Jan 2038 03:14:07 GMT", 2_147_483_647),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
      ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
      ("Thu Nov 16 08:49:37 2023", 1_700_124_577), ("Mon, 15 Jun 2026 12:00:00 GMT", 1_781_524_800),
    ] as [(String, Int64)])
  func table(_ text: String, _ seconds: Int64) {
    #expect(HTTPDate(text, now: now)?.secondsSince1970 == seconds)
  }

  @Test(
    "other texts are refused",
    arguments: [
      "", "0", "-1", "Sun", "Sun,", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
      "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06 Nov 1994 08:49:37 GMT", "Sunday Nov  6 08:49:37 1994", "Sun Nov 6 08:49:37 1994",
      "Sun Nov  6 08:49:37 94", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\r\n", "Sun, 06 Nov 1994 08:49:37 +0000",
    ])
  func refused(_ text: String) {
    #expect(HTTPDate(text, now: now) == nil)
  }

  @Test(
    "a two-digit year is at most 50 years in the future",
    arguments: [
      ("Monday, 15-Jun-76 12:00:00 GMT", "2076"), ("Monday, 15-Jun-76 12:00:01 GMT", "1976"),
      ("Monday, 16-Jun-76 12:00:00 GMT", "1976"), ("Monday, 31-Dec-75 23:59:59 GMT", "2075"),
      ("Monday, 01-Jan-77 00:00:00 GMT", "1977"), ("Monday, 01-Jan-26 00:00:00 GMT", "2026"),
      ("Monday, 31-Dec-26 00:00:00 GMT", "2026"), ("Monday, 01-Jan-00 00:00:00 GMT", "2000"),
    ])
  func century(_ text: String, _ year: String) {
    #expect(HTTPDate(text, now: now)?.description.contains(" \(year) ") == true)
  }

  @Test("the century follows the present")
  func centuryAcrossTheTurn() {
    let in2099 = HTTPDate(secondsSince1970: 4_086_000_000)
    #expect(HTTPDate("Monday, 01-Jan-10 00:00:00 GMT", now: in2099)?.description.contains(" 2110 ") == true)
    #expect(HTTPDate("Monday, 01-Jan-60 00:00:00 GMT", now: in2099)?.description.contains(" 2060 ") == true)
    #expect(HTTPDate("Monday, 29-Feb-00 00:00:00 GMT", now: in2099) == nil, "2100 has no leap day")
    #expect(HTTPDate("Monday, 29-Feb-00 00:00:00 GMT", now: now)?.description.contains(" 2000 ") == true)
    for present in [HTTPDate.earliest, .latest] {
      for year in 10...99 { #expect(HTTPDate("Monday, 01-Jan-\(year) 00:00:00 GMT", now: present) != nil) }
    }
  }

  @Test("every format round trips over 10,000 years")
  func roundTrips() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let range = HTTPDate.earliest.secondsSince1970...HTTPDate.latest.secondsSince1970
      let date = HTTPDate(secondsSince1970: Int64.random(in: range, using: &generator))
      #expect(HTTPDate(date.description, now: now) == date)
    }
  }

  @Test("each day of four centuries follows the one before, with the right weekday")
  func days() {
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    var seen = Set<String>()
    for day in 0..<146_097 {
      let date = HTTPDate(secondsSince1970: Int64(day) * 86_400)
      let text = date.description
      #expect(text.utf8.count == 29)
      if !text.hasPrefix(weekdays[day % 7]) || HTTPDate(text, now: now) != date { Issue.record("day \(day): \(text)") }
      seen.insert(text)
    }
    #expect(seen.count == 146_097)
    #expect(seen.contains("Tue, 29 Feb 2000 00:00:00 GMT") && !seen.contains { $0.contains("29 Feb 2100") })
  }

  @Test("seconds beyond four-digit years are clamped")
  func clamping() {
    #expect(HTTPDate(secondsSince1970: .max).description == "Fri, 31 Dec 9999 23:59:59 GMT")
    #expect(HTTPDate(secondsSince1970: .min).description == "Sat, 01 Jan 0000 00:00:00 GMT")
    #expect(HTTPDate(secondsSince1970: .max) == .latest)
    #expect(HTTPDate.earliest < .latest)
    #expect(HTTPDate("Fri, 31 Dec 9999 23:59:60 GMT", now: now) == .latest)
  }

  @Test("the written form is the description")
  func writing() {
    var out = WriteBuffer()
    now.write(into: &out)
    #expect(String(decoding: out.takeAll(), as: UTF8.self) == "Mon, 15 Jun 2026 12:00:00 GMT")
  }

  @Test("random bytes and damaged dates never trap")
  func random() {
    var generator = SeededGenerator(seed: 9)
    let samples = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    for _ in 0..<20_000 {
      var bytes = Array((samples.randomElement(using: &generator) ?? "").utf8)
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8(truncatingIfNeeded: generator.next())
      }
      bytes.removeLast(Int.random(in: 0...bytes.count, using: &generator) * Int.random(in: 0...1, using: &generator))
      _ = HTTPDate(bytes: bytes.span, now: now)
      let noise = (0..<30).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      _ = HTTPDate(bytes: noise.span, now: now)
    }
  }
}
