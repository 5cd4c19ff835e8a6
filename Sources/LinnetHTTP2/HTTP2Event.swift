package import LinnetBytes
package import LinnetHTTPTypes

/// What the peer did, in the order in which it did it.
///
/// A stream's events: any number of `interim`, one `head` (or `request`), any number of `data`, then *one* of `end` and
/// `reset`; `sendingStopped` at most once after `end`; `closed` always comes, and comes last.
package enum HTTP2Event: Sendable {
  /// The peer's settings, first and after each change.
  case settings(HTTP2PeerSettings)
  /// A 1xx head (client role).
  case interim(HTTP2StreamID, ResponseHead)
  /// The final head (client role). `expectedLength` is what Content-Length says, 0 when the stream ends with the head or
  /// the response has no body by rule (HEAD, 204, 304).
  case head(HTTP2StreamID, ResponseHead, expectedLength: UInt64?)
  /// A request's head (server role, for the test kit).
  case request(HTTP2StreamID, HTTP2RequestHead)
  /// Body bytes. They count against the stream's window until ``HTTP2Session/consumed(_:on:isStarved:)``.
  case data(HTTP2StreamID, ByteChunk)
  /// The peer has sent its whole message.
  case end(HTTP2StreamID, trailers: HTTPHeaders?)
  /// The stream ended before the peer's message was complete.
  case reset(HTTP2StreamID, HTTP2Error)
  /// After `end`: the peer does not want the rest of ours (NO_ERROR: that is no failure, RFC 9113 §8.1).
  case sendingStopped(HTTP2StreamID, HTTP2ErrorCode)
  /// Both sides are done; the id is never used again and needs no further call.
  case closed(HTTP2StreamID)
  /// There is room again for body bytes: fewer than ``HTTP2SessionConfiguration/sendHighWater`` wait.
  case writable(HTTP2StreamID)
  /// The peer takes no streams above `lastStream`. Those that it names as unprocessed follow as `reset` with
  /// ``HTTP2Error/Reason/refused``.
  case goAway(lastStream: HTTP2StreamID, HTTP2ErrorCode, debug: ByteChunk)
  /// The answer to ``HTTP2Session/ping(_:)``.
  case pong(UInt64)
  /// The connection is lost. Comes once, and nothing follows it; streams get no end of their own. What ``HTTP2Session/drain(into:upTo:)``
  /// still gives is the GOAWAY that tells the peer why.
  case connectionFailed(HTTP2Error)
}

/// What the peer allows us (RFC 9113 §6.5.2, RFC 8441, RFC 9218).
package struct HTTP2PeerSettings: Sendable, Hashable {
  /// Streams at the same time; `Int.max` when it names no limit.
  package var maximumConcurrentStreams = Int.max
  package var initialWindowBytes = 65_535
  package var maximumFrameBytes = 16_384
  /// `Int.max` when it names no limit.
  package var maximumFieldSectionBytes = Int.max
  package var allowsExtendedConnect = false
  /// The peer ignores the priorities of RFC 7540 and may understand those of RFC 9218.
  package var ignoresRFC7540Priorities = false

  package init() {}
}

/// A request's head with its pseudo-fields (RFC 9113 §8.3.1).
package struct HTTP2RequestHead: Sendable, Hashable {
  package var method: HTTPMethod
  /// `:scheme`; nil for CONNECT.
  package var scheme: String?
  /// `:authority`.
  package var authority: String
  /// `:path`; nil for CONNECT.
  package var path: String?
  /// `:protocol` of extended CONNECT (RFC 8441).
  package var connectProtocol: String?
  /// The ordinary fields.
  package var headers: HTTPHeaders

  package init(
    method: HTTPMethod, scheme: String?, authority: String, path: String?, connectProtocol: String? = nil,
    headers: HTTPHeaders = HTTPHeaders()
  ) {
    self.method = method
    self.scheme = scheme
    self.authority = authority
    self.path = path
    self.connectProtocol = connectProtocol
    self.headers = headers
  }
}
