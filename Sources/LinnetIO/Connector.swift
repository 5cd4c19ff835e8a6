package import LinnetBytes
package import LinnetProtocols

/// A connection that was just made. Its descriptor is registered nowhere.
package struct ConnectedSocket: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  package let peer: SocketAddress
  /// The addresses that failed before this one.
  package let failedAttempts: [ConnectAttempt]

  init(_ descriptor: consuming OwnedDescriptor, peer: SocketAddress, failedAttempts: [ConnectAttempt]) {
    self.descriptor = descriptor
    self.peer = peer
    self.failedAttempts = failedAttempts
  }

  package var raw: CInt { descriptor.raw }

  package consuming func takeDescriptor() -> OwnedDescriptor { descriptor }
}

/// Makes connections: races the addresses of a host (RFC 8305) with real sockets.
package enum Connector {
  /// Connects to the first address that answers.
  ///
  /// Cancelling the task or passing the deadline returns at once. In every case each socket but the winner's is
  /// deregistered and closed before this returns.
  ///
  /// - Throws: ``ConnectError`` with every address tried and its cause.
  package static func connect(
    to addresses: [SocketAddress], on shard: IOShard, deadline: Instant, options: SocketOptions = SocketOptions(),
    limits: HappyEyeballsMachine.Limits = HappyEyeballsMachine.Limits()
  ) async throws(ConnectError) -> ConnectedSocket {
    guard !addresses.isEmpty else { throw ConnectError(reason: .noAddresses, attempts: []) }
    let race = ConnectRace(addresses, on: shard, deadline: deadline, options: options, limits: limits)
    race.start()
    let ending = await race.ending.wait {
      race.stop(.cancelled)
      // Only the first ending counts; when the race was won before, this value is dropped.
      return .cancelled
    }
    return try race.take(ending)
  }
}

/// One race for a connection. Its state is guarded by one lock; the sockets tell it from the shard, and timers drive the
/// stagger and the deadline.
private final class ConnectRace: TimerReceiver {
  enum Ending: Sendable { case won, failed, timedOut, cancelled }

  private struct State: ~Copyable {
    var machine: HappyEyeballsMachine
    var sockets: [ConnectingSocket?]
    var causes: [ConnectAttempt] = []
    var timer: ShardTimer?
    var isOver = false
    var winner: OwnedDescriptor?
    var winnerIndex = 0
  }

  private let addresses: [SocketAddress]
  private let shard: IOShard
  private let deadline: Instant
  private let options: SocketOptions
  private let state: Lock<State>
  let ending = OneShot<Ending>()

  init(
    _ addresses: [SocketAddress], on shard: IOShard, deadline: Instant, options: SocketOptions,
    limits: HappyEyeballsMachine.Limits
  ) {
    self.addresses = addresses
    self.shard = shard
    self.deadline = deadline
    self.options = options
    // A Unix socket is the only address of its race, so its family does not matter.
    let families = addresses.map { $0.family == .ipv6 ? HappyEyeballsMachine.Family.ipv6 : .ipv4 }
    state = Lock(
      State(
        machine: HappyEyeballsMachine(families: families, limits: limits),
        sockets: Array(repeating: nil, count: addresses.count)))
  }

  // MARK: Events

  func start() {
    if deadline <= shard.now { return stop(.timedOut) }
    drive { machine, now in machine.start(now: now) }
  }

  func attemptEnded(_ index: Int, _ error: SystemError?) {
    drive { state, now in self.ended(index, error, &state, now) }
  }

  func timerFired(_ timer: ShardTimer, now: Instant) {
    if deadline <= now { return stop(.timedOut) }
    drive { machine, now in machine.timerFired(now: now) }
  }

  /// Ends the race without a winner. Does nothing when it is over.
  func stop(_ ending: Ending) {
    let stopped = state.withLock { state -> Bool in
      guard !state.isOver else { return false }
      for (index, socket) in state.sockets.enumerated() where socket != nil {
        state.causes.append(ConnectAttempt(address: addresses[index], cause: nil))
      }
      perform(state.machine.cancel(), &state)
      finish(&state)
      return true
    }
    if stopped { self.ending.fulfil(ending) }
  }
}
