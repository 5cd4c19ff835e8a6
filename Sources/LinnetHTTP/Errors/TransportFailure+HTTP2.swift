internal import LinnetHTTP2

extension TransportFailure {
  /// What an error of HTTP/2 means for a request. Phase and sent-state are the exchange's to say.
  init(_ error: HTTP2Error) {
    let (code, reason) = Self.meaning(of: error)
    self.init(code: code, phase: error.side == .local ? .send : .head, reason: reason)
    if error.side == .remote, error.reason != .endOfInput { http2ErrorCode = error.code.rawValue }
    switch error.reason {
    case .refused, .sessionEnded, .streamIDsExhausted: isUnprocessed = true
    default: break
    }
  }

  private static func meaning(of error: HTTP2Error) -> (TransportError.Code, String) {
    switch error.reason {
    case .reset:
      (.streamReset, "the server reset the stream (\(error.code))")
    case .refused:
      (.streamRefused, "the server did not process the request (\(error.code))")
    case .malformed(let what):
      (.invalidResponse, "the response is malformed: \(what.text)")
    case .fieldSectionTooLarge(let limit):
      (.responseHeadTooLarge, "the response's fields exceed \(limit) bytes")
    case .tooManyFields(let limit):
      (.responseHeadTooLarge, "the response has more than \(limit) fields")
    case .tooManyInterimResponses(let limit):
      (.responseHeadTooLarge, "more than \(limit) interim responses came")
    case .contentLengthMismatch(let expected, let received):
      (
        received < expected ? .truncated : .invalidResponse,
        "the body has \(received) bytes, and Content-Length says \(expected)"
      )
    case .invalidFrameOrder: (.invalidResponse, "the response's frames are out of order")
    case .goAway: (.connectionLost, "the server ended the connection (\(error.code))")
    case .endOfInput: (.connectionLost, "the server closed the connection")
    case .notHTTP2: (.protocolViolation, "the server does not speak HTTP/2")
    case .flood(let flood): (.protocolViolation, "the server sends too \(flood.text)")
    case .pushed: (.protocolViolation, "the server pushed a response although push is off")
    case .windowExceeded, .flowControl: (.protocolViolation, "the server broke HTTP/2's flow control")
    case .invalidFrameSize: (.protocolViolation, "the server sent a frame of a wrong size")
    case .compression: (.protocolViolation, "the server's field compression is broken")
    case .invalidSettings: (.protocolViolation, "the server sent invalid settings")
    case .invalidFrame: (.protocolViolation, "the server sent a frame where it must not be")
    case .invalidHead: (.invalidRequest, "the request's head cannot be sent over HTTP/2")
    case .bodyLengthMismatch: (.invalidRequest, "the request's body has not the announced length")
    case .extendedConnectNotAllowed: (.invalidRequest, "the server does not allow extended CONNECT")
    case .noSuchStream, .streamEnded: (.connectionLost, "the exchange has ended")
    case .streamIDsExhausted: (.streamRefused, "the connection has no stream ids left")
    case .sessionEnded: (.streamRefused, "the connection takes no new requests")
    case .cancelled: (.cancelled, "the task was cancelled")
    case .outOfMemory: (.systemError, "no memory")
    case .unexpected(let library): (.systemError, "nghttp2 failed (\(library))")
    }
  }
}

extension HTTP2Error.Malformation {
  fileprivate var text: String {
    switch self {
    case .upperCaseName: "a field name has upper-case letters"
    case .invalidName: "a field name is invalid"
    case .invalidValue: "a field value is invalid"
    case .connectionSpecificField: "it has a connection-specific field"
    case .missingPseudoField: "a pseudo-field is missing"
    case .unknownPseudoField: "it has an unknown pseudo-field"
    case .repeatedPseudoField: "a pseudo-field is repeated"
    case .misplacedPseudoField: "a pseudo-field is out of place"
    case .invalidStatus: "the status is invalid"
    case .invalidContentLength: "the Content-Length is invalid"
    case .other: "it breaks a rule of RFC 9113"
    }
  }
}

extension HTTP2Error.Flood {
  fileprivate var text: String {
    switch self {
    case .settings: "many SETTINGS frames"
    case .ping: "many PING frames"
    case .emptyData: "many empty DATA frames"
    case .windowUpdate: "many WINDOW_UPDATE frames"
    case .reset: "many RST_STREAM frames"
    case .continuation: "many CONTINUATION frames"
    case .goAway: "many GOAWAY frames"
    case .stray: "many frames that mean nothing"
    case .priority: "many PRIORITY frames"
    case .unreadReplies: "much without reading what it is answered"
    }
  }
}
