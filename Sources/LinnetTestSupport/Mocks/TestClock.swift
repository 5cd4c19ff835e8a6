public import FoundationEssentials
internal import Linnet

/// A clock that stands still until a test moves it: for whatever waits with a `Clock`, and for the policies of a typed
/// client (retry, breaker, caches, tokens).
///
/// ```swift
/// let clock = TestClock()
/// let stub = StubNetworkClient(clock: clock)
/// // … start a request that is delayed by 60 s …
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(60))
/// ```
public final class TestClock: Clock {
  /// A point of time; compatible with the system's continuous clock, so that it can take its place.
  public typealias Instant = ContinuousClock.Instant

  private struct State: Sendable {
    var now: Instant
    /// The deadlines of those who sleep.
    var sleepers: [Instant] = []
  }

  private let state: Observed<State>
  private let start: Instant
  private let startOfWallTime: Date

  /// A clock that stands at this moment.
  ///
  /// - Parameter wallTime: What the calendar says at the start. Default: 2026-01-01 00:00 UTC.
  public init(wallTime: Date = Date(timeIntervalSince1970: 1_767_225_600)) {
    let now = ContinuousClock.now
    start = now
    startOfWallTime = wallTime
    state = Observed(State(now: now))
  }

  /// The time to which the clock was moved.
  public var now: Instant { state.read { $0.now } }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The calendar's time; it moves with the clock.
  public var wallTime: Date {
    let (seconds, attoseconds) = start.duration(to: now).components
    return startOfWallTime.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
  }

  /// Waits until the clock was moved to `deadline`.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; ``WaitTimeout`` when nobody moves the clock for 60 s of
  ///   real time, so that a mistake in a test does not hang it.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    guard
      state.mutate({ state in
        guard deadline > state.now else { return false }
        state.sleepers.append(deadline)
        return true
      })
    else { return }
    defer {
      state.mutate { state in
        if let index = state.sleepers.firstIndex(of: deadline) { state.sleepers.remove(at: index) }
      }
    }
    _ = try await state.wait(
      for: "the clock to be moved by \(now.duration(to: deadline))", within: .seconds(60),
      describe: { "\($0.sleepers.count) sleepers" }, until: { $0.now >= deadline })
  }

  /// Moves the clock; everybody whose deadline is reached goes on.
  public func advance(by duration: Duration) {
    state.mutate { state in state.now = state.now.advanced(by: duration) }
  }

  /// How many tasks sleep.
  public var sleeperCount: Int { state.read { $0.sleepers.count } }

  /// Waits until at least `count` tasks sleep: what a test does before it moves the clock.
  ///
  /// - Throws: ``WaitTimeout`` after `limit` of real time; `CancellationError` when the task is cancelled.
  public func waitForSleepers(_ count: Int, within limit: Duration = .seconds(30)) async throws {
    _ = try await state.wait(
      for: "\(count) sleepers", within: limit, describe: { "\($0.sleepers.count) sleepers" },
      until: { $0.sleepers.count >= count })
  }
}

extension TestClock: PolicyClock {
  package func sleep(until deadline: ContinuousClock.Instant) async throws {
    try await sleep(until: deadline, tolerance: nil)
  }
}
