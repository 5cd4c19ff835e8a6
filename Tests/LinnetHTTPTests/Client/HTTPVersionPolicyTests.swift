import LinnetHTTP
import LinnetTestSupport
import Testing

/// Which version a request is sent over.
@Suite("Versions of HTTP", .timeLimit(.minutes(1)))
struct HTTPVersionPolicyTests {
  /// What a server speaks over TLS, most wanted first.
  static let offers: [[String]] = [["h2", "http/1.1"], ["http/1.1", "h2"], ["h2"], ["http/1.1"], []]

  /// What comes of it; nil: an error.
  private static func expected(_ policy: HTTPVersionPolicy, _ offer: [String]) -> Int? {
    switch policy {
    case .automatic: offer.first == "h2" ? 2 : 1
    case .http1Only: offer == ["h2"] ? nil : 1
    case .http2Only, .http2PriorKnowledge: offer.contains("h2") ? 2 : nil
    }
  }

  @Test(
    "over TLS the policy and the server's choice decide, for the client and for one request",
    arguments: [HTTPVersionPolicy.automatic, .http1Only, .http2Only, .http2PriorKnowledge], offers)
  func negotiated(_ policy: HTTPVersionPolicy, _ offer: [String]) async throws {
    let wire = try Wire(.http2TLS)
    let server = try wire.start(.handler { .text("\($0.majorVersion)") }) { $0.tls?.applicationProtocols = offer }
    defer { server.stop() }
    let byClient = wire.client { $0.httpVersion = policy }
    let byRequest = wire.client { $0.httpVersion = policy == .http1Only ? .automatic : .http1Only }
    let request = HTTPRequest.get(server.url("/"))
    for (client, request) in [(byClient, request), (byRequest, request.with { $0.options.httpVersion = policy })] {
      do throws(TransportError) {
        let response = try await client.send(request)
        #expect(try await response.text() == Self.expected(policy, offer).map { "\($0)" })
        #expect((response.version == .http2) == (Self.expected(policy, offer) == 2))
      } catch {
        #expect(Self.expected(policy, offer) == nil, "\(error)")
        #expect(error.code == (policy == .http1Only ? .tlsHandshakeFailed : .http2NotNegotiated))
        #expect(error.phase == .tls)
        #expect(error.sent == .nothing)
      }
    }
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test(
    "in cleartext only prior knowledge makes it HTTP/2",
    arguments: [HTTPVersionPolicy.automatic, .http1Only, .http2PriorKnowledge])
  func cleartext(_ policy: HTTPVersionPolicy) async throws {
    let wire = try Wire(.http2)
    let server = try wire.start(.handler { .text("\($0.majorVersion)") })
    defer { server.stop() }
    let client = wire.client { $0.httpVersion = policy }
    #expect(try await client.send(.get(server.url("/"))).text() == (policy == .http2PriorKnowledge ? "2" : "1"))
  }

  @Test("in cleartext a request that wants HTTP/2 by negotiation is refused before anything is connected")
  func cleartextOnly() async throws {
    let wire = try Wire(.http2)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let error = try #require(await wire.client { $0.httpVersion = .http2Only }.failure(of: .get(server.url("/"))))
    #expect(error.code == .http2NotNegotiated)
    #expect(error.sent == .nothing)
    #expect(server.snapshot.connectionCount == 0)
  }

  @Test("requests of both versions to one server share no connection, and each is reused by its own")
  func mixed() async throws {
    let wire = try Wire(.http2TLS)
    let server = try wire.start(.handler { .text("\($0.majorVersion)") }) {
      $0.tls?.applicationProtocols = ["h2", "http/1.1"]
    }
    defer { server.stop() }
    let client = wire.client()
    for round in 0..<3 {
      for (policy, version) in [(HTTPVersionPolicy.http1Only, "1"), (.automatic, "2")] {
        let response = try await client.send(.get(server.url("/")).with { $0.options.httpVersion = policy })
        #expect(try await response.text() == version)
        #expect(response.connection.isReused == (round > 0))
      }
    }
    #expect(server.snapshot.connectionCount == 2)
  }

  @Test("requests do not wait for the server's settings")
  func lateSettings() async throws {
    let gate = Gate()
    let wire = try Wire(.http2)
    let server = try wire.start(.handler { .text($0.path) }) { $0.http2.settingsGate = gate }
    defer { server.stop() }
    let client = wire.client()
    let first = Task { try await client.send(.get(server.url("/1"))).text() }
    try await server.waitForRequests(1)
    gate.open()
    #expect(try await first.value == "/1")
  }
}
