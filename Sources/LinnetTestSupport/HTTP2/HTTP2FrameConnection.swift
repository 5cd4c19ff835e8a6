internal import LinnetHTTP2

/// One connection of an ``HTTP2FrameServer``, in the hands of its script.
///
/// Every call blocks, and throws ``ConnectionEnd`` when the client is gone or the server is stopped; a script just lets
/// it through. All frames that are read are recorded and checked, whichever call reads them. Only the thread of the
/// script may use it.
public final class HTTP2FrameConnection {
  /// The connection preface of a client (RFC 9113 §3.4).
  public static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// The number of the connection, from 1 on in the order of acceptance.
  public var number: Int { state.recorder.number }
  /// What the TLS handshake agreed on; nil for clear text.
  public var tls: RecordedTLS? { stream.recordedTLS }
  /// Whether SETTINGS and PING are answered as they are read; true by default.
  public var acknowledges = true
  /// Whether WINDOW_UPDATE is sent for DATA as it is read, so that clients can always send on; true by default.
  public var returnsWindow = true
  /// Whether the client has sent GOAWAY.
  public private(set) var hasGoAway = false

  /// The highest stream that the client has opened; 0 before the first.
  public var lastStream: UInt32 { state.lastStream }
  /// What may be sent on the connection before the client gives more; can be negative.
  public var sendWindow: Int { state.connectionSendWindow }
  /// SETTINGS_MAX_FRAME_SIZE of the client.
  public var clientMaximumFrame: Int { state.clientMaximumFrame }

  /// What may be sent on a stream before the client gives more, by the stream's window alone; nil for one that is over.
  public func sendWindow(of id: UInt32) -> Int? { state.streams[id]?.sendWindow }

  /// Whether the stream is open on one side at least.
  public func isOpen(_ id: UInt32) -> Bool { state.streams[id] != nil }

  private let stream: ServerStream
  private let state: HTTP2PeerState
  private var decoder = HTTP2FrameDecoder()
  private var encoder: FieldBlockEncoder
  private var room = [UInt8](repeating: 0, count: 65_536)

  init(_ stream: ServerStream, _ recorder: HTTP2Recorder) throws(ConnectionEnd) {
    self.stream = stream
    state = try HTTP2PeerState(recorder)
    do throws(HTTP2Error) { encoder = try FieldBlockEncoder() } catch { throw ConnectionEnd(.failed(0)) }
    recorder.update { $0.transport.tls = stream.recordedTLS }
  }

  /// Runs the script to its end, and reads what the client had sent until then, such as the GOAWAY before a reset.
  func run(_ script: HTTP2FrameServer.Script) throws(ConnectionEnd) {
    do {
      try script(self)
      _ = try? readAvailableFrames()
    } catch {
      acknowledges = false
      returnsWindow = false
      _ = try? readAvailableFrames()
      if let end = error as? ConnectionEnd {
        if case .violation(let text) = end.ending { state.recorder.violation(text) }
        throw end
      }
      state.recorder.violation("the script failed: \(error)")
      throw ConnectionEnd(.violation("the script failed: \(error)"))
    }
  }

  // MARK: Handshake

  /// Reads the client's preface and SETTINGS, sends the server's SETTINGS and the acknowledgement.
  ///
  /// - Throws: Also when the preface is wrong, which is recorded as a violation.
  public func handshake(_ settings: [HTTP2Frame.Setting] = []) throws(ConnectionEnd) {
    try readPreface()
    try send(.settings(settings))
    _ = try readFrame { $0.kind == .settings && !$0.isAck }
  }

  /// Reads the 24 bytes that every HTTP/2 client begins with.
  public func readPreface() throws(ConnectionEnd) {
    while true {
      let seen = decoder.buffered.prefix(Self.preface.count)
      guard seen.elementsEqual(Self.preface.prefix(seen.count)) else {
        let text = String(decoding: seen, as: UTF8.self)
        throw ConnectionEnd(.violation("no connection preface but \(text.debugDescription)"))
      }
      if decoder.takeBytes(Self.preface.count) != nil { return }
      try receiveMore()
    }
  }

