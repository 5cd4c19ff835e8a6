internal import LinnetBytes
internal import LinnetHTTPTypes

/// What a connection delivers for one exchange, from the connection's turn to the one task that consumes it.
///
/// Theory of operation. The producer (a connection, under its own lock) appends head events, body chunks and exactly one
/// end; each call returns the continuation to resume once the producer's lock is released. The consumer takes whatever is
/// there in one go and waits only when nothing is. Events stay until taken, so it does not matter whether the reply or
/// the waiter comes first. When the consumer finds the queue empty it asks the driver to read on: back-pressure is that
/// nobody asks.
///
/// Lock order: a connection's core, then the channel. The channel never calls the driver with its lock held.
final class ResponseChannel: Sendable {
  /// A head event in the order of arrival.
  enum HeadEvent: Sendable {
    case interim(ResponseHead)
    case final(ResponseHead, expectedLength: UInt64?)
    /// The time to wait for `100 Continue` is over.
    case continueExpired
  }

  enum End: Sendable {
    case finished(trailers: HTTPHeaders?)
    case failed(TransportFailure)
  }

  /// Body bytes, and the end when nothing follows them. Never without both.
  struct BodyBatch: Sendable {
    let chunks: [ByteChunk]
    let end: End?
  }

  typealias Waiter = UnsafeContinuation<Void, Never>

  fileprivate struct State {
    var headEvents = HeadEvents()
    var chunks: [ByteChunk] = []
    var bufferedBytes = 0
    var end: End?
    var waiter: Waiter?
    var driver: (any ExchangeDriver)?
    var exchange: ExchangeID?
    var isCancelled = false
    /// Each batch that was used up is reported to the driver.
    var reportsConsumption = false
    /// Bytes of the batch that the consumer has now.
    var takenBytes = 0
  }

  /// Head events in order. Nearly every exchange has just the final head, which stands inline.
  fileprivate struct HeadEvents {
    private var first: HeadEvent?
    private var rest: [HeadEvent] = []

    var isEmpty: Bool { first == nil }

    mutating func append(_ event: HeadEvent) {
      if first == nil { first = event } else { rest.append(event) }
    }

    mutating func popFirst() -> HeadEvent? {
      defer { first = rest.isEmpty ? nil : rest.removeFirst() }
      return first
    }
  }

  private let state = Lock(State())

  init() {}

  // MARK: Producer

  /// Connects the channel to who fills it. Returns false when the consumer has cancelled already.
  ///
  /// - Parameter reportsConsumption: The driver wants to know what was used up: it gives the peer credit for it.
  func attach(_ driver: any ExchangeDriver, exchange: ExchangeID, reportsConsumption: Bool = false) -> Bool {
    state.withLock { state in
      state.reportsConsumption = reportsConsumption
      guard !state.isCancelled else { return false }
      // Nobody is asked for more after the end, and the connection must not live as long as the response.
      guard state.end == nil else { return true }
      state.driver = driver
      state.exchange = exchange
      return true
    }
  }

  func append(_ event: HeadEvent) -> Waiter? {
    state.withLock { state in
      guard state.end == nil else { return nil }
      state.headEvents.append(event)
      return state.takeWaiter()
    }
  }

  /// Appends body bytes.
  ///
  /// - Returns: How many bytes wait for the consumer now, and whom to wake.
  func append(_ chunk: ByteChunk) -> (buffered: Int, waiter: Waiter?) {
    state.withLock { state in
      guard state.end == nil else { return (0, nil) }
      state.append(chunk)
      state.bufferedBytes += chunk.count
      return (state.bufferedBytes, state.takeWaiter())
    }
  }

  /// Ends the exchange for the consumer; only the first end counts.
  func finish(_ end: End) -> Waiter? {
    state.withLock { state in
      guard state.end == nil else { return nil }
      state.end = end
      state.driver = nil
      return state.takeWaiter()
    }
  }

  // MARK: Consumer

