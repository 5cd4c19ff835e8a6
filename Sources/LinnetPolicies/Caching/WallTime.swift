package import LinnetHTTPTypes

/// A time of the calendar, finer than an ``HTTPDate``: when a response was stored, and what the time is now.
///
/// Values are clamped to the years 0 to 9999, so the arithmetic on them cannot overflow.
package struct WallTime: Sendable, Hashable, Comparable {
  /// The time since 1970-01-01T00:00:00Z; negative before.
  package let sinceEpoch: Duration

  package init(sinceEpoch: Duration) {
    let earliest = Duration.seconds(HTTPDate.earliest.secondsSince1970)
    let latest = Duration.seconds(HTTPDate.latest.secondsSince1970)
    self.sinceEpoch = min(max(sinceEpoch, earliest), latest)
  }

  package init(_ date: HTTPDate) { self.init(sinceEpoch: .seconds(date.secondsSince1970)) }

  /// The second that the time lies in.
  package var date: HTTPDate {
    let (seconds, attoseconds) = sinceEpoch.components
    return HTTPDate(secondsSince1970: attoseconds < 0 ? seconds - 1 : seconds)
  }

  package static func < (left: WallTime, right: WallTime) -> Bool { left.sinceEpoch < right.sinceEpoch }

  /// The time from `earlier` to this one; negative when `earlier` is later.
  package func since(_ earlier: WallTime) -> Duration { sinceEpoch - earlier.sinceEpoch }
}
