import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// A verifier that does what a test says and remembers what it saw.
private final class TestVerifier: CertificateVerifier {
  let seen = EventRecorder<PresentedCertificates>()
  let cancelled = EventRecorder<Void>()
  private let answer: @Sendable (PresentedCertificates) async throws -> CertificateDecision

  init(_ answer: @escaping @Sendable (PresentedCertificates) async throws -> CertificateDecision) {
    self.answer = answer
  }

  /// - Parameter gate: The decision waits for it.
  convenience init(_ decision: CertificateDecision, after gate: Gate? = nil) {
    self.init { _ in
      try await gate?.opened()
      return decision
    }
  }

  func decide(on presented: PresentedCertificates) async -> CertificateDecision {
    seen.record(presented)
    do {
      return try await answer(presented)
    } catch {
      cancelled.record(())
      return .accept
    }
  }
}

@Suite("Certificate verifiers", .timeLimit(.minutes(1)))
struct CertificateVerifierTests {
  @Test(
    "a verifier sees host, port, chain and verdict of each new connection, also of a resumed session",
    arguments: WireProtocol.secure, [TLSConfiguration.Version.tls12, .tls13])
  func presented(version: WireProtocol, maximum: TLSConfiguration.Version) async throws {
    var wire = try Wire(version)
    let certificates = try #require(wire.certificates)
    let certificate = try certificates.server(ipAddresses: ["127.0.0.1"], issuer: try certificates.intermediate())
    wire.options.tls?.certificate = certificate
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let verifier = TestVerifier(.useDefault)
    let client = wire.client { configuration in
      configuration.tls.certificateVerifier = verifier
      configuration.tls.maximumVersion = maximum
      configuration.pool.maximumAge = .nanoseconds(1)
    }
    for _ in 0..<2 { #expect(try await client.send(.get(server.url())).text() == "x") }
    #expect(server.snapshot.requests.map { $0.tls?.isResumed } == [false, true])
    let seen = verifier.seen.events
    #expect(seen.count == 2 && seen.first == seen.last)
    let presented = try #require(seen.first)
    #expect(presented.host == "127.0.0.1")
    #expect(presented.port == server.port)
    #expect(presented.verdict == .accepted)
    #expect(presented.certificates.count == 2)
    let leaf = try #require(presented.certificates.first)
    #expect(leaf.publicKeyPin.description == certificate.publicKeyPin)
    #expect(leaf.subject == certificate.subject)
    #expect(leaf.issuer.contains("Intermediate"))
    #expect(leaf.ipAddresses == ["127.0.0.1"])
    #expect(leaf.notBefore < leaf.notAfter)
    #expect(PeerCertificate(der: leaf.der) == leaf)
    #expect(PeerCertificate(der: [1, 2, 3]) == nil)
  }

  @Test("it may accept what OpenSSL refuses, and leaving it to that refuses", arguments: WireProtocol.secure)
  func overrule(version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    for decision in [CertificateDecision.accept, .useDefault] {
      let verifier = TestVerifier(decision)
      let client = wire.client { configuration in
        configuration.tls.certificateVerifier = verifier
        configuration.tls.trustRoots = .only([])
      }
      let error = await client.failure(of: .get(server.url()))
      #expect(error?.code == (decision == .accept ? nil : .certificateRejected))
      guard case .rejected(let reason) = verifier.seen.events.first?.verdict else {
        Issue.record("the verdict is no rejection")
        continue
      }
      #expect(reason.contains("issuer"))
    }
  }

  @Test(
    "a rejection fails the request with its reason before anything is sent", arguments: WireProtocol.secure,
    [true, false])
  func reject(version: WireProtocol, verifiesPeer: Bool) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("never") })
    defer { server.stop() }
    let verifier = TestVerifier(.reject("not in the register"))
    let client = wire.client { configuration in
      configuration.tls.certificateVerifier = verifier
      configuration.tls.verifiesPeer = verifiesPeer
    }
    let error = try #require(await client.failure(of: .get(server.url())))
    #expect(error.code == .certificateRejected)
    #expect(error.phase == .tls)
    #expect(error.sent == .nothing)
    #expect(error.description.contains("not in the register"))
    #expect(verifier.seen.events.first?.verdict == (verifiesPeer ? .accepted : .notChecked))
    #expect(server.snapshot.headCount == 0)
  }

  @Test("with verification off there is nothing to leave it to: the connection is made")
  func unchecked() async throws {
    let wire = try Wire(.http1TLS)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = wire.client { configuration in
      configuration.tls.certificateVerifier = TestVerifier(.useDefault)
      configuration.tls.verifiesPeer = false
      configuration.tls.trustRoots = .only([])
    }
    #expect(try await client.send(.get(server.url())).text() == "x")
  }

  @Test("while it decides, other traffic of the same shard goes on", arguments: WireProtocol.secure)
  func shardIsFree(version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let gate = Gate()
    let verifier = TestVerifier(.useDefault, after: gate)
    let client = HTTPClient(
      configuration: wire.configuration, environment: EngineEnvironment(shards: ShardGroup(count: 1)))
    let url = server.url()
    var slow = HTTPRequest.get(url)
    var settings = wire.configuration.tls
    settings.certificateVerifier = verifier
    slow.options.tls = settings
    let request = slow
    let waiting = Task { try await client.send(request).text() }
    _ = try await verifier.seen.waitForCount(1)
    for _ in 0..<5 { #expect(try await client.send(.get(url)).text() == "x") }
    #expect(server.snapshot.requestCount == 5)
    gate.open()
    #expect(try await waiting.value == "x")
  }

  @Test("the connect timeout goes on while it decides, and cancels it")
  func deadline() async throws {
    let wire = try Wire(.http1TLS)
    let server = try wire.start(.handler { _ in .text("never") })
    defer { server.stop() }
    let gate = Gate()
    let verifier = TestVerifier(.accept, after: gate)
    let client = wire.client { configuration in
      configuration.tls.certificateVerifier = verifier
      configuration.timeouts.connect = .milliseconds(100)
    }
    let error = try #require(await client.failure(of: .get(server.url())))
    #expect(error.code == .connectTimeout)
    #expect(error.phase == .tls)
    _ = try await verifier.cancelled.waitForCount(1)
    #expect(server.snapshot.headCount == 0)
  }

  @Test("a request that is cancelled while it decides ends at once, and shutting down ends the decision")
  func cancellation() async throws {
    let wire = try Wire(.http1TLS)
    let server = try wire.start(.handler { _ in .text("never") })
    defer { server.stop() }
    let gate = Gate()
    let verifier = TestVerifier(.accept, after: gate)
    let client = wire.client { $0.tls.certificateVerifier = verifier }
    let request = HTTPRequest.get(server.url())
    let waiting = Task { await client.failure(of: request) }
    _ = try await verifier.seen.waitForCount(1)
    waiting.cancel()
    #expect(await waiting.value?.code == .cancelled)
    await client.shutdown()
    _ = try await verifier.cancelled.waitForCount(1)
    #expect(server.snapshot.headCount == 0)
  }

  @Test("settings are equal only with the same verifier, and connections of different ones are not shared")
  func identity() async throws {
    let wire = try Wire(.http1TLS)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let (first, second) = (TestVerifier(.useDefault), TestVerifier(.useDefault))
    var (one, other) = (wire.configuration.tls, wire.configuration.tls)
    one.certificateVerifier = first
    other.certificateVerifier = first
    #expect(one == other && one.hashValue == other.hashValue)
    other.certificateVerifier = second
    #expect(one != other)
    let client = wire.client()
    for settings in [one, other, one] {
      var request = HTTPRequest.get(server.url())
      request.options.tls = settings
      #expect(try await client.send(request).text() == "x")
    }
    #expect(first.seen.events.count == 1 && second.seen.events.count == 1)
    #expect(server.snapshot.requests.allSatisfy { $0.tls?.isResumed == false })
  }
}
