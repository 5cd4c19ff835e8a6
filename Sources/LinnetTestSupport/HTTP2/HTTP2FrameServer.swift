/// A server on the loopback interface that speaks HTTP/2 frame by frame: right, wrong, late or not at all.
///
/// A script runs for each connection, on a thread of its own, with blocking calls; when it returns, the connection is
/// closed, and when the client goes away, the call in which the script is throws and so ends it. Everything that the
/// client does is recorded, and every rule that it breaks (``HTTP2ServerSnapshot/violations``). Frames, flow control and
/// checks share nothing with the client's engine; HPACK is nghttp2's, or written by hand with ``HPACKLiterals``.
///
/// ```swift
/// let server = try HTTP2FrameServer.start { connection in
///   try connection.handshake([.maxConcurrentStreams(1)])
///   let request = try connection.nextRequest()
///   try connection.respond(request.stream, .text("hello"))
///   try connection.send(.goAway(lastStream: request.stream))
///   try connection.readUntilClosed()
/// }
/// defer { server.stop() }
///
/// // … let the client GET server.url("/x") with HTTP/2 …
///
/// #expect(server.snapshot.violations.isEmpty)
/// ```
///
/// Without TLS clients need prior knowledge (RFC 9113 §3.3). With TLS the server takes `h2` by ALPN unless
/// ``ServerTLS/applicationProtocols`` says something else.
public final class HTTP2FrameServer: Sendable {
  /// What a connection does; see ``HTTP2FrameServer``.
  public typealias Script = @Sendable (HTTP2FrameConnection) throws -> Void

  /// How a server is set up.
  public struct Options: Sendable {
    /// Address, port, TLS, buffers and limits of records; of `recordLimit` each connection may have as many requests.
    public var socket = ScriptedServer.Options()
    /// How many frames of each connection are kept; 10,000 by default, of 32 bytes each. Counts go on beyond.
    public var frameRecordLimit = 10_000

    /// How the server speaks TLS; nil, the default, is clear text.
    public var tls: ServerTLS? {
      get { socket.tls }
      set { socket.tls = newValue }
    }

    /// The defaults: clear text on a free port of 127.0.0.1.
    public init() {}

    /// The defaults with TLS.
    public init(tls: ServerTLS) { socket.tls = tls }
  }

  private let server: ScriptedServer
  let observed: Observed<HTTP2ServerSnapshot>

  /// What it saw so far.
  public var snapshot: HTTP2ServerSnapshot { observed.value }
  /// The port it listens on.
  public var port: UInt16 { server.port }
  /// `127.0.0.1:8080`.
  public var authority: String { server.authority }

  /// The URL of a path on this server.
  ///
  /// - Parameters:
  ///   - path: Path and query, with the leading `/`.
  ///   - host: A name that leads to this server, instead of the address.
  public func url(_ path: String = "/", host: String? = nil) -> String { server.url(path, host: host) }

  /// Starts a server whose connections all run this script.
  ///
  /// - Throws: ``TestSupportError`` when the system refuses the socket or the thread.
  public static func start(
    options: Options = Options(), _ script: @escaping Script
  ) throws(TestSupportError) -> HTTP2FrameServer {
    try HTTP2FrameServer(options, script)
  }

  /// Starts a server that answers every request of every connection correctly, streams interleaved.
  ///
  /// - Parameters:
  ///   - options: Where and how it listens.
  ///   - settings: Its SETTINGS.
  ///   - respond: Makes the answer to a complete request, on the thread of the connection.
  public static func serving(
    options: Options = Options(), settings: [HTTP2Frame.Setting] = [.maxConcurrentStreams(100)],
    _ respond: @escaping @Sendable (HTTP2FrameRequest) -> HTTP2FrameResponse
  ) throws(TestSupportError) -> HTTP2FrameServer {
    try start(options: options) { connection in
      try connection.handshake(settings)
      try connection.serve(respond)
    }
  }

  /// Runs `body` with a server and stops it afterwards, also when `body` throws.
  public static func with<Result>(
    options: Options = Options(), _ script: @escaping Script, _ body: (HTTP2FrameServer) async throws -> Result
  ) async throws -> Result {
    let server = try start(options: options, script)
    defer { server.stop() }
    return try await body(server)
  }

