internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

/// Everything of an HTTP/1.1 connection that its lock guards: transport, machine, output, and the exchange in flight.
///
/// Two parties call it: the shard (readiness, timers) and the task that holds the lease (begin, body parts, requests for
/// more). Each call is one synchronous turn: read, parse, collect effects, flush. The effects are performed after the lock
/// is released.
struct HTTP1Core: ~Copyable {
  /// What a turn wants done once the lock is released.
  struct Effects {
    var wakes = SmallList<ResponseChannel.Waiter>()
    var pumpToCancel: Task<Void, Never>?
    var poolEvent: PoolEvent?
    /// Told only after the pool: a consumer that sees the end sends its next request at once, and must find the
    /// connection free instead of dialling another.
    var ended: (channel: ResponseChannel, end: ResponseChannel.End)?
    var sessions = SmallList<TLSSession>.none
    var keyLogLines: [String] = []
    /// Readable bytes were left to be fair to others; run another turn.
    var needsTurn = false

    enum PoolEvent {
      case released
      case closed
    }
  }

  /// The exchange that the connection carries.
  struct ActiveExchange {
    let id: ExchangeID
    let channel: ResponseChannel
    let hasBody: Bool
    let timeouts: TimeoutConfiguration
    let totalDeadline: Instant
    var isRequestComplete = false
    var isHeadReceived = false
    /// The consumer has enough; bytes wait in the socket.
    var isPaused = false
    /// Nobody wants the rest; what is left is read up to a bound and thrown away.
    var discardBudget: Int?
    /// How much may be discarded after that without anybody waiting for it.
    var unawaitedBudget = 0
    /// The rest is not the caller's response, and has until then; the connection ends with it.
    var restDeadline: Instant?
    var sendWaiter: ResponseChannel.Waiter?
    var pump: Task<Void, Never>?
    var sendFailure: TransportFailure?
    var lastProgress: Instant
    var requestSentAt: Instant?
    var continueDeadline: Instant?

    /// A server that answers has usually read the request.
    var mayHaveUnsentBody: Bool { !isRequestComplete || hasBody && !isHeadReceived }
  }

  var transport: ByteTransport?
  var slot: Slot?
  var machine: HTTP1ClientMachine
  var output = WriteBuffer()
  var exchange: ActiveExchange?
  var served: UInt64 = 0
  /// The pool knows the connection.
  var isStarted = false
  /// What ended the connection while no exchange was there to be told; the next one is.
  private var idleFailure: TransportFailure?
  var timer: ShardTimer?
  var timerAt = Instant.distantFuture
  /// Closed when the current exchange ends: the pool is draining or the age limit is reached.
  var closesAfterExchange = false
  /// The consumer's queue may hold this much before reading stops. Two large receive buffers: enough to keep a fast
  /// consumer busy, little enough for thousands of responses.
  static var pauseThreshold: Int { 512 << 10 }
  /// Request bytes that may wait for the socket before the producer has to.
  static var sendHighWater: Int { 256 << 10 }
  /// Reads per turn before others get their turn (architecture §4).
  static var readsPerTurn: Int { 16 }
  /// A dropped body with at most this much left is read to its end to save the connection; as Go's 256 KiB bound.
  static var discardLimit: Int { 256 << 10 }

  private let shard: IOShard

  init(transport: consuming ByteTransport, limits: HTTP1Limits, shard: IOShard) {
    self.transport = consume transport
    self.shard = shard
    machine = HTTP1ClientMachine(limits: limits)
  }

  /// Bytes of the current request were given to the network.
  private var hasWritten: Bool {
    switch transport {
    case .some(let open): open.hasWritten
    case .none: false
    }
  }

  private var writtenBytes: UInt64 {
    switch transport {
    case .some(let open): open.writtenBytes
    case .none: 0
    }
  }

  /// Ciphertext waits for the socket.
  var hasPendingCiphertext: Bool {
    switch transport {
    case .some(let open): open.hasPendingOutput
    case .none: false
    }
  }

  /// Sends and receives what the socket allows.
  mutating func progress(now: Instant, effects: inout Effects) {
    if !output.isEmpty || hasPendingCiphertext { flush(now: now, effects: &effects) }
    receive(now: now, effects: &effects)
  }

  // MARK: Sending

