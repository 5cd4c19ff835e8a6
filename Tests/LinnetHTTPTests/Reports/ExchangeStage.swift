import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetProtocols
import LinnetTestSupport
import Testing

/// A place where a request can stand when something happens to it.
enum ExchangeStage: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case queued, resolving, connecting, handshaking, sending, sendingOverTLS, awaitingHead, reading, readingOverTLS

  var testDescription: String { rawValue }

  /// Whether the request holds a connection that is made.
  var isConnected: Bool {
    switch self {
    case .queued, .resolving, .connecting, .handshaking: false
    case .sending, .sendingOverTLS, .awaitingHead, .reading, .readingOverTLS: true
    }
  }

  private var isSecure: Bool { self == .handshaking || self == .sendingOverTLS || self == .readingOverTLS }

  /// A request that was brought to the stage and stands there for good.
  struct Scene {
    let client: HTTPClient
    let server: ScriptedServer
    let task: Task<TransportError?, Never>
    /// What a later request asks for, and gets once the first is gone.
    let quick: HTTPRequest
    /// For ``ExchangeStage/queued``: the request in front of it.
    let blocker: Task<TransportError?, Never>?
    let clock: ManualClock?
    private let shards: ShardGroup?

    init(
      _ stage: ExchangeStage, limit: Int = 1, clock: ManualClock? = nil,
      change: (inout HTTPClientConfiguration) -> Void = { _ in }
    ) async throws {
      self.clock = clock
      shards = clock?.makeGroup()
      let certificates = stage.isSecure ? try TestCertificates() : nil
      var options = ScriptedServer.Options()
      if let certificates, stage != .handshaking { options.tls = ServerTLS(try certificates.loopback()) }
      if stage == .connecting {
        options.acceptance = .nothingWithFullBacklog
        options.acceptBacklog = 1
      }
      let reached = Gate()
      server = try ScriptedServer.start(Self.script(stage, reached), options: options)

      var configuration = certificates.map { HTTPClientConfiguration.trusting($0) } ?? HTTPClientConfiguration()
      configuration.pool.maximumConnectionsPerOrigin = limit
      change(&configuration)
      let resolver = FakeResolver()
      resolver.set([.loopbackIPv4(port: 0)], for: "slow.test", after: Gate())
      var environment = EngineEnvironment(resolver: resolver)
      if let clock, let shards {
        environment.clock = clock
        environment.shards = shards
      }
      client = HTTPClient(configuration: configuration, environment: environment)

      let scheme = stage.isSecure ? "https" : "http"
      let authority = stage == .resolving ? "slow.test:\(server.port)" : server.authority
      let base = "\(scheme)://\(authority)"
      quick = .get("\(base)/quick")
      blocker = stage == .queued ? client.start(.get("\(base)/slow")) : nil
      if stage == .queued { try await server.waitForRequests(1) }
      let isUpload = stage == .sending || stage == .sendingOverTLS
      task = client.start(
        isUpload ? .post("\(base)/slow", body: .bytes([UInt8](repeating: 1, count: 20_000_000))) : .get("\(base)/slow"))
      switch stage {
      case .queued: await client.waitForPools { $0.waiting == 1 }
      case .resolving: try await resolver.waitForQueries(1)
      case .connecting: await client.waitForPools { $0.dialling == 1 }
      default: try await reached.opened()
      }
    }

    private static func script(_ stage: ExchangeStage, _ reached: Gate) -> ServerScript {
      let stall: [SocketEffect] =
        switch stage {
        case .handshaking: [.readBytes(1), .open(reached), .stall]
        case .sending, .sendingOverTLS, .awaitingHead: [.open(reached), .stall]
        default: [.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nabc"), .open(reached), .stall]
        }
      if stage == .handshaking { return .steps(stall) }
      return .handler(onHead: { $0.path == "/quick" ? .readBody : .respond(.raw(stall)) }) { _ in .text("quick") }
    }

    /// Ends everything. Nothing may be left of the client: no connection, no timer.
    func end() async throws {
      blocker?.cancel()
      _ = await blocker?.value
      await client.shutdown(grace: .zero)
      #expect(client.pendingCount == 0)
      try await clock?.expectNoTimers()
      await shards?.shutDown()
      try await server.wait(for: "every connection to end") { $0.closedCount == $0.connectionCount }
      server.stop()
    }
  }
}
