package import LinnetBytes

/// One HTTP/2 connection as a value: bytes in, events out; calls in, bytes out. No socket, no clock.
///
/// For a connection's core, under its lock; the test kit plays servers with it.
///
/// Frames, HPACK and stream states are nghttp2's. The session gives it one frame at a time, and only while no event
/// waits; so what a call of ``nextEvent(now:)`` can leave in memory is bounded, and every frame is counted, also those of
/// which nghttp2 says nothing.
package struct HTTP2Session: ~Copyable, Sendable {
  let state: SessionState
  private var input = ReadBuffer()
  /// Bytes that nghttp2 expects before the next frame: the client's preface, or the rest of a payload.
  private var bytesLeft: Int
  private var hasFirstFrame = false
  /// The frame has had body bytes so far.
  private var frameGaveData = false
  var isEOF = false
  private var monitor: AbuseMonitor

  package init(configuration: HTTP2SessionConfiguration) throws(HTTP2Error) {
    state = try SessionState(configuration)
    monitor = AbuseMonitor(configuration.abuseLimits)
    bytesLeft = configuration.role == .client ? 0 : Self.prefaceBytes
  }

  /// `PRI * HTTP/2.0` and its line ends (RFC 9113 §3.4), which nghttp2 checks.
  private static let prefaceBytes = 24

  // MARK: Bytes in

  /// Lends room for received bytes; `body` returns how many it wrote.
  package mutating func withReceiveCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    // SAFETY: what `body` does with its memory is its own affair.
    try unsafe input.withSpareCapacity(minimum: minimum, body)
  }

  /// Copies received bytes; for tests.
  package mutating func receive(_ bytes: Span<UInt8>) { input.append(bytes) }

  /// The peer sends nothing more. With streams open this is ``HTTP2Event/connectionFailed(_:)``, `endOfInput`; after a
  /// GOAWAY with an error it is `goAway` with its code.
  package mutating func receiveEOF() { isEOF = true }

  /// The next event of what was received; nil when more bytes are needed. Total: whatever came, there are events or one
  /// `connectionFailed`, after which input is ignored.
  ///
  /// - Parameter now: For the rates of ``AbuseMonitor``.
  package mutating func nextEvent(now: Instant) -> HTTP2Event? {
    while state.events.isEmpty, !state.isDead, step(now) {}
    if let event = state.events.popFirst() { return event }
    if state.isDead {
      input.removeAll(keepingCapacity: false)
    } else if isEOF, !state.streams.isEmpty {
      let error =
        state.peerGoAway.map { HTTP2Error(.connection, .remote, $0, .goAway) }
        ?? HTTP2Error(.connection, .remote, .noError, .endOfInput)
      state.fail(error, tellsPeer: false)
    }
    return state.events.popFirst()
  }

  /// Gives nghttp2 the next frame, or what is there of it. False when nothing is there.
  private mutating func step(_ now: Instant) -> Bool {
    if bytesLeft > 0 { return feed(min(bytesLeft, input.count), now) }
    guard let frame = FrameHeader(input.span) else { return false }
    state.frame = frame
    if let error = verdict(on: frame, now) {
      state.fail(error)
      return true
    }
    refuseEarlyData(frame)
    bytesLeft = FrameHeader.byteCount + frame.length
    frameGaveData = false
    return feed(min(bytesLeft, input.count), now)
  }

  private mutating func feed(_ count: Int, _ now: Instant) -> Bool {
    guard count > 0 else { return false }
    state.give(input.span.extracting(first: count))
    bytesLeft -= count
    if let data = state.foundData {
      frameGaveData = true
      state.foundData = nil
      input.consume(data.offset)
      let chunk = input.takeChunk(data.count)
      input.consume(count - data.offset - data.count)
      state.deliver(chunk, data.stream)
    } else {
      input.consume(count)
    }
    state.pump(dataLimit: 0)
    if let kind = floodBehindFrame(now) { state.fail(.flood(kind)) }
    return true
  }

  /// What there is too much of, as far as that shows only when nghttp2 has seen a frame.
  private mutating func floodBehindFrame(_ now: Instant) -> HTTP2Error.Flood? {
    if state.waitingReplies > state.configuration.abuseLimits.unreadReplies { return .unreadReplies }
    while state.faults > 0 {
      state.faults -= 1
      if monitor.count(.reset, now: now) { return .reset }
    }
    guard bytesLeft == 0, let frame = state.frame, frame.type == FrameHeader.data, !frame.endsStream, !frameGaveData,
      state.streams[frame.streamID] != nil
    else { return nil }
    return monitor.count(.emptyData, now: now) ? .emptyData : nil
  }

  /// DATA in front of a response's head ends its stream. nghttp2 would end the connection.
  private mutating func refuseEarlyData(_ frame: FrameHeader) {
    guard frame.type == FrameHeader.data, state.isClient, let stream = state.streams[frame.streamID],
      stream.isHeadSent, !stream.hasHead, stream.interimResponses == 0
    else { return }
    state.refuse(stream, .invalidFrameOrder)
    state.pump(dataLimit: 0)
  }

  /// What speaks against a frame before nghttp2 sees it.
  private mutating func verdict(on frame: FrameHeader, _ now: Instant) -> HTTP2Error? {
    if !hasFirstFrame {
      // RFC 9113 §3.4. What speaks HTTP/1.1 fails here.
      guard frame.type == FrameHeader.settings, !frame.isAcknowledgement else {
        return HTTP2Error(.connection, .remote, .protocolError, .notHTTP2)
      }
      hasFirstFrame = true
    }
    // We never offer more than the least (RFC 9113 §4.2).
    if frame.length > Self.maximumFrameBytes {
      return HTTP2Error(.connection, .remote, .frameSizeError, .invalidFrameSize)
    }
    monitor.sent(dataFrames: state.sentDataFrames, streams: state.openedStreams)
    state.sentDataFrames = 0
    state.openedStreams = 0
    if frame.type == FrameHeader.pushPromise {
      return HTTP2Error(.connection, .remote, .protocolError, .pushed)
    }
    guard let kind = kind(of: frame) else { return nil }
    return monitor.count(kind, now: now) ? .flood(kind) : nil
  }

  private static let maximumFrameBytes = 16_384

  /// As what a frame counts that moves nothing forward; nil when it does.
  private mutating func kind(of frame: FrameHeader) -> HTTP2Error.Flood? {
    let isKnown = state.streams[frame.streamID] != nil
    switch frame.type {
    case FrameHeader.data:
      // Empty ones are counted when their padding has been seen.
      return !isKnown && frame.length < state.configuration.abuseLimits.strayDataBytes ? .stray : nil
    case FrameHeader.headers:
      monitor.fieldSectionEnded()
      return isKnown || !state.isClient ? nil : .stray
    case FrameHeader.continuation: return .continuation
    case FrameHeader.priority, FrameHeader.priorityUpdate: return .priority
    case FrameHeader.resetStream: return isKnown ? .reset : .stray
    case FrameHeader.settings: return frame.isAcknowledgement ? nil : .settings
    case FrameHeader.ping: return frame.isAcknowledgement && state.takePing() ? nil : .ping
    case FrameHeader.goAway: return .goAway
    case FrameHeader.windowUpdate: return .windowUpdate
    default: return .stray
    }
  }
}
