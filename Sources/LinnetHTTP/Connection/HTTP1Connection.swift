internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

/// One HTTP/1.1 connection: an actor on its shard.
///
/// Its I/O core sits in one lock that the shard's turns and the holder of the lease share for moments: the caller of
/// `send` serialises and writes the request itself, without a hop to the shard, and the shard reads, parses and wakes it
/// once. The pool holds a connection while it is usable, the shard while it is registered; nobody else owns it.
actor HTTP1Connection: PooledConnection {
  nonisolated let shard: IOShard
  nonisolated var unownedExecutor: UnownedSerialExecutor { shard.asUnownedSerialExecutor() }

  nonisolated let id: PoolMachine.ConnectionID
  nonisolated let info: ConnectionInfo
  private nonisolated let core: Lock<HTTP1Core>
  private nonisolated let owner: ConnectionOwner

  /// Takes over a connected (and, for https, handshaken) transport. Call ``register()`` next, and ``start()`` once the
  /// pool knows the connection.
  init(
    id: PoolMachine.ConnectionID, transport: consuming ByteTransport, info: ConnectionInfo, limits: HTTP1Limits,
    shard: IOShard, owner: ConnectionOwner
  ) {
    self.id = id
    self.info = info
    self.shard = shard
    self.owner = owner
    core = Lock(HTTP1Core(transport: transport, limits: limits, shard: shard))
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

  /// Begins to act on events: a connection that dies at once must be known to the pool that it reports to.
  nonisolated func start() {
    withCore { core, effects, now in
      core.isStarted = true
      core.progress(now: now, effects: &effects)
    }
  }

  /// Runs `turn` under the lock and performs its effects after it.
  nonisolated func withCore<R, E: Error>(
    _ turn: (inout HTTP1Core, inout HTTP1Core.Effects, Instant) throws(E) -> R
  ) throws(E) -> R {
    var effects = HTTP1Core.Effects()
    let now = shard.now
    let result = core.withLock { core -> Result<R, E> in
      do throws(E) {
        let value = try turn(&core, &effects, now)
        armTimer(&core, now: now)
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    perform(effects)
    return try result.get()
  }

  private nonisolated func perform(_ effects: HTTP1Core.Effects) {
    if !effects.sessions.isEmpty { owner.store(effects.sessions) }
    if !effects.keyLogLines.isEmpty { owner.log(effects.keyLogLines) }
    // The pool first: a caller that is woken and sends again at once finds this connection idle.
    switch effects.poolEvent {
    case .released: if !owner.connectionReleased(id) { close() }
    case .closed: owner.connectionClosed(id)
    case nil: break
    }
    effects.pumpToCancel?.cancel()
    for waiter in effects.wakes { waiter.resume() }
    if let (channel, end) = effects.ended { channel.finish(end)?.resume() }
    if effects.needsTurn {
      Task { await self.continueTurn() }
    }
  }

  private func continueTurn() {
    withCore { core, effects, now in core.receive(now: now, effects: &effects) }
  }

  // MARK: The holder of the lease

  nonisolated var httpVersion: HTTPVersion { .http1_1 }
  nonisolated var streamLimit: Int { 1 }

  /// How many exchanges the connection carried before.
  nonisolated var servedExchanges: UInt64 { core.withLock { $0.served } }

  nonisolated func begin(
    _ start: ExchangeStart, channel: ResponseChannel
  ) throws(TransportFailure) -> ExchangeID {
    let id = try withCore { (core, effects, now) throws(TransportFailure) in
      try core.begin(start, channel: channel, now: now, effects: &effects)
    }
    if !channel.attach(self, exchange: id) { abandon(id, isCancelled: true) }
    return id
  }

  /// Whether the exchange is under way.
  nonisolated func carries(_ id: ExchangeID) -> Bool { core.withLock { $0.exchange?.id == id } }

  /// Remembers the task that produces the body, so that it ends with the exchange.
  nonisolated func setPump(_ pump: Task<Void, Never>, for id: ExchangeID) {
    let isCurrent = core.withLock { core -> Bool in
      guard core.exchange?.id == id else { return false }
      core.exchange?.pump = pump
      return true
    }
    if !isCurrent { pump.cancel() }
  }

  /// Sends a part of the body, or its end (`nil`); waits while the socket is full.
  nonisolated func sendBody(_ chunk: ByteChunk?, for id: ExchangeID) async throws(TransportFailure) {
    let mustLook = try withCore { (core, effects, now) throws(TransportFailure) in
      try core.sendBody(chunk, for: id, now: now, effects: &effects)
      return core.exchange?.id != id || core.exchange?.sendFailure != nil
        || core.output.count >= HTTP1Core.sendHighWater
    }
    guard mustLook else { return }
    await withUnsafeContinuation { (waiter: ResponseChannel.Waiter) in
      let resumesNow = core.withLock { core -> Bool in
        guard core.exchange?.id == id, core.output.count >= HTTP1Core.sendHighWater, core.exchange?.sendFailure == nil
        else { return true }
        core.exchange?.sendWaiter = waiter
        return false
      }
      if resumesNow { waiter.resume() }
    }
    let stopped = core.withLock { $0.exchange?.id != id || $0.exchange?.sendFailure != nil }
    if stopped {
      throw TransportFailure(code: .connectionLost, phase: .send, reason: "the exchange has ended")
    }
  }

  /// The body's producer failed; the request cannot be completed.
  nonisolated func failBody(_ failure: TransportFailure, for id: ExchangeID) {
    withCore { core, effects, _ in
      guard core.exchange?.id == id else { return }
      core.fail(failure.with(sent: core.sentState), effects: &effects)
    }
  }

  /// Gives the lease back without having begun an exchange.
  nonisolated func giveBack() {
    if !owner.connectionReleased(id) { close() }
  }

  // MARK: The pool

  /// Closes the connection now when it is idle, else when its exchange ends.
  nonisolated func retire() {
    withCore { core, effects, _ in
      if core.exchange == nil { core.closeIdle(.shutDown, effects: &effects) } else { core.closesAfterExchange = true }
    }
  }

  /// Closes the connection; an exchange in flight fails.
  nonisolated func close(failing failure: TransportFailure) {
    withCore { core, effects, _ in
      if core.exchange != nil {
        core.fail(failure.at(core.phase).with(sent: core.sentState), effects: &effects)
      } else {
        core.closeIdle(failure, effects: &effects)
      }
    }
  }
}

extension HTTP1Connection {
  nonisolated func requestMore(_ exchange: ExchangeID) {
    withCore { core, effects, now in
      guard core.exchange?.id == exchange else { return }
      if core.exchange?.isPaused == true {
        core.exchange?.isPaused = false
        core.exchange?.lastProgress = now
      }
      core.receive(now: now, effects: &effects)
    }
  }

  nonisolated func drain(_ exchange: ExchangeID, upTo limit: Int) -> Bool {
    withCore { core, effects, now in core.drain(exchange, upTo: limit, now: now, effects: &effects) }
  }

  nonisolated func hurry(_ exchange: ExchangeID, within patience: Duration) {
    withCore { core, _, now in core.hurry(exchange, within: patience, now: now) }
  }

  nonisolated func abandon(_ exchange: ExchangeID, isCancelled: Bool) {
    withCore { core, effects, now in
      core.abandon(exchange, isCancelled: isCancelled, now: now, effects: &effects)
    }
  }
}

extension HTTP1Connection: ReadinessReceiver {
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
