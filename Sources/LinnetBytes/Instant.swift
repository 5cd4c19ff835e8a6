/// A point on a monotonic clock, in nanoseconds since an arbitrary origin.
///
/// It is a plain number so that machines can take it as an argument; only `LinnetIO` reads a clock. All arithmetic
/// saturates: a deadline of "for ever" is ``distantFuture``.
package struct Instant: Sendable, Hashable, Comparable {
  package var nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static var distantFuture: Instant { Instant(nanoseconds: .max) }

  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

  /// Later by `duration`; a negative duration counts as zero.
  package func advanced(by duration: Duration) -> Instant {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.saturatingNanoseconds)
    return overflow ? .distantFuture : Instant(nanoseconds: sum)
  }

  /// Earlier by `duration`, at most back to the clock's origin; a negative duration counts as zero.
  package func moved(backBy duration: Duration) -> Instant {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(duration.saturatingNanoseconds)
    return Instant(nanoseconds: overflow ? 0 : difference)
  }

  /// How long until `later`; zero when it is not later.
  package func duration(to later: Instant) -> Duration {
    guard later > self else { return .zero }
    return .nanoseconds(Int64(clamping: later.nanoseconds - nanoseconds))
  }
}

extension Duration {
  /// Whole nanoseconds, clamped to zero and `UInt64.max`.
  package var saturatingNanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return .max }
    let (sum, carried) = product.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return carried ? .max : sum
  }

  /// Seconds as a floating-point number, for messages and metrics.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
