/// Why a stream or a whole connection cannot go on.
///
/// *Scope* tells what is lost: a stream error leaves the other streams alone (RFC 9113 §5.4.2), a connection error does
/// not (§5.4.1). *Side* tells who is at fault: `.local`, we asked for something illegal; `.remote`, the peer did, or ended
/// it.
package struct HTTP2Error: Error, Hashable, Sendable {
  package enum Scope: Sendable, Hashable {
    case stream
    case connection
  }

  package enum Side: Sendable, Hashable {
    case local
    case remote
  }

  /// What a peer can send too much of without moving anything forward.
  package enum Flood: Sendable, Hashable {
    case settings
    case ping
    case emptyData
    case windowUpdate
    case reset
    case continuation
    case goAway
    /// Frames on streams that are closed, or of unknown types.
    case stray
    case priority
    /// Our answers (acknowledgements, resets) pile up because the peer does not read them.
    case unreadReplies
  }

  /// What is wrong with a field section (RFC 9113 §8.2, §8.3).
  package enum Malformation: Sendable, Hashable {
    case upperCaseName
    case invalidName
    case invalidValue
    /// `Connection`, `Transfer-Encoding` and their kind (§8.2.2).
    case connectionSpecificField
    case missingPseudoField
    case unknownPseudoField
    case repeatedPseudoField
    /// A pseudo-field behind an ordinary field, or in trailers.
    case misplacedPseudoField
    case invalidStatus
    case invalidContentLength
    /// Something else that nghttp2 objects to.
    case other
  }

  /// The closed set of causes.
  package enum Reason: Sendable, Hashable {
    // Remote, of a stream.

    /// RST_STREAM; the code is ``HTTP2Error/code``.
    case reset
    /// REFUSED_STREAM, or a GOAWAY that names an earlier stream as the last: the request was not processed.
    case refused
    case malformed(Malformation)
    case fieldSectionTooLarge(limit: Int)
    case tooManyFields(limit: Int)
    case tooManyInterimResponses(limit: Int)
    /// More or fewer DATA bytes than Content-Length says (§8.1.1).
    case contentLengthMismatch(expected: UInt64, received: UInt64)
    /// Frames in an order that no message has: DATA before HEADERS, a second final head.
    case invalidFrameOrder
    /// The peer sent more than it may (§6.9).
    case windowExceeded

    // Remote, of a connection.

    /// What came first is no SETTINGS frame: the peer does not speak HTTP/2.
    case notHTTP2
    case flood(Flood)
    /// PUSH_PROMISE although push is off (§8.4).
    case pushed
    case invalidFrameSize
    case compression
    /// GOAWAY with an error; the code is ``HTTP2Error/code``.
    case goAway
    case flowControl
    case invalidSettings
    /// A frame on a stream where it must not be, a wrong stream id, a zero window increment.
    case invalidFrame
    /// The bytes ended in the middle of streams.
    case endOfInput

    // Local.

    case invalidHead
    case noSuchStream
    case streamEnded
    /// More or fewer body bytes than announced.
    case bodyLengthMismatch
    case streamIDsExhausted
    /// The peer does not allow extended CONNECT (RFC 8441 §3).
    case extendedConnectNotAllowed
    case sessionEnded
    /// The stream was reset because we asked for it.
    case cancelled
    case outOfMemory
    /// nghttp2 refused a call for a reason that this code does not know.
    case unexpected(library: Int32)
  }

  package let scope: Scope
  package let side: Side
  package let code: HTTP2ErrorCode
  package let reason: Reason

  package init(_ scope: Scope, _ side: Side, _ code: HTTP2ErrorCode, _ reason: Reason) {
    self.scope = scope
    self.side = side
    self.code = code
    self.reason = reason
  }

  /// The peer states that it did nothing with the request, so it may be sent again whatever its method is.
  package var isUnprocessed: Bool { reason == .refused }
}
