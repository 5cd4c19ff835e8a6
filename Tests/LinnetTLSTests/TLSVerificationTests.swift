import LinnetBytes
import LinnetTLS
import Testing

@Suite("TLS verification")
struct TLSVerificationTests {
  @Test(
    "an address is checked against the IP names of the certificate",
    arguments: [("127.0.0.1", true), ("::1", true), ("0:0:0:0:0:0:0:1", true), ("127.0.0.2", false), ("::2", false)])
  func addresses(address: String, isGood: Bool) throws {
    let fixture = try TLSFixture(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"])
    var pair = try fixture.pair(name: .ip(address))
    let errors = pair.shakeHands()
    if isGood {
      #expect(errors.client == nil && errors.server == nil)
    } else {
      #expect(errors.client?.code == .hostnameMismatch(presented: ["localhost", "127.0.0.1", "::1"]))
      #expect(errors.client?.detail == "expected \(address)")
      #expect(errors.server?.code == .alert("bad certificate"))
    }
  }

  @Test("a zone is not part of an address that is checked")
  func zone() throws {
    let fixture = try TLSFixture(dnsNames: [], ipAddresses: ["fe80::1"])
    var pair = try fixture.pair(name: .ip("fe80::1%eth0"))
    #expect(pair.shakeHands().client == nil)
  }

  @Test(
    "a host is checked against the DNS names only, with whole-label wildcards (RFC 9525 section 6.3)",
    arguments: [
      (["example.test"], "example.test", true),
      (["example.test"], "EXAMPLE.test", true),
      (["example.test"], "www.example.test", false),
      (["*.example.test"], "www.example.test", true),
      (["*.example.test"], "a.b.example.test", false),
      (["*.example.test"], "example.test", false),
      (["w*.example.test"], "www.example.test", false),
      (["a.test", "b.test"], "b.test", true),
      (["a.test", "b.test"], "c.test", false),
    ])
  func hosts(presented: [String], host: String, isGood: Bool) throws {
    let fixture = try TLSFixture(dnsNames: presented)
    var pair = try fixture.pair(name: .dns(host))
    let error = pair.shakeHands().client
    #expect(error?.code == (isGood ? nil : .hostnameMismatch(presented: presented)))
  }

  @Test("the common name is never taken for a host name")
  func commonName() throws {
    let authority = try CertificateFactory.authority()
    let server = try CertificateFactory.server(dnsNames: [], commonName: "example.test", issuer: authority)
    var client = TLSSettings()
    client.trust = .only([authority.trust])
    var settings = TLSSettings()
    settings.identity = server.identity
    var pair = try TLSPair(client: TLSContext(client, role: .client), server: TLSContext(settings, role: .server))
    let error = pair.shakeHands().client
    #expect(error?.code == .hostnameMismatch(presented: []))
    #expect(error?.description == "the certificate names no host at all: expected example.test")
  }

  @Test("names that are no host names are refused before a connection is made")
  func badNames() throws {
    let fixture = try TLSFixture()
    let context = try TLSContext(fixture.clientSettings, role: .client)
    for name in [
      TLSServerName.dns(""), .dns("."), .dns("a\u{0}b"), .dns("a b"), .dns(String(repeating: "a", count: 254)),
      .ip(""), .ip("1.2.3"), .ip("example.test"),
    ] {
      do throws(TLSError) {
        _ = try TLSEngine(context: context, serverName: name, session: nil)
        Issue.record("\(name) was accepted")
      } catch {
        guard case .configuration = error.code else {
          Issue.record("\(error)")
          return
        }
      }
    }
  }

  @Test("a host in normalised form is told from an address")
  func serverNameForms() {
    #expect(TLSServerName(host: "127.0.0.1") == .ip("127.0.0.1"))
    #expect(TLSServerName(host: "::1") == .ip("::1"))
    #expect(TLSServerName(host: "1.example") == .dns("1.example"))
    #expect(TLSServerName(host: "") == .dns(""))
  }

  @Test(
    "dates outside the validity are named",
    arguments: [
      (CertificateValidity.expired, TLSError.Code.certificateExpired, "certificate expired"),
      (.notYetValid, .certificateNotYetValid, "bad certificate"),
      (.absolute(notBefore: 946_684_800, notAfter: 978_307_200), .certificateExpired, "certificate expired"),
    ])
  func validity(validity: CertificateValidity, code: TLSError.Code, alert: String) throws {
    let fixture = try TLSFixture(validity: validity)
    var pair = try fixture.pair()
    let errors = pair.shakeHands()
    #expect(errors.client?.code == code)
    #expect(errors.server?.code == .alert(alert))
    if case .absolute = validity {
      #expect(
        errors.client?.description
          == "the certificate has expired: it was valid until Jan  1 00:00:00 2001 GMT")
    }
  }

