import LinnetTLS
import Testing

@Suite("Decisions on a peer's certificates")
struct TLSPeerVerificationTests {
  private let fixture: TLSFixture

  init() throws { fixture = try TLSFixture() }

  /// What the client's first look at the server's certificates gave.
  private func pause(_ pair: inout TLSPair) throws -> TLSPeerVerification {
    #expect(pair.shakeHands() == (nil, nil))
    guard case .needsVerification(let request) = try pair.client.handshake() else {
      throw TLSErrorText("the handshake did not wait")
    }
    return request
  }

  private struct TLSErrorText: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private func pair(
    _ version: TLSVersion, cut: Cut = .whole, _ change: (inout TLSSettings) -> Void = { _ in }
  ) throws -> TLSPair {
    try fixture.pair(
      cut: cut,
      client: { settings in
        settings.maximumVersion = version
        settings.asksForDecision = true
        change(&settings)
      })
  }

  @Test(
    "the handshake waits with chain and verdict, and goes on when they are accepted", arguments: TLSVersion.allCases,
    Cut.allCases)
  func accept(version: TLSVersion, cut: Cut) throws {
    var pair = try pair(version, cut: cut)
    let request = try pause(&pair)
    #expect(request.chain == [fixture.server.certificate])
    #expect(request.verdict == .accepted)
    #expect(try pair.client.handshake() == .needsVerification(request))
    pair.client.decide(.accept)
    #expect(pair.shakeHands() == (nil, nil))
    #expect(try pair.client.handshake() == .complete)
    try pair.server.writeAll([1, 2, 3])
    #expect(try pair.clientReads().bytes == [1, 2, 3])
  }

  @Test("a chain of several certificates is shown as it was sent", arguments: TLSVersion.allCases)
  func chain(version: TLSVersion) throws {
    let middle = try CertificateFactory.authority(commonName: "Middle", issuer: fixture.authority)
    let leaf = try CertificateFactory.server(dnsNames: ["example.test"], issuer: middle)
    var pair = try fixture.pair(
      client: { settings in
        settings.maximumVersion = version
        settings.asksForDecision = true
      }, server: { $0.identity = leaf.identity })
    #expect(try pause(&pair).chain == [leaf.certificate, middle.certificate])
  }

  @Test("a rejection ends the handshake with its reason, and the peer hears of it", arguments: TLSVersion.allCases)
  func reject(version: TLSVersion) throws {
    var pair = try pair(version)
    _ = try pause(&pair)
    pair.client.decide(.reject("not in the register"))
    let errors = pair.shakeHands()
    #expect(errors.client?.code == .certificateRefused("not in the register"))
    #expect(errors.server != nil)
  }

  @Test("the first decision counts")
  func firstDecision() throws {
    var pair = try pair(.v1_3)
    _ = try pause(&pair)
    pair.client.decide(.reject("no"))
    pair.client.decide(.accept)
    #expect(pair.shakeHands().client?.code == .certificateRefused("no"))
  }

  @Test("what the verification refused is told, and may be accepted or left to it", arguments: TLSVersion.allCases)
  func overrule(version: TLSVersion) throws {
    let stranger = try CertificateFactory.authority(commonName: "Another CA")
    func refused() throws -> TLSPair { try pair(version) { $0.trust = .only([stranger.trust]) } }
    var overruled = try refused()
    guard case .rejected(let reason) = try pause(&overruled).verdict else {
      Issue.record("the verdict is no rejection")
      return
    }
    #expect(reason.code == .unknownIssuer)
    overruled.client.decide(.accept)
    #expect(overruled.shakeHands() == (nil, nil))
    var left = try refused()
    _ = try pause(&left)
    left.client.decide(.useVerdict)
    #expect(left.shakeHands().client == reason)
  }

  @Test("without verification there is no verdict, and leaving it to that accepts", arguments: TLSVersion.allCases)
  func unchecked(version: TLSVersion) throws {
    var pair = try pair(version) { settings in
      settings.verification = .none
      settings.trust = .only([])
    }
    #expect(try pause(&pair).verdict == .notChecked)
    pair.client.decide(.useVerdict)
    #expect(pair.shakeHands() == (nil, nil))
  }

  @Test("a key that is not pinned is refused without asking", arguments: TLSVersion.allCases)
  func pins(version: TLSVersion) throws {
    var pair = try pair(version) { $0.pinnedPublicKeys = [[UInt8](repeating: 0, count: 32)] }
    #expect(pair.shakeHands().client?.code == .publicKeyNotPinned(observed: fixture.server.certificate.pin))
  }

  @Test(
    "a resumed session is decided on again, with the chain and the verdict of its first handshake",
    arguments: TLSVersion.allCases, [false, true])
  func resumption(version: TLSVersion, isTrusted: Bool) throws {
    let stranger = try CertificateFactory.authority(commonName: "Another CA")
    let middle = try CertificateFactory.authority(commonName: "Middle", issuer: fixture.authority)
    let leaf = try CertificateFactory.server(dnsNames: ["example.test"], issuer: middle)
    var settings = fixture.clientSettings
    settings.maximumVersion = version
    settings.asksForDecision = true
    settings.trust = .only([isTrusted ? fixture.authority.trust : stranger.trust])
    let client = try TLSContext(settings, role: .client, generation: 7)
    var serverSettings = fixture.serverSettings
    serverSettings.identity = leaf.identity
    let server = try TLSContext(serverSettings, role: .server)
    var first = try TLSPair(client: client, server: server)
    let request = try pause(&first)
    first.client.decide(.accept)
    #expect(first.shakeHands() == (nil, nil))
    _ = try first.clientReads()
    let session = try #require(Array(first.client.takeNewSessions()).last)
    #expect(session.generation == 7)

    var second = try TLSPair(client: client, server: server, session: session)
    let again = try pause(&second)
    #expect(second.client.isResumed == true)
    #expect(again.chain == request.chain)
    switch again.verdict {
    case .accepted: #expect(isTrusted)
    case .rejected(let error): #expect(!isTrusted && error.code == .unknownIssuer)
    case .notChecked: Issue.record("it was checked")
    }
    second.client.decide(.reject("no more"))
    #expect(second.shakeHands().client?.code == .certificateRefused("no more"))
    #expect(try second.serverReads().isClosed == true)
  }

  @Test("a peer that goes away meanwhile is noticed after the decision", arguments: TLSVersion.allCases)
  func closedMeanwhile(version: TLSVersion) throws {
    var pair = try pair(version)
    let request = try pause(&pair)
    pair.client.receiveEOF()
    #expect(try pair.client.handshake() == .needsVerification(request))
  }
}
