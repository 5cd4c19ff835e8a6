import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// What the errors of the typed client say, whole calls over real sockets.
@Suite("Reports: errors of whole calls", .timeLimit(.minutes(1)))
struct TypedErrorReportTests {
  private func failure(
    at authority: String, scheme: String = "http", change: (inout HTTPClientConfiguration) -> Void = { _ in }
  ) async throws -> NetworkError {
    var engine = HTTPClientConfiguration()
    change(&engine)
    let client = DefaultNetworkClient(
      configuration: .local(
        .test("\(scheme)://\(authority)/a"), resilience: ResiliencePack(retry: ImmediateRetryPolicy(maxRetries: 1)),
        auth: AuthPack(additionalRequestInterceptors: [BearerTokenInterceptor { "sekret" }])
      ).engine(engine))
    let endpoint = EndpointBuilder<Item>.get("/b").query(["token": "sekret"])
    let error = await LinnetTests.failure { () throws(NetworkError) in try await client.request(endpoint) }
    await client.shutdown()
    return try #require(error)
  }

  /// One line with method, redacted URL, phase, cause and peer, attempt and time.
  private func expectLine(
    _ error: NetworkError, scheme: String = "http", authority: String, phase: String, cause: String, start: String = ""
  ) {
    let line = "\(error)"
    #expect(line.hasPrefix("\(start)GET \(scheme)://\(authority)/a/b?token=<redacted>: \(phase)"), "\(line)")
    #expect(line.contains(cause), "\(line)")
    #expect(line.dropFirst(start.count + 12 + authority.count).contains(authority), "\(line)")
    #expect(line.contains(/\[(?:[0-9.:]+, )?attempt [12], [0-9.]+ m?s\]$/), "\(line)")
    #expect(!line.contains("sekret") && !line.contains { $0.isNewline }, "\(line)")
    var dumped = ""
    dump(error, to: &dumped)
    #expect(!dumped.contains("sekret"), "\(dumped)")
  }

  @Test("OBS-03: a closed port")
  func closedPort() async throws {
    let server = try ScriptedServer.start(.steps([.close]))
    server.stop()
    let error = try await failure(at: server.authority)
    #expect(error.stableCategory == "reachability.connection_refused")
    expectLine(error, authority: server.authority, phase: "connect: ", cause: "connection refused")
    #expect(error.transport?.attempts == 2, "it was retried once")
  }

  @Test("OBS-03: a silent port")
  func silentPort() async throws {
    var options = ScriptedServer.Options()
    options.acceptance = .nothingWithFullBacklog
    options.acceptBacklog = 1
    let server = try ScriptedServer.start(.steps([.stall]), options: options)
    defer { server.stop() }
    let error = try await failure(at: server.authority) {
      $0.timeouts = TimeoutConfiguration(connect: .milliseconds(50), connectionWait: nil)
    }
    #expect(error.stableCategory == "timeout.connection")
    expectLine(error, authority: server.authority, phase: "connect: ", cause: "within 50 ms")
  }

  @Test("OBS-03: a certificate for another name")
  func wrongName() async throws {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.wrongHost())
    let server = try ScriptedServer.start(.steps([.readRequest, .stall]), options: options)
    defer { server.stop() }
    let error = try await failure(at: server.authority, scheme: "https") {
      $0.tls.trustRoots = .only([.file(certificates.authorityFile)])
    }
    #expect(error.stableCategory == "trust.system_trust_evaluation_failed")
    expectLine(
      error, scheme: "https", authority: server.authority, phase: "tls: ", cause: "is for wrong.test",
      start: "server not trusted: ")
  }

  @Test("OBS-03: a cut body")
  func cutBody() async throws {
    let server = try ScriptedServer.start(
      .steps([.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n12345"), .close]))
    defer { server.stop() }
    let error = try await failure(at: server.authority)
    #expect(error.stableCategory == "reachability.connection_lost")
    expectLine(error, authority: server.authority, phase: "body: ", cause: "after 5 of 20 body bytes")
  }

  @Test("OBS-03: a status that is not accepted, with the peer that answered")
  func status() async throws {
    let server = try ScriptedServer.start(.handler { _ in ServerResponse(404) })
    defer { server.stop() }
    let error = try await failure(at: server.authority)
    expectLine(error, authority: server.authority, phase: "status 404 Not Found", cause: "404")
  }
}
