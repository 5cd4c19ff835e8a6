import Glibc
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Certificates and keys that change while a client lives. The clock stands until the test moves it.
@Suite("TLS files that change", .timeLimit(.minutes(1)))
struct TLSContextSourceTests {
  enum Replacement: CaseIterable, Sendable { case byRename, inPlace }

  private let certificates: TestCertificates
  private let clock = ManualClock()

  init() throws { certificates = try TestCertificates() }

  private func write(_ text: String, to name: String, _ replacement: Replacement) throws {
    switch replacement {
    case .inPlace: try certificates.directory.write(text, to: name)
    case .byRename:
      let new = try certificates.directory.write(text, to: "\(name).new")
      #expect(rename(new, certificates.directory.path(of: name)) == 0)
    }
  }

  private func writeIdentity(_ name: String, _ replacement: Replacement = .inPlace) throws {
    let certificate = try certificates.client(commonName: name)
    try write(certificate.privateKeyPEM, to: "client.key", replacement)
    try write(certificate.chainPEM, to: "client.pem", replacement)
  }

  /// Every request on a connection of its own, once the clock has moved.
  private func client(_ change: (inout TLSConfiguration) -> Void) -> HTTPClient {
    var configuration = HTTPClientConfiguration.trusting(certificates)
    configuration.pool.maximumAge = .nanoseconds(1)
    change(&configuration.tls)
    return HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: clock.makeGroup(), clock: clock))
  }

  private func useIdentity(_ tls: inout TLSConfiguration) {
    tls.clientIdentity = .init(
      certificates: .file(certificates.directory.path(of: "client.pem")),
      privateKey: .file(certificates.directory.path(of: "client.key")))
  }

  private func startServer() throws -> ScriptedServer {
    try ScriptedServer.start(
      .handler { _ in .text("x") },
      options: .tls(try certificates.loopback()) { $0.clientAuthority = certificates.authority })
  }

  private func subject(_ server: ScriptedServer) -> String? {
    server.snapshot.requests.last?.tls?.clientCertificateSubject
  }

  @Test(
    "new connections use a client certificate that was replaced, and resume nothing of before",
    arguments: Replacement.allCases)
  func identity(replacement: Replacement) async throws {
    let server = try startServer()
    defer { server.stop() }
    try writeIdentity("first")
    let client = client(useIdentity)
    #expect(try await client.send(.get(server.url())).text() == "x")
    #expect(subject(server) == "CN=first")

    clock.advance(by: .milliseconds(1500))
    #expect(try await client.send(.get(server.url())).text() == "x")
    #expect(server.snapshot.requests.last?.tls?.isResumed == true)

    try writeIdentity("second", replacement)
    // Within the second nobody looks.
    clock.advance(by: .milliseconds(500))
    #expect(try await client.send(.get(server.url())).text() == "x")
    #expect(subject(server) == "CN=first")
    clock.advance(by: .milliseconds(600))
    #expect(try await client.send(.get(server.url())).text() == "x")
    #expect(subject(server) == "CN=second")
    #expect(server.snapshot.requests.last?.tls?.isResumed == false)
  }

  @Test("connections that exist stay as they are")
  func existing() async throws {
    let server = try startServer()
    defer { server.stop() }
    try writeIdentity("first")
    var configuration = HTTPClientConfiguration.trusting(certificates)
    useIdentity(&configuration.tls)
    let client = HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: clock.makeGroup(), clock: clock))
    #expect(try await client.send(.get(server.url())).text() == "x")
    try writeIdentity("second")
    clock.advance(by: .seconds(2))
    #expect(try await client.send(.get(server.url())).text() == "x")
    #expect(server.snapshot.connectionCount == 1)
  }

  @Test("files that cannot be used when they have changed leave the last good ones in use, until they change again")
  func brokenMeanwhile() async throws {
    let server = try startServer()
    defer { server.stop() }
    try writeIdentity("first")
    let client = client(useIdentity)
    #expect(try await client.send(.get(server.url())).text() == "x")
    // The key is replaced and the certificate is not, yet; then it is half written; then both are gone.
    let second = try certificates.client(commonName: "second")
    let faults: [() throws -> Void] = [
      { try write(second.privateKeyPEM, to: "client.key", .inPlace) },
      { try write(String(second.chainPEM.prefix(100)), to: "client.pem", .inPlace) },
      { unlink(certificates.directory.path(of: "client.pem")) },
    ]
    for fault in faults {
      try fault()
      clock.advance(by: .seconds(2))
      #expect(try await client.send(.get(server.url())).text() == "x")
      #expect(subject(server) == "CN=first")
    }
    try write(second.chainPEM, to: "client.pem", .byRename)
    clock.advance(by: .seconds(2))
    #expect(try await client.send(.get(server.url())).text() == "x")
    #expect(subject(server) == "CN=second")
  }

  @Test("files that cannot be used at first are an error, until they can")
  func brokenAtFirst() async throws {
    let server = try startServer()
    defer { server.stop() }
    let client = client(useIdentity)
    for _ in 0..<2 {
      #expect(await client.failure(of: .get(server.url()))?.code == .invalidClientIdentity)
      clock.advance(by: .seconds(2))
    }
    #expect(server.snapshot.connectionCount == 0)
    try writeIdentity("late")
    #expect(try await client.send(.get(server.url())).text() == "x")
  }

  @Test("authorities that were replaced decide on new connections", arguments: Replacement.allCases, [true, false])
  func authorities(replacement: Replacement, bySystem: Bool) async throws {
    let server = try ScriptedServer.start(
      .handler { _ in .text("x") }, options: .tls(try certificates.loopback()))
    defer { server.stop() }
    try write(certificates.authority.certificatePEM, to: "trusted.pem", .inPlace)
    let path = certificates.directory.path(of: "trusted.pem")
    var configuration = HTTPClientConfiguration()
    configuration.pool.maximumAge = .nanoseconds(1)
    configuration.tls.trustRoots = bySystem ? .system : .only([.file(path)])
    let client = HTTPClient(
      configuration: configuration,
      environment: EngineEnvironment(
        shards: clock.makeGroup(), clock: clock, variables: bySystem ? ["SSL_CERT_FILE": path] : [:]))
    #expect(try await client.send(.get(server.url())).text() == "x")
    let other = try TestCertificates(commonName: "Other CA")
    try write(other.authority.certificatePEM, to: "trusted.pem", replacement)
    clock.advance(by: .seconds(2))
    #expect(await client.failure(of: .get(server.url()))?.code == .certificateRejected)
    try write(other.authority.certificatePEM + certificates.authority.certificatePEM, to: "trusted.pem", replacement)
    clock.advance(by: .seconds(2))
    #expect(try await client.send(.get(server.url())).text() == "x")
  }

  @Test("many connections at a time look once and share what was made")
  func burst() async throws {
    let server = try startServer()
    defer { server.stop() }
    try writeIdentity("first")
    let client = client(useIdentity)
    let url = server.url()
    await withTaskGroup(of: String?.self) { group in
      for _ in 0..<20 { group.addTask { try? await client.send(.get(url)).text() } }
      for await text in group { #expect(text == "x") }
    }
  }
}