  /// The next head event; waits for it. After the final head, call ``nextBatch()``.
  func nextHeadEvent() async -> Result<HeadEvent, TransportFailure> {
    while true {
      let ready: Result<HeadEvent, TransportFailure>? = state.withLock { state in
        if let event = state.headEvents.popFirst() { return .success(event) }
        if case .failed(let failure) = state.end { return .failure(failure) }
        return nil
      }
      if let ready { return ready }
      await wait { !$0.headEvents.isEmpty }
    }
  }

  /// All body bytes that are there; waits for at least one. After the end it repeats the end.
  func nextBatch() async -> BodyBatch {
    // A body that arrives as fast as it is read never waits below, where a cancellation would be noticed.
    if Task.isCancelled { cancel() }
    reportConsumption()
    while true {
      if let batch = takeBatch() { return batch }
      askForMore()
      if let batch = takeBatch() { return batch }
      await withTaskCancellationHandler {
        await wait { !$0.chunks.isEmpty }
      } onCancel: {
        cancel()
      }
    }
  }

  private func takeBatch() -> BodyBatch? {
    state.withLock { state in
      guard !state.chunks.isEmpty || state.end != nil else { return nil }
      let batch = BodyBatch(chunks: state.chunks, end: state.end)
      state.takenBytes = state.bufferedBytes
      state.chunks = []
      state.bufferedBytes = 0
      return batch
    }
  }

  /// Who asks for the next batch has used up the one before.
  private func reportConsumption() {
    let report = state.withLock { state -> (driver: any ExchangeDriver, id: ExchangeID, count: Int, isStarved: Bool)? in
      guard state.reportsConsumption, state.takenBytes > 0, let driver = state.driver, let id = state.exchange else {
        return nil
      }
      defer { state.takenBytes = 0 }
      return (driver, id, state.takenBytes, state.chunks.isEmpty)
    }
    if let report { report.driver.consumed(report.count, on: report.id, isStarved: report.isStarved) }
  }

  /// How long the rest of a response is waited for that is not the caller's: a redirection, a question for credentials, a
  /// refusal. A server that trickles must hold up neither the next request nor a place in the pool. Go gives 50 ms, too
  /// little for a distant server.
  static var restPatience: Duration { .seconds(1) }

  /// Reads the rest of a response that nobody wants, and waits for its end, when that makes the connection free for the
  /// next request; lets go of it otherwise. At most ``restPatience`` and, in all, `limit` bytes.
  func drain(upTo limit: Int) async {
    let (driver, exchange, rest) = state.withLock { ($0.driver, $0.exchange, limit - $0.bufferedBytes) }
    guard let driver, let exchange else { return }
    guard rest >= 0, driver.drain(exchange, upTo: rest) else { return abandon() }
    await withTaskCancellationHandler {
      while state.withLock({ $0.end == nil }) { await wait { _ in false } }
    } onCancel: {
      cancel()
    }
  }

  /// Gives the rest of a response that is not the caller's no more than ``restPatience``.
  func hurry() {
    let (driver, exchange) = state.withLock { ($0.driver, $0.exchange) }
    guard let driver, let exchange else { return }
    driver.hurry(exchange, within: Self.restPatience)
  }

  /// Tells the server how urgent the rest is; nothing when the exchange has ended.
  func updatePriority(_ value: String) {
    let (driver, exchange) = state.withLock { ($0.driver, $0.exchange) }
    guard let driver, let exchange else { return }
    driver.updatePriority(value, of: exchange)
  }

  private func askForMore() {
    let (driver, exchange) = state.withLock { ($0.driver, $0.exchange) }
    guard let driver, let exchange else { return }
    driver.requestMore(exchange)
  }

  /// Waits until the producer has something; returns at once when `isReady` holds or the exchange has ended.
  private func wait(until isReady: @Sendable (borrowing State) -> Bool) async {
    await withUnsafeContinuation { (waiter: Waiter) in
      let (displaced, resumeNow) = state.withLock { state -> (Waiter?, Bool) in
        if state.end != nil || isReady(state) { return (nil, true) }
        let displaced = state.waiter
        state.waiter = waiter
        return (displaced, false)
      }
      // A second consumer is a caller's mistake; it must not strand the first, which simply looks again.
      displaced?.resume()
      if resumeNow { waiter.resume() }
    }
  }

