import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Hooks of the application that lead a request away after it got its credentials, and stores that two users share.
@Suite("Credentials stay with their origin and their user")
struct OriginAttackTests {
  private static let away = "https://other.example.net/x"

  private func client(_ mock: MockTransport, _ policy: RefreshTokenPolicy) -> DefaultNetworkClient {
    .mocked(mock) {
      NetworkConfiguration.advanced(
        baseURL: $0,
        auth: AuthPack(refreshToken: policy, additionalSigners: [HeaderSigner(headers: ["X-Signature": "sekret"])])
      ).defaultHeaders(["X-Client": "sekret"])
    }
  }

  private var token: RefreshTokenPolicy { RefreshTokenPolicy(currentToken: { "sekret" }, refreshToken: { "sekret" }) }

  private func expectRefusal(_ client: DefaultNetworkClient, _ mock: MockTransport, culprit: String) async throws {
    let endpoint = EndpointBuilder<Item>.get("/a").authentication(.required)
    let error = try #require(await failure { () throws(NetworkError) in try await client.request(endpoint) })
    guard case .configuration(.invalidRequest(let text)) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(text.hasPrefix(culprit) && text.contains("other.example.net") && !text.contains("sekret"), "\(text)")
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("middleware cannot take the session's token to another origin")
  func middleware() async throws {
    let mock = MockTransport.item
    let client = client(mock, token)
    client.addMiddleware(Middleware { request in request.url = Self.away })
    try await expectRefusal(client, mock, culprit: "middleware")
  }

  @Test("a token policy cannot take its token to another origin")
  func tokenPolicy() async throws {
    let mock = MockTransport.item
    let policy = RefreshTokenPolicy(
      currentToken: { "sekret" }, refreshToken: { "sekret" },
      applyToken: { token, request in
        var request = request
        request.url = "\(Self.away)?token=\(token)"
        return request
      })
    try await expectRefusal(client(mock, policy), mock, culprit: "the token policy")
  }

  @Test("middleware may change path and query within the origin")
  func sameOrigin() async throws {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock)
    client.addMiddleware(Middleware { request in request.url = "https://api.example.com:443/v2/a?b=c" })
    _ = try await client.request(GetItem())
    #expect(mock.capturedRequest?.url == "https://api.example.com:443/v2/a?b=c")
  }

  @Test("two users whose tokens are default headers of their engines do not share responses of a cache")
  func sharedCache() async throws {
    let script = ServerScript.handler { request in
      .json(#"{"id":1,"name":"\#(request.headers["Authorization"] ?? "nobody")"}"#)
    }
    try await ScriptedServer.with(script) { server async throws in
      let cache = InMemoryResponseCache()
      func client(_ user: String?) -> DefaultNetworkClient {
        var engine = HTTPClientConfiguration()
        engine.defaultHeaders["Authorization"] = user
        return DefaultNetworkClient(
          configuration: .local(
            .test(server.url()),
            cache: CachePack(responseCachePolicy: .cacheFirst(maxAge: .seconds(60)), responseCache: cache)
          ).engine(engine))
      }
      for _ in 0..<2 {
        for user in ["alice", "bob"] {
          let client = client(user)
          #expect(try await client.request(GetItem()).name == user)
          await client.shutdown()
        }
      }
      let anonymous = client(nil)
      #expect(try await anonymous.request(GetItem()).name == "nobody")
      await anonymous.shutdown()
    }
  }

  @Test("a default header of the engine loses against every other, and can be left out")
  func engineHeaders() async throws {
    try await ScriptedServer.with(.handler { _ in .item }) { server async throws in
      var engine = HTTPClientConfiguration()
      engine.defaultHeaders["X-Key"] = "engine"
      let client = DefaultNetworkClient(configuration: .local(.test(server.url())).engine(engine))
      _ = try await client.request(GetItem())
      _ = try await client.request(EndpointBuilder<Item>.get("/").header("X-Key", value: "own"))
      var request = HTTPRequest.get(server.url())
      request.options.omittedDefaultHeaders = ["x-key"]
      _ = try await client.perform(request)
      #expect(server.snapshot.requests.map { $0.headers.values(for: "X-Key") } == [["engine"], ["own"], []])
      await client.shutdown()
    }
  }

  @Test("the engine's client certificate is shown to the base URL's origin and to no other")
  func clientCertificate() async throws {
    let certificates = try TestCertificates()
    let files = try certificates.write(try certificates.client(commonName: "worker-7"))
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.loopback())
    options.tls?.clientAuthority = certificates.authority
    let foreign = try ScriptedServer.start(.handler { _ in .item }, options: options)
    defer { foreign.stop() }
    let away = foreign.url()
    let script = ServerScript.handler { $0.path == "/away" ? .redirect(302, to: away) : .item }
    try await ScriptedServer.with(script, options: options) { server async throws in
      var engine = HTTPClientConfiguration()
      engine.tls.trustRoots = .only([.file(certificates.authorityFile)])
      engine.tls.clientIdentity = .init(certificates: .file(files.chain), privateKey: .file(files.privateKey))
      let client = DefaultNetworkClient(configuration: .local(.test(server.url())).engine(engine))
      #expect(try await client.request(GetItem()) == Item())
      #expect(server.snapshot.requests.first?.tls?.clientCertificateSubject?.contains("worker-7") == true)
      for endpoint in [EndpointBuilder<Item>.get("/").absoluteURL(.test(away)), .get("/away")] {
        // This server demands a certificate and gets none.
        #expect(await failure { () throws(NetworkError) in try await client.request(endpoint) } != nil)
      }
      #expect(foreign.snapshot.requests.isEmpty)
      await client.shutdown()
    }
  }

  @Test("a cancelled call leaves no validation in the background behind")
  func cancelledRevalidation() async {
    let activity = CacheActivity()
    let scheduled = EventRecorder<Int>()
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      activity.revalidate(
        ResponseCacheKey(method: "GET", url: "https://a.test/"), scheduled: { scheduled.record(1) },
        { scheduled.record(2) })
    }
    await call.value
    #expect(scheduled.events.isEmpty)
    #expect(activity.revalidationCount == 0)
  }
}
