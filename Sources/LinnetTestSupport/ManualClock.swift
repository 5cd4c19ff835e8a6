package import LinnetBytes
package import LinnetIO

/// A clock that stands still until a test moves it, and the shards that live by it.
///
/// The deadlines of a shard made by ``makeGroup(count:)`` are due when the test says so, so a test of a 60-second
/// time-out takes no time:
///
/// ```swift
/// let clock = ManualClock()
/// let shards = clock.makeGroup()
/// // … start something with a deadline on a shard of the group …
/// try await clock.waitForTimers(1)
/// clock.advance(by: .seconds(60))
/// ```
package final class ManualClock: MonotonicClock {
  private struct State: Sendable {
    var now: Instant
    var groups: [ShardGroup] = []
    var shards: [IOShard] = []
  }

  private let state: Lock<State>

  /// - Parameter now: Where the clock starts. Not zero, so that arithmetic which forgets the origin shows.
  package init(now: Instant = Instant(nanoseconds: 1_000_000_000_000)) { state = Lock(State(now: now)) }

  package var now: Instant { state.withLock { $0.now } }

  /// A group of shards with this clock.
  package func makeGroup(count: Int = 1) -> ShardGroup {
    let group = ShardGroup(count: count, clock: self)
    state.withLock { state in
      state.groups.append(group)
      // Idle shards are given in turn, so this finds each of them once.
      for _ in 0..<group.count { state.shards.append(group.next()) }
    }
    return group
  }

  /// Moves the clock and lets the shards look for timers that are due now.
  package func advance(by duration: Duration) {
    let groups = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      return state.groups
    }
    for group in groups { group.clockAdvanced() }
  }

  /// How many timers wait on all shards.
  package var timerCount: Int { shards.reduce(0) { $0 + $1.timerCount } }

  private var shards: [IOShard] { state.withLock { $0.shards } }

  /// Waits until at least `count` timers are scheduled: what a test does before it moves the clock.
  ///
  /// A shard does not announce its timers, so this goes through the queue of each shard between two looks.
  ///
  /// - Throws: ``WaitTimeout`` after `limit` of real time.
  package func waitForTimers(_ count: Int, within limit: Duration = .seconds(30)) async throws {
    try await wait(for: "at least \(count) timers", within: limit) { $0 >= count }
  }

  /// Waits until no timer is left, which is how everything that a test started must end.
  ///
  /// - Throws: ``WaitTimeout`` after `limit` of real time.
  package func expectNoTimers(within limit: Duration = .seconds(5)) async throws {
    try await wait(for: "no timers", within: limit) { $0 == 0 }
  }

  private func wait(for expectation: String, within limit: Duration, until condition: (Int) -> Bool) async throws {
    let deadline = ContinuousClock.now.advanced(by: limit)
    while !condition(timerCount) {
      guard ContinuousClock.now < deadline else {
        throw WaitTimeout(expectation: expectation, limit: limit, observed: "\(timerCount) timers")
      }
      for shard in shards { await withTaskExecutorPreference(shard) { await Task.yield() } }
      try Task.checkCancellation()
    }
  }
}
