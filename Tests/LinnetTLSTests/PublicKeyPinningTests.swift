import LinnetTLS
import Testing

@Suite("Pinned public keys")
struct PublicKeyPinningTests {
  private let fixture: TLSFixture
  private let other: Certificate

  init() throws {
    fixture = try TLSFixture()
    other = try CertificateFactory.server(dnsNames: ["example.test"], issuer: fixture.authority).certificate
  }

  private func pair(
    _ pins: Set<[UInt8]>, _ version: TLSVersion, verification: TLSVerificationMode = .full
  ) throws -> TLSPair {
    try fixture.pair(client: { settings in
      settings.maximumVersion = version
      settings.verification = verification
      settings.pinnedPublicKeys = pins
    })
  }

  @Test("the handshake passes when the peer's key is one of the pins", arguments: TLSVersion.allCases)
  func match(version: TLSVersion) throws {
    let right = fixture.server.certificate.publicKeyDigest
    for pins in [[right], [other.publicKeyDigest, right]] as [Set<[UInt8]>] {
      var pair = try pair(pins, version)
      let errors = pair.shakeHands()
      #expect(errors.client == nil && errors.server == nil)
    }
  }

  @Test(
    "the handshake fails with the observed pin when it is none of them, also without verification",
    arguments: TLSVersion.allCases, [TLSVerificationMode.full, .none])
  func mismatch(version: TLSVersion, verification: TLSVerificationMode) throws {
    var pair = try pair([other.publicKeyDigest], version, verification: verification)
    let errors = pair.shakeHands()
    #expect(errors.client?.code == .publicKeyNotPinned(observed: fixture.server.certificate.pin))
    #expect(errors.client?.description.contains("example.test") == true)
    #expect(errors.server != nil)
  }

  @Test("a pinned key does not make up for a failed verification", arguments: TLSVersion.allCases)
  func verificationFirst(version: TLSVersion) throws {
    let stranger = try CertificateFactory.authority(commonName: "Another CA")
    var pair = try fixture.pair(client: { settings in
      settings.maximumVersion = version
      settings.trust = .only([stranger.trust])
      settings.pinnedPublicKeys = [fixture.server.certificate.publicKeyDigest]
    })
    #expect(pair.shakeHands().client?.code == .unknownIssuer)
  }

  @Test("the key of an authority is no pin of the peer", arguments: TLSVersion.allCases)
  func authority(version: TLSVersion) throws {
    var pair = try pair([fixture.authority.certificate.publicKeyDigest], version)
    #expect(pair.shakeHands().client?.code == .publicKeyNotPinned(observed: fixture.server.certificate.pin))
  }

  @Test(
    "a resumed session is held against the pins again", arguments: TLSVersion.allCases,
    [TLSVerificationMode.full, .none])
  func resumption(version: TLSVersion, verification: TLSVerificationMode) throws {
    let server = try TLSContext(fixture.serverSettings, role: .server)
    func client(_ pins: Set<[UInt8]>) throws -> TLSContext {
      var settings = fixture.clientSettings
      settings.maximumVersion = version
      settings.verification = verification
      settings.pinnedPublicKeys = pins
      return try TLSContext(settings, role: .client)
    }
    var first = try TLSPair(client: client([]), server: server)
    #expect(first.shakeHands().client == nil)
    _ = try first.clientReads()
    let session = try #require(Array(first.client.takeNewSessions()).last)
    var matching = try TLSPair(
      client: client([fixture.server.certificate.publicKeyDigest]), server: server, session: session)
    #expect(matching.shakeHands().client == nil)
    #expect(matching.client.isResumed == true)
    _ = try matching.clientReads()
    let next = try #require(Array(matching.client.takeNewSessions()).last ?? (version == .v1_2 ? session : nil))
    var failing = try TLSPair(client: client([other.publicKeyDigest]), server: server, session: next)
    #expect(failing.shakeHands().client?.code == .publicKeyNotPinned(observed: fixture.server.certificate.pin))
    #expect(failing.client.isResumed == true)
  }
}
