internal import CLinnetNGHTTP2
internal import LinnetBytes

/// The C side: each callback finds its session and hands over.
extension SessionState {
  func installCallbacks(_ callbacks: OpaquePointer) {
    // SAFETY: the functions are global; nghttp2 calls them with the pointer that the session was made with.
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      guard let frame = unsafe frame else { return 0 }
      return unsafe SessionState.of(user)?.begin(frame) ?? 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let frame = unsafe frame else { return 0 }
      let name = unsafe UnsafeBufferPointer(start: name, count: nameCount)
      let value = unsafe UnsafeBufferPointer(start: value, count: valueCount)
      return unsafe SessionState.of(user)?.field(frame.pointee.hd.stream_id, name.span, value.span) ?? 0
    }
    unsafe nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, user in
      guard let frame = unsafe frame else { return 0 }
      let name = unsafe UnsafeBufferPointer(start: name, count: nameCount)
      let value = unsafe UnsafeBufferPointer(start: value, count: valueCount)
      return unsafe SessionState.of(user)?.invalidField(frame.pointee.hd.stream_id, name.span, value.span) ?? 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      guard let frame = unsafe frame else { return 0 }
      unsafe SessionState.of(user)?.received(frame)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, user in
      guard let frame = unsafe frame else { return 0 }
      unsafe SessionState.of(user)?.receivedInvalid(frame.pointee.hd, code)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, count, user in
      unsafe SessionState.of(user)?.found(stream, UInt(bitPattern: data), count)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, user in
      unsafe SessionState.of(user)?.closed(stream, HTTP2ErrorCode(rawValue: code))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_error_callback2(callbacks) { _, code, text, count, user in
      guard code == NGHTTP2_ERR_HTTP_HEADER.rawValue, let text = unsafe text else { return 0 }
      let bytes = unsafe UnsafeRawBufferPointer(start: text, count: count).bindMemory(to: UInt8.self)
      unsafe SessionState.of(user)?.explain(bytes.span)
      return 0
    }
    unsafe installSendCallbacks(callbacks)
  }

  private func installSendCallbacks(_ callbacks: OpaquePointer) {
    // SAFETY: as above.
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
      guard let frame = unsafe frame else { return 0 }
      unsafe SessionState.of(user)?.sent(frame)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, code, user in
      guard let frame = unsafe frame else { return 0 }
      unsafe SessionState.of(user)?.notSent(frame.pointee.hd, code)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, frame, header, count, _, user in
      guard let frame = unsafe frame else { return 0 }
      let header = unsafe UnsafeBufferPointer(start: header, count: FrameHeader.byteCount)
      unsafe SessionState.of(user)?.writeData(frame.pointee.hd.stream_id, header.span, count)
      return 0
    }
  }

  /// The session that nghttp2 was given as `user`.
  static func of(_ user: UnsafeMutableRawPointer?) -> SessionState? {
    // SAFETY: the pointer was made from a session that is alive as long as nghttp2's is.
    unsafe user.map { unsafe Unmanaged<SessionState>.fromOpaque($0).takeUnretainedValue() }
  }
}