  // MARK: Reading

  /// The next frame of the client.
  @discardableResult
  public func readFrame() throws(ConnectionEnd) -> HTTP2Frame {
    while true {
      if let frame = decoder.next() {
        try process(frame)
        return frame
      }
      try receiveMore()
    }
  }

  /// Reads until a frame comes that is wanted, and returns it.
  @discardableResult
  public func readFrame(where isWanted: (HTTP2Frame) -> Bool) throws(ConnectionEnd) -> HTTP2Frame {
    while true {
      let frame = try readFrame()
      if isWanted(frame) { return frame }
    }
  }

  /// Reads the frames that are there, without waiting.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func readAvailableFrames() throws(ConnectionEnd) -> Int {
    var count = 0
    while true {
      while let frame = decoder.next() {
        count += 1
        try process(frame)
      }
      guard let received = try receive(blocks: false) else { return count }
      if received == 0 { throw ConnectionEnd(.peerClosed) }
    }
  }

  /// Reads and records frames until the client closes.
  ///
  /// - Throws: Only when the connection ends in another way than by FIN.
  public func readUntilClosed() throws(ConnectionEnd) {
    do throws(ConnectionEnd) {
      while true { try readFrame() }
    } catch {
      if error.ending != .peerClosed { throw error }
    }
  }

  /// The next request whose head has come; its body may still be under way. Each request is returned once, by this or by
  /// ``nextRequest()``; one that was reset meanwhile is left out.
  public func nextHead() throws(ConnectionEnd) -> HTTP2FrameRequest {
    while true {
      if let request = state.takeHead() { return request }
      try readFrame()
    }
  }

  /// The next request that came to its end; see ``nextHead()``.
  public func nextRequest() throws(ConnectionEnd) -> HTTP2FrameRequest {
    while true {
      if let request = state.takeComplete() { return request }
      try readFrame()
    }
  }

  /// The next request that came to its end, if one is there already.
  public func takeRequest() -> HTTP2FrameRequest? { state.takeComplete() }

  /// Reads the rest of a request that ``nextHead()`` returned.
  ///
  /// - Returns: The complete request, or what there is of one whose stream has ended before.
  public func readBody(of request: HTTP2FrameRequest) throws(ConnectionEnd) -> HTTP2FrameRequest {
    var latest = request
    while let stream = state.streams[request.stream] {
      latest = stream.request
      if latest.isComplete { break }
      try readFrame()
    }
    return latest
  }

  private func process(_ frame: HTTP2Frame) throws(ConnectionEnd) {
    state.received(frame)
    if frame.kind == .goAway { hasGoAway = true }
    if acknowledges, !frame.isAck {
      if frame.kind == .settings {
        if let size = state.clientHeaderTable { try? encoder.setTableBytes(size) }
        try send(.settingsAck)
      } else if let number = frame.pingNumber {
        try send(.ping(number, ack: true))
      }
    }
    guard returnsWindow else { return }
    // A smaller initial window may have taken away what was given before.
    let isChanged = frame.kind == .settings && frame.isAck
    let ids = frame.kind == .data ? [frame.stream, 0] : isChanged ? state.streams.keys.sorted() : []
    for id in ids {
      let owed = state.owedWindow(of: id)
      if owed > 0 { try send(.windowUpdate(id, owed)) }
    }
  }

  private func receiveMore() throws(ConnectionEnd) {
    if try receive(blocks: true) == 0 { throw ConnectionEnd(.peerClosed) }
  }

  /// - Returns: How many bytes came; nil when it would block and must not.
  private func receive(blocks: Bool) throws(ConnectionEnd) -> Int? {
    var outcome: Result<Int?, ConnectionEnd> = .success(nil)
    room.withUnsafeMutableBytes { room in
      do throws(ConnectionEnd) {
        outcome = .success(blocks ? try stream.receive(into: room) : try stream.receiveIfAvailable(into: room))
      } catch {
        outcome = .failure(error)
      }
    }
    let count = try outcome.get()
    if let count, count > 0 { decoder.feed(room[..<count]) }
    return count
  }

  // MARK: Sending

  /// Sends frames, whatever they say, with as few system calls as the kernel allows.
  public func send(_ frames: HTTP2Frame...) throws(ConnectionEnd) { try send(frames) }

  /// Sends frames, whatever they say, with as few system calls as the kernel allows.
  public func send(_ frames: [HTTP2Frame]) throws(ConnectionEnd) {
    var bytes: [UInt8] = []
    for frame in frames {
      state.sent(frame)
      bytes += frame.encoded
    }
    try stream.send(bytes)
  }

  /// Sends bytes as they are. What they mean is not followed: windows and the state of streams stay as they were.
  public func sendRaw(_ bytes: [UInt8]) throws(ConnectionEnd) { try stream.send(bytes) }

  /// Sends each piece with a call of its own.
  public func sendPieces(_ pieces: [[UInt8]]) throws(ConnectionEnd) {
    for piece in pieces { try stream.send(piece) }
  }

  /// The block of these fields in the state of the connection's table: it must be sent, and before any later one.
  /// `neverIndexed` marks all fields as secrets that nobody may put into a table.
  public func encode(_ fields: [HeaderLine], neverIndexed: Bool = false) throws(ConnectionEnd) -> [UInt8] {
    do throws(HTTP2Error) {
      return try encoder.encode(fields.map { HPACKField($0.name, $0.value, isNeverIndexed: neverIndexed) })
    } catch {
      throw ConnectionEnd(.failed(0))
    }
  }

  /// Sends fields as HEADERS, and CONTINUATION when they need more than one frame of the size that the client takes.
  public func sendFields(_ fields: [HeaderLine], on id: UInt32, endStream: Bool = false) throws(ConnectionEnd) {
    let block = try encode(fields)
    let size = min(clientMaximumFrame, 16_384)
    var frames = [
      HTTP2Frame.headers(id, Array(block.prefix(size)), endStream: endStream, endHeaders: block.count <= size)
    ]
    var start = size
    while start < block.count {
      let end = min(start + size, block.count)
      frames.append(.continuation(id, Array(block[start..<end]), endHeaders: end == block.count))
      start = end
    }
    try send(frames)
  }

  // MARK: Waiting and ending

  /// Waits until the gate is open. Frames that come meanwhile are read and recorded, unless `readsFrames` is false: then
  /// the client's bytes pile up.
  public func wait(for gate: Gate, readsFrames: Bool = true) throws(ConnectionEnd) {
    guard readsFrames else { return try stream.wait(for: gate) }
    repeat { try readAvailableFrames() } while try !stream.waitForInput(orOneOf: [gate])
  }

  /// Reads frames until there is at least one or one of the gates is open.
  func readFrames(orWaitForOneOf gates: [Gate]) throws(ConnectionEnd) {
    guard !gates.isEmpty else {
      try readFrame()
      return
    }
    while try readAvailableFrames() == 0 {
      if try stream.waitForInput(orOneOf: gates) { return }
    }
  }

  /// Does nothing, neither reads nor sends, until the client closes or the server is stopped.
  public func stall() throws(ConnectionEnd) { try stream.stall() }

  /// Lets time pass: the pace of a slow server, never to wait until something has happened.
  public func pause(_ duration: Duration) throws(ConnectionEnd) { try stream.pause(duration) }

  /// Ends the server's side: `close_notify` with TLS, then FIN. The script can go on reading.
  public func halfClose() throws(ConnectionEnd) { try stream.finishSending() }

  /// Closes the connection at once; with unread input the client sees a reset.
  public func close() throws(ConnectionEnd) -> Never {
    try stream.sendCloseNotify()
    throw ConnectionEnd(.serverClosed)
  }

  /// Closes a TLS connection without `close_notify`: a truncation.
  public func closeWithoutCloseNotify() throws(ConnectionEnd) -> Never { throw ConnectionEnd(.serverClosed) }

  /// Resets the TCP connection (RST).
  public func reset() throws(ConnectionEnd) -> Never { throw ConnectionEnd(.serverReset) }
}
