import Glibc
import LinnetHTTP
import LinnetIO
import LinnetTLS
import LinnetTestSupport
import Testing

/// User reports about TLS.
@Suite("Reports: TLS", .timeLimit(.minutes(1)))
struct TLSReportTests {
  private let certificates: TestCertificates

  init() throws { certificates = try TestCertificates() }

  private func environment(
    _ variables: [String: String] = [:], bundles: [String] = []
  ) -> EngineEnvironment {
    let places = TrustPlaces(directory: certificates.directory.path(of: "etc/certs"), bundles: bundles)
    return EngineEnvironment(variables: variables, trustPlaces: places)
  }

  // MARK: TLS-01

  @Test("TLS-01: https to an IPv4 address sends no SNI and checks the IP name of the certificate")
  func addressIPv4() async throws {
    let options = ScriptedServer.Options.tls(try certificates.server(ipAddresses: ["127.0.0.1"]))
    try await ScriptedServer.with(.handler { _ in .text("ip") }, options: options) { server async throws in
      let client = HTTPClient(configuration: .trusting(certificates))
      #expect(try await client.send(.get(server.url())).text() == "ip")
      let tls = try #require(server.snapshot.requests.first?.tls)
      #expect(tls.serverName == nil)
    }
  }

  @Test(
    "TLS-01: https to an IPv6 address sends no SNI and checks the IP name of the certificate",
    .enabled(if: LoopbackIPv6.isAvailable))
  func addressIPv6() async throws {
    let options = ScriptedServer.Options.at(.ipv6, tls: ServerTLS(try certificates.server(ipAddresses: ["::1"])))
    try await ScriptedServer.with(.handler { _ in .text("ip") }, options: options) { server async throws in
      let client = HTTPClient(configuration: .trusting(certificates))
      #expect(try await client.send(.get(server.url())).text() == "ip")
      let request = try #require(server.snapshot.requests.first)
      #expect(request.tls?.serverName == nil)
      #expect(request.headers["Host"] == "[::1]:\(server.port)")
    }
  }

