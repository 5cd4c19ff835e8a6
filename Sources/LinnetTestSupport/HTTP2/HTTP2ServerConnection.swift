internal import Glibc
internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetHTTPTypes

/// A connection that speaks HTTP/2, on the thread that was made for it: one loop takes what came, lets every stream go on
/// as far as it can, sends what the socket takes, and waits for the first thing that can change anything.
final class HTTP2ServerConnection {
  /// What a client sends first (RFC 9113 §3.4).
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// Body bytes of one stream that may wait in the session, and frames that may wait for the socket: enough to keep it
  /// busy, and little enough that a reset stops a body soon.
  private static let highWater = 64 << 10

  private let number: Int
  private let core: ServerCore
  private let transport: ServerStream
  private let onHead: (@Sendable (RecordedRequest) -> ServerScript.HeadDecision)?
  private let respond: @Sendable (RecordedRequest) -> ServerResponse

  private var session: HTTP2Session
  /// Streams that are answered; those that are refused or ignored are not here.
  private var streams: [HTTP2StreamID: HTTP2ServerStream] = [:]
  private var record = ServerHTTP2Record()
  private var openStreams: Set<HTTP2StreamID> = []
  private var requestCount = 0
  private var highestStream = HTTP2StreamID(rawValue: 0)
  /// What our GOAWAY named: later streams are ignored.
  private var lastStream: HTTP2StreamID?

  /// Whole frames, the first of which may have been sent in part.
  private var output = WriteBuffer()
  private var hasSentSettings = false
  private var owesGoAway = false
  private var pass = 0
  /// The last pass in which all frames that could be sent left the session.
  private var lastCompleteDrain = 0

  private var wakePipe: (read: CInt, write: CInt) = (-1, -1)
  /// Gates that write to the pipe when they open.
  private var registeredGates: [ObjectIdentifier: Gate] = [:]

  init(
    number: Int, core: ServerCore, stream: ServerStream,
    onHead: (@Sendable (RecordedRequest) -> ServerScript.HeadDecision)?,
    respond: @escaping @Sendable (RecordedRequest) -> ServerResponse
  ) throws(ConnectionEnd) {
    self.number = number
    self.core = core
    transport = stream
    self.onHead = onHead
    self.respond = respond
    var configuration = HTTP2SessionConfiguration()
    configuration.role = .server
    configuration.maximumConcurrentStreams = core.options.http2.maximumConcurrentStreams
    configuration.initialStreamWindowBytes = core.options.http2.initialWindowBytes
    do throws(HTTP2Error) {
      session = try HTTP2Session(configuration: configuration)
    } catch {
      throw ConnectionEnd(.failed(ENOMEM))
    }
  }

