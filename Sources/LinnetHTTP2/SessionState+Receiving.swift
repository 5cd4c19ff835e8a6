internal import CLinnetNGHTTP2
internal import LinnetBytes
internal import LinnetHTTPTypes

/// What nghttp2 reports while it is given bytes.
extension SessionState {
  // MARK: Bytes

  /// Gives nghttp2 bytes of one frame.
  func give(_ bytes: Span<UInt8>) {
    gaveData = false
    // SAFETY: nghttp2 reads the bytes during the call; what it keeps, it copies.
    let count = unsafe bytes.withUnsafeBufferPointer { bytes in
      givenAddress = UInt(bitPattern: bytes.baseAddress)
      return unsafe nghttp2_session_mem_recv(library, bytes.baseAddress, bytes.count)
    }
    if count < 0 { fail(.fatal(library: Int32(clamping: count))) }
  }

  /// Hands body bytes on, in front of what followed from the same frame. The connection's window gets them back at once:
  /// what a slow consumer may hold is bounded by its stream's window, and nobody else has to wait for it.
  func deliver(_ chunk: ByteChunk, _ id: Int32) {
    guard !isDead else { return }
    // SAFETY: the session is alive.
    _ = unsafe nghttp2_session_consume_connection(library, chunk.count)
    if deliversData { events.prepend(.data(HTTP2StreamID(rawValue: id), chunk)) }
    deliversData = false
  }

  /// One ping less to be answered. False when none was left.
  func takePing() -> Bool {
    guard pendingPings > 0 else { return false }
    pendingPings -= 1
    return true
  }

  // MARK: Field sections

  func begin(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
    // SAFETY: the frame lives during the callback; it is HEADERS.
    let id = unsafe frame.pointee.hd.stream_id
    let isRequest = unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
    malformation = nil
    if let stream = streams[id] {
      stream.section = FieldSection()
    } else if !isClient, !isDead, isRequest {
      streams[id] = HTTP2Stream(id: HTTP2StreamID(rawValue: id))
    }
    return 0
  }

