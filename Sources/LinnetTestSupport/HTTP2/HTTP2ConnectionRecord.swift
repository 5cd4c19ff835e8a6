/// A frame that a client sent, without its payload.
public struct RecordedFrame: Sendable, Hashable, CustomStringConvertible {
  /// The type.
  public internal(set) var kind: HTTP2Frame.Kind
  /// The flags.
  public internal(set) var flags: HTTP2Frame.Flags
  /// The stream; 0 for the connection.
  public internal(set) var stream: UInt32
  /// The length of the payload in bytes.
  public internal(set) var length: Int
  /// The code of RST_STREAM and GOAWAY.
  public internal(set) var errorCode: HTTP2Frame.ErrorCode?
  /// The increment of WINDOW_UPDATE.
  public internal(set) var increment: UInt32?

  init(_ frame: HTTP2Frame) {
    kind = frame.kind
    flags = frame.flags
    stream = frame.stream
    length = frame.payload.count
    errorCode = frame.errorCode
    increment = frame.increment
  }

  /// `RST_STREAM stream 1, CANCEL`.
  public var description: String {
    "\(kind) stream \(stream), \(length) bytes, flags \(flags.rawValue)" + (errorCode.map { ", \($0)" } ?? "")
  }
}

/// A GOAWAY that a client sent.
public struct RecordedGoAway: Sendable, Hashable {
  /// The highest stream of ours that it says to have processed.
  public internal(set) var lastStream: UInt32
  /// The code.
  public internal(set) var code: HTTP2Frame.ErrorCode
  /// The additional data as text.
  public internal(set) var debug: String
}

/// An RST_STREAM that a client sent.
public struct RecordedReset: Sendable, Hashable {
  /// The stream.
  public internal(set) var stream: UInt32
  /// The code.
  public internal(set) var code: HTTP2Frame.ErrorCode
}

/// A request as an HTTP/2 client sent it.
public struct HTTP2FrameRequest: Sendable, Hashable {
  /// The number of its connection, from 1 on.
  public internal(set) var connection: Int
  /// Its stream.
  public internal(set) var stream: UInt32
  /// All fields in order as they were sent, pseudo-fields included.
  public internal(set) var fields: [HeaderLine]
  /// The names of fields that nobody may put into a table (RFC 7541 §6.2.3).
  public internal(set) var neverIndexed: [String]
  /// The body; still empty while ``isComplete`` is false.
  public internal(set) var body = RecordedBody()
  /// DATA bytes that came so far, without padding.
  public internal(set) var bodyBytes: UInt64 = 0
  /// The trailer fields.
  public internal(set) var trailers: [HeaderLine] = []
  /// Whether END_STREAM came.
  public internal(set) var isComplete = false
  /// The code with which the client ended the stream, before or after it was complete.
  public internal(set) var resetCode: HTTP2Frame.ErrorCode?

  /// `:method`, or the empty string.
  public var method: String { fields[":method"] ?? "" }
  /// `:scheme`, or the empty string.
  public var scheme: String { fields[":scheme"] ?? "" }
  /// `:authority`, or the empty string.
  public var authority: String { fields[":authority"] ?? "" }
  /// `:path` with the query, or the empty string.
  public var target: String { fields[":path"] ?? "" }
  /// `:path` without the query.
  public var path: String { String(target.prefix { $0 != "?" }) }
  /// The fields that are no pseudo-fields.
  public var headers: [HeaderLine] { fields.filter { $0.name.first != ":" } }
}

/// What an ``HTTP2FrameServer`` saw of one connection.
public struct HTTP2ConnectionRecord: Sendable, Hashable {
  /// From 1 on in the order of acceptance.
  public internal(set) var number: Int
  /// The first frames of the client in order, up to ``HTTP2FrameServer/Options/frameRecordLimit``.
  public internal(set) var frames: [RecordedFrame] = []
  /// How many frames the client sent, also those beyond the limit.
  public internal(set) var frameCount = 0
  /// Bytes of DATA, without padding.
  public internal(set) var dataBytes: UInt64 = 0
  /// The client's settings, later values over earlier ones.
  public internal(set) var settings: [UInt16: UInt32] = [:]
  /// SETTINGS of ours that the client acknowledged.
  public internal(set) var acknowledgedSettings = 0
  /// PINGs of ours that the client answered.
  public internal(set) var answeredPings = 0
  /// Every GOAWAY of the client, at most the first 100.
  public internal(set) var goAways: [RecordedGoAway] = []
  /// Every RST_STREAM of the client, at most the first 10,000.
  public internal(set) var resets: [RecordedReset] = []
  /// The requests in the order of their heads, up to ``ScriptedServer/Options/recordLimit``.
  public internal(set) var requests: [HTTP2FrameRequest] = []
  /// Requests that came to their end.
  public internal(set) var completeRequests = 0
  /// Every way in which the client broke HTTP/2, at most the first 100.
  public internal(set) var violations: [String] = []
  /// Frames that the server sent, without raw bytes.
  public internal(set) var sentFrames = 0
  /// What came and went below HTTP/2: TLS and its ALPN, bytes, `close_notify`, and how the connection ended. Its `ending`
  /// is nil while the connection is open.
  public internal(set) var transport: ConnectionRecord

  init(number: Int) {
    self.number = number
    transport = ConnectionRecord(number: number)
  }

  /// Whether the connection is over.
  public var isClosed: Bool { transport.ending != nil }

  /// The frames of one type.
  public func frames(_ kind: HTTP2Frame.Kind) -> [RecordedFrame] { frames.filter { $0.kind == kind } }
}

/// All that an ``HTTP2FrameServer`` saw up to one moment.
public struct HTTP2ServerSnapshot: Sendable {
  /// The connections whose script has begun, in the order of acceptance. One whose TLS handshake failed is there without
  /// frames.
  public internal(set) var connections: [HTTP2ConnectionRecord] = []

  /// The requests of all connections.
  public var requests: [HTTP2FrameRequest] { connections.flatMap(\.requests) }
  /// How many requests came to their end.
  public var completeRequests: Int { connections.reduce(0) { $0 + $1.completeRequests } }
  /// How many connections ended.
  public var closedCount: Int { connections.count(where: \.isClosed) }
  /// Every way in which a client broke HTTP/2. A test of a client expects none.
  public var violations: [String] {
    connections.flatMap { record in record.violations.map { "connection \(record.number): \($0)" } }
  }
}
