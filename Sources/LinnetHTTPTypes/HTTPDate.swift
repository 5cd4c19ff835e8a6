package import LinnetBytes

/// A date of HTTP (RFC 9110 §5.6.7): a whole second, in seconds since 1 January 1970 UTC.
///
/// Pure arithmetic on the proleptic Gregorian calendar; it reads no clock. Leap seconds are not counted, as in POSIX.
public struct HTTPDate: Sendable, Hashable, Comparable {
  /// Seconds since 1970-01-01T00:00:00Z, from ``earliest`` to ``latest``.
  public let secondsSince1970: Int64

  /// Makes a date. Seconds outside ``earliest`` ... ``latest`` are clamped, because the formats have four digits for
  /// the year.
  public init(secondsSince1970 seconds: Int64) {
    secondsSince1970 = min(max(seconds, -62_167_219_200), 253_402_300_799)
  }

  /// The first second of the year 0.
  public static var earliest: HTTPDate { HTTPDate(secondsSince1970: .min) }
  /// The last second of the year 9999.
  public static var latest: HTTPDate { HTTPDate(secondsSince1970: .max) }

  /// Orders by time.
  public static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSince1970 < right.secondsSince1970 }

  /// Parses the three formats that a recipient must accept: IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`), RFC 850
  /// (`Sunday, 06-Nov-94 08:49:37 GMT`) and asctime (`Sun Nov  6 08:49:37 1994`).
  ///
  /// The name of the weekday must be one but is not compared with the date. A second of 60 (a leap second) is the first
  /// second of the next minute.
  ///
  /// - Parameter now: The present, which decides the century of a two-digit year: a date more than 50 years in the
  ///   future is in the past.
  /// - Returns: nil for every other text, and for days that the month does not have.
  public init?(_ text: String, now: HTTPDate) { self.init(bytes: text.utf8Span.span, now: now) }

  /// Parses the bytes of a field value; see ``init(_:now:)``.
  package init?(bytes: Span<UInt8>, now: HTTPDate) {
    var parser = HTTPDateParser(count: bytes.count)
    guard let seconds = parser.parse(bytes, now: now) else { return nil }
    self.init(secondsSince1970: seconds)
  }

  /// Appends the IMF-fixdate form, the only one that is sent.
  package func write(into out: inout WriteBuffer) { out.append(bytes: imfFixdate) }

  private var imfFixdate: [UInt8] {
    let civil = CivilTime(secondsSince1970: secondsSince1970)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(29)
    func append(_ value: Int64, digits: Int) {
      var divisor: Int64 = digits == 4 ? 1000 : 10
      while divisor > 0 {
        bytes.append(0x30 &+ UInt8(truncatingIfNeeded: value / divisor % 10))
        divisor /= 10
      }
    }
    bytes.append(contentsOf: HTTPDateParser.weekdays[Int(civil.weekday)].utf8.prefix(3))
    bytes.append(contentsOf: ", ".utf8)
    append(civil.day, digits: 2)
    bytes.append(ASCII.space)
    bytes.append(contentsOf: HTTPDateParser.months[Int(civil.month) - 1].utf8)
    bytes.append(ASCII.space)
    append(civil.year, digits: 4)
    bytes.append(ASCII.space)
    append(civil.secondOfDay / 3600, digits: 2)
    bytes.append(ASCII.colon)
    append(civil.secondOfDay / 60 % 60, digits: 2)
    bytes.append(ASCII.colon)
    append(civil.secondOfDay % 60, digits: 2)
    bytes.append(contentsOf: " GMT".utf8)
    return bytes
  }
}

extension HTTPDate: CustomStringConvertible {
  /// The IMF-fixdate form: `Sun, 06 Nov 1994 08:49:37 GMT`.
  public var description: String { String(decoding: imfFixdate, as: UTF8.self) }
}
