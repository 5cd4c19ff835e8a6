internal import LinnetBytes

/// The three date formats of RFC 9110 §5.6.7, which are case-sensitive.
struct HTTPDateParser {
  static var weekdays: [String] { ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] }
  static var months: [String] {
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
  }

  private var position = 0
  private let count: Int

  init(count: Int) { self.count = count }

  /// Seconds since 1970, or nil when the bytes are in none of the formats.
  mutating func parse(_ bytes: Span<UInt8>, now: HTTPDate) -> Int64? {
    guard let isLongName = weekday(bytes) else { return nil }
    let civil: CivilTime? =
      if literal(",", bytes) {
        isLongName ? rfc850(bytes, now) : imfFixdate(bytes)
      } else {
        isLongName ? nil : asctime(bytes)
      }
    guard let civil, civil.isValid, position == count else { return nil }
    return civil.secondsSince1970
  }

  private mutating func imfFixdate(_ bytes: Span<UInt8>) -> CivilTime? {
    guard literal(" ", bytes), let day = digits(2, bytes), literal(" ", bytes), let month = month(bytes),
      literal(" ", bytes), let year = digits(4, bytes), literal(" ", bytes), let second = time(bytes),
      literal(" GMT", bytes)
    else { return nil }
    return CivilTime(year: year, month: month, day: day, secondOfDay: second)
  }

  private mutating func rfc850(_ bytes: Span<UInt8>, _ now: HTTPDate) -> CivilTime? {
    guard literal(" ", bytes), let day = digits(2, bytes), literal("-", bytes), let month = month(bytes),
      literal("-", bytes), let year = digits(2, bytes), literal(" ", bytes), let second = time(bytes),
      literal(" GMT", bytes)
    else { return nil }
    let date = CivilTime(year: year, month: month, day: day, secondOfDay: second)
    return Self.resolvingCentury(of: date, now: CivilTime(secondsSince1970: now.secondsSince1970))
  }

  private mutating func asctime(_ bytes: Span<UInt8>) -> CivilTime? {
    guard literal(" ", bytes), let month = month(bytes), literal(" ", bytes) else { return nil }
    guard let day = literal(" ", bytes) ? digits(1, bytes) : digits(2, bytes) else { return nil }
    guard literal(" ", bytes), let second = time(bytes), literal(" ", bytes), let year = digits(4, bytes) else {
      return nil
    }
    return CivilTime(year: year, month: month, day: day, secondOfDay: second)
  }

  /// The latest year with these two digits that is not more than 50 years after `now` (RFC 9110 §5.6.7).
  private static func resolvingCentury(of date: CivilTime, now: CivilTime) -> CivilTime {
    var date = date
    date.year += now.year - now.year % 100 + 100
    while date.year >= 100 {
      let fiftyYearsBefore = (date.year - 50, date.month, date.day, date.secondOfDay)
      if fiftyYearsBefore <= (now.year, now.month, now.day, now.secondOfDay) { break }
      date.year -= 100
    }
    return date
  }

  /// Whether a long name stood there; nil when none did.
  private mutating func weekday(_ bytes: Span<UInt8>) -> Bool? {
    for name in Self.weekdays {
      if literal(name, bytes) { return true }
      if literal(String(name.prefix(3)), bytes) { return false }
    }
    return nil
  }

  private mutating func month(_ bytes: Span<UInt8>) -> Int64? {
    for (index, name) in Self.months.enumerated() where literal(name, bytes) { return Int64(index + 1) }
    return nil
  }

  private mutating func time(_ bytes: Span<UInt8>) -> Int64? {
    guard let hour = digits(2, bytes), literal(":", bytes), let minute = digits(2, bytes), literal(":", bytes),
      let second = digits(2, bytes), hour < 24, minute < 60, second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  private mutating func digits(_ length: Int, _ bytes: Span<UInt8>) -> Int64? {
    guard count - position >= length else { return nil }
    var value: Int64 = 0
    for _ in 0..<length {
      guard let digit = ASCII.digitValue(bytes[position]) else { return nil }
      value = value * 10 + Int64(digit)
      position += 1
    }
    return value
  }

  private mutating func literal(_ text: String, _ bytes: Span<UInt8>) -> Bool {
    guard count - position >= text.utf8.count else { return false }
    var index = position
    for byte in text.utf8 {
      guard bytes[index] == byte else { return false }
      index += 1
    }
    position = index
    return true
  }
}