  /// Starts an exchange: writes the head and, when it is at hand, the whole body.
  mutating func begin(
    _ start: ExchangeStart, channel: ResponseChannel, now: Instant, effects: inout Effects
  ) throws(TransportFailure) -> ExchangeID {
    if start.looksForClose && served > 0 {
      transport?.isReadable = true
      receive(now: now, effects: &effects)
    }
    guard transport != nil, exchange == nil else {
      throw idleFailure
        ?? TransportFailure(
          code: served == 0 ? .emptyReply : .connectionLost, phase: .send,
          reason: "the server closed the connection before the request was sent",
          isCloseBeforeResponse: true)
    }
    transport?.resetWriteMark()
    do throws(HTTP1Error) {
      try machine.sendHead(start.head, body: start.length, into: &output)
    } catch {
      // A head that must not be sent leaves no trace: the connection is as good for the next request as it was.
      if error.side == .local { effects.poolEvent = .released } else { close(effects: &effects) }
      throw TransportFailure(error, isRequestStarted: false)
    }
    served += 1
    let id = ExchangeID(value: served)
    do throws(HTTP1Error) {
      if let body = start.immediateBody {
        try machine.sendBody(body, into: &output)
      }
      if start.isComplete { try machine.sendEnd(trailers: nil, into: &output) }
    } catch {
      // The body is not what the head announced: nothing was sent, but the machine is spent.
      output.removeAll()
      close(effects: &effects)
      throw TransportFailure(error, isRequestStarted: false)
    }
    exchange = ActiveExchange(
      id: id, channel: channel, hasBody: start.length != .none, timeouts: start.timeouts,
      totalDeadline: start.totalDeadline, lastProgress: now)
    exchange?.isRequestComplete = start.isComplete
    exchange?.continueDeadline = start.continueDeadline
    flush(now: now, effects: &effects)
    return id
  }

  mutating func sendBody(
    _ chunk: ByteChunk?, for id: ExchangeID, now: Instant, effects: inout Effects
  ) throws(TransportFailure) {
    guard exchange?.id == id, transport != nil else {
      throw TransportFailure(code: .connectionLost, phase: .send, reason: "the exchange has ended")
    }
    // The peer owes nothing while it has nothing to take: its silence starts now.
    if output.isEmpty && !hasPendingCiphertext { exchange?.lastProgress = now }
    do throws(HTTP1Error) {
      if let chunk {
        try machine.sendBody(chunk, into: &output)
      } else {
        try machine.sendEnd(trailers: nil, into: &output)
        exchange?.isRequestComplete = true
      }
    } catch {
      let failure = TransportFailure(error, isRequestStarted: true).with(sent: .maybe)
      fail(failure, effects: &effects)
      throw failure
    }
    flush(now: now, effects: &effects)
  }

  /// Pushes output into the socket. A send error ends the sending but not the exchange: the server may have answered
  /// before it stopped reading (a 413, a redirect), and that answer is worth more than "broken pipe".
  mutating func flush(now: Instant, effects: inout Effects) {
    guard exchange?.sendFailure == nil else { return }
    let before = writtenBytes
    do throws(TransportFailure) {
      try transport?.flush(&output)
    } catch {
      output.removeAll()
      exchange?.sendFailure = error
      transport?.isReadable = true
      transport?.isPeerClosed = true
      wakeSender(&effects)
      receive(now: now, effects: &effects)
      // Nothing more to read and no end of the stream: it is our side that cannot send, and no answer will come.
      if exchange?.isPaused == false, transport?.isReadable == false {
        fail(error.with(sent: sentState), effects: &effects)
      }
      return
    }
    if writtenBytes != before { exchange?.lastProgress = now }
    let isFlushed = output.isEmpty && !hasPendingCiphertext
    if isFlushed, exchange?.isRequestComplete == true, exchange?.requestSentAt == nil { exchange?.requestSentAt = now }
    if output.count < Self.sendHighWater { wakeSender(&effects) }
  }

  private mutating func wakeSender(_ effects: inout Effects) {
    guard let waiter = exchange?.sendWaiter else { return }
    exchange?.sendWaiter = nil
    effects.wakes.append(waiter)
  }

  // MARK: Receiving

