/// Why an HTTP/1 exchange cannot go on: what we asked for was illegal (``Side/local``) or what the peer sent was
/// (``Side/remote``).
///
/// Thrown by ``HTTP1ClientMachine`` and the parsers below it. A remote error means that the framing of the connection is
/// lost: it must be closed.
package struct HTTP1Error: Error, Hashable, Sendable {
  package enum Side: Sendable, Hashable {
    case local
    case remote
  }

  /// The closed set of causes.
  package enum Reason: Sendable, Hashable {
    // The peer closed too early.

    /// The peer closed before the first byte of a response. Nothing says that it saw the request.
    case emptyReply
    /// The peer closed inside a head, or after an interim response and before the final one.
    case truncatedHead
    /// The peer closed inside a body of announced length.
    case truncatedBody(received: UInt64, expected: UInt64)
    /// The peer closed before the last line of a chunked body (RFC 9112 §8).
    case truncatedChunked

    // Heads (RFC 9112 §4, §5).

    case invalidStatusLine
    /// Not HTTP/1: a major version other than 1 (also HTTP/0.9), which this parser must not guess at.
    case unsupportedVersion
    case statusLineTooLong(limit: Int)
    case fieldSectionTooLarge(limit: Int)
    case tooManyFields(limit: Int)
    /// A field name that is empty or has a byte that is not a token character.
    case invalidFieldName
    /// A control byte in a field value.
    case invalidFieldValue
    /// A line of the field section without a colon.
    case missingColon
    /// Whitespace between field name and colon (RFC 9112 §5.1).
    case whitespaceBeforeColon
    /// A line that starts with whitespace (obs-fold, RFC 9112 §5.2).
    case lineFolding
    /// A CR that no LF follows.
    case bareCarriageReturn
    /// An LF that no CR precedes.
    case bareLineFeed
    case tooManyInterimResponses(limit: Int)

    // Framing (RFC 9112 §6.3, §7.1).

    /// A Content-Length that is not a plain decimal number, or too large for 64 bits.
    case invalidContentLength
    /// Content-Length values that differ.
    case conflictingLengths
    /// A Transfer-Encoding that is empty, not a list of codings, or names `chunked` twice.
    case invalidTransferEncoding
    case invalidChunkSize
    /// A chunk size of more than 16 hexadecimal digits.
    case chunkSizeOverflow
    case invalidChunkExtension
    case chunkExtensionsTooLong(limit: Int)
    /// Chunk data that no CRLF follows.
    case missingChunkTerminator
    case trailerSectionTooLarge(limit: Int)
    /// Bytes that nobody asked for were there before the request was sent: a reply to them would be taken for the reply
    /// to it.
    case unsolicitedBytes

    // What the caller asked for.

    /// The method is not a token.
    case invalidMethod
    /// The target is empty or has a byte that could end it (space, control, non-ASCII).
    case invalidTarget
    /// A field of the request that must not be sent.
    case invalidHeader
    /// More than one Host field (RFC 9112 §3.2).
    case repeatedHost
    /// A version other than HTTP/1.0 and HTTP/1.1 in the request.
    case wrongVersion
    /// Content-Length or Transfer-Encoding fields that contradict the body or each other.
    case conflictingFraming
    /// TRACE and CONNECT have no content (RFC 9110 §9.3.6, §9.3.8).
    case bodyForbidden
    /// HTTP/1.0 has no chunked coding (RFC 9112 §6.1).
    case chunkedForbidden
    case bodyTooLong(announced: UInt64)
    case bodyTooShort(sent: UInt64, announced: UInt64)
    /// A trailer field that RFC 9110 §6.5.1 forbids there.
    case forbiddenTrailer
    /// Trailers on a body that is not chunked.
    case trailersNotPossible
    /// A head while another exchange is in progress, or a body before any head.
    case outOfTurn
    /// ``HTTP1ClientMachine/startNextCycle()`` while ``HTTP1ClientMachine/canReuse`` is false.
    case notReusable
  }

  package let side: Side
  package let reason: Reason

  package static func local(_ reason: Reason) -> HTTP1Error { HTTP1Error(side: .local, reason: reason) }

  package static func remote(_ reason: Reason) -> HTTP1Error { HTTP1Error(side: .remote, reason: reason) }
}

extension HTTP1Error: CustomStringConvertible {
  /// One line in words. It never holds bytes of the peer.
  package var description: String { description(peer: "the server") }