  /// Serves the connection to its end.
  ///
  /// - Parameter first: Bytes that were received already.
  func run(first: [UInt8]) throws(ConnectionEnd) -> Never {
    do throws(TestSupportError) { wakePipe = try Pipe.open() } catch { throw ConnectionEnd(.failed(error.errno)) }
    defer {
      // Removed first: after that no gate writes to the number.
      for gate in registeredGates.values { gate.removeWakeDescriptor(wakePipe.write) }
      close(wakePipe.write)
      close(wakePipe.read)
    }
    note { _ in }
    session.receive(first.span)
    while true {
      pass += 1
      let isOpen = try transport.receiveAvailable { bytes in
        session.receive(Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self)))
      }
      if !isOpen { session.receiveEOF() }
      let now = Self.now
      try handleEvents(at: now)
      if !isOpen { throw ConnectionEnd(.peerClosed) }
      var hasMoved = false
      for id in streams.keys.sorted() {
        if let stream = streams[id], try advance(stream, at: now) { hasMoved = true }
      }
      if try sendWhatCanBeSent() { hasMoved = true }
      try endIfAllIsAnswered()
      if try registerGates() { hasMoved = true }
      try transport.waitForAny(
        wake: wakePipe.read, wantsToSend: !output.isEmpty || transport.hasUnsentOutput,
        milliseconds: hasMoved ? 0 : milliseconds(from: now))
    }
  }

  private static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec))
  }

  /// Until the first deadline; -1 when there is none.
  private func milliseconds(from now: Instant) -> CInt {
    let deadline = streams.values.map(\.deadline).min() ?? .distantFuture
    if deadline == .distantFuture { return -1 }
    return CInt(clamping: (now.duration(to: deadline).saturatingNanoseconds &+ 999_999) / 1_000_000)
  }

  private func note(_ change: (inout ServerHTTP2Record) -> Void) {
    change(&record)
    core.update(number) { $0.http2 = record }
  }

  // MARK: What the client did

  private func handleEvents(at now: Instant) throws(ConnectionEnd) {
    while let event = session.nextEvent(now: now) {
      switch event {
      case .request(let id, let head): received(head, on: id)
      case .data(let id, let bytes): received(bytes, on: id)
      case .end(let id, let trailers):
        guard let stream = streams[id] else { continue }
        stream.hasEnded = true
        if let trailers { stream.request.trailers = Self.lines(trailers) }
      case .reset(let id, let error): ended(id, error)
      case .sendingStopped(let id, let code):
        wasReset(id, code)
      case .closed(let id):
        // The end of the connection may come behind the response.
        if streams[id]?.answer?.endsConnectionNext != true { streams[id] = nil }
        openStreams.remove(id)
        note { $0.openStreams = openStreams.count }
      case .goAway(_, let code, _): note { $0.goAwayCode = Self.recorded(code) }
      case .connectionFailed(let error): try failed(error)
      case .settings, .writable, .pong, .interim, .head: break
      }
    }
  }

  private func received(_ head: HTTP2RequestHead, on id: HTTP2StreamID) {
    openStreams.insert(id)
    note {
      $0.streamCount += 1
      $0.openStreams = openStreams.count
      $0.peakStreams = max($0.peakStreams, openStreams.count)
    }
    // Those that a GOAWAY has not named get no answer, not even a reset.
    if lastStream != nil { return }
    highestStream = max(highestStream, id)
    if let limit = core.options.http2.goAwayAfterStreams, record.streamCount >= limit { goAway() }
    if let limit = core.options.http2.refusesStreamsAbove, streams.count >= limit {
      session.reset(id, .refusedStream)
      return
    }
    requestCount += 1
    var request = RecordedRequest(
      method: head.method.rawValue, targetBytes: Array((head.path ?? head.authority).utf8), minorVersion: 0,
      headers: Self.lines(head.headers), headBytes: [], connection: number, indexOnConnection: requestCount,
      tls: transport.recordedTLS)
    request.majorVersion = 2
    request.http2 = RecordedHTTP2(
      stream: UInt32(bitPattern: id.rawValue), scheme: head.scheme, authority: head.authority)
    let stream = HTTP2ServerStream(
      id, request: request, place: core.headReceived(request), keptBodyBytes: core.options.keptBodyBytes)
    streams[id] = stream
    decide(about: stream)
  }

  private func decide(about stream: HTTP2ServerStream) {
    let expectations = stream.request.headers.values(for: "Expect")
    if expectations.contains(where: { $0.asciiLowercased == "100-continue" }) { stream.owedContinue = .atOnce }
    switch onHead?(stream.request) ?? .readBody {
    case .readBody: break
    case .readBodyWithoutContinue: stream.owedContinue = nil
    case .continueAfter(let gate): if stream.owedContinue != nil { stream.owedContinue = .after(gate) }
    case .readBodyAfter(let gate): stream.reading = .after(gate)
    case .readBodySlowly(let bytes, let every):
      stream.reading = .slowly(bytes: max(1, bytes), every: every, next: Instant(nanoseconds: 0))
    case .respond(let response):
      stream.owedContinue = nil
      stream.reading = .never
      stream.answer = HTTP2Answer(response, to: stream.request, isEarly: true)
    case .resetStream(let code):
      stream.owedContinue = nil
      stream.reading = .never
      stream.answer = HTTP2Answer(resettingWith: HTTP2ErrorCode(rawValue: code))
    }
  }

  private func received(_ bytes: ByteChunk, on id: HTTP2StreamID) {
    guard let stream = streams[id] else { return }
    stream.unread += bytes.count
    bytes.withUnsafeBytes { stream.recorder.append($0.assumingMemoryBound(to: UInt8.self)) }
  }

  private func ended(_ id: HTTP2StreamID, _ error: HTTP2Error) {
    streams[id] = nil
    switch error.reason {
    case .reset, .refused: wasReset(id, error.code)
    case .cancelled, .endOfInput, .goAway: break
    default: core.violated("HTTP/2: stream \(id): \(error)")
    }
  }

  private func wasReset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    streams[id] = nil
    note { record in
      guard record.resets.count < 1000 else { return }
      record.resets.append(RecordedReset(stream: UInt32(bitPattern: id.rawValue), code: Self.recorded(code)))
    }
  }

  private static func recorded(_ code: HTTP2ErrorCode) -> HTTP2Frame.ErrorCode {
    HTTP2Frame.ErrorCode(rawValue: code.rawValue)
  }

  private func failed(_ error: HTTP2Error) throws(ConnectionEnd) {
    switch error.reason {
    case .endOfInput: throw ConnectionEnd(.peerClosed)
    case .goAway:
      note { $0.goAwayCode = Self.recorded(error.code) }
      throw ConnectionEnd(.peerClosed)
    default:
      // The GOAWAY that tells the client why.
      session.drain(into: &output, upTo: Self.highWater)
      try transport.sendAvailable(&output)
      throw .violation("HTTP/2: \(error)")
    }
  }

  private static func lines(_ headers: HTTPHeaders) -> [HeaderLine] { headers.map { HeaderLine($0.name, $0.value) } }

  // MARK: What a stream does

  /// - Returns: Whether anything happened, so that more may.
  private func advance(_ stream: HTTP2ServerStream, at now: Instant) throws(ConnectionEnd) -> Bool {
    var hasMoved = sendContinue(on: stream)
    let count = stream.read(at: now)
    if count > 0 {
      session.consumed(count, on: stream.id, isStarved: false)
      hasMoved = true
    }
    completeRequest(of: stream)
    while try takeStep(of: stream, at: now) { hasMoved = true }
    return hasMoved
  }

  private func sendContinue(on stream: HTTP2ServerStream) -> Bool {
    // A client that has sent its body already waits for nothing.
    if stream.hasEnded { stream.owedContinue = nil }
    switch stream.owedContinue {
    case nil: return false
    case .atOnce: break
    case .after(let gate): if !gate.isOpen { return false }
    }
    stream.owedContinue = nil
    guard let status = HTTPStatus(code: 100) else { return false }
    submit(on: stream) { () throws(HTTP2Error) in
      try session.submitResponse(ResponseHead(version: .http2, status: status), on: stream.id, endsStream: false)
    }
    return true
  }

  private func completeRequest(of stream: HTTP2ServerStream) {
    guard !stream.request.isComplete, stream.hasEnded, stream.unread == 0 else { return }
    if case .after(let gate) = stream.reading, !gate.isOpen { return }
    stream.request.isComplete = true
    stream.request.body = stream.recorder.finish()
    core.requestReceived(stream.request, place: stream.place, receivedBytes: transport.receivedBytes)
    if case .never = stream.reading { return }
    stream.answer = HTTP2Answer(respond(stream.request), to: stream.request, isEarly: false)
  }

  /// - Returns: Whether a step was taken.
  private func takeStep(of stream: HTTP2ServerStream, at now: Instant) throws(ConnectionEnd) -> Bool {
    guard stream.answer?.isDone == false, stream.isReleased(at: now),
      session.unsentBytes(on: stream.id) < Self.highWater, let step = stream.answer?.next()
    else { return false }
    if step.needsFlush && !isFlushed(stream) {
      stream.answer?.putBack(step)
      return false
    }
    switch step {
    case .head, .bytes, .repeated, .end: send(step, on: stream)
    case .wait(let gate): stream.hold = .gate(gate)
    case .pause(let duration): stream.hold = .until(now.advanced(by: duration))
    case .stall: stream.hold = .forever
    case .open(let gate): gate.open()
    case .resetStream(let code):
      reset(stream, code)
    case .stopRequest: if !stream.hasEnded { reset(stream, .noError) }
    case .goAway: goAway()
    case .close(let ending, let withCloseNotify):
      if withCloseNotify { try transport.sendCloseNotify() }
      throw ConnectionEnd(ending)
    case .closeInOrder:
      // Frames of the client may be on their way at any time; unread, they would turn the close into a reset.
      try transport.finishSending()
      try transport.discardUntilClosed()
      throw ConnectionEnd(.serverClosed)
    case .violation(let text):
      core.violated(text)
      reset(stream, .internalError)
    }
    return true
  }

  private func reset(_ stream: HTTP2ServerStream, _ code: HTTP2ErrorCode) {
    session.reset(stream.id, code)
    // Only the end of the connection may still follow.
    if stream.answer?.endsConnectionNext == true { return }
    streams[stream.id] = nil
    stream.answer = nil
  }

  private func send(_ step: HTTP2Answer.Step, on stream: HTTP2ServerStream) {
    submit(on: stream) { () throws(HTTP2Error) in
      switch step {
      case .head(let head, let endsStream): try session.submitResponse(head, on: stream.id, endsStream: endsStream)
      case .bytes(let bytes): try session.sendBody(bytes, on: stream.id)
      case .repeated(let block, let count):
        let piece = block.prefix(Int(min(count, UInt64(block.count))))
        if count > UInt64(piece.count) { stream.answer?.putBack(.repeated(block, count - UInt64(piece.count))) }
        if !piece.isEmpty { try session.sendBody(piece, on: stream.id) }
      case .end(let trailers): try session.sendEnd(trailers: trailers, on: stream.id)
      default: break
      }
    }
  }

  /// Hands something to the session. What it refuses cannot be sent: the stream is reset, and a test notices.
  private func submit(on stream: HTTP2ServerStream, _ body: () throws(HTTP2Error) -> Void) {
    stream.lastSubmission = pass
    do throws(HTTP2Error) { try body() } catch {
      if error.reason != .noSuchStream {
        core.violated("HTTP/2: the answer on stream \(stream.id) is refused: \(error)")
      }
      stream.answer = nil
      reset(stream, .internalError)
    }
  }

  /// Whether all that was submitted on a stream is with the kernel.
  private func isFlushed(_ stream: HTTP2ServerStream) -> Bool {
    session.unsentBytes(on: stream.id) == 0 && lastCompleteDrain >= stream.lastSubmission && output.isEmpty
      && !transport.hasUnsentOutput
  }

  // MARK: Sending

  /// - Returns: Whether frames left the session, so that there is room for more.
  private func sendWhatCanBeSent() throws(ConnectionEnd) -> Bool {
    guard core.options.http2.settingsGate?.isOpen ?? true else { return false }
    let (before, limit) = (output.count, 2 * Self.highWater)
    if before < limit { session.drain(into: &output, upTo: limit - before) }
    let hasDrained = output.count > before
    hasSentSettings = hasSentSettings || hasDrained
    if output.count < limit { lastCompleteDrain = pass }
    if owesGoAway && hasSentSettings { appendGoAway() }
    try transport.sendAvailable(&output)
    return hasDrained
  }

  /// Takes no streams after the present ones.
  private func goAway() {
    guard lastStream == nil else { return }
    lastStream = highestStream
    // SETTINGS come first.
    if hasSentSettings { appendGoAway() } else { owesGoAway = true }
  }

  /// The frame (RFC 9113 §6.8) is made here, so that it can name a stream below some that came already.
  private func appendGoAway() {
    owesGoAway = false
    output.append(bytes: [0, 0, 8, 7, 0, 0, 0, 0, 0] as [UInt8])
    let last = UInt32(bitPattern: (lastStream ?? highestStream).rawValue)
    for shift in stride(from: 24, through: 0, by: -8) { output.append(byte: UInt8(truncatingIfNeeded: last >> shift)) }
    output.append(bytes: [0, 0, 0, 0] as [UInt8])
  }

  /// After a GOAWAY the connection ends with its last stream.
  private func endIfAllIsAnswered() throws(ConnectionEnd) {
    guard lastStream != nil, streams.isEmpty, !owesGoAway, output.isEmpty, !transport.hasUnsentOutput,
      lastCompleteDrain == pass
    else { return }
    try transport.finishSending()
    // Closing with unread input would send a reset, which can destroy responses on their way (RFC 9112 §9.6).
    try transport.discardUntilClosed()
    throw ConnectionEnd(.serverClosed)
  }

  // MARK: Gates

  /// - Returns: Whether a gate is open already.
  private func registerGates() throws(ConnectionEnd) -> Bool {
    var awaited: [ObjectIdentifier: Gate] = [:]
    for stream in streams.values { for gate in stream.gates { awaited[ObjectIdentifier(gate)] = gate } }
    if let gate = core.options.http2.settingsGate, !hasSentSettings { awaited[ObjectIdentifier(gate)] = gate }
    for (id, gate) in registeredGates where awaited[id] == nil {
      gate.removeWakeDescriptor(wakePipe.write)
      registeredGates[id] = nil
    }
    var isOneOpen = false
    for (id, gate) in awaited where registeredGates[id] == nil {
      if gate.addWakeDescriptor(wakePipe.write) { registeredGates[id] = gate } else { isOneOpen = true }
    }
    return isOneOpen
  }
}
