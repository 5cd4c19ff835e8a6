package import FoundationEssentials

/// The time as policies see it: an argument of the client, so that tests decide when a wait is over.
package protocol PolicyClock: Sendable {
  /// A time that only grows; for waits, windows and ages.
  var now: ContinuousClock.Instant { get }
  /// The calendar's time; for dates in headers.
  var wallTime: Date { get }
  /// Waits until `deadline`.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func sleep(until deadline: ContinuousClock.Instant) async throws
}

/// The system's clocks.
package struct SystemPolicyClock: PolicyClock {
  package init() {}
  package var now: ContinuousClock.Instant { .now }
  package var wallTime: Date { Date() }
  package func sleep(until deadline: ContinuousClock.Instant) async throws {
    try await Task.sleep(until: deadline, clock: .continuous)
  }
}