  /// The same about a peer that is called otherwise.
  func description(peer: String) -> String {
    side == .remote ? "\(peer) \(Self.remoteText(reason))" : "the request \(Self.localText(reason))"
  }

  private static func remoteText(_ reason: Reason) -> String {
    switch reason {
    case .emptyReply: "closed the connection without a response"
    case .truncatedHead: "closed the connection inside the response head"
    case .truncatedBody(let received, let expected):
      "closed the connection after \(received) of \(expected) body bytes"
    case .truncatedChunked: "closed the connection before the end of the chunked body"
    case .invalidStatusLine: "sent an invalid status line"
    case .unsupportedVersion: "answered with an HTTP version other than 1.0 and 1.1"
    case .statusLineTooLong(let limit): "sent a status line of more than \(limit) bytes"
    case .fieldSectionTooLarge(let limit): "sent more than \(limit) bytes of header fields"
    case .tooManyFields(let limit): "sent more than \(limit) fields"
    case .invalidFieldName: "sent an invalid field name"
    case .invalidFieldValue: "sent a control byte in a field value"
    case .missingColon: "sent a field line without a colon"
    case .whitespaceBeforeColon: "sent whitespace between a field name and its colon"
    case .lineFolding: "sent a field line that starts with whitespace"
    case .bareCarriageReturn: "sent CR without LF"
    case .bareLineFeed: "sent LF without CR"
    case .tooManyInterimResponses(let limit): "sent more than \(limit) interim responses"
    case .invalidContentLength: "sent an invalid Content-Length"
    case .conflictingLengths: "sent differing Content-Length values"
    case .invalidTransferEncoding: "sent an invalid Transfer-Encoding"
    case .invalidChunkSize: "sent an invalid chunk size"
    case .chunkSizeOverflow: "sent a chunk size of more than 16 digits"
    case .invalidChunkExtension: "sent an invalid chunk extension"
    case .chunkExtensionsTooLong(let limit): "sent more than \(limit) bytes of chunk extensions"
    case .missingChunkTerminator: "sent chunk data without CRLF after it"
    case .trailerSectionTooLarge(let limit): "sent more than \(limit) bytes of trailer fields"
    case .unsolicitedBytes: "sent bytes before it was asked for any"
    case .invalidMethod, .invalidTarget, .invalidHeader, .repeatedHost, .wrongVersion, .conflictingFraming,
      .bodyForbidden, .chunkedForbidden, .bodyTooLong, .bodyTooShort, .forbiddenTrailer, .trailersNotPossible,
      .outOfTurn, .notReusable:
      "broke the protocol"
    }
  }

  private static func localText(_ reason: Reason) -> String {
    switch reason {
    case .invalidMethod: "has a method that is not a token"
    case .invalidTarget: "has a target that must not stand in a request line"
    case .invalidHeader: "has a header field that must not be sent"
    case .repeatedHost: "has more than one Host field"
    case .wrongVersion: "has a version other than HTTP/1.0 and HTTP/1.1"
    case .conflictingFraming: "has Content-Length or Transfer-Encoding fields that contradict its body"
    case .bodyForbidden: "has a body that its method does not allow"
    case .chunkedForbidden: "has a body of unknown length, which HTTP/1.0 cannot carry"
    case .bodyTooLong(let announced): "has more body than the announced \(announced) bytes"
    case .bodyTooShort(let sent, let announced): "has ended after \(sent) of \(announced) announced body bytes"
    case .forbiddenTrailer: "has a trailer field that must not be sent there"
    case .trailersNotPossible: "has trailer fields although its body is not chunked"
    case .outOfTurn: "was continued out of turn"
    case .notReusable: "cannot follow on this connection"
    case .emptyReply, .truncatedHead, .truncatedBody, .truncatedChunked, .invalidStatusLine, .unsupportedVersion,
      .statusLineTooLong, .fieldSectionTooLarge, .tooManyFields, .invalidFieldName, .invalidFieldValue, .missingColon,
      .whitespaceBeforeColon, .lineFolding, .bareCarriageReturn, .bareLineFeed, .tooManyInterimResponses,
      .invalidContentLength, .conflictingLengths, .invalidTransferEncoding, .invalidChunkSize, .chunkSizeOverflow,
      .invalidChunkExtension, .chunkExtensionsTooLong, .missingChunkTerminator, .trailerSectionTooLarge,
      .unsolicitedBytes:
      "broke the protocol"
    }
  }
}
