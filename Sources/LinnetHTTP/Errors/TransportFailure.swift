internal import LinnetBytes

/// A failure inside the engine, before the request that it belongs to is known. `TransportError` adds that.
struct TransportFailure: Error, Sendable {
  var code: TransportError.Code
  var phase: TransportError.Phase
  var reason: String
  var sent: TransportError.SentState = .nothing
  var peers: [TransportError.PeerAttempt] = []
  var underlying: (any Error)?
  var http2ErrorCode: UInt32?
  var proxyResponse: TransportError.ProxyResponse?
  /// The server refused every protocol that was offered by ALPN.
  var isApplicationProtocolRefused = false
  /// The peer states that it processed nothing of the request (REFUSED_STREAM, GOAWAY): it may be sent again whatever its
  /// method is (RFC 9113 §8.7).
  var isUnprocessed = false
  /// It was unprocessed because the server went away after requests that came before it on the same connection.
  var isOvertaken = false
  /// The peer closed or reset the connection before any byte of a response: the mark of a stale pooled connection.
  var isCloseBeforeResponse = false

  /// The server wants the request over HTTP/1.1 (HTTP_1_1_REQUIRED, RFC 9113 §7).
  var demandsHTTP1: Bool { http2ErrorCode == 0xd }
  /// It says so of this request, which it then has not processed, and not of a connection, on which it may have been.
  var demandsHTTP1OfRequest: Bool { demandsHTTP1 && (isUnprocessed || code == .streamReset) }

  static let cancelled = TransportFailure(code: .cancelled, phase: .request, reason: "the task was cancelled")
  static let shutDown = TransportFailure(code: .clientShutDown, phase: .pool, reason: "the client was shut down")

  func with(sent: TransportError.SentState) -> TransportFailure {
    var copy = self
    copy.sent = sent
    return copy
  }

  /// Names the peer whose connection failed, unless the addresses that were tried are known.
  func of(peer: String) -> TransportFailure {
    guard peers.isEmpty else { return self }
    var copy = self
    copy.peers = [TransportError.PeerAttempt(address: peer, cause: reason)]
    return copy
  }

  /// The same failure of a connection, as a request is told that had not begun on it.
  var beforeRequest: TransportFailure { phase == .tls ? self : at(.send).with(sent: .nothing) }

  func at(_ phase: TransportError.Phase) -> TransportFailure {
    var copy = self
    copy.phase = phase
    return copy
  }
}