  private init(_ options: Options, _ script: @escaping Script) throws(TestSupportError) {
    var options = options
    if options.tls?.applicationProtocols.isEmpty == true { options.tls?.applicationProtocols = ["h2"] }
    let chosen = options
    let observed = Observed(HTTP2ServerSnapshot())
    self.observed = observed
    var transport = ServerScript { _ in
      .custom { (connection) throws(ConnectionEnd) in
        let recorder = HTTP2Recorder(number: connection.number, options: chosen, snapshot: observed)
        try HTTP2FrameConnection(connection.stream, recorder).run(script)
      }
    }
    transport.connectionEnded = { record in
      HTTP2Recorder(number: record.number, options: chosen, snapshot: observed).update { $0.transport = record }
    }
    server = try ScriptedServer.start(transport, options: options.socket)
  }

  /// Closes every connection and the listening socket and waits until all scripts have ended: afterwards nothing of the
  /// server is left, no thread and no descriptor. Harmless when called again. A script that computes without calling its
  /// connection is waited for.
  public func stop() { server.stop() }

  /// Stops listening while the open connections go on: later connection attempts are refused.
  public func stopListening() { server.stopListening() }
}

extension HTTP2FrameServer {
  /// Waits until the server has seen what `condition` asks for.
  ///
  /// - Parameters:
  ///   - expectation: What is awaited, for the error.
  ///   - limit: How long to wait at most; only a guard against hanging tests.
  ///   - condition: Whether a snapshot has what is awaited.
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func wait(
    for expectation: String, within limit: Duration = .seconds(30),
    until condition: @escaping @Sendable (HTTP2ServerSnapshot) -> Bool
  ) async throws -> HTTP2ServerSnapshot {
    try await observed.wait(for: expectation, within: limit, describe: Self.describe, until: condition)
  }

  /// Waits until `count` requests, over all connections, came to their end, and returns all recorded requests.
  @discardableResult
  public func waitForRequests(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [HTTP2FrameRequest] {
    try await wait(for: "\(count) requests", within: limit) { $0.completeRequests >= count }.requests
  }

  /// Waits until `count` request heads came; their bodies may still be on the way.
  @discardableResult
  public func waitForHeads(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [HTTP2FrameRequest] {
    try await wait(for: "\(count) request heads", within: limit) { $0.requests.count >= count }.requests
  }

  /// Waits until the scripts of `count` connections have begun.
  @discardableResult
  public func waitForConnections(
    _ count: Int, within limit: Duration = .seconds(30)
  ) async throws -> [HTTP2ConnectionRecord] {
    try await wait(for: "\(count) connections", within: limit) { $0.connections.count >= count }.connections
  }

  /// Waits until `count` connections ended.
  @discardableResult
  public func waitForConnectionsClosed(
    _ count: Int, within limit: Duration = .seconds(30)
  ) async throws -> [HTTP2ConnectionRecord] {
    try await wait(for: "\(count) closed connections", within: limit) { $0.closedCount >= count }.connections
  }

  /// Waits until a client sent RST_STREAM `count` times, over all connections.
  @discardableResult
  public func waitForResets(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [RecordedReset] {
    try await wait(for: "\(count) RST_STREAM", within: limit) { snapshot in
      snapshot.connections.reduce(0) { $0 + $1.resets.count } >= count
    }.connections.flatMap(\.resets)
  }

  /// Waits until a client sent GOAWAY `count` times, over all connections.
  @discardableResult
  public func waitForGoAways(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [RecordedGoAway] {
    try await wait(for: "\(count) GOAWAY", within: limit) { snapshot in
      snapshot.connections.reduce(0) { $0 + $1.goAways.count } >= count
    }.connections.flatMap(\.goAways)
  }

  private static func describe(_ snapshot: HTTP2ServerSnapshot) -> String {
    let connections = snapshot.connections.suffix(5).map { record in
      let ending = record.transport.ending.map { "\($0)" } ?? "open"
      let last = record.frames.suffix(6).map(\.description).joined(separator: "; ")
      return "#\(record.number) \(ending), \(record.requests.count) requests (\(record.completeRequests) complete), "
        + "\(record.frameCount) frames, last: [\(last)]"
    }
    let violations = snapshot.violations.isEmpty ? "" : "; violations: \(snapshot.violations)"
    return "\(snapshot.connections.count) connections: " + connections.joined(separator: ", ") + violations
  }
}
