internal import CLinnetNGHTTP2
internal import LinnetBytes
internal import LinnetHTTPTypes

/// What nghttp2 is asked to send, and how its frames get out.
extension SessionState {
  // MARK: Getting frames out

  /// Moves frames into `output`: all that are no DATA, and DATA until `output` holds `dataLimit` bytes.
  func pump(dataLimit limit: Int) {
    dataLimit = limit
    while !isDead {
      var pointer: UnsafePointer<UInt8>?
      // SAFETY: the bytes stay valid until the next call; they are copied before it.
      let count = unsafe nghttp2_session_mem_send(library, &pointer)
      if count < 0 { return fail(.fatal(library: Int32(clamping: count))) }
      guard count > 0, let pointer = unsafe pointer else {
        if resumeYielded() { continue }
        return
      }
      let bytes = unsafe UnsafeBufferPointer(start: pointer, count: count)
      unsafe output.append(bytes.span)
    }
  }

  /// Whether nghttp2 has anything to send.
  var libraryWantsToSend: Bool {
    // SAFETY: the getter only reads fields of the session.
    unsafe !isDead && nghttp2_session_want_write(library) != 0
  }

  // MARK: Reports

  func sent(_ frame: UnsafePointer<nghttp2_frame>) {
    // SAFETY: the frame lives during the callback; which member of the union is valid follows from the type.
    let header = unsafe frame.pointee.hd
    switch header.type {
    case FrameHeader.headers:
      guard let stream = streams[header.stream_id], !stream.isHeadSent else { return }
      stream.isHeadSent = true
      openedStreams += 1
    case FrameHeader.data:
      sentDataFrames += 1
    case FrameHeader.settings, FrameHeader.ping:
      if header.flags & UInt8(truncatingIfNeeded: NGHTTP2_FLAG_ACK.rawValue) != 0 { waitingReplies += 1 }
    case FrameHeader.resetStream:
      if pendingResets > 0, streams[header.stream_id] == nil {
        pendingResets -= 1
      } else {
        waitingReplies += 1
      }
    case FrameHeader.goAway:
      if pendingGoAways > 0 {
        pendingGoAways -= 1
      } else {
        // Not ours: nghttp2 gives the connection up.
        let code = unsafe HTTP2ErrorCode(rawValue: frame.pointee.goaway.error_code)
        fail(.terminated(code, at: self.frame), tellsPeer: false)
      }
    default:
      break
    }
  }

  func notSent(_ header: nghttp2_frame_hd, _ code: Int32) {
    switch header.type {
    case FrameHeader.headers:
      // A request that was reset before it left: its RST_STREAM does not leave either.
      if isClient, code == NGHTTP2_ERR_STREAM_CLOSING.rawValue { pendingResets = max(0, pendingResets - 1) }
      guard let stream = streams[header.stream_id], !stream.isHeadSent, isClient else { return }
      // The request never left.
      let isRefusal = code == NGHTTP2_ERR_START_STREAM_NOT_ALLOWED.rawValue || hasGoneAway
      over(
        stream,
        isRefusal
          ? HTTP2Error(.stream, .remote, .refusedStream, .refused)
          : HTTP2Error(.stream, .local, .internalError, .unexpected(library: code)))
      close(stream)
    case FrameHeader.goAway:
      pendingGoAways = max(0, pendingGoAways - 1)
    default:
      break
    }
  }

  // MARK: Bodies

