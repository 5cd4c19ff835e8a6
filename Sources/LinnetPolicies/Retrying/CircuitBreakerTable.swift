package import LinnetBytes

/// The circuit breakers of all servers that a client asks.
///
/// A breaker that nobody touched for ``idleLifetime`` is forgotten with all it knows, so a client that talks to many
/// servers does not keep one for each; an open breaker that nobody asks forgets that it is open.
package struct CircuitBreakerTable<Key: Hashable & Sendable>: Sendable {
  private struct Entry: Sendable {
    var machine: CircuitBreakerMachine
    var touched: Instant
  }

  /// Five minutes.
  package static var idleLifetime: Duration { .seconds(300) }

  private let limits: CircuitBreakerMachine.Limits
  private var entries: [Key: Entry] = [:]
  private var nextSweep: Instant?
  /// Above every permit that was ever given.
  private var generation: UInt64 = 0

  package init(limits: CircuitBreakerMachine.Limits) { self.limits = limits }

  package var count: Int { entries.count }

  /// A request to a server wants to be sent.
  package mutating func requestArrived(for key: Key, now: Instant) -> CircuitBreakerMachine.Admission {
    removeIdle(asking: key, now: now)
    var entry =
      entries[key] ?? Entry(machine: CircuitBreakerMachine(limits: limits, generation: generation), touched: now)
    entry.touched = now
    let admission = entry.machine.requestArrived(now: now)
    entries[key] = entry
    return admission
  }

  /// The exchange of a permit ended.
  package mutating func exchangeEnded(
    _ permit: CircuitBreakerMachine.Permit, for key: Key, _ outcome: CircuitBreakerMachine.Outcome, now: Instant
  ) {
    guard var entry = entries[key] else { return }
    entry.touched = now
    entry.machine.exchangeEnded(permit, outcome, now: now)
    entries[key] = entry
  }

  /// Looks at the breaker that is asked for, and at the whole table once a minute.
  private mutating func removeIdle(asking key: Key, now: Instant) {
    remove(key, ifIdleAt: now)
    if let nextSweep, now < nextSweep { return }
    nextSweep = now.advanced(by: .seconds(60))
    for key in entries.keys { remove(key, ifIdleAt: now) }
  }

  private mutating func remove(_ key: Key, ifIdleAt now: Instant) {
    guard let entry = entries[key], entry.touched.duration(to: now) >= Self.idleLifetime else { return }
    generation = max(generation, entry.machine.latestGeneration &+ 1)
    entries[key] = nil
  }
}
