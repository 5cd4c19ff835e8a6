import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// What the errors of real failures say, through the raw client and the mapping.
@Suite("Reports: typed errors", .timeLimit(.minutes(1)))
struct ErrorReportTests {
  private static let path = "/a/b?token=sekret#sekret"

  private func failure(
    at authority: String, scheme: String = "http", change: (inout HTTPClientConfiguration) -> Void = { _ in }
  ) async throws -> NetworkError {
    var configuration = HTTPClientConfiguration()
    change(&configuration)
    let client = HTTPClient(configuration: configuration)
    var failure: NetworkError?
    do throws(TransportError) {
      _ = try await client.send(.get("\(scheme)://sekret:sekret@\(authority)\(Self.path)")).collect()
    } catch {
      failure = NetworkError.map(error)
    }
    await client.shutdown(grace: .zero)
    return try #require(failure)
  }

  /// One line with method, redacted URL, phase, cause and peer, attempt and time.
  private func expectLine(
    _ error: NetworkError, scheme: String = "http", authority: String, phase: String, cause: String, start: String = ""
  ) {
    let line = "\(error)"
    #expect(line.hasPrefix("\(start)GET \(scheme)://\(authority)/a/b?token=<redacted>: \(phase): "), "\(line)")
    #expect(line.contains(cause), "\(line)")
    #expect(line.dropFirst(start.count + 12 + authority.count).contains(authority), "\(line)")
    #expect(line.contains(/\[attempt 1, [0-9.]+ m?s\]$/), "\(line)")
    #expect(!line.contains("sekret") && !line.contains { $0.isNewline }, "\(line)")
    #expect(error.transport?.attempts == 1)
  }

  @Test("OBS-03: a closed port is a refused connection, not a timeout")
  func closedPort() async throws {
    let server = try ScriptedServer.start(.steps([.close]))
    server.stop()
    let error = try await failure(at: server.authority)
    #expect(error.stableCategory == "reachability.connection_refused")
    expectLine(error, authority: server.authority, phase: "connect", cause: "connection refused")
  }

  #if DEBUG
    @Test("OBS-03: a machine without a network is offline")
    func offline() async throws {
      let server = try ScriptedServer.start(.steps([.stall]))
      defer { server.stop() }
      let networkIsUnreachable: CInt = 101
      let error = try await SyscallFaultPlan().failingAll("connect", with: networkIsUnreachable).during {
        try await failure(at: server.authority)
      }
      #expect(error.isOffline)
      expectLine(error, authority: server.authority, phase: "connect", cause: "network is unreachable")
    }
  #endif

  @Test("OBS-03: a silent port is a connection timeout")
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
    expectLine(error, authority: server.authority, phase: "connect", cause: "within 50 ms")
  }

  @Test("OBS-03: a certificate for another name is a failure of trust")
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
      error, scheme: "https", authority: server.authority, phase: "tls", cause: "is for wrong.test",
      start: "server not trusted: ")
  }

  @Test("OBS-03: a cut body is a lost connection")
  func cutBody() async throws {
    let server = try ScriptedServer.start(
      .steps([.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n12345"), .close]))
    defer { server.stop() }
    let error = try await failure(at: server.authority)
    #expect(error.stableCategory == "reachability.connection_lost")
    expectLine(error, authority: server.authority, phase: "body", cause: "after 5 of 20 body bytes")
    #expect(error.transport?.sent == .all)
  }

  @Test("OBS-03: a status that is not accepted names method, URL, status, attempt and time")
  func status() {
    var response = ErrorSamples.response(404, body: "sekret")
    response.attempts = 3
    response.elapsed = .milliseconds(1234)
    #expect(
      "\(NetworkError.statusCode(response))"
        == "GET https://api.example.com/users?page=<redacted>: status 404 Not Found [attempt 3, 1.2 s]")
  }
}