  /// Reads and parses while bytes are there, the consumer wants them, and the budget lasts.
  mutating func receive(now: Instant, effects: inout Effects) {
    var budget = Self.readsPerTurn
    while transport?.isReadable == true, exchange?.isPaused != true {
      guard budget > 0 else {
        effects.needsTurn = true
        return
      }
      budget -= 1
      do throws(TransportFailure) {
        switch try transport?.read(into: &machine) {
        case .wouldBlock, nil: return
        case .endOfFile: machine.receiveEOF()
        case .progressed: exchange?.lastProgress = now
        }
      } catch {
        // What came before the failure counts: it may even complete the response.
        if deliverEvents(now: now, effects: &effects) { failReceiving(error, effects: &effects) }
        return
      }
      collectTLS(&effects)
      guard deliverEvents(now: now, effects: &effects) else { return }
    }
  }

  /// Moves what can be moved, whatever was told about readiness: a process that was stopped, or whose shard was busy,
  /// must not take its own silence for the peer's.
  mutating func catchUp(now: Instant, effects: inout Effects) {
    if !output.isEmpty || hasPendingCiphertext {
      transport?.isWritable = true
      flush(now: now, effects: &effects)
    }
    transport?.isReadable = true
    receive(now: now, effects: &effects)
  }

  private mutating func takeTransport() -> ByteTransport? {
    var taken: ByteTransport?
    swap(&taken, &transport)
    return taken
  }

  /// Tickets and key log lines leave the engine whenever it has read something.
  private mutating func collectTLS(_ effects: inout Effects) {
    guard transport?.isEncrypted == true else { return }
    if let sessions = transport?.takeNewSessions() {
      for session in sessions { effects.sessions.append(session) }
    }
    if let lines = transport?.takeKeyLogLines(), !lines.isEmpty { effects.keyLogLines += lines }
  }

  private mutating func failReceiving(_ failure: TransportFailure, effects: inout Effects) {
    guard exchange != nil else {
      var failure = failure
      // A refusal by TLS would only be repeated on another connection.
      failure.isCloseBeforeResponse = failure.phase != .tls
      if failure.phase != .tls { failure.phase = .send }
      idleFailure = failure
      close(effects: &effects)
      return
    }
    // What was sent failed first; what it failed with is the better story, unless it is the same one.
    var failure = failure
    if let sendFailure = exchange?.sendFailure, sendFailure.code != .connectionLost { failure = sendFailure }
    failure.isCloseBeforeResponse = !machine.responseStarted && failure.code == .connectionLost
    if failure.phase != .tls { failure.phase = phase }
    fail(failure.with(sent: sentState), effects: &effects)
  }

  /// What the exchange waits for now.
  var phase: TransportError.Phase {
    guard let exchange else { return .request }
    if exchange.isHeadReceived { return .body }
    let isSent =
      exchange.isRequestComplete && output.isEmpty && !hasPendingCiphertext && exchange.sendFailure == nil
    return isSent || exchange.continueDeadline != nil ? .head : .send
  }

  var sentState: TransportError.SentState {
    guard hasWritten else { return .nothing }
    return exchange?.requestSentAt != nil && exchange?.sendFailure == nil ? .all : .maybe
  }

  /// Hands the machine's events to the consumer. Returns false when the connection was closed.
  private mutating func deliverEvents(now: Instant, effects: inout Effects) -> Bool {
    while true {
      let event: HTTP1Event
      do throws(HTTP1Error) {
        event = try machine.nextEvent()
      } catch {
        failParsing(error, effects: &effects)
        return false
      }
      switch event {
      case .needMoreData:
        return true
      case .interim(let head):
        if head.status.code == 100 { exchange?.continueDeadline = nil }
        wake(exchange?.channel.append(.interim(head)), &effects)
      case .head(let head, let length):
        // An upgrade that nobody asked for: what follows would not be HTTP (RFC 9110 §15.2.2).
        guard head.status.code != 101 else {
          let reason = "the server switched protocols without having been asked"
          fail(
            TransportFailure(code: .invalidResponse, phase: .head, reason: reason, sent: sentState), effects: &effects)
          return false
        }
        exchange?.isHeadReceived = true
        exchange?.continueDeadline = nil
        wake(exchange?.channel.append(.final(head, expectedLength: length.knownLength)), &effects)
      case .body(let chunk):
        guard deliver(chunk, &effects) else { return false }
      case .end(let trailers):
        complete(trailers: trailers, effects: &effects)
        // Bytes behind the end that are still in the socket would be taken for the next response: if it may hold any,
        // the turn goes on and meets them.
        return transport != nil
      case .paused, .closed:
        // Bytes or an end without an exchange: the server gave up on the idle connection, or speaks out of turn. Neither
        // means that only TLS had something to say, such as a session ticket.
        guard machine.hasBufferedInput || event.isClosed else { return true }
        close(effects: &effects)
        return false
      }
    }
  }

