import LinnetBytes
import LinnetTLS
import Testing

@Suite("TLS sessions")
struct TLSSessionTests {
  /// Connects once and returns the sessions that the server issued.
  private func sessions(_ client: TLSContext, _ server: TLSContext) throws -> [TLSSession] {
    var pair = try TLSPair(client: client, server: server)
    #expect(pair.shakeHands().client == nil)
    _ = try pair.clientReads()
    // The transport ends without a close_notify, as it often does.
    return Array(pair.client.takeNewSessions())
  }

  private func contexts(_ version: TLSVersion, _ fixture: TLSFixture) throws -> (TLSContext, TLSContext) {
    var settings = fixture.clientSettings
    settings.maximumVersion = version
    return (try TLSContext(settings, role: .client), try TLSContext(fixture.serverSettings, role: .server))
  }

  @Test("a session is resumed, and the resumed connection carries data", arguments: TLSVersion.allCases, Cut.allCases)
  func resumption(version: TLSVersion, cut: Cut) throws {
    let fixture = try TLSFixture()
    let (client, server) = try contexts(version, fixture)
    let session = try #require(try sessions(client, server).last)
    #expect(session.isSingleUse == (version == .v1_3))
    var pair = try TLSPair(client: client, server: server, session: session, cut: cut)
    let errors = pair.shakeHands()
    #expect(errors.client == nil && errors.server == nil)
    #expect(pair.client.isResumed == true && pair.server.isResumed == true)
    #expect(try pair.client.peerCertificates().first == fixture.server.certificate)
    try pair.server.writeAll([1, 2, 3])
    #expect(try pair.clientReads().bytes == [1, 2, 3])
  }

  @Test("resumed connections get new tickets in TLS 1.3")
  func newTickets() throws {
    let fixture = try TLSFixture()
    let (client, server) = try contexts(.v1_3, fixture)
    let first = try sessions(client, server)
    #expect(first.count == 2)
    var pair = try TLSPair(client: client, server: server, session: first.last)
    #expect(pair.shakeHands().client == nil)
    _ = try pair.clientReads()
    #expect(pair.client.takeNewSessions().count >= 1)
    #expect(pair.client.takeNewSessions().isEmpty == true)
  }

  @Test("a session that the server does not know leads to a full handshake", arguments: TLSVersion.allCases)
  func unknownSession(version: TLSVersion) throws {
    let fixture = try TLSFixture()
    let (client, server) = try contexts(version, fixture)
    let session = try #require(try sessions(client, server).last)
    let (_, restarted) = try contexts(version, fixture)
    var pair = try TLSPair(client: client, server: restarted, session: session)
    #expect(pair.shakeHands().client == nil)
    #expect(pair.client.isResumed == false)
  }

  @Test("a session for another host is not resumed into", arguments: TLSVersion.allCases)
  func otherHost(version: TLSVersion) throws {
    let fixture = try TLSFixture()
    let (client, server) = try contexts(version, fixture)
    let session = try #require(try sessions(client, server).last)
    var pair = try TLSPair(client: client, server: server, name: .dns("other.test"), session: session)
    #expect(pair.shakeHands().client?.code == .hostnameMismatch(presented: ["example.test"]))
  }

  @Test("a session made without verification does not pass one with it", arguments: TLSVersion.allCases)
  func laxSession(version: TLSVersion) throws {
    let fixture = try TLSFixture()
    let other = try CertificateFactory.authority(commonName: "Another CA")
    var lax = fixture.clientSettings
    lax.maximumVersion = version
    lax.verification = .none
    var strict = fixture.clientSettings
    strict.maximumVersion = version
    strict.trust = .only([other.trust])
    let server = try TLSContext(fixture.serverSettings, role: .server)
    let session = try #require(try sessions(TLSContext(lax, role: .client), server).last)
    var pair = try TLSPair(client: TLSContext(strict, role: .client), server: server, session: session)
    #expect(pair.shakeHands().client != nil)
  }

  @Test("with client certificates sessions resume too", arguments: TLSVersion.allCases)
  func clientCertificates(version: TLSVersion) throws {
    let fixture = try TLSFixture()
    var settings = fixture.clientSettings
    settings.maximumVersion = version
    settings.identity = try CertificateFactory.client(issuer: fixture.authority).identity
    var serverSettings = fixture.serverSettings
    serverSettings.requiresClientCertificate = true
    serverSettings.trust = .only([fixture.authority.trust])
    let client = try TLSContext(settings, role: .client)
    let server = try TLSContext(serverSettings, role: .server)
    let session = try #require(try sessions(client, server).last)
    var pair = try TLSPair(client: client, server: server, session: session)
    let errors = pair.shakeHands()
    #expect(errors.client == nil && errors.server == nil)
    #expect(pair.client.isResumed == true)
  }

  @Test("single-use sessions leave the cache, the newest first; others stay")
  func cacheUse() throws {
    let fixture = try TLSFixture()
    var cache = TLSSessionCache()
    let (client, server) = try contexts(.v1_3, fixture)
    for session in try sessions(client, server) { cache.store(session, for: "a") }
    #expect(cache.count == 2)
    #expect(cache.take(for: "b") == nil)
    #expect(cache.take(for: "a") != nil)
    #expect(cache.count == 1)
    #expect(cache.take(for: "a") != nil)
    #expect(cache.take(for: "a") == nil)

    let (client2, server2) = try contexts(.v1_2, fixture)
    for _ in 0..<3 {
      for session in try sessions(client2, server2) { cache.store(session, for: "c") }
    }
    #expect(cache.count == 1)
    #expect(cache.take(for: "c") != nil && cache.take(for: "c") != nil)
    cache.remove(for: "c")
    #expect(cache.count == 0)
  }

  @Test("the cache is bounded in keys, least recently used first, and in sessions per key")
  func cacheBound() throws {
    let fixture = try TLSFixture()
    let (client, server) = try contexts(.v1_3, fixture)
    let session = try #require(try sessions(client, server).last)
    var cache = TLSSessionCache(maximumKeys: 3, maximumSessionsPerKey: 2)
    for _ in 0..<5 { cache.store(session, for: "a") }
    #expect(cache.count == 2)
    cache.store(session, for: "b")
    cache.store(session, for: "c")
    #expect(cache.take(for: "a") != nil)
    cache.store(session, for: "d")
    #expect(cache.take(for: "b") == nil)
    #expect(cache.take(for: "a") != nil && cache.take(for: "c") != nil && cache.take(for: "d") != nil)
    for index in 0..<100 { cache.store(session, for: "\(index)") }
    #expect(cache.count == 3)
    var none = TLSSessionCache(maximumKeys: 0)
    none.store(session, for: "a")
    #expect(none.count == 0)
  }
}
