internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

/// The library's text of a date: `yyyy-MM-dd'T'HH:mm:ss.SSSZ` in UTC, for example `2026-03-09T08:05:03.120Z`.
enum ISO8601Milliseconds {
  /// Dates farther from 1970 than this, about 285 million years, have no text: their second is not known to a
  /// millisecond, and the arithmetic below must not overflow.
  private static var maximumSeconds: Double { 9e15 }

  /// The text, rounded to the nearest millisecond; nil for a date that is not a number or millions of years away.
  ///
  /// A year after 9999 has more digits, a year before 0 a minus sign (ISO 8601-1 §4.3.2 asks both sides to agree on
  /// that).
  static func text(_ date: Date) -> String? {
    let seconds = date.timeIntervalSince1970
    guard seconds.magnitude <= maximumSeconds else { return nil }
    var whole = Int64(seconds.rounded(.down))
    var milliseconds = Int64(((seconds - seconds.rounded(.down)) * 1000).rounded())
    if milliseconds == 1000 {
      whole += 1
      milliseconds = 0
    }
    let time = CivilTime(secondsSince1970: whole)
    let year = (time.year < 0 ? "-" : "") + padded(time.year.magnitude, 4)
    let date = "\(year)-\(padded(time.month.magnitude, 2))-\(padded(time.day.magnitude, 2))"
    let clock = [time.secondOfDay / 3600, time.secondOfDay / 60 % 60, time.secondOfDay % 60]
    return date + "T" + clock.map { padded($0.magnitude, 2) }.joined(separator: ":")
      + ".\(padded(milliseconds.magnitude, 3))Z"
  }

  /// The date of a text with or without a fraction of any length, and with `Z` or an offset (`+09:00`, `+0900`, `+09`);
  /// nil for anything else.
  static func date(_ text: String) -> Date? {
    var scanner = Scanner(Array(text.utf8))
    return scanner.date()
  }

  private static func padded(_ number: UInt64, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  private struct Scanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func date() -> Date? {
      let isBeforeYearZero = take("-")
      guard let year = year(), take("-"), let month = number(2), take("-"), let day = number(2), take("T") || take("t"),
        let clock = secondOfDay()
      else { return nil }
      let time = CivilTime(year: isBeforeYearZero ? -year : year, month: month, day: day, secondOfDay: clock)
      guard time.isValid, let fraction = fraction(), let offset = offset(), position == bytes.count else { return nil }
      return Date(timeIntervalSince1970: Double(time.secondsSince1970 - offset) + fraction)
    }

    /// 4 to 9 digits.
    private mutating func year() -> Int64? {
      let digits = bytes[position...].prefix { ASCII.isDigit($0) }.count
      return (4...9).contains(digits) ? number(digits) : nil
    }

    /// `HH:mm:ss`; second 60 is a leap second and becomes the next one.
    private mutating func secondOfDay() -> Int64? {
      guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60, take(":"),
        let second = number(2), second <= 60
      else { return nil }
      return hour * 3600 + minute * 60 + second
    }

    private mutating func fraction() -> Double? {
      guard take(".") || take(",") else { return 0 }
      let digits = bytes[position...].prefix { ASCII.isDigit($0) }
      position += digits.count
      return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
    }

    private mutating func offset() -> Int64? {
      if take("Z") || take("z") { return 0 }
      let isWest = take("-")
      guard isWest || take("+"), let hours = number(2), hours < 24 else { return nil }
      var seconds = hours * 3600
      if position < bytes.count {
        _ = take(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        seconds += minutes * 60
      }
      return isWest ? -seconds : seconds
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
      position += 1
      return true
    }

    private mutating func number(_ digits: Int) -> Int64? {
      guard position + digits <= bytes.count else { return nil }
      var value: Int64 = 0
      for byte in bytes[position..<(position + digits)] {
        guard let digit = ASCII.digitValue(byte) else { return nil }
        value = value * 10 + Int64(digit)
      }
      position += digits
      return value
    }
  }
}
