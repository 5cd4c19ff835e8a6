package import LinnetBytes
package import LinnetHTTPTypes

/// One HTTP/2 connection as a value: bytes in, events out; calls in, bytes out. No socket, no clock.
///
/// For a connection's core, under its lock; the test kit plays servers with it.
package struct HTTP2Session: ~Copyable {
  package init(configuration: HTTP2SessionConfiguration) throws(HTTP2Error) {}

  // MARK: Bytes in

  /// Lends room for received bytes; `body` returns how many it wrote.
  package mutating func withReceiveCapacity<E: Error>(
    minimum: Int, _ body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int { 0 }

  /// Copies received bytes; for tests.
  package mutating func receive(_ bytes: Span<UInt8>) {}

  /// The peer sends nothing more. With streams open this is ``HTTP2Event/connectionFailed(_:)``, `endOfInput`.
  package mutating func receiveEOF() {}

  /// The next event of what was received; nil when more bytes are needed. Total: whatever came, there are events or one
  /// `connectionFailed`, after which input is ignored.
  ///
  /// - Parameter now: For the rates of ``AbuseMonitor``.
  package mutating func nextEvent(now: Instant) -> HTTP2Event? { nil }

  // MARK: Bytes out

  /// There are frames to send.
  package var wantsToSend: Bool { false }

  /// Appends frames until about `limit` bytes were appended or nothing is left. Heads and control frames go before body
  /// bytes; bodies of several streams take turns.
  package mutating func drain(into output: inout WriteBuffer, upTo limit: Int) {}

  // MARK: Streams

  /// Starts a stream (client role). The head is validated and written with lower-case names, without connection-specific
  /// fields; sensitive fields are never indexed.
  ///
  /// - Parameters:
  ///   - bodyLength: What Content-Length says; nil for a body of unknown length. The body's bytes are checked against it.
  ///   - endsStream: Nothing follows the head.
  package mutating func submitRequest(
    _ head: HTTP2RequestHead, bodyLength: UInt64?, endsStream: Bool
  ) throws(HTTP2Error) -> HTTP2StreamID { HTTP2StreamID(rawValue: 0) }

  /// Sends a head of a response, interim or final (server role).
  package mutating func submitResponse(
    _ head: ResponseHead, on id: HTTP2StreamID, endsStream: Bool
  ) throws(HTTP2Error) {}

  /// Queues body bytes. The session keeps all of them; a producer waits while ``unsentBytes(on:)`` is above the high
  /// water.
  package mutating func sendBody(_ chunk: ByteChunk, on id: HTTP2StreamID) throws(HTTP2Error) {}

  /// Ends our side.
  package mutating func sendEnd(trailers: HTTPHeaders?, on id: HTTP2StreamID) throws(HTTP2Error) {}

  /// Body bytes that wait for windows or the next ``drain(into:upTo:)``; 0 for a stream that is gone.
  package func unsentBytes(on id: HTTP2StreamID) -> Int { 0 }

  /// The consumer has taken bytes of ``HTTP2Event/data(_:_:)``; returns them to the stream's window.
  ///
  /// - Parameter isStarved: The consumer waits for more, so the window may be what holds the peer back: it doubles, within
  ///   the budget.
  package mutating func consumed(_ count: Int, on id: HTTP2StreamID, isStarved: Bool) {}

  /// Ends a stream with RST_STREAM. Frames that are still under way cost nothing but the connection's window, which is
  /// returned. No event but ``HTTP2Event/closed(_:)`` follows. Harmless for a stream that is gone.
  package mutating func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) {}

  /// PRIORITY_UPDATE (RFC 9218 §7.1) with the value of a `Priority` field, when the peer ignores RFC 7540's priorities;
  /// else nothing is sent.
  package mutating func updatePriority(_ value: String, of id: HTTP2StreamID) {}

  // MARK: Connection

  package mutating func ping(_ payload: UInt64) {}

  /// GOAWAY with NO_ERROR or the code: no new streams of the peer; ours go on.
  package mutating func goAway(_ code: HTTP2ErrorCode) {}

  /// What the peer allows, as far as it has said.
  package var peerSettings: HTTP2PeerSettings { HTTP2PeerSettings() }

  /// Streams that are not closed.
  package var openStreams: Int { 0 }

  /// Windows and queues in one line for each stream, for a watchdog's report.
  package var flowControlReport: String { "" }
}
