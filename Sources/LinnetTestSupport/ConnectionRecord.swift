/// How a connection of a ``ScriptedServer`` ended, seen from the server.
public enum ConnectionEnding: Sendable, Hashable {
  /// The client closed its side (FIN).
  case peerClosed
  /// The client reset the connection (RST).
  case peerReset
  /// The script closed the connection.
  case serverClosed
  /// The script reset the connection.
  case serverReset
  /// The TLS handshake failed; the text says why.
  case handshakeFailed(String)
  /// TLS failed after the handshake, for instance by an alert of the client; the text says how.
  case tlsFailed(String)
  /// The client broke HTTP/1.1 or HTTP/2; the text says how.
  case violation(String)
  /// The server was stopped.
  case stopped
  /// A system call failed with this `errno` value.
  case failed(CInt)
}

/// What a ``ScriptedServer`` saw of one connection.
public struct ConnectionRecord: Sendable, Hashable {
  /// From 1 on in the order of acceptance.
  public internal(set) var number: Int
  /// How many complete requests arrived.
  public internal(set) var requestCount = 0
  /// Bytes received after decryption, request heads and chunk framing included.
  public internal(set) var receivedBytes: UInt64 = 0
  /// Bytes sent before encryption.
  public internal(set) var sentBytes: UInt64 = 0
  /// What the TLS handshake agreed on; nil for clear text or before the handshake is over.
  public internal(set) var tls: RecordedTLS?
  /// What happened on a connection that speaks HTTP/2; nil on others.
  public internal(set) var http2: ServerHTTP2Record?
  /// Whether the client announced the end of its data with a `close_notify` alert (RFC 8446 §6.1).
  public internal(set) var receivedCloseNotify = false
  /// How it ended; nil while it is open.
  public internal(set) var ending: ConnectionEnding?
}

/// What a ``ScriptedServer`` saw of a connection that speaks HTTP/2.
public struct ServerHTTP2Record: Sendable, Hashable {
  /// Streams that the client opened, refused ones included.
  public internal(set) var streamCount = 0
  /// Streams that are open now.
  public internal(set) var openStreams = 0
  /// The most streams that were open at the same time.
  public internal(set) var peakStreams = 0
  /// The client's resets in order, at most the first 1,000.
  public internal(set) var resets: [RecordedReset] = []
  /// The error code of the client's GOAWAY; nil when none came.
  public internal(set) var goAwayCode: HTTP2Frame.ErrorCode?
}

/// All that a ``ScriptedServer`` saw up to one moment.
public struct ServerSnapshot: Sendable {
  /// Connections accepted; also those beyond ``ScriptedServer/Options/recordLimit``.
  public internal(set) var connectionCount = 0
  /// Connections that ended.
  public internal(set) var closedCount = 0
  /// Request heads received.
  public internal(set) var headCount = 0
  /// Requests received to their end.
  public internal(set) var requestCount = 0
  /// The first connections in the order of acceptance, up to ``ScriptedServer/Options/recordLimit``.
  public internal(set) var connections: [ConnectionRecord] = []
  /// The first requests in the order of their heads, up to ``ScriptedServer/Options/recordLimit``.
  public internal(set) var requests: [RecordedRequest] = []
  /// Every way in which a client broke HTTP/1.1 or HTTP/2, and every answer that cannot be given over HTTP/2; at most the
  /// first 100. A test of a client expects none.
  public internal(set) var violations: [String] = []

  /// Connections that are open now.
  public var openCount: Int { connectionCount - closedCount }

  /// The clients' resets of HTTP/2 streams, on all recorded connections.
  public var streamResets: [RecordedReset] { connections.flatMap { $0.http2?.resets ?? [] } }
}
