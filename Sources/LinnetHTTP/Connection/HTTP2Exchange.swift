internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetProtocols

/// One exchange on one stream of an HTTP/2 connection. Its core's lock guards it.
///
/// A class, because changing a struct in a dictionary's value costs two allocations each time.
final class HTTP2Exchange {
  let stream: HTTP2StreamID
  let channel: ResponseChannel
  let timeouts: TimeoutConfiguration
  /// Earlier than the request said when the response is not the caller's and its rest was given less time.
  var totalDeadline: Instant
  /// Bytes that the connection had written when the exchange began.
  let writeMark: UInt64
  let startedAt: Instant
  var isRequestComplete: Bool
  var isHeadReceived = false
  /// Body bytes that were delivered and not yet reported as consumed: while there are any, silence is the consumer's.
  var unconsumed = 0
  /// Body bytes that were unsent when the connection last wrote: fewer of them is progress.
  var lastUnsent = 0
  var sendWaiter: ResponseChannel.Waiter?
  var pump: Task<Void, Never>?
  var lastProgress: Instant
  var requestSentAt: Instant?
  var continueDeadline: Instant?
  /// What is in the connection's heap for it.
  var deadline: (id: DeadlineID, at: Instant)?

  init(
    _ start: ExchangeStart, on stream: HTTP2StreamID, channel: ResponseChannel, writeMark: UInt64, now: Instant
  ) {
    self.stream = stream
    self.channel = channel
    self.writeMark = writeMark
    timeouts = start.timeouts
    totalDeadline = start.totalDeadline
    isRequestComplete = start.isComplete
    continueDeadline = start.continueDeadline
    startedAt = now
    lastProgress = now
  }

  var id: ExchangeID { ExchangeID(value: UInt64(stream.rawValue.magnitude)) }
}

extension HTTP2StreamID {
  /// The stream that carries an exchange: they have the same number.
  init(_ exchange: ExchangeID) { self.init(rawValue: Int32(truncatingIfNeeded: exchange.value)) }
}
