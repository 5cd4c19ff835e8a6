internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

/// Everything of an HTTP/2 connection that its lock guards: transport, session, output, and the exchanges under way.
///
/// Theory of operation. The shard reads and parses for all streams; the task that holds a lease submits its own request and
/// flushes. Each call is one synchronous turn that collects effects, which are performed after the lock is released.
///
/// *Streams and leases.* A lease of the pool becomes a stream with ``begin(_:scheme:channel:now:effects:)``; the stream gives it
/// back when the session says `closed`. An exchange ends for its consumer earlier, with the end of the response.
///
/// *Back-pressure.* Nobody stops reading: a stream whose consumer is slow runs out of window, and the others go on.
struct HTTP2Core: ~Copyable {
  /// What a turn wants done once the lock is released.
  struct Effects {
    var wakes = SmallList<ResponseChannel.Waiter>()
    var pumpsToCancel = SmallList<Task<Void, Never>>()
    /// Leases that the pool gets back.
    var releasedStreams = 0
    /// The pool may use another number of streams from now on.
    var hasNewStreamLimit = false
    var willClose = false
    /// The peer asks for calm: no new connections for a while.
    var isPeerOverloaded = false
    var isClosed = false
    /// Told only after the pool, as ``HTTP1Core/Effects/ended``.
    var ended = SmallList<(channel: ResponseChannel, end: ResponseChannel.End)>()
    var sessions = SmallList<TLSSession>.none
    var keyLogLines: [String] = []
    var needsTurn = false
    /// Frames wait for those of others; somebody has to see to it that they leave.
    var needsFlush = false
  }

  var transport: ByteTransport?
  var slot: Slot?
  var session: HTTP2Session
  var output = WriteBuffer()
  var exchanges: [HTTP2StreamID: HTTP2Exchange] = [:]
  /// Exchanges whose request may not have left completely yet.
  var sending: [HTTP2StreamID] = []
  /// Of streams, by their numbers: the heap is compiled for those.
  var deadlines = DeadlineHeap<Int32>()
  /// Responses that ended and whose callers have not come back with another request: those who were woken together come
  /// together, and the last of them sends for all.
  var followers = 0
  var isFlushPosted = false
  var served: UInt64 = 0
  /// Responses that were complete.
  var completed: UInt64 = 0
  var isStarted = false
  /// GOAWAY came: no new streams. The connection closes with the last one.
  var isGoingAway = false
  var goAwayCode: HTTP2ErrorCode?
  /// The pool has no more use for it: it closes with the last stream.
  var closesWhenEmpty = false
  /// What the next holder of a lease is told who comes too late.
  var endedBy: TransportFailure?
  var sendFailure: TransportFailure?
  var hasSaidGoodbye = false
  var timer: ShardTimer?
  var timerAt = Instant.distantFuture

  // Streams.
  /// What the peer's SETTINGS and ours allow.
  var settledStreamLimit: Int
  /// The peer's SETTINGS have come.
  var isSettled = false
  /// Less than what is assumed when the peer refuses streams before its SETTINGS come; grows again with each response.
  var learnedStreamLimit = Int.max
  /// What the pool was told last.
  var toldStreamLimit: Int

  // Liveness.
  var lastRead: Instant
  /// A head of a response has come.
  var hasResponded = false
  /// When the PING that is not answered was sent.
  var pingSentAt: Instant?
  var pings: UInt64 = 0
  /// A request timed out while nothing at all came: until the PING is answered the pool uses other connections.
  var isSuspect = false

  let configuration: HTTP2Configuration
  let scheme: String
  let shard: IOShard

  /// Frames are made only this far ahead of the socket: what is queued in the session can still be reordered and dropped.
  static var outputAheadBytes: Int { 64 << 10 }
  /// Reads per turn before others get their turn (architecture §4).
  static var readsPerTurn: Int { 16 }
  /// Writes of ``outputAheadBytes`` per turn: a body of gigabytes whose peer takes all of it must not hold the lock, and
  /// with it all other streams, until its end.
  static var writesPerTurn: Int { 16 }
  /// What is read is in memory until its consumer runs. The C library keeps this much of freed memory at hand; more
  /// would come as fresh pages from the kernel each time.
  static var bytesPerTurn: UInt64 { 192 << 10 }

