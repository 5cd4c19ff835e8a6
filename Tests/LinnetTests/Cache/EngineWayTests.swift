import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

/// What the cache makes of the ways on which requests reach their servers.
@Suite(.timeLimit(.minutes(1)))
struct EngineWayTests {
  /// A server over TLS that says which client certificate it saw.
  private struct Scene {
    let certificates: TestCertificates
    let server: ScriptedServer
    let cache = InMemoryResponseCache()

    init() throws {
      certificates = try TestCertificates()
      var options = ScriptedServer.Options()
      options.tls = ServerTLS(try certificates.loopback())
      options.tls?.clientAuthority = certificates.authority
      options.tls?.acceptsMissingClientCertificate = true
      server = try ScriptedServer.start(
        .handler { request in
          .text(request.tls?.clientCertificateSubject ?? "nobody").adding("Cache-Control", "public, max-age=60")
        }, options: options)
    }

    var trusting: HTTPClientConfiguration {
      var engine = HTTPClientConfiguration()
      engine.tls.trustRoots = .only([.file(certificates.authorityFile)])
      return engine
    }

    func identified(as name: String) throws -> HTTPClientConfiguration {
      let files = try certificates.write(try certificates.client(commonName: name), as: name)
      var engine = trusting
      engine.tls.clientIdentity = .init(certificates: .file(files.chain), privateKey: .file(files.privateKey))
      return engine
    }

    func client(_ engine: HTTPClientConfiguration, _ trust: TrustPolicy = .systemDefault) -> DefaultNetworkClient {
      DefaultNetworkClient(
        configuration: NetworkConfiguration.local(
          .test(server.url()), cache: CachePack(responseCachePolicy: .serverDirected(), responseCache: cache),
          transport: TransportPack(trustPolicy: trust)
        ).engine(engine))
    }

    func get(_ client: DefaultNetworkClient, _ tls: TLSConfiguration? = nil) async throws(NetworkError) -> String {
      var request = HTTPRequest.get(server.url("/x"))
      request.options.tls = tls
      return try await client.perform(request).text
    }

    /// Whether a client that knows the server's authority not was kept from an answer.
    func isRefused(_ client: DefaultNetworkClient) async -> Bool {
      let error = await failure { () async throws(NetworkError) in try await get(client) }
      if case .trustEvaluationFailed? = error { return true }
      return false
    }
  }

  @Test("clients with one cache and different client certificates never see each other's bytes")
  func identities() async throws {
    let scene = try Scene()
    defer { scene.server.stop() }
    let ann = try scene.identified(as: "ann")
    let clients = [scene.client(ann), scene.client(try scene.identified(as: "bob")), scene.client(scene.trusting)]
    for _ in 0..<2 {
      #expect(try await scene.get(clients[0]).contains("ann"))
      #expect(try await scene.get(clients[1]).contains("bob"))
      #expect(try await scene.get(clients[2]) == "nobody")
    }
    #expect(scene.server.snapshot.requests.count == 3)
    let other = scene.client(ann)
    #expect(try await scene.get(other).contains("ann"))
    #expect(scene.server.snapshot.requests.count == 3, "the same certificate is the same user")
    for client in clients + [other] { await client.shutdown() }
  }

  @Test("what a client got that verifies nothing is no answer to one that verifies", arguments: [false, true])
  func verification(isOfPolicy: Bool) async throws {
    let scene = try Scene()
    defer { scene.server.stop() }
    var careless = HTTPClientConfiguration()
    careless.tls.verifiesPeer = isOfPolicy
    let filling = scene.client(
      careless, isOfPolicy ? .insecureAcceptAnyCertificate(hosts: ["127.0.0.1"]) : .systemDefault)
    #expect(try await scene.get(filling) == "nobody")
    let verifying = scene.client(HTTPClientConfiguration())
    #expect(await scene.isRefused(verifying))
    for client in [filling, verifying] { await client.shutdown() }
  }

  @Test("what a request got that verifies nothing is no answer to one that verifies")
  func requestVerification() async throws {
    let scene = try Scene()
    defer { scene.server.stop() }
    let client = scene.client(HTTPClientConfiguration())
    var careless = TLSConfiguration()
    careless.verifiesPeer = false
    #expect(try await scene.get(client, careless) == "nobody")
    #expect(await scene.isRefused(client))
    await client.shutdown()
  }
}

/// The marks of ways.
@Suite struct EngineWayMarkTests {
  private final class Verifier: CertificateVerifier {
    func decide(on presented: PresentedCertificates) async -> CertificateDecision { .useDefault }
  }

