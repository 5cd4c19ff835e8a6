internal import LinnetBytes

/// A proxy on the loopback interface that does what a test says, and records every byte of its clients.
///
/// It speaks HTTP (forwarding and CONNECT), SOCKS 5 or SOCKS 4 and 4a, with or without TLS around it, and never looks up a
/// name: whatever host a client asks for, the connection goes to the asked port on 127.0.0.1. So a name that does not exist
/// leads to a ``ScriptedServer``, which shows that the proxy resolved it and not the client.
///
/// ```swift
/// let proxy = try ScriptedProxy.start(.socks5)
/// defer { proxy.stop() }
/// // … a client with proxy.url GETs http://nowhere.invalid:\(server.port)/ …
/// #expect(proxy.requests.map(\.host) == ["nowhere.invalid"])
/// ```
///
/// What it answers is decided request by request:
///
/// ```swift
/// let proxy = try ScriptedProxy.start(.http) { request in
///   request.authorization == nil ? .refuse(407, headers: [HeaderLine("Proxy-Authenticate", "Basic realm=\"p\"")]) : .allow
/// }
/// ```
public final class ScriptedProxy: Sendable {
  /// What is spoken to a proxy.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// HTTP: whole URLs are forwarded, CONNECT makes a tunnel.
    case http
    /// SOCKS 5 (RFC 1928, RFC 1929).
    case socks5
    /// SOCKS 4 and 4a.
    case socks4
  }

  /// How a proxy is set up.
  public struct Options: Sendable {
    /// How it speaks TLS to its clients; nil, the default, is clear text.
    public var tls: ServerTLS?
    /// Where it listens; 127.0.0.1 by default.
    public var address: ScriptedServer.Address = .ipv4
    /// User name and password that it demands; nil, the default, demands none. HTTP: Basic, answered with 407 and `deny` on
    /// a connection that stays open. SOCKS 4: the name as user id.
    public var credentials: (user: String, password: String)?
    /// Other ports of 127.0.0.1 to connect to, by `host:port` as the client asks for them.
    public var routes: [String: UInt16] = [:]
    /// How many bytes of each connection are kept; 4 MiB by default.
    public var keptBytes = 4 << 20

    /// The defaults.
    public init() {}
  }

  /// What is spoken to it.
  public let kind: Kind
  /// The listening side: its port, its connections and their endings, and the HTTP heads that it read.
  public let server: ScriptedServer
  private let log: ProxyLog

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - kind: What is spoken to it.
  ///   - options: How it is set up.
  ///   - decide: Chooses the answer to each request, once credentials were found to be right. It runs on the thread of the
  ///     connection and must not block.
  /// - Throws: ``TestSupportError`` when the system refuses the socket or the thread.
  public static func start(
    _ kind: Kind, options: Options = Options(),
    _ decide: @escaping @Sendable (RecordedProxyRequest) -> ProxyAnswer = { _ in .allow }
  ) throws(TestSupportError) -> ScriptedProxy {
    let log = ProxyLog(limit: options.keptBytes)
    let script = ServerScript { _ in
      .custom { (connection) throws(ConnectionEnd) in
        try ProxyConnection(connection, kind: kind, options: options, log: log, decide: decide).run()
      }
    }
    var serverOptions = ScriptedServer.Options()
    serverOptions.tls = options.tls
    serverOptions.address = options.address
    serverOptions.keptBodyBytes = 64 << 20
    return ScriptedProxy(kind, try ScriptedServer.start(script, options: serverOptions), log)
  }

  /// Runs `body` with a proxy and stops it afterwards, also when `body` throws.
  public static func with<Result>(
    _ kind: Kind, options: Options = Options(),
    decide: @escaping @Sendable (RecordedProxyRequest) -> ProxyAnswer = { _ in .allow },
    _ body: (ScriptedProxy) async throws -> Result
  ) async throws -> Result {
    let proxy = try start(kind, options: options, decide)
    defer { proxy.stop() }
    return try await body(proxy)
  }

  private init(_ kind: Kind, _ server: ScriptedServer, _ log: ProxyLog) {
    self.kind = kind
    self.server = server
    self.log = log
  }

  /// Closes every connection and waits until all threads have ended.
  public func stop() { server.stop() }

  /// The port it listens on.
  public var port: UInt16 { server.port }

  /// Its URL: `http`, `https`, `socks5h` or `socks4a`, as what it is.
  public var url: String { url() }

  /// Its URL with another scheme, or with user info as it stands before the `@`.
  public func url(scheme: String? = nil, userinfo: String? = nil) -> String {
    let usual =
      switch kind {
      case .http: server.options.tls == nil ? "http" : "https"
      case .socks5: "socks5h"
      case .socks4: "socks4a"
      }
    return "\(scheme ?? usual)://\(userinfo.map { "\($0)@" } ?? "")\(server.authority)"
  }

  /// What was asked for so far, refused requests included, in order.
  public var requests: [RecordedProxyRequest] { log.state.value.requests }

  /// Every byte that the client of a connection sent, TLS to the proxy removed; up to ``Options/keptBytes``.
  ///
  /// - Parameter connection: Its number, from 1 on in the order of acceptance.
  public func received(on connection: Int) -> [UInt8] { log.state.value.received[connection] ?? [] }

  /// Every byte of all clients, by connection in order.
  public var received: [UInt8] {
    log.state.value.received.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  /// Every way in which a client broke the protocol of the proxy or was ahead of it; a test of a client expects none.
  public var violations: [String] { server.snapshot.violations }

  /// Waits until `count` requests were recorded, and returns all of them.
  ///
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func waitForRequests(
    _ count: Int, within limit: Duration = .seconds(30)
  ) async throws -> [RecordedProxyRequest] {
    try await log.state.wait(
      for: "\(count) requests to the proxy", within: limit, describe: { "\($0.requests)" },
      until: { $0.requests.count >= count }
    ).requests
  }
}

/// What the connections of a ``ScriptedProxy`` record.
struct ProxyLog: Sendable {
  struct State: Sendable {
    var requests: [RecordedProxyRequest] = []
    var received: [Int: [UInt8]] = [:]
  }

  let state = Observed(State())
  let limit: Int

  init(limit: Int) { self.limit = limit }

  func append(_ bytes: UnsafeRawBufferPointer, connection: Int) {
    state.mutate { state in
      let room = max(0, limit - (state.received[connection]?.count ?? 0))
      state.received[connection, default: []].append(contentsOf: bytes.prefix(room))
    }
  }
}