  /// Ends the exchange as cancelled: the consumer's task was cancelled. Bytes that came already stay readable only up to
  /// this point; the connection stops.
  func cancel() {
    abandon(with: .cancelled, isCancelled: true)
  }

  /// The consumer lost interest in the rest of the body.
  func abandon() {
    abandon(with: .bodyDropped, isCancelled: false)
  }

  private func abandon(with failure: TransportFailure, isCancelled: Bool) {
    let (waiter, driver, exchange) = state.withLock { state -> (Waiter?, (any ExchangeDriver)?, ExchangeID?) in
      guard state.end == nil else { return (nil, nil, nil) }
      state.isCancelled = true
      state.end = .failed(failure)
      if isCancelled {
        state.chunks = []
        state.bufferedBytes = 0
      }
      let driver = state.driver
      state.driver = nil
      return (state.takeWaiter(), driver, state.exchange)
    }
    if let driver, let exchange { driver.abandon(exchange, isCancelled: isCancelled) }
    waiter?.resume()
  }
}

extension ResponseChannel.State {
  /// Chunks that wait are joined up to this size: the bookkeeping of each is about a hundred bytes, and a peer that sends
  /// its body in frames of one byte would make a consumer that does not read hold a hundred times its window.
  private static var joinedBytes: Int { 512 }

  fileprivate mutating func append(_ chunk: ByteChunk) {
    guard let last = chunks.last, last.count + chunk.count <= Self.joinedBytes else { return chunks.append(chunk) }
    var joined: [UInt8] = []
    joined.reserveCapacity(last.count + chunk.count)
    joined.append(contentsOf: last)
    joined.append(contentsOf: chunk)
    chunks[chunks.count - 1] = ByteChunk(joined)
  }

  fileprivate mutating func takeWaiter() -> ResponseChannel.Waiter? {
    defer { waiter = nil }
    return waiter
  }
}

extension TransportFailure {
  /// Nobody wants the rest of a response.
  static var bodyDropped: TransportFailure {
    TransportFailure(code: .bodyAlreadyConsumed, phase: .body, reason: "the body was dropped")
  }
}

/// Names one exchange of one connection, so that a late call cannot touch its successor.
struct ExchangeID: Sendable, Hashable {
  let value: UInt64
}

/// The connection behind an exchange, as its consumer sees it. Callable from any thread.
protocol ExchangeDriver: AnyObject, Sendable {
  /// The consumer has taken everything and wants more.
  func requestMore(_ exchange: ExchangeID)
  /// The consumer has used up that many body bytes; only for drivers that asked for it.
  ///
  /// - Parameter isStarved: Nothing more is at hand.
  func consumed(_ count: Int, on exchange: ExchangeID, isStarved: Bool)
  /// Another priority for what is still to come (RFC 9218 §7); only for protocols that have a way to say so.
  func updatePriority(_ value: String, of exchange: ExchangeID)
  /// Nobody wants the rest of the response: reads it when the connection can be used again by that. The exchange ends with
  /// it, and after that much at the latest. False, and nothing happens, when the connection cannot be kept.
  func drain(_ exchange: ExchangeID, upTo limit: Int) -> Bool
  /// Ends the exchange after so much time.
  func hurry(_ exchange: ExchangeID, within patience: Duration)
  /// The consumer is gone; a cancelled exchange stops at once, a dropped one may be read to its end when little is left.
  func abandon(_ exchange: ExchangeID, isCancelled: Bool)
}

extension ExchangeDriver {
  func consumed(_ count: Int, on exchange: ExchangeID, isStarved: Bool) {}

  func updatePriority(_ value: String, of exchange: ExchangeID) {}

  /// For protocols whose exchanges have streams of their own, and bodies without a connection.
  func drain(_ exchange: ExchangeID, upTo limit: Int) -> Bool { false }

  func hurry(_ exchange: ExchangeID, within patience: Duration) {}
}
