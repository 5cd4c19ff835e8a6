import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

/// Credentials that the engine puts on by itself, and what the cache and shared exchanges make of them.
@Suite(.timeLimit(.minutes(1)))
struct EngineCredentialsTests {
  private static func echo(_ control: String) -> ServerScript {
    .handler { .text($0.headers["Authorization"] ?? "nobody").adding("Cache-Control", control) }
  }

  private static func pack(_ cache: any ResponseCache = InMemoryResponseCache()) -> CachePack {
    CachePack(responseCachePolicy: .serverDirected(), responseCache: cache)
  }

  private static func engine(_ token: String, for server: ScriptedServer) throws -> HTTPClientConfiguration {
    var engine = HTTPClientConfiguration()
    engine.credentials = [try HTTPURL(server.url("/")).origin: .bearer(token)]
    return engine
  }

  private static func client(
    _ server: ScriptedServer, _ engine: HTTPClientConfiguration, cache: any ResponseCache = InMemoryResponseCache()
  ) -> DefaultNetworkClient {
    DefaultNetworkClient(
      configuration: NetworkConfiguration.local(.test(server.url("/")), cache: pack(cache)).engine(engine))
  }

  @Test(
    "a response to the engine's credentials is stored only with the server's permission (RFC 9111 §3.5)",
    arguments: [
      ("max-age=60", 2), ("public, max-age=60", 1), ("must-revalidate, max-age=60", 1),
      ("s-maxage=60, max-age=60", 1), ("no-store, public, max-age=60", 2),
    ])
  func permission(control: String, requests: Int) async throws {
    let server = try ScriptedServer.start(Self.echo(control))
    defer { server.stop() }
    let client = Self.client(server, try Self.engine("one", for: server))
    for _ in 0..<2 { #expect(try await client.perform(.get(server.url("/x"))).text == "Bearer one") }
    #expect(server.snapshot.requests.count == requests)
    await client.shutdown()
  }

  @Test("credentials that answer a challenge count, those that nobody asked for do not", arguments: [true, false])
  func challenge(isAsked: Bool) async throws {
    let server = try ScriptedServer.start(
      .handler { request in
        isAsked && request.headers["Authorization"] == nil
          ? ServerResponse(401).adding("WWW-Authenticate", "Basic realm=x")
          : .text("in").adding("Cache-Control", "max-age=60")
      })
    defer { server.stop() }
    var engine = HTTPClientConfiguration()
    engine.credentials = [try HTTPURL(server.url("/")).origin: .any(user: "user", password: "password")]
    let client = Self.client(server, engine)
    for _ in 0..<2 { #expect(try await client.perform(.get(server.url("/x"))).text == "in") }
    // Basic is remembered, so that the second request is not challenged.
    #expect(server.snapshot.requests.count == (isAsked ? 3 : 1))
    await client.shutdown()
  }

  @Test("two clients with one cache and different credentials never see each other's bytes")
  func twoClients() async throws {
    let server = try ScriptedServer.start(Self.echo("public, max-age=60"))
    defer { server.stop() }
    let cache = InMemoryResponseCache()
    let clients = try ["one", "two"].map { Self.client(server, try Self.engine($0, for: server), cache: cache) }
    let stranger = Self.client(server, HTTPClientConfiguration(), cache: cache)
    for _ in 0..<2 {
      #expect(try await clients[0].perform(.get(server.url("/x"))).text == "Bearer one")
      #expect(try await clients[1].perform(.get(server.url("/x"))).text == "Bearer two")
      #expect(try await stranger.perform(.get(server.url("/x"))).text == "nobody")
    }
    #expect(server.snapshot.requests.count == 3)
    for client in clients + [stranger] { await client.shutdown() }
  }

  @Test("one client whose requests are sent with changing credentials")
  func changing() async throws {
    let server = try ScriptedServer.start(Self.echo("public, max-age=60"))
    defer { server.stop() }
    let client = Self.client(server, HTTPClientConfiguration())
    for token in ["one", "two", nil, "one", "two", nil] {
      var request = HTTPRequest.get(server.url("/x"))
      request.options.credentials = token.map { .bearer($0) }
      #expect(try await client.perform(request).text == token.map { "Bearer \($0)" } ?? "nobody")
    }
    #expect(server.snapshot.requests.count == 3)
    await client.shutdown()
  }

  @Test("one client whose netrc file changes")
  func netrc() async throws {
    let server = try ScriptedServer.start(Self.echo("public, max-age=60"))
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    var engine = HTTPClientConfiguration()
    engine.netrc = .file(directory.path(of: "netrc"))
    let client = Self.client(server, engine)
    let users: [(text: String, sent: String)] = [
      ("machine 127.0.0.1 login ann password a", "Basic YW5uOmE="),
      ("machine 127.0.0.1 login barbara password b", "Basic YmFyYmFyYTpi"), ("machine other.test login x", "nobody"),
    ]
    for user in users {
      _ = try directory.write(user.text, to: "netrc")
      for _ in 0..<2 { #expect(try await client.perform(.get(server.url("/x"))).text == user.sent) }
    }
    #expect(server.snapshot.requests.count == 3)
    await client.shutdown()
  }

  /// Somebody between the typed client and the engine, whose credentials nobody above can know.
  private struct Between: HTTPTransport {
    let engine: HTTPClient

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse { try await engine.send(request) }
  }

  @Test("what was answered to credentials that the key cannot have is never stored")
  func unseen() async throws {
    let server = try ScriptedServer.start(Self.echo("public, max-age=60"))
    defer { server.stop() }
    let cache = InMemoryResponseCache()
    let configuration = NetworkConfiguration.local(.test(server.url("/")), cache: Self.pack(cache))
    for token in ["one", "two"] {
      let engine = HTTPClient(configuration: try Self.engine(token, for: server))
      let client = DefaultNetworkClient(configuration: configuration, transport: Between(engine: engine))
      #expect(try await client.perform(.get(server.url("/x"))).text == "Bearer \(token)")
      await client.shutdown()
      await engine.shutdown(grace: .zero)
    }
  }

  @Test("requests with different credentials share no exchange")
  func coalescing() async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(
      .handler { .text($0.headers["Authorization"] ?? "nobody").waiting(for: gate) })
    defer { server.stop() }
    let client = DefaultNetworkClient(
      configuration: .local(.test(server.url("/")), resilience: ResiliencePack(coalescing: .getOnly)))
    func send(_ token: String) async throws -> String {
      var request = HTTPRequest.get(server.url("/x"))
      request.options.credentials = .bearer(token)
      return try await client.perform(request).text
    }
    async let first = send("one")
    async let second = send("two")
    _ = try await server.waitForRequests(2)
    gate.open()
    #expect(try await [first, second] == ["Bearer one", "Bearer two"])
    await client.shutdown()
  }

  /// What leads a request on a way of its own.
  enum OwnWay: CaseIterable {
    case target, identity, verification, sameTLS, proxy
  }

  @Test(
    "a request that is led elsewhere, or has TLS settings of its own, is not the cache's", arguments: OwnWay.allCases)
  func ownWay(_ way: OwnWay) async throws {
    let fixture = CacheFixture(.cacheFirst(maxAge: .seconds(60))) { _ throws(NetworkError) in .canned(body: "a") }
    var request = HTTPRequest.get("https://h/a")
    switch way {
    case .target: request.options.connectTarget = .unixSocket("/run/x.sock")
    case .proxy: request.options.proxy = .fixed(HTTPProxy(kind: .http, host: "proxy"))
    case .sameTLS: request.options.tls = TLSConfiguration()
    case .verification:
      request.options.tls = TLSConfiguration()
      request.options.tls?.verifiesPeer = false
    case .identity:
      request.options.tls = TLSConfiguration()
      request.options.tls?.clientIdentity = TLSConfiguration.ClientIdentity(
        certificates: .file("/c"), privateKey: .file("/k"))
    }
    for _ in 0..<2 {
      _ = try await fixture.send(request)
      _ = try await fixture.send()
    }
    #expect(fixture.origin.count == 3)
  }
}
