internal import LinnetHTTP

/// The dates that `-z` understands: the three forms of HTTP, ISO 8601, and what people write with these parts in any order,
/// such as `6 Nov 1994 08:49`, `1994-11-06T08:49:37+01:00` or `20041231 15:05:58 -0700`. Pure.
///
/// Without a time it is midnight, without a zone UTC. Names of months and days are English and need three letters.
package struct DateExpression {
  private var year: Int64?
  private var month: Int64?
  private var day: Int64?
  private var secondOfDay: Int64?
  private var zoneSeconds: Int64?
  private var hasWeekday = false

  private init() {}

  /// Seconds since 1970, or nil when the text is no date.
  package static func seconds(_ text: String) -> Int64? {
    var expression = DateExpression()
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      switch byte {
      case 0x20, 0x09, UInt8(ascii: ","): rest.removeFirst()
      case 0x30...0x39: guard expression.takeNumber(from: &rest) else { return nil }
      case UInt8(ascii: "+"), UInt8(ascii: "-"): guard expression.takeOffset(from: &rest) else { return nil }
      case 0x41...0x5A, 0x61...0x7A: guard expression.takeWord(from: &rest) else { return nil }
      default: return nil
      }
    }
    return expression.result
  }

  private var result: Int64? {
    guard let year, let month, let day else { return nil }
    let date = CivilTime(year: year, month: month, day: day, secondOfDay: secondOfDay ?? 0)
    return date.isValid ? date.secondsSince1970 - (zoneSeconds ?? 0) : nil
  }

  // MARK: Numbers

  private static func digits(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = rest.prefix { 0x30...0x39 ~= $0 }
    rest = rest[digits.endIndex...]
    return digits
  }

  private static func value(_ digits: ArraySlice<UInt8>) -> Int64 {
    // At most eight digits come here.
    digits.prefix(9).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
  }

  /// A year, a day, `20041231`, `2004-12-31`, `31-Dec-04` or a time of day.
  private mutating func takeNumber(from rest: inout ArraySlice<UInt8>) -> Bool {
    let digits = Self.digits(from: &rest)
    let number = Self.value(digits)
    switch (digits.count, rest.first) {
    case (1...2, UInt8(ascii: ":")?): return takeTime(hour: number, from: &rest)
    case (8, _):
      guard year == nil, month == nil, day == nil else { return false }
      (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
      takeSeparatorOfTime(from: &rest)
      return true
    case (4, UInt8(ascii: "-")?) where month == nil && Self.startsWithDigit(rest.dropFirst()):
      return takeISODate(year: number, from: &rest)
    case (1...2, _):
      if day == nil {
        day = number
      } else if year == nil {
        year = number < 70 ? 2000 + number : 1900 + number
      } else {
        return false
      }
    case (4, _):
      guard year == nil else { return false }
      year = number
    default: return false
    }
    // 06-Nov-94
    if rest.first == UInt8(ascii: "-"), let next = rest.dropFirst().first, year == nil || month == nil,
      0x41...0x5A ~= next & 0xDF
    {
      rest.removeFirst()
    }
    return true
  }

  private static func startsWithDigit(_ rest: ArraySlice<UInt8>) -> Bool {
    rest.first.map { 0x30...0x39 ~= $0 } ?? false
  }

  private mutating func takeISODate(year given: Int64, from rest: inout ArraySlice<UInt8>) -> Bool {
    rest.removeFirst()
    let monthDigits = Self.digits(from: &rest)
    guard year == nil, monthDigits.count == 2, rest.popFirst() == UInt8(ascii: "-") else { return false }
    let dayDigits = Self.digits(from: &rest)
    guard day == nil, dayDigits.count == 2 else { return false }
    (year, month, day) = (given, Self.value(monthDigits), Self.value(dayDigits))
    takeSeparatorOfTime(from: &rest)
    return true
  }

  /// The `T` between date and time.
  private func takeSeparatorOfTime(from rest: inout ArraySlice<UInt8>) {
    guard let first = rest.first, first & 0xDF == UInt8(ascii: "T"), Self.startsWithDigit(rest.dropFirst()) else {
      return
    }
    rest.removeFirst()
  }

  private mutating func takeTime(hour: Int64, from rest: inout ArraySlice<UInt8>) -> Bool {
    rest.removeFirst()
    let minute = Self.digits(from: &rest)
    guard secondOfDay == nil, minute.count == 2, hour < 24, Self.value(minute) < 60 else { return false }
    var second: Int64 = 0
    if rest.first == UInt8(ascii: ":") {
      rest.removeFirst()
      let digits = Self.digits(from: &rest)
      second = Self.value(digits)
      guard digits.count == 2, second <= 60 else { return false }
      if rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: ","), Self.startsWithDigit(rest.dropFirst()) {
        // A fraction of a second: HTTP has none.
        rest.removeFirst()
        _ = Self.digits(from: &rest)
      }
    }
    secondOfDay = hour * 3600 + Self.value(minute) * 60 + second
    return true
  }

  /// `+0100` or `-07:00`, which follows a time; a hyphen may also join the parts of a date.
  private mutating func takeOffset(from rest: inout ArraySlice<UInt8>) -> Bool {
    let sign: Int64 = rest.popFirst() == UInt8(ascii: "-") ? -1 : 1
    guard secondOfDay != nil, zoneSeconds == nil || zoneSeconds == 0 else {
      return sign < 0 && (month != nil || day != nil) && !rest.isEmpty
    }
    var digits = Array(Self.digits(from: &rest))
    if digits.count == 2, rest.first == UInt8(ascii: ":") {
      rest.removeFirst()
      digits += Self.digits(from: &rest)
    }
    guard digits.count == 4 else { return false }
    let number = Self.value(digits[...])
    guard number / 100 <= 14, number % 100 < 60 else { return false }
    zoneSeconds = sign * (number / 100 * 3600 + number % 100 * 60)
    return true
  }

  // MARK: Words

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  private static let fullMonths = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
  ]
  private static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]
  /// Hours from UTC; the names of RFC 5322 §4.3, and those of UTC itself.
  private static let zones: [String: Int64] = [
    "gmt": 0, "utc": 0, "ut": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8,
    "pdt": -7, "cet": 1, "cest": 2,
  ]

  private mutating func takeWord(from rest: inout ArraySlice<UInt8>) -> Bool {
    let letters = rest.prefix { 0x41...0x5A ~= $0 & 0xDF }
    rest = rest[letters.endIndex...]
    let word = String(decoding: letters, as: UTF8.self).lowercased()
    if let index = Self.months.firstIndex(of: word) ?? Self.fullMonths.firstIndex(of: word) {
      guard month == nil else { return false }
      month = Int64(index + 1)
      // 06-Nov-1994
      if rest.first == UInt8(ascii: "-"), Self.startsWithDigit(rest.dropFirst()) { rest.removeFirst() }
      return true
    }
    if Self.weekdays.contains(where: { $0 == word || $0.prefix(3) == word }) {
      guard !hasWeekday else { return false }
      hasWeekday = true
      return true
    }
    guard let hours = Self.zones[word], zoneSeconds == nil else { return false }
    zoneSeconds = hours * 3600
    return true
  }
}
