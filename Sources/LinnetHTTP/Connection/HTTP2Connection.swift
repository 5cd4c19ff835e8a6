internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

/// One HTTP/2 connection: an actor on its shard, with its I/O core in one lock, as ``HTTP1Connection``.
actor HTTP2Connection: PooledConnection {
  nonisolated let shard: IOShard
  nonisolated var unownedExecutor: UnownedSerialExecutor { shard.asUnownedSerialExecutor() }

  nonisolated let id: PoolMachine.ConnectionID
  nonisolated let info: ConnectionInfo
  private nonisolated let core: Lock<HTTP2Core>
  private nonisolated let owner: ConnectionOwner

  /// Takes over a connected (and, for https, handshaken) transport. Call ``register()`` next, and ``start()`` once the
  /// pool knows the connection.
  init(
    id: PoolMachine.ConnectionID, transport: consuming ByteTransport, info: ConnectionInfo, route: Route,
    shard: IOShard, owner: ConnectionOwner
  ) throws(TransportFailure) {
    self.id = id
    self.info = info
    self.shard = shard
    self.owner = owner
    do throws(HTTP2Error) {
      core = Lock(
        try HTTP2Core(
          transport: transport, configuration: route.http2, limits: route.limits, scheme: route.origin.scheme.rawValue,
          shard: shard))
    } catch {
      throw TransportFailure(error)
    }
  }

  /// Registers with the shard. What comes before ``start()`` is only noted.
  nonisolated func register() throws(TransportFailure) {
    do throws(SystemError) {
      try core.withLock { (core) throws(SystemError) in
        guard let fd = core.transport?.fd else { return }
        core.slot = try shard.register(fd, receiver: self)
      }
    } catch {
      throw TransportFailure(registering: error).of(peer: info.peerAddress)
    }
  }

  nonisolated func start() {
    withCore { core, effects, now in
      core.isStarted = true
      core.progress(now: now, effects: &effects)
    }
  }

  /// Runs `turn` under the lock and performs its effects after it.
  private nonisolated func withCore<R, E: Error>(
    _ turn: (inout HTTP2Core, inout HTTP2Core.Effects, Instant) throws(E) -> R
  ) throws(E) -> R {
    var effects = HTTP2Core.Effects()
    let now = shard.now
    let result = core.withLock { core -> Result<R, E> in
      do throws(E) {
        let value = try turn(&core, &effects, now)
        armTimer(&core)
        return .success(value)
      } catch {
        armTimer(&core)
        return .failure(error)
      }
    }
    perform(effects)
    return try result.get()
  }

  private nonisolated func perform(_ effects: HTTP2Core.Effects) {
    if !effects.sessions.isEmpty { owner.store(effects.sessions) }
    if !effects.keyLogLines.isEmpty { owner.log(effects.keyLogLines) }
    // The pool first: a caller that is woken and sends again at once finds its stream free.
    if effects.isPeerOverloaded { owner.peerIsOverloaded() }
    if effects.willClose { owner.connectionWillClose(id) }
    if effects.hasNewStreamLimit { owner.streamLimitChanged(id) }
    let streams = effects.releasedStreams
    let isPoolGone = streams > 0 && !owner.connectionReleased(id, streams: streams)
    if effects.isClosed { owner.connectionClosed(id) }
    for pump in effects.pumpsToCancel { pump.cancel() }
    // Who is woken by a head finds the end behind it, when it is there, and does not wait again.
    var wakes = effects.wakes
    for (channel, end) in effects.ended {
      if let waiter = channel.finish(end) { wakes.append(waiter) }
    }
    for waiter in wakes { waiter.resume() }
    if isPoolGone { retire() }
    if effects.needsTurn {
      Task(executorPreference: shard) { self.continueTurn() }
    }
    if effects.needsFlush {
      Task(executorPreference: shard) { self.flushPosted() }
    }
  }

  private nonisolated func flushPosted() {
    withCore { core, effects, now in core.flushPosted(now: now, effects: &effects) }
  }

  private nonisolated func continueTurn() {
    withCore { core, effects, now in core.progress(now: now, effects: &effects) }
  }

  // MARK: The holder of a lease

  nonisolated var httpVersion: HTTPVersion { .http2 }
  nonisolated var streamLimit: Int { core.withLock { $0.streamLimit } }
  nonisolated func expectStreams(_ count: Int) { core.withLock { $0.expectStreams(count) } }
  nonisolated var servedExchanges: UInt64 { core.withLock { $0.served } }

  nonisolated var flowControlReport: String {
    core.withLock { core in
      "connection \(id.rawValue): \(core.exchanges.count) exchanges, \(core.output.count) bytes wait for the socket\n"
        + core.session.flowControlReport
    }
  }

  nonisolated func begin(_ start: ExchangeStart, channel: ResponseChannel) throws(TransportFailure) -> ExchangeID {
    let id = try withCore { (core, effects, now) throws(TransportFailure) in
      try core.begin(start, channel: channel, now: now, effects: &effects)
    }
    if !channel.attach(self, exchange: id, reportsConsumption: true) { abandon(id, isCancelled: true) }
    return id
  }

  nonisolated func carries(_ id: ExchangeID) -> Bool { core.withLock { $0.exchanges[HTTP2StreamID(id)] != nil } }

  nonisolated func setPump(_ pump: Task<Void, Never>, for id: ExchangeID) {
    let isCurrent = core.withLock { core -> Bool in
      guard let exchange = core.exchanges[HTTP2StreamID(id)] else { return false }
      exchange.pump = pump
      return true
    }
    if !isCurrent { pump.cancel() }
  }

  nonisolated func sendBody(_ chunk: ByteChunk?, for id: ExchangeID) async throws(TransportFailure) {
    let mustWait = try withCore { (core, effects, now) throws(TransportFailure) in
      try core.sendBody(chunk, for: id, now: now, effects: &effects)
    }
    guard mustWait else { return }
    let stream = HTTP2StreamID(id)
    await withUnsafeContinuation { (waiter: ResponseChannel.Waiter) in
      let resumesNow = core.withLock { core -> Bool in
        guard let exchange = core.exchanges[stream], core.mustWait(stream) else { return true }
        exchange.sendWaiter = waiter
        return false
      }
      if resumesNow { waiter.resume() }
    }
    guard carries(id) else { throw HTTP2Core.exchangeEnded }
  }

  nonisolated func failBody(_ failure: TransportFailure, for id: ExchangeID) {
    withCore { core, effects, now in
      let stream = HTTP2StreamID(id)
      guard let exchange = core.exchanges[stream] else { return }
      core.fail(stream, failure.with(sent: core.sentState(of: exchange)), code: .cancel, effects: &effects)
      core.flush(now: now, effects: &effects)
    }
  }

  nonisolated func giveBack() {
    if !owner.connectionReleased(id) { retire() }
  }

  // MARK: The pool

  nonisolated func retire() {
    withCore { core, effects, _ in
      core.closesWhenEmpty = true
      if core.exchanges.isEmpty, core.session.openStreams == 0 { core.closeIdle(.shutDown, effects: &effects) }
    }
  }

  nonisolated func close(failing failure: TransportFailure) {
    withCore { core, effects, _ in
      if core.exchanges.isEmpty {
        core.closeIdle(failure, effects: &effects)
      } else {
        core.failAll(failure, effects: &effects)
      }
    }
  }
}