  init(
    transport: consuming ByteTransport, configuration: HTTP2Configuration, limits: HTTP1Limits, scheme: String,
    shard: IOShard
  ) throws(HTTP2Error) {
    var settings = HTTP2SessionConfiguration()
    let bounds = 16 << 10...1 << 30
    settings.initialStreamWindowBytes = configuration.initialStreamWindowBytes.clamped(to: bounds)
    settings.maximumStreamWindowBytes = max(
      settings.initialStreamWindowBytes, configuration.maximumStreamWindowBytes.clamped(to: bounds))
    settings.windowGrowthBudgetBytes = max(0, configuration.windowGrowthBudgetBytes)
    settings.maximumFieldSectionBytes = limits.maximumFieldSectionBytes
    settings.maximumFields = limits.maximumFieldCount
    settings.sendHighWater = HTTP1Core.sendHighWater
    session = try HTTP2Session(configuration: settings)
    self.transport = consume transport
    self.configuration = configuration
    self.scheme = scheme
    self.shard = shard
    settledStreamLimit = min(settings.assumedConcurrentStreams, max(1, configuration.maximumConcurrentStreams))
    toldStreamLimit = settledStreamLimit
    lastRead = shard.now
  }

  var writtenBytes: UInt64 {
    switch transport {
    case .some(let open): open.writtenBytes
    case .none: 0
    }
  }

  /// An interval of nothing would be a PING for each round trip.
  var keepAliveInterval: Duration? { configuration.keepAliveInterval.map { max($0, .milliseconds(10)) } }

