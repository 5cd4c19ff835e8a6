import LinnetBytes
import LinnetTLS
import Testing

@Suite("Trust roots")
struct TrustRootsTests {
  private func resolve(
    _ environment: [String: String] = [:], option: String? = nil, paths: [String: TrustPathKind]
  ) throws(TLSError) -> TrustRoots {
    try TrustRoots.resolve(TrustEnvironment(environment, option: option)) { paths[$0] ?? .absent }
  }

  @Test(
    "the bundle of every distribution is found",
    arguments: [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ])
  func bundles(path: String) throws {
    let roots = try resolve(paths: [path: .file, "/etc/ssl/certs": .directory])
    #expect(roots.files == [path] && roots.directories.isEmpty && roots.fallbackFile == nil)
  }

  @Test("the hashed directory is preferred, with the bundle as a second look")
  func hashedDirectory() throws {
    let both = try resolve(paths: ["/etc/ssl/certs": .hashedDirectory, "/etc/ssl/certs/ca-certificates.crt": .file])
    #expect(both.directories == ["/etc/ssl/certs"] && both.files.isEmpty)
    #expect(both.fallbackFile == "/etc/ssl/certs/ca-certificates.crt")
    let alone = try resolve(paths: ["/etc/ssl/certs": .hashedDirectory])
    #expect(alone.directories == ["/etc/ssl/certs"] && alone.fallbackFile == nil)
    // A few own links beside another distribution's bundle.
    let other = try resolve(paths: ["/etc/ssl/certs": .hashedDirectory, "/etc/pki/tls/certs/ca-bundle.crt": .file])
    #expect(other.files == ["/etc/pki/tls/certs/ca-bundle.crt"] && other.directories.isEmpty)
  }

  @Test("nothing found lists all places")
  func nothing() throws {
    let roots = try resolve(["NIX_SSL_CERT_FILE": "/nix/ca.crt"], paths: ["/etc/ssl/certs": .directory])
    #expect(roots.isEmpty)
    #expect(roots.lookedAt == ["/etc/ssl/certs"] + TrustPlaces.distributions.bundles + ["/nix/ca.crt"])
  }

  @Test("the order is option, LINNET_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR, system, NIX_SSL_CERT_FILE")
  func order() throws {
    let paths: [String: TrustPathKind] = [
      "/option": .file, "/linnet": .file, "/file": .file, "/dir": .hashedDirectory, "/etc/ssl/cert.pem": .file,
      "/nix": .file,
    ]
    var environment = [
      "LINNET_CA_BUNDLE": "/linnet", "SSL_CERT_FILE": "/file", "SSL_CERT_DIR": "/dir", "NIX_SSL_CERT_FILE": "/nix",
    ]
    #expect(try resolve(environment, option: "/option", paths: paths).files == ["/option"])
    #expect(try resolve(environment, paths: paths).files == ["/linnet"])
    environment["LINNET_CA_BUNDLE"] = ""
    let both = try resolve(environment, paths: paths)
    #expect(both.files == ["/file"] && both.directories == ["/dir"])
    environment["SSL_CERT_FILE"] = nil
    #expect(try resolve(environment, paths: paths).directories == ["/dir"])
    environment["SSL_CERT_DIR"] = nil
    #expect(try resolve(environment, paths: paths).files == ["/etc/ssl/cert.pem"])
    #expect(try resolve(environment, paths: ["/nix": .file]).files == ["/nix"])
  }

  @Test("the option and LINNET_CA_BUNDLE may name a hashed directory")
  func namedDirectory() throws {
    #expect(try resolve(option: "/d", paths: ["/d": .hashedDirectory]).directories == ["/d"])
    #expect(try resolve(["LINNET_CA_BUNDLE": "/d"], paths: ["/d": .hashedDirectory]).directories == ["/d"])
  }

