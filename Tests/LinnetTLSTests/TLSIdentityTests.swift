import LinnetBytes
import LinnetTLS
import Testing

@Suite("TLS identities")
struct TLSIdentityTests {
  /// A server that demands a client certificate of `authority`.
  private func server(_ fixture: TLSFixture, clients authority: GeneratedIdentity) throws -> TLSContext {
    var settings = fixture.serverSettings
    settings.requiresClientCertificate = true
    settings.trust = .only([authority.trust])
    return try TLSContext(settings, role: .server)
  }

  private func expectConfigurationError(
    _ subject: String, _ words: String, _ body: () throws(TLSError) -> Void,
    at location: SourceLocation = #_sourceLocation
  ) {
    do throws(TLSError) {
      try body()
      Issue.record("no error", sourceLocation: location)
    } catch {
      #expect(error.code == .configuration(subject: subject), sourceLocation: location)
      #expect(error.detail.contains(words), "\(error.detail)", sourceLocation: location)
    }
  }

  @Test(
    "a client certificate works from files and bytes, with a chain and with a passphrase",
    arguments: TLSVersion.allCases, [false, true])
  func clientCertificate(version: TLSVersion, isEncrypted: Bool) throws {
    let fixture = try TLSFixture()
    let root = try CertificateFactory.authority(commonName: "Clients' root")
    let middle = try CertificateFactory.authority(commonName: "Clients' middle", issuer: root)
    let client = try CertificateFactory.client(commonName: "Ada", issuer: middle)
    let chain = TemporaryFile(client.chainPEM)
    let key = TemporaryFile(isEncrypted ? try client.encryptedKeyPEM(passphrase: "open sesame") : client.keyPEM)
    var settings = fixture.clientSettings
    settings.maximumVersion = version
    settings.identity = TLSIdentity(
      certificateChain: .file(chain.path), privateKey: .file(key.path), passphrase: isEncrypted ? "open sesame" : nil)
    var pair = try TLSPair(
      client: TLSContext(settings, role: .client), server: try server(fixture, clients: root))
    let errors = pair.shakeHands()
    #expect(errors.client == nil && errors.server == nil)
    #expect(try pair.server.peerCertificates() == [client.certificate, middle.certificate])
    #expect(try pair.server.peerCertificates().first?.subject == "CN=Ada")
  }

  @Test("one file may hold the certificate and the key")
  func combinedFile() throws {
    let fixture = try TLSFixture()
    let client = try CertificateFactory.client(issuer: fixture.authority)
    for text in [client.chainPEM + client.keyPEM, client.keyPEM + client.chainPEM] {
      let file = TemporaryFile(text)
      var settings = fixture.clientSettings
      settings.identity = TLSIdentity(certificateChain: .file(file.path), privateKey: .file(file.path))
      var pair = try TLSPair(
        client: TLSContext(settings, role: .client), server: try server(fixture, clients: fixture.authority))
      #expect(pair.shakeHands().server == nil)
    }
  }

  @Test("DER works as well as PEM")
  func der() throws {
    let fixture = try TLSFixture()
    let client = try CertificateFactory.client(issuer: fixture.authority)
    var settings = fixture.clientSettings
    settings.identity = TLSIdentity(
      certificateChain: .bytes(client.certificate.der), privateKey: .bytes(client.keyDER))
    var pair = try TLSPair(
      client: TLSContext(settings, role: .client), server: try server(fixture, clients: fixture.authority))
    #expect(pair.shakeHands().server == nil)
  }

  @Test("a server refuses a client without a certificate and one of another authority", arguments: TLSVersion.allCases)
  func refusedClients(version: TLSVersion) throws {
    let fixture = try TLSFixture()
    let clients = try CertificateFactory.authority(commonName: "Clients")
    let stranger = try CertificateFactory.client(issuer: fixture.authority)
    let serverContext = try server(fixture, clients: clients)
    for identity in [nil, stranger.identity] {
      var settings = fixture.clientSettings
      settings.maximumVersion = version
      settings.identity = identity
      var pair = try TLSPair(client: TLSContext(settings, role: .client), server: serverContext)
      let errors = pair.shakeHands()
      #expect(errors.server?.code == (identity == nil ? .noPeerCertificate : .unknownIssuer))
      var clientError = errors.client
      if clientError == nil {
        // In TLS 1.3 a client is done before the server has looked at its certificate.
        do throws(TLSError) { _ = try pair.clientReads() } catch { clientError = error }
      }
      let alert =
        identity == nil ? (version == .v1_3 ? "certificate required" : "handshake failure") : "unknown CA"
      #expect(clientError?.code == .alert(alert))
    }
  }

