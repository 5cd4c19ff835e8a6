import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Which version of HTTP endpoints use, in front of servers that agree to HTTP/2 and others that do not.
@Suite("Versions of HTTP, whole calls", .timeLimit(.minutes(1)))
struct HTTPVersionTests {
  private static let script = ServerScript.handler(onHead: { request in
    switch request.path {
    case "/refused": .resetStream(7)
    case "/reset": .resetStream(2)
    default: .readBody
    }
  }) { _ in .text("hello") }

  /// Calls `body` with a typed client whose engine has this policy, and a server with TLS.
  private func withClient(
    _ policy: HTTPVersionPolicy?, offering protocols: [String] = ["h2", "http/1.1"],
    _ body: (DefaultNetworkClient, ScriptedServer) async throws -> Void
  ) async throws {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.loopback())
    options.tls?.applicationProtocols = protocols
    var engine = HTTPClientConfiguration()
    engine.tls.trustRoots = .only([.bytes(Array(certificates.authority.certificatePEM.utf8))])
    if let policy { engine.httpVersion = policy }
    try await ScriptedServer.with(Self.script, options: options) { server async throws in
      let client = DefaultNetworkClient(
        configuration: .advanced(
          baseURL: .test(server.url()), resilience: ResiliencePack(retry: ImmediateRetryPolicy(maxRetries: 2))
        ).engine(engine))
      let result: Result<Void, any Error>
      do {
        result = .success(try await body(client, server))
      } catch {
        result = .failure(error)
      }
      await client.shutdown()
      try result.get()
    }
  }

  @Test(
    "over TLS an endpoint uses HTTP/2 when the server agrees, unless the engine declines",
    arguments: [
      (nil, ["h2", "http/1.1"], .http2), (nil, ["http/1.1"], .http1_1), (.http1Only, ["h2", "http/1.1"], .http1_1),
      (.http2Only, ["h2"], .http2),
    ] as [(HTTPVersionPolicy?, [String], HTTPVersion)])
  func overTLS(_ policy: HTTPVersionPolicy?, _ protocols: [String], _ version: HTTPVersion) async throws {
    try await withClient(policy, offering: protocols) { client, server async throws in
      let (text, response) = try await client.requestWithResponse(
        EndpointBuilder<String>.get("/a").priority(.userInitiated))
      #expect(text == "hello" && response.response.version == version)
      let request = try await server.waitForRequests(1)[0]
      #expect(request.majorVersion == (version == .http2 ? 2 : 1) && request.headers["Priority"] == "u=1")
      #expect(server.snapshot.violations.isEmpty)
    }
  }

  @Test("an engine for cleartext HTTP/2 takes the typed client along")
  func priorKnowledge() async throws {
    var options = ScriptedServer.Options()
    options.acceptsHTTP2PriorKnowledge = true
    try await ScriptedServer.with(Self.script, options: options) { server async throws in
      var engine = HTTPClientConfiguration()
      engine.httpVersion = .http2PriorKnowledge
      let client = DefaultNetworkClient(configuration: .local(.test(server.url())).engine(engine))
      let (_, response) = try await client.requestWithResponse(EndpointBuilder<String>.get("/a"))
      #expect(response.response.version == .http2)
      await client.shutdown()
    }
  }

  @Test("a server without HTTP/2 where it is insisted on is one error, and is not asked again")
  func notNegotiated() async throws {
    try await withClient(.http2Only, offering: []) { client, server async throws in
      let error = await failure { () throws(NetworkError) in
        try await client.request(EndpointBuilder<String>.get("/a"))
      }
      #expect(error?.transport?.code == .http2NotNegotiated && error?.errorCode == 4001)
      #expect(error?.isRetriableHint == false && error?.transport?.sent == .nothing)
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test("a reset stream is a lost connection to its call: a GET is repeated, a POST is not, and others go on")
  func reset() async throws {
    try await withClient(nil) { client, server async throws in
      for (endpoint, tries) in [
        (EndpointBuilder<String>.get("/reset"), 3), (EndpointBuilder<String>.post("/reset"), 1),
      ] {
        let before = server.snapshot.headCount
        let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
        #expect(error?.transport?.code == .streamReset && error?.transport?.http2ErrorCode == 2)
        guard case .reachability(.networkConnectionLost, _, _)? = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(server.snapshot.headCount - before == tries)
      }
      #expect(try await client.request(EndpointBuilder<String>.get("/a")) == "hello")
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test("a request that the server refuses every time says that nothing of it was processed")
  func refused() async throws {
    try await withClient(nil) { client, server async throws in
      let error = await failure { () throws(NetworkError) in
        try await client.request(EndpointBuilder<String>.post("/refused"))
      }
      #expect(error?.transport?.code == .streamRefused && error?.transport?.sent == .nothing)
      #expect(error?.stableCategory == "reachability.connection_lost")
    }
  }
}