  func field(_ id: Int32, _ name: Span<UInt8>, _ value: Span<UInt8>) -> Int32 {
    guard let stream = streams[id], !stream.isOver else { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
    guard let reason = stream.section.add(name: name, value: value, limits: configuration) else { return 0 }
    // nghttp2 goes on decoding, so that its table stays that of the peer, and reports no more fields.
    refuse(stream, reason)
    stream.section = FieldSection()
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }

  /// A field that nghttp2 would ignore.
  func invalidField(_ id: Int32, _ name: Span<UInt8>, _ value: Span<UInt8>) -> Int32 {
    guard let stream = streams[id] else { return 0 }
    let reason = stream.section.malformation(
      name: name, value: value, isTrailer: isTrailer(stream), isRequest: !isClient)
    refuse(stream, .malformed(reason))
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }

  private func isTrailer(_ stream: HTTP2Stream) -> Bool { stream.hasHead }

  /// nghttp2's words about a field that it refuses. They only serve to name the cause; the stream ends anyway.
  func explain(_ text: Span<UInt8>) {
    guard let frame, let stream = streams[frame.streamID],
      let field = Self.quotedField(text)
    else { return }
    malformation = stream.section.malformation(
      name: text.extracting(field.name), value: text.extracting(field.value), isTrailer: isTrailer(stream),
      isRequest: !isClient)
  }

  /// Where name and value are in `…name: [NAME], value: [VALUE]`.
  private static func quotedField(_ text: Span<UInt8>) -> (name: Range<Int>, value: Range<Int>)? {
    guard let name = end(of: "name: [", in: text, from: 0),
      let value = end(of: "], value: [", in: text, from: name),
      text[text.count - 1] == 0x5D, value < text.count
    else { return nil }
    return (name..<(value - 11), value..<(text.count - 1))
  }

  private static func end(of pattern: StaticString, in text: Span<UInt8>, from start: Int) -> Int? {
    let count = pattern.utf8CodeUnitCount
    var index = start
    while index + count <= text.count {
      if FieldSection.equal(text.extracting(index..<(index + count)), pattern) { return index + count }
      index += 1
    }
    return nil
  }

  // MARK: Frames

  func received(_ frame: UnsafePointer<nghttp2_frame>) {
    guard !isDead else { return }
    // SAFETY: the frame lives during the callback; which member of the union is valid follows from the type.
    let header = unsafe frame.pointee.hd
    let endsStream = header.flags & UInt8(truncatingIfNeeded: NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    let isAcknowledgement = header.flags & UInt8(truncatingIfNeeded: NGHTTP2_FLAG_ACK.rawValue) != 0
    switch header.type {
    case FrameHeader.headers:
      if let stream = streams[header.stream_id] { sectionReceived(stream, endsStream) }
    case FrameHeader.data:
      if endsStream, let stream = streams[header.stream_id] { end(stream, trailers: nil) }
    case FrameHeader.resetStream:
      streams[header.stream_id]?.peerReset = unsafe HTTP2ErrorCode(rawValue: frame.pointee.rst_stream.error_code)
    case FrameHeader.settings where !isAcknowledgement:
      settingsReceived()
    case FrameHeader.ping where isAcknowledgement:
      let payload = unsafe frame.pointee.ping.opaque_data
      events.append(.pong(Self.bigEndian(payload)))
    case FrameHeader.goAway:
      unsafe goAwayReceived(frame.pointee.goaway)
    default:
      break
    }
  }

  private func sectionReceived(_ stream: HTTP2Stream, _ endsStream: Bool) {
    let section = stream.section
    stream.section = FieldSection()
    guard !stream.isOver else { return }
    if stream.hasHead {
      if endsStream { end(stream, trailers: section.headers) }
    } else {
      if isClient {
        responseReceived(stream, section, endsStream)
      } else {
        requestReceived(stream, section, endsStream)
      }
      if endsStream, stream.hasHead { end(stream, trailers: nil) }
    }
  }

  private func responseReceived(_ stream: HTTP2Stream, _ section: FieldSection, _ endsStream: Bool) {
    // RFC 9113 §8.6: there is no 101 in HTTP/2.
    guard let code = section.status, code != 101, let status = HTTPStatus(code: code) else {
      return refuse(stream, .malformed(section.status == nil ? .missingPseudoField : .invalidStatus))
    }
    let head = ResponseHead(version: .http2, status: status, reason: "", headers: section.headers)
    if code < 200 {
      stream.interimResponses += 1
      guard stream.interimResponses <= configuration.maximumInterimResponses else {
        return refuse(
          stream, .tooManyInterimResponses(limit: configuration.maximumInterimResponses), .enhanceYourCalm)
      }
      events.append(.interim(stream.id, head))
      return
    }
    stream.hasHead = true
    let hasNoBody = endsStream || stream.isHeadRequest || code == 204 || code == 304
    // RFC 9110 §8.6: a tunnel has no content, whatever Content-Length says.
    let isTunnel = stream.isConnect && code < 300
    stream.expectedLength = hasNoBody ? 0 : isTunnel ? nil : section.contentLength
    events.append(.head(stream.id, head, expectedLength: stream.expectedLength))
  }

  private func requestReceived(_ stream: HTTP2Stream, _ section: FieldSection, _ endsStream: Bool) {
    guard let name = section.method else { return refuse(stream, .malformed(.missingPseudoField)) }
    guard let method = HTTPMethod(rawValue: name) else { return refuse(stream, .malformed(.invalidValue)) }
    stream.hasHead = true
    stream.isHeadRequest = method == .head
    stream.isConnect = method == .connect
    stream.expectedLength = endsStream ? 0 : stream.isConnect ? nil : section.contentLength
    let head = HTTP2RequestHead(
      method: method, scheme: section.scheme, authority: section.authority ?? section.headers["host"] ?? "",
      path: section.path, connectProtocol: section.connectProtocol, headers: section.headers)
    events.append(.request(stream.id, head))
  }

  private func end(_ stream: HTTP2Stream, trailers: HTTPHeaders?) {
    guard !stream.isOver else { return }
    // nghttp2 checks this too, except for a CONNECT that was refused.
    if let expected = stream.expectedLength, expected != stream.receivedBytes {
      return refuse(stream, .contentLengthMismatch(expected: expected, received: stream.receivedBytes))
    }
    stream.isOver = true
    events.append(.end(stream.id, trailers: trailers))
  }

  /// Body bytes, at `address`.
  func found(_ id: Int32, _ address: UInt, _ count: Int) {
    gaveData = true
    foundData = (id, Int(clamping: address &- givenAddress), count)
    guard let stream = streams[id], !stream.isOver else { return }
    if let expected = stream.expectedLength, expected - min(expected, stream.receivedBytes) < UInt64(count) {
      return refuse(stream, .contentLengthMismatch(expected: expected, received: Self.excess(expected)))
    }
    deliversData = true
    stream.receivedBytes += UInt64(count)
    stream.unconsumedBytes += count
  }

  private static func bigEndian(_ bytes: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)) -> UInt64 {
    let high = UInt64(bytes.0) << 56 | UInt64(bytes.1) << 48 | UInt64(bytes.2) << 40 | UInt64(bytes.3) << 32
    return high | UInt64(bytes.4) << 24 | UInt64(bytes.5) << 16 | UInt64(bytes.6) << 8 | UInt64(bytes.7)
  }

  private func settingsReceived() {
    // SAFETY: the getter only reads fields of the session.
    func value(_ id: nghttp2_settings_id) -> Int { Int(unsafe nghttp2_session_get_remote_settings(library, id)) }
    func limit(_ id: nghttp2_settings_id) -> Int { value(id) == Int(UInt32.max) ? .max : value(id) }
    var settings = HTTP2PeerSettings()
    settings.maximumConcurrentStreams = limit(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    settings.initialWindowBytes = value(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE)
    settings.maximumFrameBytes = value(NGHTTP2_SETTINGS_MAX_FRAME_SIZE)
    settings.maximumFieldSectionBytes = limit(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE)
    settings.allowsExtendedConnect = value(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    settings.ignoresRFC7540Priorities = value(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES) == 1
    peerSettings = settings
    events.append(.settings(settings))
  }

  private func goAwayReceived(_ frame: nghttp2_goaway) {
    // SAFETY: the debug data lives during the callback.
    let count = unsafe min(frame.opaque_data_len, Self.maximumDebugBytes)
    let debug = unsafe UnsafeBufferPointer(start: frame.opaque_data, count: frame.opaque_data == nil ? 0 : count)
    let code = unsafe HTTP2ErrorCode(rawValue: frame.error_code)
    let last = unsafe frame.last_stream_id
    hasGoneAway = true
    if code != .noError { peerGoAway = code }
    events.append(
      .goAway(lastStream: HTTP2StreamID(rawValue: last), code, debug: unsafe ByteChunk(copying: debug.span)))
    // nghttp2 ends the streams above `last` that it has sent; those that still wait to be sent end here.
    guard isClient else { return }
    for stream in streams.values.filter({ !$0.isHeadSent }).sorted(by: { $0.id < $1.id }) {
      over(stream, HTTP2Error(.stream, .remote, .refusedStream, .refused))
      close(stream)
    }
  }

  /// What is kept of a GOAWAY's debug data: enough for a sentence of explanation.
  private static let maximumDebugBytes = 1024

  // MARK: Complaints

  func receivedInvalid(_ header: nghttp2_frame_hd, _ code: Int32) {
    guard let stream = streams[header.stream_id] else { return }
    switch code {
    case NGHTTP2_ERR_HTTP_HEADER.rawValue:
      over(stream, HTTP2Error(.stream, .remote, .protocolError, .malformed(malformation ?? .other)))
    case NGHTTP2_ERR_HTTP_MESSAGING.rawValue:
      over(stream, HTTP2Error(.stream, .remote, .protocolError, messagingFault(stream, header.flags)))
    case NGHTTP2_ERR_FLOW_CONTROL.rawValue:
      over(stream, HTTP2Error(.stream, .remote, .flowControlError, .windowExceeded))
    default:
      // The whole connection ends; see `sent(_:)`.
      break
    }
  }

  /// What is wrong with a whole section that nghttp2 refuses.
  private func messagingFault(_ stream: HTTP2Stream, _ flags: UInt8) -> HTTP2Error.Reason {
    let endsStream = flags & UInt8(truncatingIfNeeded: NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    if stream.hasHead {
      // Trailers, without END_STREAM or with too few bytes in front of them.
      guard endsStream, let expected = stream.expectedLength else { return .invalidFrameOrder }
      return .contentLengthMismatch(expected: expected, received: stream.receivedBytes)
    }
    guard isClient else { return .malformed(.missingPseudoField) }
    guard let status = stream.section.status else { return .malformed(.missingPseudoField) }
    if status < 200 { return .invalidFrameOrder }
    if endsStream, let expected = stream.section.contentLength, expected > 0 {
      return .contentLengthMismatch(expected: expected, received: 0)
    }
    return .malformed(.other)
  }

  /// nghttp2 has closed a stream.
  func closed(_ id: Int32, _ code: HTTP2ErrorCode) {
    guard let stream = streams[id] else { return }
    if let reset = stream.peerReset {
      if stream.isOver {
        events.append(.sendingStopped(stream.id, reset))
      } else {
        over(stream, HTTP2Error(.stream, .remote, reset, reset == .refusedStream ? .refused : .reset))
      }
    } else if !stream.isOver {
      over(stream, HTTP2Error(.stream, .remote, code, silentFault(stream, code)))
    }
    close(stream)
  }

  /// Why nghttp2 has ended a stream without a word.
  private func silentFault(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) -> HTTP2Error.Reason {
    switch code {
    case .refusedStream: return .refused
    case .flowControlError: return .windowExceeded
    case .protocolError:
      guard stream.hasHead else { return .invalidFrameOrder }
      guard let expected = stream.expectedLength else { return .invalidFrameOrder }
      // Bytes beyond the length are not delivered, and nobody counts how many there are.
      let isExcess = !gaveData && (frame?.length ?? 0) > 0
      return .contentLengthMismatch(
        expected: expected, received: isExcess ? Self.excess(expected) : stream.receivedBytes)
    default: return .reset
    }
  }

  /// What is told of a body that is too long.
  private static func excess(_ expected: UInt64) -> UInt64 { expected < .max ? expected + 1 : expected }
}