  @Test("a wrong or missing passphrase is an error of the configuration that names the file")
  func passphrases() throws {
    let client = try CertificateFactory.client(issuer: nil)
    let chain = TemporaryFile(client.chainPEM)
    let key = TemporaryFile(try client.encryptedKeyPEM(passphrase: "right"))
    func load(_ passphrase: String?) throws(TLSError) {
      var settings = TLSSettings()
      settings.trust = .only([])
      settings.identity = TLSIdentity(
        certificateChain: .file(chain.path), privateKey: .file(key.path), passphrase: passphrase)
      _ = try TLSContext(settings, role: .client)
    }
    try load("right")
    expectConfigurationError(key.path, "passphrase does not open") { () throws(TLSError) in try load("wrong") }
    expectConfigurationError(key.path, "passphrase does not open") { () throws(TLSError) in
      try load(String(repeating: "x", count: 5000))
    }
    expectConfigurationError(key.path, "no passphrase was given") { () throws(TLSError) in try load(nil) }
  }

  @Test("a key that does not belong to the certificate, and unusable files, are errors that name the file")
  func mismatchAndDamage() throws {
    let one = try CertificateFactory.client(issuer: nil)
    let two = try CertificateFactory.client(issuer: nil)
    let chain = TemporaryFile(one.chainPEM)
    let wrongKey = TemporaryFile(two.keyPEM)
    let empty = TemporaryFile("")
    let text = TemporaryFile("nothing of the kind")
    let damaged = TemporaryFile("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    func load(_ certificate: String, _ key: String) throws(TLSError) {
      var settings = TLSSettings()
      settings.trust = .only([])
      settings.identity = TLSIdentity(certificateChain: .file(certificate), privateKey: .file(key))
      _ = try TLSContext(settings, role: .client)
    }
    expectConfigurationError(wrongKey.path, "does not belong to the certificate in \(chain.path)") {
      () throws(TLSError) in try load(chain.path, wrongKey.path)
    }
    expectConfigurationError("/nonexistent/cert.pem", "No such file or directory") { () throws(TLSError) in
      try load("/nonexistent/cert.pem", wrongKey.path)
    }
    expectConfigurationError("/nonexistent/key.pem", "No such file or directory") { () throws(TLSError) in
      try load(chain.path, "/nonexistent/key.pem")
    }
    expectConfigurationError("/tmp", "directory") { () throws(TLSError) in try load("/tmp", wrongKey.path) }
    for file in [empty, text] {
      expectConfigurationError(file.path, "contains no certificate") { () throws(TLSError) in
        try load(file.path, wrongKey.path)
      }
      expectConfigurationError(file.path, "contains no private key") { () throws(TLSError) in
        try load(chain.path, file.path)
      }
    }
    expectConfigurationError(damaged.path, "certificate 1 cannot be read") { () throws(TLSError) in
      try load(damaged.path, wrongKey.path)
    }
  }

  @Test("an identity describes its files and never shows a secret")
  func description() throws {
    let identity = TLSIdentity(
      certificateChain: .file("/a/cert.pem"), privateKey: .text("KEY"), passphrase: "open sesame")
    #expect("\(identity)" == "/a/cert.pem with key in memory")
    var settings = TLSSettings()
    settings.identity = identity
    #expect(!"\(settings)".contains("sesame"))
  }

  @Test("settings that cannot be are errors that name them")
  func badSettings() throws {
    let fixture = try TLSFixture()
    func client(_ change: (inout TLSSettings) -> Void) throws(TLSError) {
      var settings = fixture.clientSettings
      change(&settings)
      _ = try TLSContext(settings, role: .client)
    }
    expectConfigurationError("TLS versions", "TLSv1.3 to TLSv1.2") { () throws(TLSError) in
      try client {
        $0.minimumVersion = .v1_3
        $0.maximumVersion = .v1_2
      }
    }
    expectConfigurationError("cipher list \"NONSENSE\"", "no cipher match") { () throws(TLSError) in
      try client { $0.cipherList = "NONSENSE" }
    }
    expectConfigurationError("ALPN protocol \"\"", "1 to 255 bytes") { () throws(TLSError) in
      try client { $0.alpn = [""] }
    }
    expectConfigurationError("identity", "needs a certificate") { () throws(TLSError) in
      _ = try TLSContext(TLSSettings(), role: .server)
    }
    let context = try TLSContext(fixture.serverSettings, role: .server)
    expectConfigurationError("TLS role", "server's") { () throws(TLSError) in
      _ = try TLSEngine(context: context, serverName: .dns("a.test"), session: nil)
    }
  }
}
