internal import LinnetBytes
internal import LinnetProtocols

/// One race for a connection: carries out what the Happy Eyeballs machine decides. For ``Connector`` only.
///
/// One lock guards its state. The sockets report from the shard, a timer drives the stagger and the deadline, and the
/// caller's task may be cancelled at any moment; whoever ends the race closes all sockets but the winner's under that
/// lock, so nothing is left when the caller hears of the end.
final class ConnectRace: TimerReceiver {
  enum Ending: Sendable { case won, failed, timedOut, cancelled }

  private struct State: ~Copyable {
    var machine: HappyEyeballsMachine
    /// The attempts under way, by the index of their address.
    var sockets: [ConnectingSocket?]
    var attempts: [ConnectAttempt] = []
    var timer: ShardTimer?
    var isOver = false
    var winner: OwnedDescriptor?
    var winnerIndex = 0
  }

  private typealias Action = HappyEyeballsMachine.Action

  private let addresses: [SocketAddress]
  private let shard: IOShard
  private let deadline: Instant
  private let options: SocketOptions
  private let state: Lock<State>
  /// Tells how the race ended, once.
  let ending = OneShot<Ending>()

  init(
    _ addresses: [SocketAddress], on shard: IOShard, deadline: Instant, options: SocketOptions,
    limits: HappyEyeballsMachine.Limits
  ) {
    self.addresses = addresses
    self.shard = shard
    self.deadline = deadline
    self.options = options
    // The machine knows two families; a Unix socket is the only address of its race, so either will do.
    let families = addresses.map { $0.family == .ipv6 ? HappyEyeballsMachine.Family.ipv6 : .ipv4 }
    state = Lock(
      State(
        machine: HappyEyeballsMachine(families: families, limits: limits),
        sockets: Array(repeating: nil, count: addresses.count)))
  }

  // MARK: Events

  func start() {
    if deadline <= shard.now { return stop(.timedOut) }
    drive { state, now in state.machine.start(now: now) }
  }

  func attemptEnded(_ index: Int, _ error: SystemError?) {
    drive { state, now in
      // An attempt that was given up meanwhile is closed already.
      guard state.sockets[index] != nil else { return Action() }
      guard let error else { return state.machine.attemptSucceeded(index, now: now) }
      return self.failed(index, error, &state, now)
    }
  }

  func timerFired(_ timer: ShardTimer, now: Instant) {
    if deadline <= now { return stop(.timedOut) }
    drive { state, now in state.machine.timerFired(now: now) }
  }

  /// Ends the race without a winner. Does nothing when it is over.
  func stop(_ ending: Ending) {
    let isMine = state.withLock { state -> Bool in
      guard !state.isOver else { return false }
      for index in state.machine.cancel().cancels { giveUp(index, &state) }
      finish(&state)
      return true
    }
    if isMine { self.ending.fulfil(ending) }
  }

  /// What the caller gets, after the end.
  func result(_ ending: Ending) throws(ConnectError) -> ConnectedSocket {
    let winner = state.withLock { $0.winner.take() }
    let (attempts, index) = state.withLock { ($0.attempts, $0.winnerIndex) }
    switch ending {
    case .won:
      guard let winner else { throw ConnectError(reason: .cancelled, attempts: attempts) }
      return ConnectedSocket(winner, peer: addresses[index], failedAttempts: attempts)
    case .failed: throw ConnectError(reason: .failed, attempts: attempts)
    case .timedOut: throw ConnectError(reason: .timedOut, attempts: attempts)
    case .cancelled: throw ConnectError(reason: .cancelled, attempts: attempts)
    }
  }

  // MARK: Carrying out

  private func drive(_ event: (inout State, Instant) -> Action) {
    let now = shard.now
    let ended = state.withLock { state -> Ending? in
      guard !state.isOver else { return nil }
      var actions = RingDeque<Action>()
      actions.append(event(&state, now))
      while let action = actions.popFirst() {
        for index in action.cancels { giveUp(index, &state) }
        for index in action.connects {
          if let next = begin(index, &state, now) { actions.append(next) }
        }
        if let outcome = action.outcome { return conclude(outcome, &state) }
        if actions.isEmpty { arm(action.waitUntil, &state) }
      }
      return nil
    }
    if let ended { ending.fulfil(ended) }
  }

