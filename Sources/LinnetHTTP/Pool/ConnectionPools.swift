internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO

/// The client's pools by key. It never awaits, so it is a dictionary in a lock.
final class ConnectionPools: Sendable {
  private struct State {
    var pools: [PoolKey: OriginPool] = [:]
    var isShutDown = false
    /// How many pools there may be before unused ones are looked for.
    var sweepAt = ConnectionPools.sweepThreshold
  }

  private let state = Lock(State())
  let environment: EngineEnvironment

  init(environment: EngineEnvironment) { self.environment = environment }

  /// The pool for a key; nil after shutdown.
  func pool(for key: PoolKey, make: () -> OriginPool) -> OriginPool? {
    state.withLock { state in
      if state.isShutDown { return nil }
      if let pool = state.pools[key] { return pool }
      // Pools of origins that were left keep nothing but this entry; drop them before they add up.
      if state.pools.count >= state.sweepAt {
        state.pools = state.pools.filter { !$0.value.isUnused }
        state.sweepAt = max(Self.sweepThreshold, state.pools.count * 2)
      }
      let pool = make()
      state.pools[key] = pool
      return pool
    }
  }

  /// Above this many origins, those without connections are forgotten, each time their number has doubled. A crawler
  /// must not grow without bound; a service that talks to a few hundred hosts is never swept.
  private static var sweepThreshold: Int { 1024 }

  /// Idle connections close now, the others when their exchange ends; further requests fail. The pools stay known, so
  /// that a second call can wait for the same end.
  func shutDown() -> [OriginPool] {
    let pools = state.withLock { state -> [OriginPool] in
      state.isShutDown = true
      return Array(state.pools.values)
    }
    for pool in pools { pool.shutDown() }
    return pools
  }

  /// For tests and diagnostics.
  var all: [OriginPool] { state.withLock { Array($0.pools.values) } }
}