  @Test("TLS-01: a certificate with DNS names only does not fit an address, and the error says what it is for")
  func addressMismatch() async throws {
    let options = ScriptedServer.Options.tls(try certificates.server(dnsNames: ["only.test"]))
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: options) { server async throws in
      let client = HTTPClient(configuration: .trusting(certificates))
      let error = try #require(await client.failure(of: .get(server.url())))
      #expect(error.code == .certificateRejected)
      #expect(error.phase == .tls)
      #expect(error.description.contains("the certificate is for only.test"))
      #expect(server.snapshot.headCount == 0)
    }
  }

  // MARK: TLS-03, TLS-04, TLS-05

  @Test("TLS-03: authorities are found at run time at whichever known place has them", arguments: 0..<3)
  func searchedAtRunTime(place: Int) async throws {
    let options = ScriptedServer.Options.tls(try certificates.loopback())
    try await ScriptedServer.with(.handler { _ in .text("trusted") }, options: options) { server async throws in
      var bundles = (0..<3).map { certificates.directory.path(of: "absent-\($0).crt") }
      bundles[place] = certificates.authorityFile
      let client = HTTPClient(configuration: .init(), environment: environment(bundles: bundles))
      #expect(try await client.send(.get(server.url())).text() == "trusted")
    }
  }

  @Test("TLS-03: without authorities anywhere the error lists the paths looked at and names SSL_CERT_FILE")
  func noAuthorities() async throws {
    let options = ScriptedServer.Options.tls(try certificates.loopback())
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: options) { server async throws in
      let bundles = (0..<3).map { certificates.directory.path(of: "absent-\($0).crt") }
      let client = HTTPClient(configuration: .init(), environment: environment(bundles: bundles))
      let error = try #require(await client.failure(of: .get(server.url())))
      #expect(error.code == .trustRootsUnavailable)
      for path in bundles { #expect(error.description.contains(path)) }
      #expect(error.description.contains("SSL_CERT_FILE"))
    }
  }

  @Test(
    "TLS-03: the authorities of this system are found, and do not know a private one",
    .enabled("there are no authorities at /etc/ssl/certs") { access("/etc/ssl/certs/ca-certificates.crt", R_OK) == 0 })
  func realSystem() async throws {
    let options = ScriptedServer.Options.tls(try certificates.loopback())
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: options) { server async throws in
      let client = HTTPClient(configuration: .init(), environment: EngineEnvironment(variables: [:]))
      #expect(await client.failure(of: .get(server.url()))?.code == .certificateRejected)
    }
  }

  @Test("TLS-04: SSL_CERT_FILE is used instead of the default bundle")
  func certificateFileVariable() async throws {
    let other = try TestCertificates(commonName: "Other CA")
    let options = ScriptedServer.Options.tls(try certificates.loopback())
    try await ScriptedServer.with(.handler { _ in .text("trusted") }, options: options) { server async throws in
      let named = environment(["SSL_CERT_FILE": certificates.authorityFile], bundles: [other.authorityFile])
      #expect(
        try await HTTPClient(configuration: .init(), environment: named).send(.get(server.url())).text() == "trusted")
      let replaced = environment(["SSL_CERT_FILE": other.authorityFile], bundles: [certificates.authorityFile])
      let client = HTTPClient(configuration: .init(), environment: replaced)
      #expect(await client.failure(of: .get(server.url()))?.code == .certificateRejected)
      var ignoring = HTTPClientConfiguration()
      ignoring.tls.usesEnvironment = false
      let deaf = HTTPClient(configuration: ignoring, environment: replaced)
      #expect(try await deaf.send(.get(server.url())).text() == "trusted")
    }
  }

  @Test("TLS-04: an SSL_CERT_FILE that cannot be read is an error with variable and path, never a silent fallback")
  func unreadableCertificateFile() async throws {
    let options = ScriptedServer.Options.tls(try certificates.loopback())
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: options) { server async throws in
      let path = certificates.directory.path(of: "missing.pem")
      let named = environment(["SSL_CERT_FILE": path], bundles: [certificates.authorityFile])
      let client = HTTPClient(configuration: .init(), environment: named)
      let error = try #require(await client.failure(of: .get(server.url())))
      #expect(error.code == .trustRootsUnavailable)
      #expect(error.sent == .nothing)
      #expect(error.description.contains("SSL_CERT_FILE=\(path)"))
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test("TLS-05: a private authority adds to the system's with one setting and replaces them with another")
  func addedAuthority() async throws {
    let system = try TestCertificates(commonName: "System CA")
    let ours = try ScriptedServer.start(.handler { _ in .text("ours") }, options: .tls(try certificates.loopback()))
    defer { ours.stop() }
    let wellKnown = try ScriptedServer.start(.handler { _ in .text("public") }, options: .tls(try system.loopback()))
    defer { wellKnown.stop() }
    let environment = environment(bundles: [system.authorityFile])

    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .systemAnd([.file(certificates.authorityFile)])
    let both = HTTPClient(configuration: configuration, environment: environment)
    #expect(try await both.send(.get(ours.url())).text() == "ours")
    #expect(try await both.send(.get(wellKnown.url())).text() == "public")

    configuration.tls.trustRoots = .only([.bytes(Array(certificates.authority.certificatePEM.utf8))])
    let only = HTTPClient(configuration: configuration, environment: environment)
    #expect(try await only.send(.get(ours.url())).text() == "ours")
    #expect(await only.failure(of: .get(wellKnown.url()))?.code == .certificateRejected)
  }

  // MARK: TLS-07, TLS-08

  @Test("TLS-07: the end of a client says close_notify on its idle connections", arguments: [true, false])
  func closeNotify(byShutdown: Bool) async throws {
    let options = ScriptedServer.Options.tls(try certificates.loopback())
    try await ScriptedServer.with(.handler { _ in .text("x") }, options: options) { server async throws in
      do {
        let client = HTTPClient(configuration: .trusting(certificates))
        for _ in 0..<3 { #expect(try await client.send(.get(server.url())).text() == "x") }
        if byShutdown { await client.shutdown() }
      }
      let record = try #require(try await server.waitForConnectionsClosed(1).first)
      #expect(record.requestCount == 3)
      #expect(record.receivedCloseNotify)
      #expect(record.ending == .peerClosed)
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test(
    "TLS-08: an end during the handshake is a failed handshake",
    arguments: [
      [SocketEffect.close], [.readBytes(1), .close], [.halfClose, .readUntilClosed], [.readBytes(1), .reset],
    ])
  func endDuringHandshake(effects: [SocketEffect]) async throws {
    try await ScriptedServer.with(.steps(effects)) { server async throws in
      let error = try #require(await HTTPClient().failure(of: .get("https://127.0.0.1:\(server.port)/")))
      #expect(error.code == .tlsHandshakeFailed)
      #expect(error.phase == .tls)
      #expect(error.sent == .nothing)
      #expect(!error.description.contains("unclean"))
    }
  }

  @Test("TLS-08: a server that speaks plain HTTP on an https port is recognised")
  func plainHTTP() async throws {
    try await ScriptedServer.with(.steps([.send("HTTP/1.1 400 Bad Request\r\n\r\n"), .readUntilClosed])) {
      server async throws in
      let error = try #require(await HTTPClient().failure(of: .get("https://127.0.0.1:\(server.port)/")))
      #expect(error.code == .tlsHandshakeFailed)
      #expect(error.description.contains("spoke plain HTTP"))
    }
  }

  // MARK: TLS-09, TLS-13

  enum KeyKind: CaseIterable, Sendable { case clear, encrypted, sameFile, withChain }

  @Test("TLS-09: a client certificate from PEM files is shown to a server that asks", arguments: KeyKind.allCases)
  func clientCertificate(_ kind: KeyKind) async throws {
    let issuer = kind == .withChain ? try certificates.intermediate() : nil
    let certificate = try certificates.client(commonName: "worker-7", issuer: issuer)
    let passphrase = kind == .encrypted ? "sesame" : nil
    let files = try certificates.write(certificate, as: "client", passphrase: passphrase)
    var configuration = HTTPClientConfiguration.trusting(certificates)
    if kind == .sameFile {
      let both = try certificates.directory.write(certificate.privateKeyPEM + certificate.chainPEM, to: "both.pem")
      configuration.tls.clientIdentity = .init(certificates: .file(both))
    } else {
      configuration.tls.clientIdentity = .init(
        certificates: .file(files.chain), privateKey: .file(files.privateKey), passphrase: passphrase)
    }
    let options = ScriptedServer.Options.tls(try certificates.loopback()) {
      $0.clientAuthority = certificates.authority
    }
    try await ScriptedServer.with(.handler { _ in .text("welcome") }, options: options) { server async throws in
      #expect(try await HTTPClient(configuration: configuration).send(.get(server.url())).text() == "welcome")
      #expect(server.snapshot.requests.first?.tls?.clientCertificateSubject?.contains("worker-7") == true)
    }
  }

  @Test("TLS-09: a wrong pass phrase and a key of another certificate are errors before anything is connected")
  func unusableIdentity() async throws {
    let files = try certificates.write(try certificates.client(), as: "client", passphrase: "sesame")
    let other = try certificates.write(try certificates.client(commonName: "other"), as: "other")
    let options = ScriptedServer.Options.tls(try certificates.loopback()) {
      $0.clientAuthority = certificates.authority
    }
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: options) { server async throws in
      for (key, passphrase) in [(files.privateKey, "wrong"), (files.privateKey, nil), (other.privateKey, nil)] {
        var configuration = HTTPClientConfiguration.trusting(certificates)
        configuration.tls.clientIdentity = .init(
          certificates: .file(files.chain), privateKey: .file(key), passphrase: passphrase)
        let error = try #require(
          await HTTPClient(configuration: configuration).failure(of: .get(server.url())), "\(key) \(passphrase ?? "-")")
        #expect(error.code == .invalidClientIdentity)
        #expect(error.phase == .request)
        #expect(error.description.contains(key))
        #expect(!error.description.contains("wrong\""))
      }
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test("TLS-09: a server that misses a client certificate refuses the handshake, also in TLS 1.3")
  func missingClientCertificate() async throws {
    let options = ScriptedServer.Options.tls(try certificates.loopback()) {
      $0.clientAuthority = certificates.authority
    }
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: options) { server async throws in
      let error = try #require(
        await HTTPClient(configuration: .trusting(certificates)).failure(of: .get(server.url())))
      #expect(error.code == .tlsHandshakeFailed)
      #expect(error.phase == .tls)
      #expect(error.description.contains("certificate required"))
    }
  }

  @Test("TLS-13: session keys of TLS 1.2 and 1.3 are written in the NSS format, to a file for its owner only")
  func keyLog() async throws {
    let options = ScriptedServer.Options.tls(try certificates.loopback())
    try await ScriptedServer.with(.handler { _ in .text("x") }, options: options) { server async throws in
      let path = certificates.directory.path(of: "keys.log")
      for version in [TLSConfiguration.Version.tls12, .tls13] {
        var configuration = HTTPClientConfiguration.trusting(certificates)
        configuration.tls.keyLogFile = path
        configuration.tls.maximumVersion = version
        #expect(try await HTTPClient(configuration: configuration).send(.get(server.url())).text() == "x")
      }
      let lines = String(decoding: TemporaryDirectory.contents(of: path) ?? [], as: UTF8.self).split(separator: "\n")
      let labels = Set(lines.map { $0.prefix { $0 != " " } })
      #expect(labels.isSuperset(of: ["CLIENT_RANDOM", "CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"]))
      #expect(lines.allSatisfy { $0.split(separator: " ").count == 3 })
      var status = stat()
      #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  // MARK: The end of a stream without close_notify

  @Test("a reused connection that ended without close_notify is stale, and the request goes to another")
  func staleWithoutCloseNotify() async throws {
    let gate = Gate()
    let options = ScriptedServer.Options.tls(try certificates.loopback())
    let script = ServerScript.perConnection { number in
      let answer: [SocketEffect] = [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")]
      return .steps(number == 1 ? answer + [.readHead, .closeWithoutCloseNotify] : answer + [.wait(gate)])
    }
    try await ScriptedServer.with(script, options: options) { server async throws in
      let client = HTTPClient(configuration: .trusting(certificates))
      #expect(try await client.send(.get(server.url())).text() == "1")
      #expect(try await client.send(.get(server.url())).text() == "2")
    }
  }
}