  /// Starts an attempt; gives the next action when its outcome is known at once.
  private func begin(_ index: Int, _ state: inout State, _ now: Instant) -> Action? {
    do throws(SystemError) {
      let descriptor = try Socket.make(for: addresses[index], options: options)
      var isConnected = try Socket.connect(descriptor.raw, to: addresses[index]) == .connected
      // Over loopback the handshake is done by now; asking costs less than a registration and a wake-up.
      if !isConnected, Socket.isWritable(descriptor.raw) {
        if let error = Socket.connectError(descriptor.raw) { throw error }
        isConnected = true
      }
      let socket = ConnectingSocket(index, race: self, descriptor)
      if !isConnected { try socket.register(on: shard) }
      state.sockets[index] = socket
      return isConnected ? state.machine.attemptSucceeded(index, now: now) : nil
    } catch {
      return failed(index, error, &state, now)
    }
  }

  private func failed(_ index: Int, _ error: SystemError, _ state: inout State, _ now: Instant) -> Action {
    state.sockets[index].take()?.close(on: shard)
    state.attempts.append(ConnectAttempt(address: addresses[index], cause: error))
    return state.machine.attemptFailed(index, now: now)
  }

  private func giveUp(_ index: Int, _ state: inout State) {
    guard let socket = state.sockets[index].take() else { return }
    socket.close(on: shard)
    state.attempts.append(ConnectAttempt(address: addresses[index], cause: nil))
  }

  private func conclude(_ outcome: HappyEyeballsMachine.Outcome, _ state: inout State) -> Ending {
    defer { finish(&state) }
    guard case .succeeded(let index) = outcome, let socket = state.sockets[index].take() else { return .failed }
    state.winner = socket.takeDescriptor(on: shard)
    state.winnerIndex = index
    return .won
  }

  private func finish(_ state: inout State) {
    state.isOver = true
    for index in state.sockets.indices { state.sockets[index].take()?.close(on: shard) }
    if let timer = state.timer.take() { shard.cancel(timer) }
  }

  /// One timer serves the stagger and the deadline, whichever is earlier.
  private func arm(_ wish: Instant?, _ state: inout State) {
    if let timer = state.timer.take() { shard.cancel(timer) }
    let next = min(wish ?? .distantFuture, deadline)
    if next != .distantFuture { state.timer = shard.schedule(self, at: next) }
  }
}

/// One socket that is connecting.
final class ConnectingSocket: ReadinessReceiver {
  private struct Parts: ~Copyable {
    var slot: Slot?
    let descriptor: OwnedDescriptor

    consuming func end(on shard: IOShard) -> OwnedDescriptor {
      if let slot = slot.take() { shard.deregister(slot) }
      return descriptor
    }
  }

  private let index: Int
  private let race: ConnectRace
  private let parts: Lock<Parts?>

  init(_ index: Int, race: ConnectRace, _ descriptor: consuming OwnedDescriptor) {
    self.index = index
    self.race = race
    parts = Lock(Parts(slot: nil, descriptor: descriptor))
  }

  /// Only after the connection was started: an unconnected socket counts as hung up.
  func register(on shard: IOShard) throws(SystemError) {
    try parts.withLock { parts throws(SystemError) in
      guard let fd = parts?.descriptor.raw else { return }
      let slot = try shard.register(fd, receiver: self)
      parts?.slot = consume slot
    }
  }

  func takeDescriptor(on shard: IOShard) -> OwnedDescriptor? {
    let taken = parts.withLock { $0.take() }
    return taken?.end(on: shard)
  }

  func close(on shard: IOShard) { takeDescriptor(on: shard)?.close() }

  func ready(_ readiness: Readiness) {
    guard readiness.contains(.writable) else { return }
    let outcome = parts.withLock { parts -> Result<Void, SystemError>? in
      guard let fd = parts?.descriptor.raw else { return nil }
      return Socket.connectError(fd).map { .failure($0) } ?? .success(())
    }
    switch outcome {
    case .success: race.attemptEnded(index, nil)
    case .failure(let error): race.attemptEnded(index, error)
    case nil: break
    }
  }
}
