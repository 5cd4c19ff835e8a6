internal import CLinnetNGHTTP2

/// How nghttp2's verdicts become causes.
extension HTTP2Error {
  static func flood(_ kind: Flood) -> HTTP2Error {
    HTTP2Error(.connection, .remote, .enhanceYourCalm, .flood(kind))
  }

  /// The error codes that nghttp2 returns from a call of ours.
  static func local(library code: Int32) -> HTTP2Error {
    switch code {
    case NGHTTP2_ERR_NOMEM.rawValue: HTTP2Error(.connection, .local, .internalError, .outOfMemory)
    case NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue:
      HTTP2Error(.connection, .local, .noError, .streamIDsExhausted)
    case NGHTTP2_ERR_STREAM_CLOSED.rawValue, NGHTTP2_ERR_STREAM_CLOSING.rawValue,
      NGHTTP2_ERR_STREAM_SHUT_WR.rawValue, NGHTTP2_ERR_DATA_EXIST.rawValue:
      HTTP2Error(.stream, .local, .internalError, .streamEnded)
    case NGHTTP2_ERR_START_STREAM_NOT_ALLOWED.rawValue, NGHTTP2_ERR_SESSION_CLOSING.rawValue:
      HTTP2Error(.connection, .local, .noError, .sessionEnded)
    default: HTTP2Error(.stream, .local, .internalError, .unexpected(library: code))
    }
  }

  /// What `nghttp2_session_mem_recv` and `nghttp2_session_mem_send` return when the session cannot be used any more.
  static func fatal(library code: Int32) -> HTTP2Error {
    switch code {
    case NGHTTP2_ERR_NOMEM.rawValue: HTTP2Error(.connection, .local, .internalError, .outOfMemory)
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: HTTP2Error(.connection, .remote, .protocolError, .notHTTP2)
    case NGHTTP2_ERR_FLOODED.rawValue:
      HTTP2Error(.connection, .remote, .enhanceYourCalm, .flood(.unreadReplies))
    // NGHTTP2_ERR_TOO_MANY_CONTINUATIONS, which some headers of 1.52 do not have.
    case -905: HTTP2Error(.connection, .remote, .enhanceYourCalm, .flood(.continuation))
    default: HTTP2Error(.connection, .local, .internalError, .unexpected(library: code))
    }
  }

  /// Why nghttp2 itself has sent a GOAWAY, from its code and the frame at which that happened.
  static func terminated(_ code: HTTP2ErrorCode, at frame: FrameHeader?) -> HTTP2Error {
    let isSettings = frame?.type == FrameHeader.settings && frame?.streamID == 0
    let reason: Reason =
      switch code {
      case .compressionError: .compression
      case .frameSizeError: .invalidFrameSize
      case .enhanceYourCalm: .flood(.settings)
      case .flowControlError: isSettings ? .invalidSettings : .flowControl
      case .internalError: .unexpected(library: NGHTTP2_ERR_INTERNAL.rawValue)
      default: isSettings ? .invalidSettings : .invalidFrame
      }
    return HTTP2Error(.connection, code == .internalError ? .local : .remote, code, reason)
  }
}
