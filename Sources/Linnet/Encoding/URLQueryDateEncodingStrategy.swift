public import FoundationEssentials

/// How a `Date` is written into a query.
public enum URLQueryDateEncodingStrategy: Sendable {
  /// `2026-03-09T08:05:03.120Z`: UTC with milliseconds. The default.
  case iso8601Milliseconds
  /// `2026-03-09T08:05:03Z`: UTC in whole seconds.
  case iso8601
  /// Seconds since 1970, with a fraction when there is one.
  case secondsSince1970
  /// Milliseconds since 1970, with a fraction when there is one.
  case millisecondsSince1970
  /// As the date encodes itself: seconds since 2001.
  case deferredToDate
  /// What a function writes.
  case custom(@Sendable (_ date: Date, _ encoder: any Encoder) throws -> Void)

  /// The strategy of a JSON encoder. One that this library does not know counts as
  /// ``URLQueryDateEncodingStrategy/iso8601Milliseconds``.
  public init(_ strategy: JSONEncoder.DateEncodingStrategy) {
    switch strategy {
    case .deferredToDate: self = .deferredToDate
    case .secondsSince1970: self = .secondsSince1970
    case .millisecondsSince1970: self = .millisecondsSince1970
    case .iso8601: self = .iso8601
    case .custom(let encode): self = .custom(encode)
    @unknown default: self = .iso8601Milliseconds
    }
  }
}
