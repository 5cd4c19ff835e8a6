internal import LinnetBytes
internal import LinnetHTTPTypes

/// The date of an `Expires` attribute (RFC 6265bis §5.1.1): servers write it in countless ways, so the order of its parts
/// and what stands between them do not matter.
struct CookieDate {
  private var time: Int64?
  private var day: Int64?
  private var month: Int64?
  private var year: Int64?

  /// Seconds since 1970; nil when a part is missing or there is no such date.
  static func secondsSince1970(_ text: ArraySlice<UInt8>) -> Int64? {
    var date = CookieDate()
    for token in text.split(whereSeparator: isDelimiter) { date.take(token) }
    guard let time = date.time, let day = date.day, let month = date.month, var year = date.year else { return nil }
    switch year {
    case 70...99: year += 1900
    case 0...69: year += 2000
    default: break
    }
    let civil = CivilTime(year: year, month: month, day: day, secondOfDay: time)
    guard year >= 1601, time >= 0, civil.isValid else { return nil }
    return civil.secondsSince1970
  }

  /// Each token is the first part that it can be and that is not there yet.
  private mutating func take(_ token: ArraySlice<UInt8>) {
    if time == nil, let found = Self.time(token) {
      time = found
    } else if day == nil, let found = Self.number(token, digits: 1...2) {
      day = found
    } else if month == nil, let found = Self.month(token) {
      month = found
    } else if year == nil, let found = Self.number(token, digits: 2...4) {
      year = found
    }
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// A number of that many digits, and then anything but a digit.
  private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int64? {
    let run = token.prefix(while: ASCII.isDigit)
    guard digits.contains(run.count) else { return nil }
    return run.reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
  }

  /// Hours, minutes and seconds of one or two digits, and then anything but a digit; -1 when one is out of its range,
  /// which makes the whole date one that does not exist.
  private static func time(_ token: ArraySlice<UInt8>) -> Int64? {
    let parts = token.split(separator: ASCII.colon, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(ASCII.isDigit), parts[1].allSatisfy(ASCII.isDigit),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return hour > 23 || minute > 59 || second > 59 ? -1 : hour * 3600 + minute * 60 + second
  }

  private static func month(_ token: ArraySlice<UInt8>) -> Int64? {
    let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    let start = token.prefix(3)
    return names.firstIndex { ASCII.equalIgnoringCase($0.utf8, start) }.map { Int64($0 + 1) }
  }
}