  /// How many bytes the next DATA frame of a stream has; or an error code that is no error.
  ///
  /// nghttp2 would send the body of one stream to its end before that of the next, because without RFC 7540's priorities
  /// every stream counts as "not incremental" (RFC 9218 §4.2). So a stream that has just had its turn steps back while
  /// others have something to send.
  func nextData(_ id: Int32, room: Int, flags: inout UInt32) -> Int {
    resumeYielded()
    if output.count >= dataLimit { return Int(NGHTTP2_ERR_PAUSE.rawValue) }
    guard let stream = streams[id] else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
    if lastSender == id, senders > 1 {
      yielded = stream
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    let count = min(room, stream.queuedBytes)
    let isLast = stream.isEndQueued && count == stream.queuedBytes
    if count == 0 && !isLast {
      stream.isDeferred = true
      return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    flags |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
    if isLast {
      flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
      if let trailers = stream.trailers {
        stream.trailers = nil
        if submitTrailers(trailers, id) { flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue }
      }
    }
    return count
  }

  /// False when there is nothing to be sent of them.
  private func submitTrailers(_ trailers: HTTPHeaders, _ id: Int32) -> Bool {
    do { try encoder.encode(trailers: trailers) } catch { return false }
    if encoder.isEmpty { return false }
    // SAFETY: nghttp2 copies the fields during the call.
    return unsafe encoder.withPairs { fields, count in
      unsafe nghttp2_submit_trailer(library, id, fields, count) == 0
    }
  }

  /// Writes a DATA frame.
  func writeData(_ id: Int32, _ header: Span<UInt8>, _ count: Int) {
    output.append(header)
    guard let stream = streams[id] else {
      // Cannot be: the stream was there when nghttp2 asked for the count, a moment ago.
      return output.append(bytes: repeatElement(0, count: count))
    }
    lastSender = id
    if count > 0, count == stream.queuedBytes { senders -= 1 }
    stream.write(count, into: &output)
    if stream.isFull, stream.queuedBytes < configuration.sendHighWater {
      stream.isFull = false
      events.append(.writable(stream.id))
    }
  }

  /// Puts the stream that stepped back behind the others. False when there is none.
  @discardableResult
  private func resumeYielded() -> Bool {
    guard let stream = yielded else { return false }
    yielded = nil
    lastSender = 0
    // SAFETY: the session is alive; nghttp2 checks the id.
    _ = unsafe nghttp2_session_resume_data(library, stream.id.rawValue)
    return true
  }

  func resume(_ stream: HTTP2Stream) {
    guard stream.isDeferred else { return }
    stream.isDeferred = false
    // SAFETY: the session is alive; nghttp2 checks the id.
    _ = unsafe nghttp2_session_resume_data(library, stream.id.rawValue)
  }

  // MARK: Windows

  /// Returns consumed bytes to a stream's window, and makes it larger when that may help.
  func giveBack(_ count: Int, to stream: HTTP2Stream, isStarved: Bool) {
    let growth = windows.consumed(count, isStarved: isStarved, by: &stream.window)
    let id = stream.id.rawValue
    // SAFETY: the session is alive; nghttp2 checks the id. It sends a WINDOW_UPDATE once half the window is due.
    _ = unsafe nghttp2_session_consume_stream(library, id, count)
    guard growth > 0 else { return }
    let window = Int(unsafe nghttp2_session_get_stream_effective_local_window_size(library, id))
    guard window >= 0 else { return }
    let none = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)
    _ = unsafe nghttp2_session_set_local_window_size(library, none, id, Int32(clamping: window + growth))
  }

  var flowControlReport: String {
    guard !isDead else { return "" }
    // SAFETY: the getters only read fields of the session; they check the id.
    let local = unsafe nghttp2_session_get_local_window_size(library)
    let remote = unsafe nghttp2_session_get_remote_window_size(library)
    var lines = ["connection: receive window \(local), send window \(remote), growth budget \(windows.budget)"]
    for stream in streams.values.sorted(by: { $0.id < $1.id }) {
      let local = unsafe nghttp2_session_get_stream_local_window_size(library, stream.id.rawValue)
      let remote = unsafe nghttp2_session_get_stream_remote_window_size(library, stream.id.rawValue)
      lines.append(
        "stream \(stream.id): receive window \(local), unconsumed \(stream.unconsumedBytes), "
          + "send window \(remote), unsent \(stream.queuedBytes)"
          + (stream.isHeadSent || !isClient ? "" : ", waits for a free stream") + (stream.isOver ? ", received" : ""))
    }
    return lines.joined(separator: "\n")
  }

  // MARK: Control frames

  /// Goes on with this stream id; for tests of the end of the ids.
  func skipStreams(before id: Int32) {
    // SAFETY: the session is alive; nghttp2 checks the id.
    _ = unsafe nghttp2_session_set_next_stream_id(library, id)
  }

  func submitPing(_ payload: UInt64) {
    let none = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)
    let bytes = payload.bigEndian
    pendingPings += 1
    // SAFETY: nghttp2 copies the eight bytes during the call.
    _ = unsafe withUnsafeBytes(of: bytes) { bytes in
      unsafe nghttp2_submit_ping(library, none, bytes.bindMemory(to: UInt8.self).baseAddress)
    }
  }

  func submitGoAway(_ code: HTTP2ErrorCode) {
    let none = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)
    hasEnded = true
    // SAFETY: the session is alive; there is no debug data.
    let last = unsafe nghttp2_session_get_last_proc_stream_id(library)
    if unsafe nghttp2_submit_goaway(library, none, last, code.rawValue, nil, 0) == 0 { pendingGoAways += 1 }
  }

  func submitPriorityUpdate(_ value: String, _ id: HTTP2StreamID) {
    let none = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)
    // SAFETY: nghttp2 copies the value during the call.
    _ = unsafe value.utf8Span.span.withUnsafeBufferPointer { value in
      unsafe nghttp2_submit_priority_update(library, none, id.rawValue, value.baseAddress, value.count)
    }
  }

  // MARK: Heads

  func submitRequest(endsStream: Bool) -> Int32 {
    var provider = unsafe Self.provider
    // SAFETY: nghttp2 copies fields and provider during the call.
    return unsafe encoder.withPairs { fields, count in
      endsStream
        ? unsafe nghttp2_submit_request(library, nil, fields, count, nil, nil)
        : unsafe nghttp2_submit_request(library, nil, fields, count, &provider, nil)
    }
  }

  func submitResponse(_ id: Int32, isInterim: Bool, endsStream: Bool) -> Int32 {
    var provider = unsafe Self.provider
    let none = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)
    // SAFETY: nghttp2 copies fields and provider during the call.
    return unsafe encoder.withPairs { fields, count in
      if isInterim { return unsafe nghttp2_submit_headers(library, none, id, nil, fields, count, nil) }
      return endsStream
        ? unsafe nghttp2_submit_response(library, id, fields, count, nil)
        : unsafe nghttp2_submit_response(library, id, fields, count, &provider)
    }
  }

  private static var provider: nghttp2_data_provider {
    var provider = unsafe nghttp2_data_provider()
    // SAFETY: the function is global; nghttp2 calls it with the pointer that the session was made with.
    unsafe provider.read_callback = { _, stream, _, room, flags, _, user in
      guard let flags = unsafe flags, let state = unsafe SessionState.of(user) else {
        return Int(NGHTTP2_ERR_DEFERRED.rawValue)
      }
      return unsafe state.nextData(stream, room: room, flags: &flags.pointee)
    }
    return unsafe provider
  }
}