extension HTTP2Connection {
  /// Nothing to do: the shard reads for all streams, and ``consumed(_:on:isStarved:)`` is what lets the peer go on.
  nonisolated func requestMore(_ exchange: ExchangeID) {}

  nonisolated func consumed(_ count: Int, on exchange: ExchangeID, isStarved: Bool) {
    withCore { core, effects, now in
      core.consumed(count, on: exchange, isStarved: isStarved, now: now, effects: &effects)
    }
  }

  nonisolated func updatePriority(_ value: String, of exchange: ExchangeID) {
    withCore { core, effects, now in
      let stream = HTTP2StreamID(exchange)
      guard core.exchanges[stream] != nil else { return }
      core.session.updatePriority(value, of: stream)
      core.flush(now: now, effects: &effects)
    }
  }

  nonisolated func hurry(_ exchange: ExchangeID, within patience: Duration) {
    withCore { core, _, now in
      let stream = HTTP2StreamID(exchange)
      guard let current = core.exchanges[stream] else { return }
      current.totalDeadline = min(current.totalDeadline, now.advanced(by: patience))
      core.rearm(stream)
    }
  }

  nonisolated func abandon(_ exchange: ExchangeID, isCancelled: Bool) {
    withCore { core, effects, now in
      core.abandon(exchange, now: now, effects: &effects)
    }
  }
}

extension HTTP2Connection: ReadinessReceiver {
  /// A turn on the shard.
  nonisolated func ready(_ readiness: Readiness) {
    withCore { core, effects, now in
      if readiness.contains(.peerClosed) { core.transport?.isPeerClosed = true }
      if readiness.contains(.readable) { core.transport?.isReadable = true }
      if readiness.contains(.writable) { core.transport?.isWritable = true }
      if core.isStarted { core.progress(now: now, effects: &effects) }
    }
  }
}

extension HTTP2Connection: TimerReceiver {
  private nonisolated func armTimer(_ core: inout HTTP2Core) {
    guard core.transport != nil, let deadline = core.nextDeadline() else { return }
    if core.timer != nil && core.timerAt <= deadline { return }
    if let timer = core.timer { shard.cancel(timer) }
    core.timerAt = deadline
    core.timer = shard.schedule(self, at: deadline)
  }

  nonisolated func timerFired(_ timer: ShardTimer, now: Instant) {
    withCore { core, effects, _ in
      guard core.timer == timer else { return }
      core.timer = nil
      core.timerFired(now: now, effects: &effects)
    }
  }
}
