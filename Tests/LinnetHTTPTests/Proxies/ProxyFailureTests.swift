import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// What becomes of requests whose proxy refuses, answers nonsense, hangs or is not there.
@Suite("Proxy failures", .timeLimit(.minutes(2)))
struct ProxyFailureTests {
  @Test("A proxy whose name has no address is told from a host that has none")
  func notFound() async throws {
    let client = HTTPClient(
      configuration: .through(HTTPProxy(kind: .http, host: "proxy.invalid")),
      environment: EngineEnvironment(resolver: FakeResolver()))
    for url in ["http://origin.test/", "https://origin.test/"] {
      let error = try #require(await client.failure(of: .get(url)))
      #expect(error.code == .proxyNotFound && error.phase == .resolve && error.sent == .nothing)
      #expect(error.reason.contains("http://proxy.invalid:1080"))
    }
  }

  @Test(
    "The name of an origin that a proxy does not look up is looked up here, and missing here", arguments: [true, false])
  func originNotFound(isKnown: Bool) async throws {
    let scene = try ProxyScene(.socks5, to: .http1)
    if !isKnown { scene.resolver.fail(ProxyScene.host, .notFound) }
    let error = await scene.client().failure(of: .get(scene.url))
    #expect(error?.code == (isKnown ? nil : .hostNotFound))
    #expect(scene.proxy.server.snapshot.connectionCount == (isKnown ? 1 : 0))
  }

  @Test("A proxy that cannot be connected to is named", arguments: HTTPProxy.Kind.allCases, ["http", "https"])
  func refused(kind: HTTPProxy.Kind, scheme: String) async throws {
    let closed = try ClosedPort()
    let client = HTTPClient(configuration: .through(.local(kind, closed.port, aladdin)))
    let error = try #require(await client.failure(of: .get("\(scheme)://127.0.0.1:1/")))
    #expect(error.code == .proxyConnectFailed && error.phase == .connect && error.sent == .nothing)
    #expect(error.reason.contains("\(kind.rawValue)://127.0.0.1:\(closed.port)"))
    #expect(error.peers.map(\.address) == ["127.0.0.1:\(closed.port)"])
    #expect(!error.description.contains("aladdin") && !error.description.contains("sesame"))
  }

  @Test("The refusal of a SOCKS proxy is told in words", arguments: [HTTPProxy.Kind.socks5, .socks5h, .socks4a])
  func socksRefusal(kind: HTTPProxy.Kind) async throws {
    let scene = try ProxyScene(kind, to: .http1) { _ in .refuse(code: kind == .socks4a ? 91 : 5) }
    let error = try #require(await scene.client().failure(of: .get(scene.url)))
    #expect(error.code == .proxyRefused && error.phase == .proxy)
    #expect(error.reason.contains(kind == .socks4a ? "rejected or failed (91)" : "refused by the target (5)"))
    #expect(error.reason.contains("\(kind.rawValue)://127.0.0.1:\(scene.proxy.port)"))
    #expect(error.proxyResponse == nil)
  }

  @Test(
    "An answer that breaks the proxy's protocol is the proxy's error",
    arguments: HTTPProxy.Kind.allCases, ["\u{FF}\u{FE}garbage\r\n\r\n", "HTTP/1.1 2", ""])
  func garbage(kind: HTTPProxy.Kind, text: String) async throws {
    let scene = try ProxyScene(kind, to: .http1TLS) { _ in .steps([.send(text), .halfClose]) }
    let error = try #require(await scene.client().failure(of: .get(scene.url)))
    #expect(error.code == .invalidProxyResponse && error.phase == .proxy && error.sent == .nothing)
    #expect(error.reason.contains("\(kind.rawValue)://127.0.0.1:\(scene.proxy.port)"))
  }

  @Test(
    "A certificate of an https proxy that is not trusted is the proxy's", arguments: [WireProtocol.http1, .http1TLS])
  func proxyCertificate(version: WireProtocol) async throws {
    let scene = try ProxyScene(.https, to: version)
    var settings = scene.settings()
    settings.tls = nil
    let error = try #require(await scene.client { $0.proxy = .fixed(settings) }.failure(of: .get(scene.url)))
    #expect(error.code == .certificateRejected && error.phase == .tls)
    #expect(error.reason.contains("https://127.0.0.1:\(scene.proxy.port)"))
    #expect(scene.proxy.requests.isEmpty)
  }

