internal import LinnetBytes
internal import LinnetHTTPTypes

extension HTTP1ClientMachine {
  /// Takes bytes from the peer. They are stored; ``nextEvent()`` judges them.
  package mutating func receive(_ bytes: Span<UInt8>) {
    if case .failed = receiveState { return }
    buffer.append(bytes)
  }

  /// Lets `body` read from a socket straight into the machine's buffer.
  ///
  /// - Parameters:
  ///   - minimum: The least room that `body` is offered; ``suggestedReadSize`` is a good choice.
  ///   - body: Returns how many bytes it wrote.
  /// - Returns: What `body` returned.
  package mutating func withReceiveCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    // SAFETY: the buffer hands its own room to `body` for the duration of the call.
    try unsafe buffer.withSpareCapacity(minimum: minimum, body)
  }

  /// The peer will send no more. Repeating it changes nothing.
  package mutating func receiveEOF() {
    hasEnded = true
  }

  /// How much to read at once: little while a head is awaited, up to what is missing while a body streams, so that a
  /// large body takes few system calls and a small one little memory.
  package var suggestedReadSize: Int {
    switch receiveState {
    case .length(let expected, let received):
      Self.readSize(missing: expected - received)
    case .chunked:
      bodyByteCount < Self.streamingThreshold && chunkedDecoder.remainingInChunk < Self.streamingThreshold
        ? Self.headReadSize : Self.largestReadSize
    case .untilClose:
      bodyByteCount < Self.streamingThreshold ? Self.headReadSize : Self.largestReadSize
    case .idle, .head, .ended, .done, .tunnel, .failed:
      Self.headReadSize
    }
  }

  private static var headReadSize: Int { 16 * 1024 }
  private static var largestReadSize: Int { 256 * 1024 }
  /// A body of unknown length counts as large once this much of it was seen.
  private static var streamingThreshold: UInt64 { 64 * 1024 }

  /// A multiple of 4 KiB with room for at least one byte more than is missing: a read that does not fill it tells that
  /// the socket is drained.
  private static func readSize(missing: UInt64) -> Int {
    let pages = min(missing / 4096 + 1, UInt64(largestReadSize / 4096))
    return Int(pages) * 4096
  }

  /// The next thing that happened. Call it until it says `needMoreData`, `paused` or `closed`.
  ///
  /// - Throws: The error that ended the receive side, again on every further call. What was received before it was
  ///   reported before.
  package mutating func nextEvent() throws(HTTP1Error) -> HTTP1Event {
    switch receiveState {
    case .head:
      return try nextHeadEvent()
    case .length(let expected, let received):
      return try nextLengthEvent(expected, received)
    case .chunked:
      return try nextChunkedEvent()
    case .untilClose:
      return nextUntilCloseEvent()
    case .ended(let trailers, let becomesTunnel):
      receiveState = becomesTunnel ? .tunnel : .done
      return .end(trailers: trailers)
    case .idle, .done:
      return hasEnded ? .closed : .paused
    case .tunnel:
      return .paused
    case .failed(let error):
      throw error
    }
  }

  private mutating func nextHeadEvent() throws(HTTP1Error) -> HTTP1Event {
    do throws(HTTP1Error) {
      guard let parsed = try Self.parse(&headParser, buffer) else {
        guard hasEnded else { return .needMoreData }
        throw .remote(headParser.isAtStart && !hasSeenResponse ? .emptyReply : .truncatedHead)
      }
      hasSeenResponse = true
      buffer.consume(parsed.byteCount)
      let code = parsed.head.status.code
      guard code >= 200 || code == 101 else {
        interimCount += 1
        guard interimCount <= limits.maximumInterimResponses else {
          throw .remote(.tooManyInterimResponses(limit: limits.maximumInterimResponses))
        }
        return .interim(parsed.head)
      }
      let body = try startBody(parsed.head)
      return .head(parsed.head, body: body)
    } catch {
      hasSeenResponse = hasSeenResponse || error.reason != .emptyReply
      throw failReceiving(error.reason)
    }
  }

  private mutating func startBody(_ head: ResponseHead) throws(HTTP1Error) -> ResponseBodyLength {
    let fields = FramingFields(head.headers)
    let decision = try BodyFraming.decide(head, fields, to: method)
    isPersistent =
      isPersistent && decision.isReusable && ConnectionOptions(head.headers, fields).allowReuse(version: head.version)
    switch decision.framing {
    case .none:
      receiveState = .ended(trailers: nil, becomesTunnel: false)
      return .none
    case .tunnel:
      receiveState = .ended(trailers: nil, becomesTunnel: true)
      return .none
    case .length(let length):
      receiveState =
        length == 0
        ? .ended(trailers: nil, becomesTunnel: false) : .length(expected: length, received: 0)
      return .known(length)
    case .chunked:
      chunkedDecoder = ChunkedDecoder(limits: limits)
      receiveState = .chunked
      return .unknown
    case .untilClose:
      receiveState = .untilClose
      return .unknown
    }
  }

  private mutating func nextLengthEvent(_ expected: UInt64, _ received: UInt64) throws(HTTP1Error) -> HTTP1Event {
    guard !buffer.isEmpty else {
      guard hasEnded else { return .needMoreData }
      throw failReceiving(.truncatedBody(received: received, expected: expected))
    }
    let count = min(expected - received, UInt64(buffer.count))
    let total = received + count
    receiveState =
      total == expected
      ? .ended(trailers: nil, becomesTunnel: false) : .length(expected: expected, received: total)
    bodyByteCount = total
    return .body(buffer.takeChunk(Int(count)))
  }

  private mutating func nextUntilCloseEvent() -> HTTP1Event {
    guard !buffer.isEmpty else {
      guard hasEnded else { return .needMoreData }
      receiveState = .done
      return .end(trailers: nil)
    }
    bodyByteCount &+= UInt64(buffer.count)
    return .body(buffer.takeChunk(buffer.count))
  }

  /// Reports the payload of as many chunks as are there as one run. A chunk that is most of the buffer leaves with the
  /// buffer's storage; smaller ones are copied together, so that a body of tiny chunks costs one event for each read and
  /// not for each chunk.
  private mutating func nextChunkedEvent() throws(HTTP1Error) -> HTTP1Event {
    var gathered: [UInt8] = []
    while true {
      let step: ChunkedDecoder.Step
      do throws(HTTP1Error) {
        step = try Self.advance(&chunkedDecoder, buffer)
      } catch {
        let failure = failReceiving(error.reason)
        guard gathered.isEmpty else { return bodyEvent(gathered) }
        throw failure
      }
      switch step {
      case .payload(let offset, let count):
        buffer.consume(offset)
        if gathered.isEmpty {
          if count * 2 >= buffer.count {
            bodyByteCount &+= UInt64(count)
            return .body(buffer.takeChunk(count))
          }
          gathered.reserveCapacity(buffer.count)
        }
        Self.append(first: count, of: buffer, to: &gathered)
        buffer.consume(count)
      case .end(let consumed, let trailers):
        buffer.consume(consumed)
        receiveState = .ended(trailers: trailers, becomesTunnel: false)
        return gathered.isEmpty ? try nextEvent() : bodyEvent(gathered)
      case .needMoreData(let consumed):
        buffer.consume(consumed)
        if !gathered.isEmpty { return bodyEvent(gathered) }
        guard hasEnded else { return .needMoreData }
        throw failReceiving(.truncatedChunked)
      }
    }
  }

  private mutating func bodyEvent(_ bytes: [UInt8]) -> HTTP1Event {
    bodyByteCount &+= UInt64(bytes.count)
    return .body(ByteChunk(bytes))
  }

  // A span of the buffer borrows the whole machine; these three take apart what they touch.

  private static func parse(
    _ parser: inout ResponseHeadParser, _ buffer: borrowing ReadBuffer
  ) throws(HTTP1Error) -> ResponseHeadParser.ParsedHead? {
    try parser.parse(buffer.span)
  }

  private static func advance(
    _ decoder: inout ChunkedDecoder, _ buffer: borrowing ReadBuffer
  ) throws(HTTP1Error) -> ChunkedDecoder.Step {
    try decoder.advance(buffer.span)
  }

  private static func append(first count: Int, of buffer: borrowing ReadBuffer, to gathered: inout [UInt8]) {
    let front = buffer.span.extracting(first: count)
    // SAFETY: the pointer is used only during the call.
    unsafe front.withUnsafeBufferPointer { unsafe gathered.append(contentsOf: $0) }
  }

  /// Ends the receive side for good; what is buffered is of no use any more.
  mutating func failReceiving(_ reason: HTTP1Error.Reason) -> HTTP1Error {
    let error = HTTP1Error.remote(reason)
    receiveState = .failed(error)
    buffer.removeAll(keepingCapacity: false)
    return error
  }
}