  @Test("a chain that ends at an authority nobody trusts has an unknown issuer")
  func unknownIssuer() throws {
    let fixture = try TLSFixture()
    let other = try CertificateFactory.authority(commonName: "Another CA")
    var pair = try fixture.pair(client: { $0.trust = .only([other.trust]) })
    let errors = pair.shakeHands()
    #expect(errors.client?.code == .unknownIssuer)
    #expect(errors.client?.detail == "issued by CN=Linnet Test CA")
    #expect(errors.server?.code == .alert("unknown CA"))
  }

  @Test("an authority of the same name with another key is not the issuer")
  func sameNameOtherKey() throws {
    let fixture = try TLSFixture()
    let impostor = try CertificateFactory.authority()
    var pair = try fixture.pair(client: { $0.trust = .only([impostor.trust]) })
    #expect(pair.shakeHands().client?.code == .unknownIssuer)
  }

  @Test("a self-signed certificate is refused, and accepted when it is itself trusted")
  func selfSigned() throws {
    let server = try CertificateFactory.server(dnsNames: ["example.test"], issuer: nil)
    let authority = try CertificateFactory.authority()
    var settings = TLSSettings()
    settings.identity = server.identity
    let serverContext = try TLSContext(settings, role: .server)
    var client = TLSSettings()
    client.trust = .only([authority.trust])
    var refused = try TLSPair(client: TLSContext(client, role: .client), server: serverContext)
    #expect(refused.shakeHands().client?.code == .selfSigned)
    client.trust = .only([server.trust])
    var accepted = try TLSPair(client: TLSContext(client, role: .client), server: serverContext)
    #expect(accepted.shakeHands().client == nil)
  }

  @Test("without verification anything is accepted, and the certificates can still be seen")
  func noVerification() throws {
    let fixture = try TLSFixture(validity: .expired)
    var pair = try fixture.pair(name: .dns("other.test"), client: { $0.verification = .none })
    #expect(pair.shakeHands().client == nil)
    #expect(try pair.client.peerCertificates() == [fixture.server.certificate])
  }

  @Test("intermediates that the server sends complete the chain; a missing one does not")
  func intermediates() throws {
    let root = try CertificateFactory.authority(commonName: "Root")
    let middle = try CertificateFactory.authority(commonName: "Middle", issuer: root)
    let server = try CertificateFactory.server(dnsNames: ["example.test"], issuer: middle)
    #expect(server.intermediates == [middle.certificate])
    var client = TLSSettings()
    client.trust = .only([root.trust])
    let clientContext = try TLSContext(client, role: .client)
    var settings = TLSSettings()
    settings.identity = server.identity
    var whole = try TLSPair(client: clientContext, server: TLSContext(settings, role: .server))
    #expect(whole.shakeHands().client == nil)
    #expect(try whole.client.peerCertificates() == [server.certificate, middle.certificate])

    settings.identity?.certificateChain = .text(server.certificatePEM)
    var cut = try TLSPair(client: clientContext, server: TLSContext(settings, role: .server))
    #expect(cut.shakeHands().client?.code == .unknownIssuer)

    // An intermediate that the user names is an anchor.
    client.trust = .only([middle.trust])
    var anchored = try TLSPair(client: TLSContext(client, role: .client), server: TLSContext(settings, role: .server))
    #expect(anchored.shakeHands().client == nil)
  }

  @Test("a client's certificate does not serve as a server's")
  func wrongPurpose() throws {
    let authority = try CertificateFactory.authority()
    var client = TLSSettings()
    client.trust = .only([authority.trust])
    var settings = TLSSettings()
    settings.identity = try CertificateFactory.client(issuer: authority).identity
    var pair = try TLSPair(client: TLSContext(client, role: .client), server: TLSContext(settings, role: .server))
    guard case .certificateInvalid = pair.shakeHands().client?.code else {
      Issue.record("accepted, or another reason")
      return
    }
  }

  @Test("every code has one line of words")
  func descriptions() {
    let codes: [TLSError.Code] = [
      .certificateExpired, .certificateNotYetValid, .hostnameMismatch(presented: ["a.test", "b.test"]), .unknownIssuer,
      .selfSigned, .certificateRevoked, .weakCertificate, .chainTooLong, .certificateInvalid("reason"),
      .noTrustRoots(lookedAt: ["/a", "/b"]), .noPeerCertificate, .peerSpokePlainHTTP, .peerClosedDuringHandshake,
      .handshakeFailed, .truncated, .alert("unknown CA"), .protocolViolation, .configuration(subject: "x.pem"),
      .cryptographyUnavailable,
    ]
    for code in codes {
      let text = TLSError(code, detail: "more").description
      #expect(text.hasSuffix(": more") && !text.contains("\n"))
    }
    #expect(Set(codes.map { TLSError($0).description }).count == codes.count)
  }
}