  @Test("A server that is no TLS server behind a tunnel is not the proxy's fault")
  func originTLS() async throws {
    let origin = try ScriptedServer.start(.steps([.readBytes(5), .send("HTTP/1.1 400 No\r\n\r\n"), .close]))
    defer { origin.stop() }
    try await ScriptedProxy.with(.http) { proxy async throws in
      let client = HTTPClient(configuration: .through(.local(.http, proxy.port)))
      let error = try #require(await client.failure(of: .get("https://127.0.0.1:\(origin.port)/")))
      #expect(error.code == .tlsHandshakeFailed && error.phase == .tls)
      #expect(!error.reason.contains("proxy"))
    }
  }

  /// Where a proxy falls silent.
  enum Silence: CaseIterable, Sendable {
    /// Behind the handshake of TCP.
    case accepted
    /// With half of its answer said.
    case halfAnswered
    /// With the tunnel made: the origin's handshake is not answered.
    case tunnelled
  }

  /// - Parameter gate: Opens when the proxy is there, and the client waits for it.
  private func silent(_ kind: HTTPProxy.Kind, _ silence: Silence, _ gate: Gate) throws -> ProxyScene {
    try ProxyScene(kind, to: .http1TLS) { _ in
      switch silence {
      case .accepted: .steps([.open(gate), .stall])
      case .halfAnswered:
        .steps([.send(kind.isHTTP ? "HTTP/1.1 200" : kind == .socks4a ? "\0" : "\u{5}"), .open(gate), .stall])
      case .tunnelled:
        .steps([
          kind.isHTTP
            ? .send("HTTP/1.1 200 OK\r\n\r\n")
            : .sendBytes(kind == .socks4a ? [0, 90, 0, 0, 0, 0, 0, 0] : [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), .readBytes(5),
          .open(gate), .stall,
        ])
      }
    }
  }

  @Test(
    "A proxy that hangs ends in a connect timeout, and nothing is left", arguments: HTTPProxy.Kind.allCases,
    Silence.allCases)
  func timeout(kind: HTTPProxy.Kind, silence: Silence) async throws {
    let gate = Gate()
    let scene = try silent(kind, silence, gate)
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = scene.client(shards: shards, clock: clock) {
      $0.timeouts = TimeoutConfiguration(connect: .seconds(5), connectionWait: nil)
    }
    let failures = EventRecorder<TransportError?>()
    let task = Task { failures.record(await client.failure(of: .get(scene.url))) }
    try await gate.opened(within: .seconds(30))
    await clock.advance(by: .seconds(1), until: failures)
    await task.value
    let error = try #require(failures.events.first ?? nil)
    #expect(error.code == .connectTimeout)
    #expect(error.phase == (silence == .tunnelled ? .tls : .proxy))
    if silence != .tunnelled {
      #expect(error.reason.contains("\(kind.rawValue)://127.0.0.1:\(scene.proxy.port)"))
    }
    #expect(error.peers.map(\.address) == ["127.0.0.1:\(scene.proxy.port)"])
    await client.shutdown(grace: .zero)
    #expect(ClientSockets.count(toPort: scene.proxy.port) == 0)
    await shards.shutDown()
  }

  @Test(
    "Cancelled at any step of a tunnel, a request ends at once and leaves nothing", arguments: HTTPProxy.Kind.allCases,
    Silence.allCases)
  func cancellation(kind: HTTPProxy.Kind, silence: Silence) async throws {
    let gate = Gate()
    let scene = try silent(kind, silence, gate)
    let client = scene.client()
    let task = Task { await client.failure(of: .get(scene.url)) }
    try await gate.opened(within: .seconds(30))
    task.cancel()
    #expect(await task.value?.code == .cancelled)
    await client.shutdown(grace: .zero)
    try await scene.proxy.server.waitForConnectionsClosed(1)
    #expect(ClientSockets.count(toPort: scene.proxy.port) == 0)
  }

  @Test("A proxy that does not answer the TLS handshake ends in a connect timeout that names it")
  func silentTLS() async throws {
    let gate = Gate()
    let proxy = try ScriptedServer.start(.steps([.readBytes(5), .open(gate), .stall]))
    defer { proxy.stop() }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    var configuration = HTTPClientConfiguration.through(.local(.https, proxy.port))
    configuration.timeouts = TimeoutConfiguration(connect: .seconds(5), connectionWait: nil)
    let client = HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: shards, clock: clock))
    let failures = EventRecorder<TransportError?>()
    let task = Task { failures.record(await client.failure(of: .get("https://origin.test/"))) }
    try await gate.opened(within: .seconds(30))
    await clock.advance(by: .seconds(1), until: failures)
    await task.value
    let error = try #require(failures.events.first ?? nil)
    #expect(error.code == .connectTimeout && error.phase == .tls)
    #expect(error.reason.contains("https://127.0.0.1:\(proxy.port)"))
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }

  @Test("A name that SOCKS cannot carry, and a token for SOCKS, fail before anything is sent")
  func unsendable() async throws {
    let scene = try ProxyScene(.socks5h, to: .http1)
    let error = try #require(await scene.client(.bearer("t0ken")).failure(of: .get(scene.url)))
    #expect(error.code == .invalidConfiguration && !error.description.contains("t0ken"))
    #expect(scene.proxy.requests.isEmpty)
  }

  @Test(
    "Digest is refused for SOCKS, which would send the password itself", arguments: [HTTPProxy.Kind.socks5, .socks5h])
  func socksDigest(kind: HTTPProxy.Kind) async throws {
    let scene = try ProxyScene(kind, to: .http1, credentials: ("u", "s3cret"))
    let error = try #require(await scene.client(.digest(user: "u", password: "s3cret")).failure(of: .get(scene.url)))
    #expect(error.code == .invalidConfiguration && !error.description.contains("s3cret"))
    #expect(error.reason.contains("Digest"))
    #expect(scene.proxy.requests.isEmpty)
  }

  @Test("A refusal whose body stalls behind its head is told after a second, with what came of it")
  func refusedHead() async throws {
    let gate = Gate()
    let proxy = try ScriptedServer.start(
      .steps([
        .readHead, .send("HTTP/1.1 403 Not from here\r\nContent-Length: 100\r\n\r\nbecause"), .open(gate), .stall,
      ]))
    defer { proxy.stop() }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    var configuration = HTTPClientConfiguration.through(.local(.http, proxy.port))
    configuration.timeouts = TimeoutConfiguration(connect: nil, connectionWait: nil, responseHead: nil, idle: nil)
    let client = HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: shards, clock: clock))
    let task = Task { await client.failure(of: .get("https://origin.test/")) }
    try await gate.opened()
    try await clock.waitForTimers(1)
    clock.advance(by: .seconds(1))
    let error = try #require(await task.value)
    #expect(error.code == .proxyRefused && error.phase == .proxy && error.sent == .nothing)
    #expect(error.proxyResponse?.head.status.code == 403)
    #expect(error.proxyResponse.map { String(decoding: $0.body.array, as: UTF8.self) } == "because")
    try await proxy.waitForConnectionsClosed(1)
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }

  @Test("A challenge to CONNECT on a connection that ends with it is answered on another one at once")
  func closingChallenge() async throws {
    let proxy = try ScriptedServer.start(
      .perConnection { number in
        number == 1
          ? .steps([
            .readHead,
            .send(
              "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nConnection: close\r\n"
                + "Content-Length: 100\r\n\r\npart"), .stall,
          ]) : .steps([.readHead, .send("HTTP/1.1 502 No\r\nContent-Length: 3\r\n\r\nend"), .stall])
      })
    defer { proxy.stop() }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = HTTPClient(
      configuration: .through(.local(.http, proxy.port, .any(user: "aladdin", password: "sesame"))),
      environment: EngineEnvironment(shards: shards, clock: clock))
    let error = try #require(await client.failure(of: .get("https://origin.test/")))
    #expect(error.proxyResponse?.head.status.code == 502)
    #expect(proxy.snapshot.requests.map { $0.headers["Proxy-Authorization"] } == [nil, aladdinField])
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }
}

extension HTTPProxy.Kind {
  fileprivate var isHTTP: Bool { self == .http || self == .https }
}
