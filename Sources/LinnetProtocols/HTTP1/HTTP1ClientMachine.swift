package import LinnetBytes
internal import LinnetHTTPTypes

/// The client side of one HTTP/1 connection (RFC 9112) as a pure machine: bytes in, events out, and back.
///
/// It belongs to the owner of a connection, who brings every byte of the socket or of the TLS engine in, pulls events,
/// and carries the bytes of the send side out. It knows no clock and no socket.
///
/// **Theory of operation.** Two half-automata, ``SendState`` and ``ReceiveState``, go through one exchange side by side.
/// They meet in three places only:
///
/// | Send | Receive | Joint rule |
/// | --- | --- | --- |
/// | idle | idle | `sendHead` starts both; it refuses when bytes that nobody asked for are there |
/// | not done | done | an early final response. The caller may go on sending or close; not reusable meanwhile |
/// | done | done | reusable when versions, Connection fields and framing allow it and nothing is left over |
///
/// Everything else is independent: a response may start and end while the request is still being sent, and an error is
/// final for its side only.
///
/// After the end of a message the machine is paused: it stays where it is until ``startNextCycle()``. Bytes that arrive
/// meanwhile are kept, for the protocol that the connection was upgraded to, or as evidence that the server broke the
/// framing; with them the connection is never reused, because a response that was injected would be taken for the answer
/// to the next request.
package struct HTTP1ClientMachine: ~Copyable, Sendable {
  /// What was sent of the request.
  enum SendState: Sendable {
    /// Nothing. Exits: length, chunked or done by `sendHead`.
    case idle
    /// The head, and `sent` bytes of a body of announced length. Exits: done when all were sent; failed.
    case length(announced: UInt64, sent: UInt64)
    /// The head and any number of chunks. Exits: done by `sendEnd`; failed.
    case chunked
    /// The whole request. Exits: idle by `startNextCycle`.
    case done
    /// The caller broke the framing of the message; the connection is of no use. Final.
    case failed(HTTP1Error)
  }

  /// What was received of the response.
  enum ReceiveState: Sendable {
    /// No request was sent, so no response is due. Exits: head by `sendHead`.
    case idle
    /// Interim responses so far. Exits: length, chunked, untilClose, ended, tunnel by a final head; failed.
    case head
    /// The head, and `received` bytes of a body of known length. Exits: ended when all were received; failed.
    case length(expected: UInt64, received: UInt64)
    /// Exits: ended; failed.
    case chunked
    /// A body that ends with the connection. Exits: ended at the end of input.
    case untilClose
    /// The whole response, and its end was not reported yet. `becomesTunnel` tells what the connection is afterwards.
    /// Exits: done, tunnel.
    case ended(trailers: HTTPHeaders?, becomesTunnel: Bool)
    /// The whole response. Exits: idle by `startNextCycle`.
    case done
    /// The connection is no longer HTTP. Final.
    case tunnel
    /// The peer broke the protocol or closed too early. Final.
    case failed(HTTP1Error)
  }

  let limits: HTTP1Limits
  var buffer = ReadBuffer()
  var sendState = SendState.idle
  var receiveState = ReceiveState.idle
  var headParser: ResponseHeadParser
  var chunkedDecoder: ChunkedDecoder
  /// The method of the request in progress, which decides whether its response has a body.
  var method = HTTPMethod.get
  /// Whether all that was said so far lets the connection outlive the exchange.
  var isPersistent = true
  var hasEnded = false
  var hasSeenResponse = false
  var interimCount = 0
  /// Body bytes of the response in progress.
  var bodyByteCount: UInt64 = 0

  package init(limits: HTTP1Limits = HTTP1Limits()) {
    self.limits = limits
    headParser = ResponseHeadParser(limits: limits)
    chunkedDecoder = ChunkedDecoder(limits: limits)
  }

  /// Whether the connection may carry another exchange: before the first one, or after both sides are done, versions,
  /// Connection fields and framing allow it, the peer has not closed, and nothing is left over.
  package var canReuse: Bool {
    switch (sendState, receiveState) {
    case (.idle, .idle), (.done, .done): isPersistent && !hasEnded && buffer.isEmpty
    default: false
    }
  }

  /// Whether what was said so far lets the connection carry another exchange once this one is over.
  package var mayBeReusable: Bool { isPersistent && !hasEnded }

  /// Whether any byte of a response, interim or final, was received in this cycle. Empty lines before it do not count.
  package var responseStarted: Bool {
    if hasSeenResponse { return true }
    if case .head = receiveState { return buffer.count > headParser.examinedCount || !headParser.isAtStart }
    return false
  }

  /// How much of the response's body is still missing; nil while that is unknown.
  package var remainingBodyBytes: UInt64? {
    switch receiveState {
    case .length(let expected, let received): expected - received
    case .ended, .done: 0
    case .idle, .head, .chunked, .untilClose, .tunnel, .failed: nil
    }
  }

  /// Whether the response's body ends with the connection, so that nothing but an orderly close tells that it is whole.
  package var isDelimitedByClose: Bool {
    if case .untilClose = receiveState { return true }
    return false
  }

  /// Whether there are bytes that no event has reported.
  package var hasBufferedInput: Bool { !buffer.isEmpty }

  /// Prepares for the next exchange on the connection. Does nothing when that was done already.
  ///
  /// - Throws: ``HTTP1Error/Reason/notReusable`` unless ``canReuse``.
  package mutating func startNextCycle() throws(HTTP1Error) {
    guard canReuse else { throw .local(.notReusable) }
    sendState = .idle
    receiveState = .idle
    hasSeenResponse = false
    interimCount = 0
    bodyByteCount = 0
  }

  /// Takes the bytes behind the end of HTTP, after 101 or a successful CONNECT; empty in any other state.
  package mutating func takeLeftover() -> ByteChunk {
    guard case .tunnel = receiveState else { return ByteChunk() }
    return buffer.takeChunk(buffer.count)
  }
}
