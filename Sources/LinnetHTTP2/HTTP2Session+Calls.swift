internal import CLinnetNGHTTP2
package import LinnetBytes
package import LinnetHTTPTypes

/// What the session is asked to do.
extension HTTP2Session {
  private static func fault(_ reason: HTTP2Error.Reason, _ scope: HTTP2Error.Scope = .stream) -> HTTP2Error {
    HTTP2Error(scope, .local, .internalError, reason)
  }

  private static var noFlags: UInt8 { UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue) }

  // MARK: Bytes out

  /// There are frames to send.
  package var wantsToSend: Bool { !state.output.isEmpty || state.libraryWantsToSend }

  /// Appends frames until about `limit` bytes were appended or nothing is left. Heads and control frames go before body
  /// bytes; bodies of several streams take turns.
  ///
  /// Sending makes events too (``HTTP2Event/writable(_:)``, ``HTTP2Event/closed(_:)``): ``nextEvent(now:)`` has them.
  package mutating func drain(into output: inout WriteBuffer, upTo limit: Int) {
    let before = output.count
    // What was prepared already goes behind what the caller has, and body bytes go straight into its buffer.
    if output.isEmpty {
      swap(&output, &state.output)
    } else if !state.output.isEmpty {
      output.append(bytes: state.output.takeAll())
    }
    swap(&output, &state.output)
    state.pump(dataLimit: before + max(0, limit))
    swap(&output, &state.output)
    state.waitingReplies = 0
  }

  // MARK: Streams

  /// Starts a stream (client role). The head is validated and written with lower-case names, without connection-specific
  /// fields; sensitive fields are never indexed.
  ///
  /// - Parameters:
  ///   - bodyLength: What Content-Length says; nil for a body of unknown length. The body's bytes are checked against it.
  ///   - endsStream: Nothing follows the head.
  package mutating func submitRequest(
    _ head: HTTP2RequestHead, bodyLength: UInt64?, endsStream: Bool
  ) throws(HTTP2Error) -> HTTP2StreamID {
    guard state.isClient, !state.isDead, !state.hasGoneAway, !state.hasEnded, !isEOF else {
      throw Self.fault(.sessionEnded, .connection)
    }
    if head.connectProtocol != nil, !state.peerSettings.allowsExtendedConnect {
      throw Self.fault(.extendedConnectNotAllowed)
    }
    let bodyLength = try Self.announced(head.headers, bodyLength)
    if endsStream, let bodyLength, bodyLength > 0 { throw Self.fault(.bodyLengthMismatch) }
    try state.encoder.encode(head)
    let code = state.submitRequest(endsStream: endsStream)
    guard code > 0 else { throw HTTP2Error.local(library: code) }
    let stream = HTTP2Stream(id: HTTP2StreamID(rawValue: code))
    stream.isHeadRequest = head.method == .head
    stream.isConnect = head.method == .connect
    stream.acceptsBody = true
    stream.isEndQueued = endsStream
    stream.unqueuedLength = bodyLength
    state.streams[code] = stream
    return stream.id
  }

  /// The body's length, with Content-Length and argument of one mind: what is in front of the server may trust either,
  /// and two opinions would let one request become two.
  private static func announced(_ headers: HTTPHeaders, _ bodyLength: UInt64?) throws(HTTP2Error) -> UInt64? {
    guard let value = headers.firstValueBytes(of: "Content-Length") else { return bodyLength }
    guard let length = FieldSection.decimal(value), headers.count(of: "Content-Length") == 1 else {
      throw fault(.invalidHead)
    }
    if let bodyLength, bodyLength != length { throw fault(.bodyLengthMismatch) }
    return length
  }

  /// Sends a head of a response, interim or final (server role).
  package mutating func submitResponse(
    _ head: ResponseHead, on id: HTTP2StreamID, endsStream: Bool
  ) throws(HTTP2Error) {
    let stream = try openStream(id)
    let isInterim = head.status.kind == .informational
    guard !state.isClient, !(isInterim && endsStream) else { throw Self.fault(.invalidHead) }
    guard !stream.acceptsBody else { throw Self.fault(.streamEnded) }
    try state.encoder.encode(head)
    let code = state.submitResponse(id.rawValue, isInterim: isInterim, endsStream: endsStream)
    guard code == 0 else { throw HTTP2Error.local(library: code) }
    guard !isInterim else { return }
    stream.acceptsBody = true
    stream.isEndQueued = endsStream
  }

  /// Queues body bytes. The session keeps all of them; a producer waits while ``unsentBytes(on:)`` is above the high
  /// water.
  package mutating func sendBody(_ chunk: ByteChunk, on id: HTTP2StreamID) throws(HTTP2Error) {
    let stream = try openStream(id)
    guard stream.acceptsBody else { throw Self.fault(.invalidFrameOrder) }
    guard !stream.isEndQueued else { throw Self.fault(.streamEnded) }
    guard !chunk.isEmpty else { return }
    if let left = stream.unqueuedLength {
      guard UInt64(chunk.count) <= left else { throw Self.fault(.bodyLengthMismatch) }
      stream.unqueuedLength = left - UInt64(chunk.count)
    }
    if stream.queuedBytes == 0 { state.senders += 1 }
    stream.chunks.append(chunk)
    stream.queuedBytes += chunk.count
    if stream.queuedBytes >= state.configuration.sendHighWater { stream.isFull = true }
    state.resume(stream)
  }

  /// Ends our side.
  package mutating func sendEnd(trailers: HTTPHeaders?, on id: HTTP2StreamID) throws(HTTP2Error) {
    let stream = try openStream(id)
    guard stream.acceptsBody else { throw Self.fault(.invalidFrameOrder) }
    guard !stream.isEndQueued else { throw Self.fault(.streamEnded) }
    if let left = stream.unqueuedLength, left > 0 { throw Self.fault(.bodyLengthMismatch) }
    if let trailers { try state.encoder.encode(trailers: trailers) }
    stream.trailers = trailers
    stream.isEndQueued = true
    state.resume(stream)
  }

  /// The stream, when something may still be sent on it.
  private func openStream(_ id: HTTP2StreamID) throws(HTTP2Error) -> HTTP2Stream {
    guard !state.isDead else { throw Self.fault(.sessionEnded, .connection) }
    guard let stream = state.streams[id.rawValue] else { throw Self.fault(.noSuchStream) }
    return stream
  }

  /// Body bytes that wait for windows or the next ``drain(into:upTo:)``; 0 for a stream that is gone.
  package func unsentBytes(on id: HTTP2StreamID) -> Int { state.streams[id.rawValue]?.queuedBytes ?? 0 }

  /// Whether the head has been drained: not while the stream waits for the peer to allow one more. True for a stream that
  /// is gone.
  package func isHeadSent(on id: HTTP2StreamID) -> Bool { state.streams[id.rawValue]?.isHeadSent ?? true }

  /// The consumer has taken bytes of ``HTTP2Event/data(_:_:)``; returns them to the stream's window.
  ///
  /// - Parameter isStarved: The consumer waits for more, so the window may be what holds the peer back: it doubles, within
  ///   the budget, for every half window that was consumed since it grew last.
  package mutating func consumed(_ count: Int, on id: HTTP2StreamID, isStarved: Bool) {
    guard !state.isDead, let stream = state.streams[id.rawValue] else { return }
    let returned = min(max(0, count), stream.unconsumedBytes)
    guard returned > 0 else { return }
    stream.unconsumedBytes -= returned
    // Nothing more comes on a stream whose end is there.
    guard !stream.isOver else { return }
    state.giveBack(returned, to: stream, isStarved: isStarved)
  }

  /// Ends a stream with RST_STREAM. Frames that are still under way cost nothing but the connection's window, which is
  /// returned. No event but ``HTTP2Event/closed(_:)`` follows. Harmless for a stream that is gone.
  package mutating func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    guard !state.isDead, let stream = state.streams[id.rawValue] else { return }
    state.pendingResets += 1
    state.submitReset(id, code)
    stream.isOver = true
    state.close(stream)
  }

  /// PRIORITY_UPDATE (RFC 9218 §7.1) with the value of a `Priority` field, when the peer ignores RFC 7540's priorities;
  /// else nothing is sent.
  package mutating func updatePriority(_ value: String, of id: HTTP2StreamID) {
    guard state.isClient, !state.isDead, state.peerSettings.ignoresRFC7540Priorities,
      state.streams[id.rawValue] != nil, value.utf8.allSatisfy(ASCII.isFieldValue)
    else { return }
    state.submitPriorityUpdate(value, id)
  }

  // MARK: Connection

  package mutating func ping(_ payload: UInt64) {
    guard !state.isDead else { return }
    state.submitPing(payload)
  }

  /// GOAWAY with NO_ERROR or the code: no new streams of the peer; ours go on, but none is begun.
  package mutating func goAway(_ code: HTTP2ErrorCode) {
    guard !state.isDead else { return }
    state.submitGoAway(code)
  }

  /// Goes on with this stream id; for tests of the end of the ids.
  package mutating func skipStreams(before id: HTTP2StreamID) { state.skipStreams(before: id.rawValue) }

  /// What the peer allows, as far as it has said.
  package var peerSettings: HTTP2PeerSettings { state.peerSettings }

  /// Streams that are not closed.
  package var openStreams: Int { state.streams.count }

  /// Windows and queues in one line for each stream, for a watchdog's report.
  package var flowControlReport: String { state.flowControlReport }
}
