internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// The connections to one origin under one set of settings: an actor around ``PoolMachine``.
///
/// The machine decides, the pool performs: it dials (the part that awaits, in the actor), closes, and resumes waiters.
/// The machine itself sits in a lock, so that taking an idle connection and giving it back, which happen for every
/// request and from the shard as well as from tasks, cost no hop.
actor OriginPool {
  /// How a wait for a connection ends.
  enum LeaseOutcome: Sendable {
    case leased(any PooledConnection)
    case failed(TransportFailure)
  }

  private struct State: ~Copyable {
    var machine: PoolMachine
    var connections: [PoolMachine.ConnectionID: any PooledConnection] = [:]
    var waiters: [PoolMachine.WaiterID: Waiter] = [:]
    /// The errors of dials that failed while waiters still have to be told.
    var dialFailures: [PoolMachine.ConnectionID: TransportFailure] = [:]
    var dialTimeouts: [PoolMachine.ConnectionID: Duration?] = [:]
    var dials: [PoolMachine.ConnectionID: Dial] = [:]
    var nextWaiter: UInt64 = 0
    var timer: ShardTimer?
    var timerAt = Instant.distantFuture
    var drainWaiters: [CheckedContinuation<Void, Never>] = []
    var isMachineDrained = false
    /// The machine is, and no abandoned dial holds a socket any more.
    var isDrained = false
  }

  private struct Dial {
    let task: Task<Void, Never>
    let progress: DialProgress
  }

  private struct Waiter {
    let continuation: UnsafeContinuation<LeaseOutcome, Never>
    let totalDeadline: Instant
  }

  /// What a transition wants done once the lock is released.
  private struct Effects {
    var leases = SmallList<(UnsafeContinuation<LeaseOutcome, Never>, LeaseOutcome)>()
    var dials = SmallList<(PoolMachine.ConnectionID, Duration?)>()
    var closes = SmallList<any PooledConnection>()
    var cancelledDials = SmallList<Task<Void, Never>>()
    var drained: [CheckedContinuation<Void, Never>] = []
  }

  nonisolated let route: Route
  private nonisolated let environment: EngineEnvironment
  private nonisolated let timerShard: IOShard
  private nonisolated let state: Lock<State>

  init(route: Route, limits: PoolLimits, environment: EngineEnvironment) {
    self.route = route
    self.environment = environment
    timerShard = environment.shards.next()
    state = Lock(State(machine: PoolMachine(limits: limits)))
  }

  deinit {
    // Reached only when nobody waits and no dial runs: both hold the pool. Its connections outlive it in their shard.
    let connections = state.withLock { Array($0.connections.values) }
    for connection in connections { connection.retire() }
  }

  // MARK: Leasing

  /// An idle connection, at once.
  nonisolated func leaseIdle() -> (any PooledConnection)? {
    let now = timerShard.now
    return state.withLock { state in
      guard let id = state.machine.leaseIdle(now: now) else { return nil }
      return state.connections[id]
    }
  }

  /// A connection: idle, or new, or the next one that becomes free.
  ///
  /// - Parameters:
  ///   - deadline: When the wait for a connection that others use fails.
  ///   - totalDeadline: When the request fails in any case.
  ///   - connectTimeout: The time for a dial that is started for this wait.
  nonisolated func lease(
    deadline: Instant, totalDeadline: Instant, connectTimeout: Duration?
  ) async -> LeaseOutcome {
    let now = timerShard.now
    let waiter = state.withLock { state in
      state.nextWaiter += 1
      return PoolMachine.WaiterID(rawValue: state.nextWaiter)
    }
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<LeaseOutcome, Never>) in
        transition { state, effects in
          state.waiters[waiter] = Waiter(continuation: continuation, totalDeadline: totalDeadline)
          let action = state.machine.enqueue(
            waiter, deadline: min(deadline, totalDeadline), dialDeadline: totalDeadline, now: now)
          for id in action.dials { state.dialTimeouts[id] = .some(connectTimeout) }
          return action
        }
        // Cancelled before the waiter was stored: the handler found nothing to cancel.
        if Task.isCancelled { cancelWaiter(waiter) }
      }
    } onCancel: {
      cancelWaiter(waiter)
    }
    state.confirmHandOver()
    return outcome
  }

  private nonisolated func cancelWaiter(_ waiter: PoolMachine.WaiterID) {
    transition { state, effects in
      guard let cancelled = state.waiters.removeValue(forKey: waiter) else { return PoolMachine.Action() }
      effects.leases.append((cancelled.continuation, .failed(.cancelled.at(.pool))))
      return state.machine.waiterCancelled(waiter, now: timerShard.now)
    }
  }

  // MARK: Connections report

  nonisolated func released(_ id: PoolMachine.ConnectionID, streams: Int = 1) {
    let now = timerShard.now
    var effects = Effects()
    state.withLock { state in
      for _ in 0..<streams {
        apply(state.machine.streamReleased(id, reusable: true, now: now), to: &state, &effects)
      }
      armTimer(&state)
    }
    perform(effects)
  }

  nonisolated func closed(_ id: PoolMachine.ConnectionID) {
    transition { state, _ in
      state.connections[id] = nil
      return state.machine.connectionClosed(id, now: timerShard.now)
    }
  }

  /// The limit is asked for here, under the lock: two threads may report changes in another order than they happened.
  nonisolated func streamLimitChanged(_ id: PoolMachine.ConnectionID) {
    transition { state, _ in
      guard let connection = state.connections[id] else { return PoolMachine.Action() }
      return state.machine.maxStreamsChanged(id, streams: connection.streamLimit, now: timerShard.now)
    }
  }

  /// A connection that says so by GOAWAY ends itself; one that resets a stream goes on.
  nonisolated func peerIsOverloaded() {
    transition { state, _ in state.machine.peerIsOverloaded(nil, now: timerShard.now) }
  }

  nonisolated func willClose(_ id: PoolMachine.ConnectionID) {
    transition { state, _ in state.machine.connectionWillClose(id) }
  }

  // MARK: Shutdown

  /// Refuses new waits, closes what is idle, lets the rest finish.
  nonisolated func shutDown() {
    transition { state, _ in state.machine.shutDown(now: timerShard.now) }
    let connections = state.withLock { Array($0.connections.values) }
    for connection in connections { connection.retire() }
  }

  /// Fails every exchange in flight.
  nonisolated func closeAll() {
    let (connections, dials) = state.withLock { (Array($0.connections.values), Array($0.dials.values)) }
    for dial in dials { dial.task.cancel() }
    for connection in connections { connection.close(failing: .shutDown) }
  }

  /// Returns when the last connection is gone after ``shutDown()``.
  nonisolated func drained() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isDrained = state.withLock { state -> Bool in
        if state.isDrained { return true }
        state.drainWaiters.append(continuation)
        return false
      }
      if isDrained { continuation.resume() }
    }
  }

  nonisolated var counts: PoolMachine.Counts { state.withLock { $0.machine.counts } }

  /// What its connections say about flow control.
  nonisolated var flowControlReports: [String] {
    let connections = state.withLock { Array($0.connections.values) }
    return connections.map(\.flowControlReport).filter { !$0.isEmpty }
  }

  nonisolated var isUnused: Bool {
    let counts = counts
    return counts.idle + counts.inUse + counts.dialling + counts.waiting == 0
  }

  // MARK: Performing

  private nonisolated func transition(_ body: (inout State, inout Effects) -> PoolMachine.Action) {
    var effects = Effects()
    state.withLock { state in
      let action = body(&state, &effects)
      apply(action, to: &state, &effects)
      armTimer(&state)
    }
    perform(effects)
  }

  private nonisolated func apply(_ action: PoolMachine.Action, to state: inout State, _ effects: inout Effects) {
    for (waiter, id) in action.leases {
      guard let waiting = state.waiters.removeValue(forKey: waiter), let connection = state.connections[id] else {
        continue
      }
      effects.leases.append((waiting.continuation, .leased(connection)))
    }
    for (waiter, failure) in action.failures {
      guard let waiting = state.waiters.removeValue(forKey: waiter) else { continue }
      effects.leases.append((waiting.continuation, .failed(describe(failure, waiting, state))))
    }
    for id in action.dials {
      // Asked while the lock is held, so that a cancel finds the task.
      let timeout = state.dialTimeouts.removeValue(forKey: id) ?? route.connectTimeout
      let progress = DialProgress()
      let task = Task { await self.dial(id, timeout: timeout, progress) }
      state.dials[id] = Dial(task: task, progress: progress)
    }
    for id in action.closes {
      if let connection = state.connections.removeValue(forKey: id) { effects.closes.append(connection) }
      if let dial = state.dials[id] { effects.cancelledDials.append(dial.task) }
    }
    if action.isDrained { state.isMachineDrained = true }
    if state.isMachineDrained, state.dials.isEmpty, !state.isDrained {
      state.isDrained = true
      effects.drained = state.drainWaiters
      state.drainWaiters = []
    }
  }

  private nonisolated func perform(_ effects: Effects) {
    for connection in effects.closes { connection.close() }
    for dial in effects.cancelledDials { dial.cancel() }
    for (continuation, outcome) in effects.leases { continuation.resume(returning: outcome) }
    for continuation in effects.drained { continuation.resume() }
  }

  private nonisolated func describe(
    _ failure: PoolFailure, _ waiter: Waiter, _ state: borrowing State
  ) -> TransportFailure {
    switch failure {
    case .connectFailed(let id):
      return state.dialFailures[id]
        ?? TransportFailure(code: .connectFailed, phase: .connect, reason: "the dial failed")
    case .shutDown:
      return .shutDown
    case .queueFull:
      return TransportFailure(
        code: .poolQueueFull, phase: .pool,
        reason: "\(state.machine.limits.maximumWaiters) requests wait for a connection to \(route.name) already")
    case .waitTimedOut(let inUse, let limit, let bound, let position, let waited):
      let isTotal = waiter.totalDeadline <= timerShard.now
      // With nothing in use the wait was for a dial: the oldest one has had most time.
      let oldest = state.dials.min { $0.key.rawValue < $1.key.rawValue }
      if inUse == 0, let progress = oldest?.value.progress.current {
        return TransportFailure(
          code: isTotal ? .totalTimeout : .connectTimeout, phase: progress.phase,
          reason: "no connection to \(route.name) was made within \(waited.shortText)", peers: progress.peers)
      }
      return TransportFailure(
        code: isTotal ? .totalTimeout : .poolTimeout, phase: .pool,
        reason: "waited \(waited.shortText) for a connection to \(route.name), \(inUse) of \(limit) \(bound.text), "
          + "position \(position) in the queue")
    }
  }

  private nonisolated func armTimer(_ state: inout State) {
    guard let deadline = state.machine.nextDeadline else {
      // An armed timer holds the pool; with nothing left to wait for, not even a pool that is shut down would be freed.
      if let timer = state.timer.take() { timerShard.cancel(timer) }
      return
    }
    if state.timer != nil && state.timerAt <= deadline { return }
    if let timer = state.timer { timerShard.cancel(timer) }
    state.timerAt = deadline
    state.timer = timerShard.schedule(self, at: deadline)
  }

  // MARK: Dialling

  private func dial(_ id: PoolMachine.ConnectionID, timeout: Duration?, _ progress: DialProgress) async {
    let owner = ConnectionOwner(pool: self, security: route.security, sessionKey: route.sessionKey)
    let result = await ConnectionFactory(route: route, environment: environment).make(
      id, timeout: timeout, owner: owner, progress: progress)
    switch result {
    case .success(let connection):
      transition { state, _ in
        state.dials[id] = nil
        state.connections[id] = connection
        // What the peer allowed before it will allow again: until its SETTINGS come, nothing beyond that is tried.
        if let expected = state.machine.expectedStreams { connection.expectStreams(expected) }
        return state.machine.connectionEstablished(
          id, streams: connection.streamLimit, isMultiplexed: connection.httpVersion == .http2, now: timerShard.now)
      }
      connection.start()
    case .failure(let failure):
      transition { state, _ in
        state.dials[id] = nil
        state.dialFailures[id] = failure
        return state.machine.connectionFailed(id, now: timerShard.now)
      }
      state.withLock { $0.dialFailures[id] = nil }
    }
  }
}

extension PoolFailure.Bound {
  /// Follows "n of m".
  fileprivate var text: String {
    switch self {
    case .connections: "in use"
    case .multiplexedConnections: "HTTP/2 connections in use, all their streams taken"
    case .backoff: "in use, no new one while the server is overloaded"
    }
  }
}

extension OriginPool: TimerReceiver {
  nonisolated func timerFired(_ timer: ShardTimer, now: Instant) {
    transition { state, _ in
      guard state.timer == timer else { return PoolMachine.Action() }
      state.timer = nil
      return state.machine.timerFired(now: now)
    }
  }
}