  @Test(
    "what the user names and cannot be read is an error that names the variable and the path, not a fallback",
    arguments: [
      (["SSL_CERT_FILE": "/x"], [:], "SSL_CERT_FILE=/x", "no such file"),
      (["SSL_CERT_FILE": "/x"], ["/x": .unreadable], "SSL_CERT_FILE=/x", "the file cannot be read"),
      (["SSL_CERT_FILE": "/x"], ["/x": .directory], "SSL_CERT_FILE=/x", "is a directory, not a file"),
      (["LINNET_CA_BUNDLE": "/x"], [:], "LINNET_CA_BUNDLE=/x", "no such file"),
      (
        ["LINNET_CA_BUNDLE": "/x"], ["/x": .directory], "LINNET_CA_BUNDLE=/x",
        "the directory holds no certificates under hashed names (c_rehash)"
      ),
      (
        ["SSL_CERT_DIR": "/x:/y"], ["/y": .directory], "SSL_CERT_DIR=/x:/y",
        "no directory with certificates under hashed names (c_rehash)"
      ),
    ] as [([String: String], [String: TrustPathKind], String, String)])
  func unreadable(
    environment: [String: String], paths: [String: TrustPathKind], subject: String, detail: String
  ) throws {
    let system = paths.merging(["/etc/ssl/cert.pem": .file]) { first, _ in first }
    #expect(throws: TLSError(.configuration(subject: subject), detail: detail)) {
      try resolve(environment, paths: system)
    }
  }

  @Test("missing entries of SSL_CERT_DIR are skipped while one is good")
  func directoryList() throws {
    let roots = try resolve(["SSL_CERT_DIR": "/x:/y:/z"], paths: ["/y": .hashedDirectory, "/z": .hashedDirectory])
    #expect(roots.directories == ["/y", "/z"])
    #expect(try resolve(["SSL_CERT_DIR": "/x", "SSL_CERT_FILE": "/f"], paths: ["/f": .file]).files == ["/f"])
  }

  @Test("the file system answers what lies at a path")
  func fileSystem() {
    let file = TemporaryFile("text")
    #expect(TrustRoots.fileSystemProbe(file.path) == .file)
    #expect(TrustRoots.fileSystemProbe("/nonexistent/file") == .absent)
    #expect(TrustRoots.fileSystemProbe("/proc/self/fdinfo") == .directory)
  }

  /// Whether a handshake succeeds with a server of `issuer` when the system's roots are those of `systemPEM`.
  private func handshake(
    _ server: GeneratedIdentity, trust: TLSTrust, environment: [String: String],
    systemRoots: TrustRoots? = nil
  ) throws(TLSError) -> TLSError? {
    var settings = TLSSettings()
    settings.identity = server.identity
    var client = TLSSettings()
    client.trust = trust
    client.trustEnvironment = TrustEnvironment(environment)
    var pair = try TLSPair(
      client: TLSContext(client, role: .client, systemRoots: systemRoots), server: TLSContext(settings, role: .server))
    return pair.shakeHands().client
  }

  @Test("system and these, and only these, are two settings")
  func modes() throws {
    let system = try CertificateFactory.authority(commonName: "System")
    let extra = try CertificateFactory.authority(commonName: "Extra")
    let bundle = TemporaryFile(system.certificatePEM)
    let environment = ["SSL_CERT_FILE": bundle.path]
    let bySystem = try CertificateFactory.server(dnsNames: ["example.test"], issuer: system)
    let byExtra = try CertificateFactory.server(dnsNames: ["example.test"], issuer: extra)
    func check(_ trust: TLSTrust, _ server: GeneratedIdentity) throws -> TLSError.Code? {
      try handshake(server, trust: trust, environment: environment)?.code
    }
    #expect(try check(.system, bySystem) == nil)
    #expect(try check(.system, byExtra) == .unknownIssuer)
    #expect(try check(.systemAnd([extra.trust]), bySystem) == nil)
    #expect(try check(.systemAnd([extra.trust]), byExtra) == nil)
    #expect(try check(.only([extra.trust]), bySystem) == .unknownIssuer)
    #expect(try check(.only([extra.trust]), byExtra) == nil)
    #expect(try check(.only([]), byExtra) == .unknownIssuer)

    let file = TemporaryFile("A comment\n" + system.certificatePEM + extra.certificatePEM)
    for source in [TLSSource.file(file.path), .text(system.certificatePEM + extra.certificatePEM)] {
      #expect(try check(.only([source]), bySystem) == nil)
      #expect(try check(.only([source]), byExtra) == nil)
    }
  }

  @Test("no roots at all fail at verification with the paths and the variable to set")
  func noRoots() throws {
    let fixture = try TLSFixture()
    let none = try resolve(paths: [:])
    let error = try #require(
      try handshake(fixture.server, trust: .system, environment: [:], systemRoots: none))
    #expect(error.code == .noTrustRoots(lookedAt: ["/etc/ssl/certs"] + TrustPlaces.distributions.bundles))
    #expect(error.description.contains("/etc/ssl/cert.pem") && error.description.contains("SSL_CERT_FILE"))
    let added = try handshake(
      fixture.server, trust: .systemAnd([fixture.authority.trust]), environment: [:], systemRoots: none)
    #expect(added == nil)
  }

  @Test("certificates of a hashed directory are found on demand, and those of the bundle beside it at a second look")
  func hashedDirectoryAndBundle() throws {
    let linked = try CertificateFactory.authority(commonName: "Linked")
    let bundled = try CertificateFactory.authority(commonName: "Bundled")
    let directory = TemporaryDirectory()
    directory.write("\(linked.certificate.hashedName).0", linked.certificatePEM)
    directory.write("ca-certificates.crt", linked.certificatePEM + bundled.certificatePEM)
    #expect(TrustRoots.fileSystemProbe(directory.path) == .hashedDirectory)
    let byLinked = try CertificateFactory.server(dnsNames: ["example.test"], issuer: linked)
    let middle = try CertificateFactory.authority(commonName: "Middle", issuer: bundled)
    let byBundled = try CertificateFactory.server(dnsNames: ["example.test"], issuer: middle)

    let variable = ["SSL_CERT_DIR": "/nonexistent:\(directory.path)"]
    #expect(try handshake(byLinked, trust: .system, environment: variable) == nil)
    #expect(try handshake(byBundled, trust: .system, environment: variable)?.code == .unknownIssuer)

    let roots = try TrustRoots.resolve(
      TrustEnvironment(),
      places: TrustPlaces(directory: directory.path, bundles: ["\(directory.path)/ca-certificates.crt"]))
    #expect(roots.directories == [directory.path] && roots.fallbackFile != nil)
    #expect(try handshake(byLinked, trust: .system, environment: [:], systemRoots: roots) == nil)
    #expect(try handshake(byBundled, trust: .system, environment: [:], systemRoots: roots) == nil)
    let stranger = try CertificateFactory.server(dnsNames: ["example.test"], issuer: nil)
    #expect(
      try handshake(stranger, trust: .system, environment: [:], systemRoots: roots)?.code == .selfSigned)
    let elsewhere = try CertificateFactory.server(dnsNames: ["elsewhere.test"], issuer: bundled)
    #expect(
      try handshake(elsewhere, trust: .system, environment: [:], systemRoots: roots)?.code
        == .hostnameMismatch(presented: ["elsewhere.test"]))
    let client = try CertificateFactory.client(issuer: bundled)
    #expect(
      try handshake(client, trust: .system, environment: [:], systemRoots: roots)?.code
        == .certificateInvalid("unsuitable certificate purpose"))
    let expired = try CertificateFactory.server(dnsNames: ["example.test"], validity: .expired, issuer: bundled)
    #expect(
      try handshake(expired, trust: .system, environment: [:], systemRoots: roots)?.code == .certificateExpired)
  }

  @Test("a bundle without certificates is an error that names it")
  func emptyBundle() throws {
    let fixture = try TLSFixture()
    let bundle = TemporaryFile("nothing")
    do throws(TLSError) {
      _ = try handshake(fixture.server, trust: .system, environment: ["SSL_CERT_FILE": bundle.path])
      Issue.record("accepted")
    } catch {
      #expect(error.code == .configuration(subject: bundle.path))
    }
  }
}
