/// A second split into calendar fields: proleptic Gregorian with a year 0, UTC. Years of up to nine digits do not overflow.
///
/// The conversions count days in eras of 400 years from 1 March, so that leap days come last ("chrono-Compatible
/// Low-Level Date Algorithms", H. Hinnant).
package struct CivilTime {
  package var year: Int64
  /// 1 to 12.
  package var month: Int64
  /// 1 to 31.
  package var day: Int64
  /// 0 to 86,399; 86,400 when a leap second was parsed.
  package var secondOfDay: Int64

  package init(year: Int64, month: Int64, day: Int64, secondOfDay: Int64) {
    self.year = year
    self.month = month
    self.day = day
    self.secondOfDay = secondOfDay
  }

  package init(secondsSince1970 seconds: Int64) {
    let (days, second) = Self.floorDivide(seconds, 86_400)
    let (era, dayOfEra) = Self.floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    secondOfDay = second
  }

  package var secondsSince1970: Int64 { daysSince1970 * 86_400 + secondOfDay }

  /// 0 for Sunday.
  var weekday: Int64 { Self.floorDivide(daysSince1970 + 4, 7).remainder }

  /// Whether the month has the day.
  package var isValid: Bool {
    guard (1...12).contains(month), day >= 1 else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    switch month {
    case 2: return day <= (isLeap ? 29 : 28)
    case 4, 6, 9, 11: return day <= 30
    default: return day <= 31
    }
  }

  private var daysSince1970: Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = Self.floorDivide(shiftedYear, 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