  var receivedBytes: UInt64 {
    switch transport {
    case .some(let open): open.receivedBytes
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

  /// How many streams the pool may use.
  var streamLimit: Int {
    if isSuspect { return 0 }
    return min(settledStreamLimit, learnedStreamLimit)
  }

  /// Before the peer's SETTINGS.
  mutating func expectStreams(_ count: Int) {
    settledStreamLimit = max(1, min(settledStreamLimit, count))
    toldStreamLimit = streamLimit
  }

  /// Sends and receives what the socket allows.
  mutating func progress(now: Instant, effects: inout Effects) {
    receive(now: now, effects: &effects)
    if let sendFailure, transport != nil, !effects.needsTurn {
      // All that had come is read, and the end was not among it.
      return failAll(sendFailure, effects: &effects)
    }
    flush(now: now, effects: &effects)
  }

  /// Sends what waits for followers, who may not come.
  mutating func flushPosted(now: Instant, effects: inout Effects) {
    isFlushPosted = false
    followers /= 2
    if session.wantsToSend { flush(now: now, effects: &effects) }
  }

  // MARK: The holder of a lease

  /// Starts an exchange: submits the head and, when it is at hand, the whole body.
  mutating func begin(
    _ start: ExchangeStart, channel: ResponseChannel, now: Instant, effects: inout Effects
  ) throws(TransportFailure) -> ExchangeID {
    // What is wrong with the request itself has nothing to do with the state of the connection.
    let (head, bodyLength): (HTTP2RequestHead, UInt64?)
    do throws(TransportFailure) {
      (head, bodyLength) = try HTTP2RequestHead.make(for: start, scheme: scheme)
    } catch {
      effects.releasedStreams += 1
      throw error
    }
    // The turn in which it ended may not have told the pool yet; a request that comes again at once must not meet it again.
    guard transport != nil else {
      effects.willClose = true
      throw endedBy ?? Self.endedBeforeRequest
    }
    guard !isGoingAway, sendFailure == nil else {
      effects.willClose = true
      effects.releasedStreams += 1
      throw endedBy ?? Self.endedBeforeRequest
    }
    // SETTINGS came behind the lease. In the session the request would wait for this connection only.
    guard session.openStreams < settledStreamLimit else {
      effects.hasNewStreamLimit = true
      effects.releasedStreams += 1
      throw Self.noFreeStream
    }
    let stream: HTTP2StreamID
    do throws(TransportFailure) {
      stream = try submit(head, bodyLength: bodyLength, endsStream: start.isComplete && start.immediateBody == nil)
    } catch {
      effects.releasedStreams += 1
      if error.isUnprocessed { effects.willClose = true }
      throw error
    }
    served += 1
    followers = max(0, followers - 1)
    exchanges[stream] = HTTP2Exchange(start, on: stream, channel: channel, writeMark: writtenBytes, now: now)
    sending.append(stream)
    do throws(HTTP2Error) {
      if let body = start.immediateBody { try session.sendBody(body, on: stream) }
      if start.isComplete, start.immediateBody != nil { try session.sendEnd(trailers: nil, on: stream) }
    } catch {
      fail(stream, TransportFailure(error), code: .internalError, effects: &effects)
    }
    // A connection that was silent for long may be dead; the request must not wait for a timeout to find out.
    if let interval = keepAliveInterval, lastRead.duration(to: now) >= interval { ping(now: now) }
    if followers == 0 {
      flush(now: now, effects: &effects)
    } else if !isFlushPosted {
      isFlushPosted = true
      effects.needsFlush = true
    }
    rearm(stream)
    return ExchangeID(value: UInt64(stream.rawValue.magnitude))
  }

  private mutating func submit(
    _ head: HTTP2RequestHead, bodyLength: UInt64?, endsStream: Bool
  ) throws(TransportFailure) -> HTTP2StreamID {
    do throws(HTTP2Error) {
      return try session.submitRequest(head, bodyLength: bodyLength, endsStream: endsStream)
    } catch {
      throw TransportFailure(error)
    }
  }

  private static var noFreeStream: TransportFailure {
    var failure = TransportFailure(
      code: .streamRefused, phase: .send, reason: "the server allows no further request on the connection")
    failure.isUnprocessed = true
    failure.isOvertaken = true
    return failure
  }

  static var endedBeforeRequest: TransportFailure {
    TransportFailure(
      code: .connectionLost, phase: .send, reason: "the server closed the connection before the request was sent",
      isCloseBeforeResponse: true)
  }

  /// Queues a part of the body, or its end (`nil`).
  ///
  /// - Returns: Whether the producer has to wait.
  mutating func sendBody(
    _ chunk: ByteChunk?, for id: ExchangeID, now: Instant, effects: inout Effects
  ) throws(TransportFailure) -> Bool {
    let stream = HTTP2StreamID(id)
    guard let exchange = exchanges[stream], transport != nil else { throw Self.exchangeEnded }
    // The peer owes nothing while it has nothing to take: its silence starts now.
    if session.unsentBytes(on: stream) == 0 { exchange.lastProgress = now }
    do throws(HTTP2Error) {
      if let chunk {
        try session.sendBody(chunk, on: stream)
      } else {
        try session.sendEnd(trailers: nil, on: stream)
        exchange.isRequestComplete = true
      }
    } catch {
      let failure = TransportFailure(error).at(.send).with(sent: .maybe)
      fail(stream, failure, code: .cancel, effects: &effects)
      flush(now: now, effects: &effects)
      throw failure
    }
    flush(now: now, effects: &effects)
    rearm(stream)
    return mustWait(stream)
  }

  static var exchangeEnded: TransportFailure {
    TransportFailure(code: .connectionLost, phase: .send, reason: "the exchange has ended")
  }

  /// Whether too much of the body is unsent.
  func mustWait(_ stream: HTTP2StreamID) -> Bool {
    session.unsentBytes(on: stream) >= HTTP1Core.sendHighWater
  }

  /// The consumer has taken bytes; the peer may send as many again.
  mutating func consumed(
    _ count: Int, on id: ExchangeID, isStarved: Bool, now: Instant, effects: inout Effects
  ) {
    let stream = HTTP2StreamID(id)
    guard let exchange = exchanges[stream] else { return }
    exchange.unconsumed = max(0, exchange.unconsumed - count)
    exchange.lastProgress = now
    session.consumed(count, on: stream, isStarved: isStarved)
    if session.wantsToSend { flush(now: now, effects: &effects) }
    rearm(stream)
  }

  /// The consumer is gone: the stream is reset, and the connection serves the others.
  mutating func abandon(_ id: ExchangeID, now: Instant, effects: inout Effects) {
    let stream = HTTP2StreamID(id)
    guard exchanges[stream] != nil else { return }
    fail(stream, .cancelled, code: .cancel, effects: &effects)
    flush(now: now, effects: &effects)
  }
}

extension Int {
  fileprivate func clamped(to bounds: ClosedRange<Int>) -> Int {
    Swift.min(Swift.max(self, bounds.lowerBound), bounds.upperBound)
  }
}
