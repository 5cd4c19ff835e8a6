import Glibc
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// User reports about names and connecting.
@Suite("Reports: DNS and connect", .timeLimit(.minutes(1)))
struct ConnectReportTests {
  private func resolver(_ host: String, _ addresses: String...) throws -> FakeResolver {
    let resolver = FakeResolver()
    resolver.set(try addresses.map { try #require(SocketAddress(numericHost: $0, port: 0)) }, for: host)
    return resolver
  }

  private func client(
    _ configuration: HTTPClientConfiguration = HTTPClientConfiguration(), _ resolver: FakeResolver
  ) -> HTTPClient {
    HTTPClient(configuration: configuration, environment: EngineEnvironment(resolver: resolver))
  }

  #if DEBUG
    @Test("DNS-02: after an address without a route the next one is tried at once, not after the stagger")
    func noRoute() async throws {
      let server = try ScriptedServer.start(.handler { _ in .text("reached") })
      defer { server.stop() }
      var configuration = HTTPClientConfiguration()
      // Who waited for the stagger would run into the connect timeout.
      configuration.socket.connectionAttemptDelay = .seconds(3600)
      let client = client(configuration, try resolver("dual.test", "100::1", "127.0.0.1"))
      let url = server.url("/", host: "dual.test")
      let response = try await SyscallFaultPlan().failing("connect", at: 1, with: ENETUNREACH).during {
        try await client.send(.get(url))
      }
      #expect(try await response.text() == "reached")
      #expect(response.connection.failedPeers.map(\.address) == ["[100::1]:\(server.port)"])
      #expect(response.connection.failedPeers.map(\.cause) == ["network is unreachable"])
    }
  #endif

  @Test("DNS-03: localhost reaches a server that listens on 127.0.0.1 only")
  func localhostIPv4() async throws {
    try await ScriptedServer.with(.handler { _ in .text("v4") }) { server async throws in
      let response = try await HTTPClient().send(.get(server.url("/", host: "localhost")))
      #expect(try await response.text() == "v4")
      #expect(response.connection.peerAddress == "127.0.0.1:\(server.port)")
      #expect(server.snapshot.requests.first?.headers["Host"] == "localhost:\(server.port)")
    }
  }

  @Test("DNS-03: localhost reaches a server that listens on ::1 only", .enabled(if: LoopbackIPv6.isAvailable))
  func localhostIPv6() async throws {
    try await ScriptedServer.with(.handler { _ in .text("v6") }, options: .at(.ipv6)) { server async throws in
      let response = try await HTTPClient().send(.get(server.url("/", host: "localhost")))
      #expect(try await response.text() == "v6")
      #expect(response.connection.peerAddress == "[::1]:\(server.port)")
    }
  }

  @Test(
    "DNS-05: an override changes where TCP goes; Host, SNI and the certificate check keep the name",
    arguments: [true, false], WireProtocol.secure)
  func resolveOverride(withPort: Bool, over version: WireProtocol) async throws {
    var wire = try Wire(version)
    let certificates = try #require(wire.certificates)
    wire.options.tls?.certificate = try certificates.server(dnsNames: ["api.test"])
    try await ScriptedServer.with(.handler { _ in .text("api") }, options: wire.options) { server async throws in
      var configuration = wire.configuration
      configuration.resolveOverrides[withPort ? "api.test:\(server.port)" : "api.test"] = ["127.0.0.1"]
      let resolver = FakeResolver()
      let response = try await client(configuration, resolver).send(.get(server.url("/", host: "api.test")))
      #expect(try await response.text() == "api")
      #expect(response.connection.peerAddress == "127.0.0.1:\(server.port)")
      let request = try #require(server.snapshot.requests.first)
      #expect(request.tls?.serverName == "api.test")
      #expect(request.authority == "api.test:\(server.port)")
      #expect(resolver.queries.isEmpty)
    }
  }

  @Test("DNS-06: a refused connection names every address with its cause, not the deadline")
  func refusedEverywhere() async throws {
    let closed = try ClosedPort()
    var configuration = HTTPClientConfiguration()
    configuration.timeouts.total = .seconds(30)
    let client = client(configuration, try resolver("down.test", "127.0.0.1", "127.0.0.2"))
    let error = try #require(await client.failure(of: .get("http://down.test:\(closed.port)/")))
    #expect(error.code == .connectionRefused)
    #expect(error.phase == .connect)
    #expect(error.sent == .nothing)
    #expect(error.peers.map(\.address) == ["127.0.0.1:\(closed.port)", "127.0.0.2:\(closed.port)"])
    #expect(error.peers.allSatisfy { $0.cause == "connection refused" })
    #expect(error.description.contains("127.0.0.1:\(closed.port)"))
    #expect(error.description.contains("127.0.0.2:\(closed.port)"))
    #expect(error.description.contains("connection refused"))
  }

  @Test("DNS-06: when the time is over, the addresses that failed before are told with their causes")
  func timeoutAfterRefusal() async throws {
    var options = ScriptedServer.Options()
    options.acceptance = .nothingWithFullBacklog
    options.acceptBacklog = 1
    let silent = try ScriptedServer.start(.steps([]), options: options)
    defer { silent.stop() }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    var configuration = HTTPClientConfiguration()
    configuration.timeouts = TimeoutConfiguration(connect: .seconds(2), connectionWait: nil)
    configuration.resolveOverrides["slow.test"] = ["127.0.0.2", "127.0.0.1"]
    let client = HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: shards, clock: clock))
    let failures = EventRecorder<TransportError?>()
    let url = silent.url("/", host: "slow.test")
    let task = Task { failures.record(await client.failure(of: .get(url))) }
    // The first address has refused by the time at which a timer waits for the second.
    try await clock.waitForTimers(1)
    await clock.advance(by: .seconds(1), until: failures)
    await task.value
    let error = try #require(failures.events.first ?? nil)
    await shards.shutDown()
    #expect(error.code == .connectTimeout)
    #expect(error.phase == .connect)
    #expect(
      error.peers.map(\.description) == [
        "127.0.0.2:\(silent.port): connection refused", "127.0.0.1:\(silent.port): no answer",
      ])
    #expect(error.description.contains("127.0.0.2:\(silent.port): connection refused"))
  }
}
