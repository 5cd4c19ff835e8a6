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

  /// The protocol of the stage in a version.
  fileprivate func version(isHTTP2: Bool) -> WireProtocol {
    isSecure ? (isHTTP2 ? .http2TLS : .http1TLS) : (isHTTP2 ? .http2 : .http1)
  }

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
      _ stage: ExchangeStage, over version: WireProtocol = .http1, clock: ManualClock? = nil,
      change: (inout HTTPClientConfiguration) -> Void = { _ in }
    ) async throws {
      self.clock = clock
      shards = clock?.makeGroup()
      let wire = try Wire(stage.version(isHTTP2: version.isHTTP2))
      var options = wire.options
      if stage == .handshaking { options.tls = nil }
      if stage == .connecting {
        options.acceptance = .nothingWithFullBacklog
        options.acceptBacklog = 1
      }
      let reached = Gate()
      server = try ScriptedServer.start(Self.script(stage, reached), options: options)

      var configuration = wire.configuration
      configuration.limitRequests(to: 1, over: wire.version)
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
      let stall: ServerResponse
      switch stage {
      case .handshaking: return .steps([.readBytes(1), .open(reached), .stall])
      case .sending, .sendingOverTLS, .awaitingHead: stall = .raw([.open(reached), .stall])
      default:
        let body = ServerBody([.pattern(3), .effect(.open(reached)), .effect(.stall)])
        stall = ServerResponse(body: body).framed(.announced(100_000))
      }
      return .handler(onHead: { $0.path == "/quick" ? .readBody : .respond(stall) }) { _ in .text("quick") }
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