  private func wake(_ waiter: ResponseChannel.Waiter?, _ effects: inout Effects) {
    if let waiter { effects.wakes.append(waiter) }
  }

  private mutating func deliver(_ chunk: ByteChunk, _ effects: inout Effects) -> Bool {
    if let budget = exchange?.discardBudget { return discard(chunk, budget, &effects) }
    guard let (buffered, waiter) = exchange?.channel.append(chunk) else { return true }
    wake(waiter, &effects)
    if buffered >= Self.pauseThreshold { exchange?.isPaused = true }
    return true
  }

  private mutating func failParsing(_ error: HTTP1Error, effects: inout Effects) {
    guard exchange != nil else {
      close(effects: &effects)
      return
    }
    if let sendFailure = exchange?.sendFailure, !machine.responseStarted {
      var failure = sendFailure
      failure.isCloseBeforeResponse = true
      fail(failure.with(sent: sentState), effects: &effects)
      return
    }
    var failure = TransportFailure(error, isRequestStarted: true)
    failure.phase = exchange?.isHeadReceived == true ? .body : .head
    // To whom nothing was asked completely, an answer is not missing.
    if failure.code == .emptyReply, phase == .send {
      failure.code = .connectionLost
      failure.phase = .send
    }
    fail(failure.with(sent: sentState), effects: &effects)
  }

  // MARK: Ends

  /// The response is complete.
  private mutating func complete(trailers: HTTPHeaders?, effects: inout Effects) {
    guard let ended = end(.finished(trailers: trailers), effects: &effects) else { return }
    let isClean =
      ended.isRequestComplete && ended.sendFailure == nil && output.isEmpty
      && !hasPendingCiphertext && !(transport?.isPeerClosed ?? true)
    guard isClean, !closesAfterExchange, machine.canReuse, (try? machine.startNextCycle()) != nil else {
      close(effects: &effects, isAborted: ended.mayHaveUnsentBody)
      return
    }
    effects.poolEvent = .released
  }

  /// Takes the exchange off the connection.
  private mutating func end(_ end: ResponseChannel.End, effects: inout Effects) -> ActiveExchange? {
    guard let ended = exchange else { return nil }
    exchange = nil
    effects.ended = (ended.channel, end)
    effects.pumpToCancel = ended.isRequestComplete ? nil : ended.pump
    if let waiter = ended.sendWaiter { effects.wakes.append(waiter) }
    return ended
  }

  /// Ends the exchange with a failure and closes the connection: HTTP/1.1 has no other way to stop.
  mutating func fail(_ failure: TransportFailure, effects: inout Effects) {
    let failed = end(.failed(failure), effects: &effects)
    close(effects: &effects, isAborted: failed?.mayHaveUnsentBody ?? false)
  }

  /// Closes the connection between two exchanges; whoever holds the lease but has not begun is told why.
  mutating func closeIdle(_ failure: TransportFailure, effects: inout Effects) {
    idleFailure = failure
    close(effects: &effects)
  }

  /// Closes the socket. Deregistered first, so that no event of this descriptor can reach its successor.
  ///
  /// - Parameter isAborted: Whether the kernel may hold request bytes that nobody wants any more. It would go on sending
  ///   them, and a server that does not read would never hear of the end; so the connection is reset.
  mutating func close(effects: inout Effects, isAborted: Bool = false) {
    guard var closing = takeTransport() else { return }
    _ = end(
      .failed(TransportFailure(code: .connectionLost, phase: .body, reason: "the connection was closed")),
      effects: &effects)
    if isAborted { closing.resetOnClose() } else { closing.sendGoodbye() }
    unregister()
    closing.close()
    output.removeAll()
    effects.poolEvent = .closed
  }

  private mutating func unregister() {
    var taken: Slot?
    swap(&taken, &slot)
    if let registered = taken { shard.deregister(registered) }
    if let timer { shard.cancel(timer) }
    timer = nil
  }
}

extension HTTP1Event {
  fileprivate var isClosed: Bool {
    if case .closed = self { return true }
    return false
  }
}

extension ResponseBodyLength {
  /// The number of bytes, when the head says it.
  fileprivate var knownLength: UInt64? {
    switch self {
    case .none: 0
    case .known(let count): count
    case .unknown: nil
    }
  }
}
