internal import CLinnetPOSIX
package import LinnetBytes

/// A source of monotonic time. `SystemClock` everywhere but in tests.
package protocol MonotonicClock: Sendable {
  var now: Instant { get }
}

/// The one place that reads the clocks of the system.
package struct SystemClock: MonotonicClock {
  package init() {}

  /// `CLOCK_MONOTONIC`: it stands still while the machine sleeps, and nobody can set it.
  package var now: Instant { Instant(nanoseconds: linnet_monotonic_now()) }

  /// Wall time in nanoseconds since 1970-01-01 UTC; it may jump in both directions.
  package static var wallNanoseconds: Int64 { linnet_wall_now() }

  /// Wall time in whole seconds since 1970-01-01 UTC.
  package static var wallSeconds: Int64 { linnet_wall_now() / 1_000_000_000 }
}
