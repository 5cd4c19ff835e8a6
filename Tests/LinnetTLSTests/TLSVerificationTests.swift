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

  @Test("a chain with more authorities than its root allows is too long")
  func chainTooLong() throws {
    let root = try CertificateFactory.authority(commonName: "Root", maximumIntermediates: 0)
    let middle = try CertificateFactory.authority(commonName: "Middle", issuer: root)
    let server = try CertificateFactory.server(dnsNames: ["example.test"], issuer: middle)
    var client = TLSSettings()
    client.trust = .only([root.trust])
    var settings = TLSSettings()
    settings.identity = server.identity
    var pair = try TLSPair(client: TLSContext(client, role: .client), server: TLSContext(settings, role: .server))
    #expect(pair.shakeHands().client?.code == .chainTooLong)
  }

  @Test("a key of 1024 bits is too weak, also of a certificate that is itself trusted")
  func weakKey() throws {
    var settings = TLSSettings()
    settings.identity = TLSIdentity(certificateChain: .text(Self.weak), privateKey: .text(Self.weak))
    #expect(throws: TLSError.self) { try TLSContext(settings, role: .server) }
    settings.cipherList = "DEFAULT@SECLEVEL=0"
    var client = TLSSettings()
    client.trust = .only([.text(Self.weak)])
    var pair = try TLSPair(
      client: TLSContext(client, role: .client), server: TLSContext(settings, role: .server), name: .dns("weak.test"))
    let error = pair.shakeHands().client
    #expect(error?.code == .weakCertificate)
  }

  @Test("a message shows the first names of many")
  func manyNames() throws {
    let fixture = try TLSFixture(dnsNames: (1...30).map { "n\($0).test" })
    var pair = try fixture.pair()
    let text = try #require(pair.shakeHands().client?.description)
    #expect(text.contains("n10.test and 20 more") && !text.contains("n11.test"))
  }

  @Test("many connections may shake hands at once on shared contexts and one session", arguments: TLSVersion.allCases)
  func concurrently(version: TLSVersion) async throws {
    let fixture = try TLSFixture()
    var settings = fixture.clientSettings
    settings.maximumVersion = version
    let client = try TLSContext(settings, role: .client)
    let server = try TLSContext(fixture.serverSettings, role: .server)
    var first = try TLSPair(client: client, server: server)
    #expect(first.shakeHands().client == nil)
    _ = try first.clientReads()
    let session = Array(first.client.takeNewSessions()).last
    let failures = try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          var failures = 0
          for round in 0..<10 {
            var pair = try TLSPair(client: client, server: server, session: round % 2 == 0 ? session : nil)
            let errors = pair.shakeHands()
            try pair.client.writeAll([UInt8(task)])
            if errors.client != nil || errors.server != nil { failures += 1 }
            if try pair.serverReads().bytes != [UInt8(task)] { failures += 1 }
          }
          return failures
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(failures == 0)
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

  /// Self-signed, RSA with 1024 bits, valid for a century.
  private static let weak = """
    -----BEGIN CERTIFICATE-----
    MIICHDCCAYWgAwIBAgIUZjvuG+3/pZc105EsyWNJgP4MbUowDQYJKoZIhvcNAQEL
    BQAwFDESMBAGA1UEAwwJd2Vhay50ZXN0MCAXDTI2MTEzMDIzMjcxMloYDzIxMjYx
    MTA2MjMyNzEyWjAUMRIwEAYDVQQDDAl3ZWFrLnRlc3QwgZ8wDQYJKoZIhvcNAQEB
    BQADgY0AMIGJAoGBANGRG6lwaXGdkaeInpmFpolAzlCNcyqL18ZwtHxPu7tAXb2A
    xzT6mS7AfccSr4RjAfdxB5pwYDAigpHh6STZQUq6ysIy8k6memi6BoI8xkcJAdwo
    T/2r6OlaObyOoP2GpSIVwnxHaDx4GJILKCz/9zcZjHXo+DnOLcT8eiP+d6VzAgMB
    AAGjaTBnMB0GA1UdDgQWBBTUw4lK1gMP/lGHZPhBxXdOOfj2UjAfBgNVHSMEGDAW
    gBTUw4lK1gMP/lGHZPhBxXdOOfj2UjAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQN
    MAuCCXdlYWsudGVzdDANBgkqhkiG9w0BAQsFAAOBgQAsziWK+IF9RyfiYDbM7bDg
    HWIIPoi4bq3S6WRSLFJPuQeoJgwIk+DBq/gZgHoyDFu6h9esbAeKr/6xxIT4RH1v
    u2eS2Tk5MSZWIMMwLpTxKWl+cdYgp+16lrXDSyWDEvntFtEOZKtzJ8X9V22ZYoZw
    swQZi4O0OtWwZX+6CJsZNQ==
    -----END CERTIFICATE-----
    -----BEGIN PRIVATE KEY-----
    MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBANGRG6lwaXGdkaeI
    npmFpolAzlCNcyqL18ZwtHxPu7tAXb2AxzT6mS7AfccSr4RjAfdxB5pwYDAigpHh
    6STZQUq6ysIy8k6memi6BoI8xkcJAdwoT/2r6OlaObyOoP2GpSIVwnxHaDx4GJIL
    KCz/9zcZjHXo+DnOLcT8eiP+d6VzAgMBAAECgYBtrkCIAaluKUWeJUa8mtJ6a0yP
    pDhuQBqCZWJQ3Xonmpx1Hf0koTOi4GPz2Le71gWld6a/EamGB8nGiDH5cytT+nYy
    UeJ4w6kMC+2C+jAY/cIX1b2TkTP9JtM59pFmHc86oiodQO+M2z41hUNVZcOsamd8
    Kyj7MSZDAELHwnpaQQJBAPSuVxTlD9x9GfxXWKG4cojQQrYj/nUqxcmSkJs7OwFY
    JdJtbhSDS+1sk/BqUjFdtHrXgmdJ2Yd80SlWvBUVeCsCQQDbQuyvIysZY2Gho7To
    YiUA9jy/9iFRBIwnPCNtzfnRD4rG1aRXwh2//5vMZdMYsJnkB3L24Vl7uzies3PQ
    aNvZAkAXVoWx1YNkyX3wBrjKfBhYmlyymM5NiK3i4xrt44FmSG0bHBry0+8rDz8x
    IEMEuGZdjS7AAVhBRxOAOOiprimPAkEApLwQhblfjVCcrswHhL0QXjujAvrSp0NK
    ZcQKPlqOAiOyOZeURRckMPfDv3sVcixlQuzR1GkVSSAt9xaOwhu2aQJAIzJmiiRx
    Bu8wGK6OPHWV8F4GxfQy9xbyDQTF3rrheiOjMvmR1J9CE27XB4BWYVDrvclm8v9V
    xrlzPmXpxM7aRw==
    -----END PRIVATE KEY-----
    """
}