  private static func mark(
    _ trust: TrustPolicy = .systemDefault, _ change: (inout HTTPClientConfiguration) -> Void = { _ in }
  ) -> String? {
    var engine = HTTPClientConfiguration()
    change(&engine)
    return EngineWay(engine, trustPolicy: trust).own
  }

  private static func proxy(_ change: (inout HTTPProxy) -> Void = { _ in }) -> ProxyConfiguration {
    var proxy = HTTPProxy(kind: .http, host: "proxy", port: 1)
    change(&proxy)
    return .fixed(proxy)
  }

  @Test("settings that say nothing about the way leave the keys as they are")
  func ordinary() {
    #expect(Self.mark() == nil)
    let unconcerned = Self.mark { engine in
      engine.tls.minimumVersion = .tls13
      engine.tls.resumesSessions = false
      engine.pool.maximumConnectionsPerOrigin = 1
      engine.proxy.exceptions = ["a"]
    }
    #expect(unconcerned == nil)
    let key = CacheKeyRules().key(method: "GET", url: "https://h/", headers: [:], way: Self.mark())
    #expect(key == ResponseCacheKey(method: "GET", url: "https://h/"))
  }

  @Test("different ways have different marks, which show nothing")
  func distinct() throws {
    let identity = TLSConfiguration.ClientIdentity(certificates: .file("/secret"), passphrase: "secret")
    let stored = TLSConfiguration.ClientIdentity(pkcs12: .file("/secret"), passphrase: "secret")
    let pin = try #require(PublicKeyPin(sha256: Array(repeating: 7, count: 32)))
    let marks: [String?] = [
      Self.mark { $0.tls.clientIdentity = identity }, Self.mark { $0.tls.clientIdentity = stored },
      Self.mark { $0.tls.clientIdentity = .init(certificates: .bytes(Array("/secret".utf8))) },
      Self.mark { $0.tls.verifiesPeer = false }, Self.mark { $0.tls.usesEnvironment = false },
      Self.mark { $0.tls.trustRoots = .only([.file("/a")]) },
      Self.mark { $0.tls.trustRoots = .only([.file("/a"), .file("/b")]) },
      Self.mark { $0.tls.trustRoots = .systemAnd([.file("/a")]) },
      Self.mark { $0.tls.serverName = "other" }, Self.mark { $0.tls.pinnedPublicKeys = [pin] },
      Self.mark { $0.tls.certificateVerifier = Verifier() }, Self.mark { $0.tls.certificateVerifier = Verifier() },
      Self.mark { $0.connectTarget = .unixSocket("/s") }, Self.mark { $0.connectTarget = .host("h", port: 1) },
      Self.mark { $0.connectOverrides = [ConnectOverride(host: "a", targetHost: "b")] },
      Self.mark { $0.resolveOverrides = ["a": ["127.0.0.1"]] },
      Self.mark { $0.resolveOverrides = ["a": ["127.0.0.1", "127.0.0.2"]] },
      Self.mark { $0.socket.localAddress = "127.0.0.1" }, Self.mark { $0.socket.localInterface = "127.0.0.1" },
      Self.mark { $0.proxy = Self.proxy() }, Self.mark { $0.proxy = Self.proxy { $0.kind = .https } },
      Self.mark { $0.proxy = Self.proxy { $0.credentials = .basic(user: "secret", password: "secret") } },
      Self.mark { $0.proxy = Self.proxy { $0.headers = ["X-Secret": "secret"] } },
      Self.mark { $0.proxy = Self.proxy { $0.tls = TLSConfiguration() } },
      Self.mark { $0.proxy = .environment },
      Self.mark(.insecureAcceptAnyCertificate(hosts: ["a"])),
      Self.mark(.insecureAcceptAnyCertificate(hosts: ["a", "b"])),
    ]
    #expect(Set(marks).count == marks.count)
    #expect(marks.allSatisfy { $0?.hasPrefix("sha256:") == true && $0?.utf8.count == 71 })
  }

  @Test("the way without the client certificate is another, and known by the settings that lead there")
  func foreign() {
    var engine = HTTPClientConfiguration()
    engine.tls.clientIdentity = .init(certificates: .file("/c"))
    engine.tls.trustRoots = .only([.file("/a")])
    let way = EngineWay(engine, trustPolicy: .systemDefault)
    #expect(way.own != way.foreign)
    #expect(way.foreign == Self.mark { $0.tls.trustRoots = .only([.file("/a")]) })
    var options = HTTPRequestOptions()
    #expect(way.mark(of: options)?.text == way.own)
    options.tls = engine.tls.withoutClientIdentity
    #expect(way.mark(of: options)?.text == way.foreign)
    options.tls?.verifiesPeer = false
    #expect(way.mark(of: options) == nil)
  }
}
