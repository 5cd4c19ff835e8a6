import LinnetCLI
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Each way to fail: curl's status, and one line on stderr that names the culprit.
@Suite("Exit statuses of the command", .timeLimit(.minutes(2)))
struct ExitCodeTests {
  private func expect(
    _ status: Int32, naming culprit: String, _ arguments: String..., location: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await CommandRun([[Array(CommandRun.path.utf8)], arguments.map { Array($0.utf8) }].flatMap { $0 })
      .result()
    #expect(result.status == status, "\(result.error)", sourceLocation: location)
    #expect(result.error.hasPrefix("linnet: ") && result.error.contains(culprit), sourceLocation: location)
    #expect(result.error.filter { $0 == "\n" }.count == 1, "\(result.error)", sourceLocation: location)
    #expect(result.outputBytes.isEmpty, sourceLocation: location)
  }

  private func withServer(
    _ effects: [SocketEffect], _ body: (ScriptedServer) async throws -> Void
  ) async throws {
    try await ScriptedServer.with(.steps(effects), body)
  }

  @Test(
    "every code of the client has its status",
    arguments: [
      (.cancelled, 42), (.clientShutDown, 42), (.invalidURL, 3), (.unsupportedScheme, 1), (.invalidRequest, 2),
      (.invalidConfiguration, 2), (.invalidClientIdentity, 58), (.requestBodyFailed, 26), (.bodyNotReplayable, 65),
      (.poolTimeout, 28), (.poolQueueFull, 7), (.hostNotFound, 6), (.resolutionFailed, 6), (.connectionRefused, 7),
      (.connectFailed, 7), (.connectTimeout, 28), (.tlsHandshakeFailed, 35), (.certificateRejected, 60),
      (.trustRootsUnavailable, 77), (.connectionLost, 56), (.staleConnection, 56), (.emptyReply, 52),
      (.invalidResponse, 8), (.protocolViolation, 16), (.http2NotNegotiated, 16), (.streamReset, 92),
      (.streamRefused, 92), (.responseHeadTooLarge, 56), (.truncated, 18), (.headTimeout, 28), (.idleTimeout, 28),
      (.totalTimeout, 28), (.bodyTooLarge, 63), (.decompressionLimit, 63), (.decodingFailed, 61),
      (.publicKeyNotPinned, 90), (.tooManyRedirects, 47), (.redirectLoop, 47), (.redirectRefused, 1),
      (.invalidRedirect, 3), (.proxyNotFound, 5),
      (.proxyConnectFailed, 7), (.proxyAuthenticationRequired, 97), (.proxyRefused, 97), (.invalidProxyResponse, 97),
      (.bodyAlreadyConsumed, 42), (.systemError, 56), (TransportError.Code(rawValue: "later"), 56),
    ] as [(TransportError.Code, Int32)])
  func mapping(_ code: TransportError.Code, _ status: Int32) {
    #expect(ExitCode(code, in: .head).rawValue == status)
  }

  @Test("a loss while sending is 55, a lack of descriptors while connecting 7")
  func mappingByPhase() {
    #expect(ExitCode(.connectionLost, in: .send) == .sendError)
    #expect(ExitCode(.systemError, in: .connect) == .connectFailed)
  }

  @Test("bad input is refused before anything is sent")
  func badInput() async throws {
    try await ScriptedServer.with(.handler { _ in .text("") }) { server async throws in
      let url = server.url()
      try await expect(1, naming: "ftp", "ftp://127.0.0.1/")
      try await expect(2, naming: "--nonsense", "--nonsense", url)
      try await expect(2, naming: "no URL")
      try await expect(2, naming: "\"X-A\"", "-H", "X-A: b\r\nX-B: c", url)
      try await expect(2, naming: "\"X A\"", "-H", "X A: b", url)
      try await expect(2, naming: "no colon", "-H", "nonsense", url)
      try await expect(2, naming: "G T", "-X", "G T", url)
      try await expect(3, naming: "http://[", "http://[")
      try await expect(3, naming: "port", "http://127.0.0.1:0/")
      try await expect(3, naming: "70000", "http://127.0.0.1:70000/")
      try await expect(23, naming: "/nowhere/x", "-o", "/nowhere/x", url)
      try await expect(23, naming: "/tmp", "-o", "/tmp", url)
      try await expect(26, naming: "'missing'", "-d@missing", url)
      try await expect(26, naming: "'missing'", "--data-binary", "@missing", url)
      try await expect(26, naming: "'missing'", "-T", "missing", url)
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test("a host without an address is 6, a closed port 7")
  func connecting() async throws {
    try await expect(6, naming: "host.invalid", "http://host.invalid/")
    let server = try ScriptedServer.start(.handler { _ in .text("") })
    let url = server.url()
    server.stop()
    try await expect(7, naming: "127.0.0.1:\(server.port)", url)
  }

  @Test("an answer that is not HTTP is 8, an empty one 52")
  func replies() async throws {
    try await withServer([.readRequest, .send("SSH-2.0-x\r\n\r\n"), .close]) { server async throws in
      try await expect(8, naming: server.authority, server.url())
    }
    try await withServer([.readRequest, .close]) { server async throws in
      try await expect(52, naming: server.authority, server.url())
    }
  }

  @Test("a connection that is lost is 56")
  func lost() async throws {
    try await withServer([.readRequest, .reset]) { server async throws in
      try await expect(56, naming: server.authority, server.url())
    }
  }

  @Test("a body that is cut short is 18, and what came was written")
  func truncated() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n12345"
    try await withServer([.readRequest, .send(head), .close]) { server async throws in
      let result = try await CommandRun.linnet(server.url())
      #expect(result.status == 18 && result.output == "12345" && result.error.contains("5 of 20"))
    }
  }

  @Test("each timeout is 28")
  func timeouts() async throws {
    try await withServer([.readRequest, .stall]) { server async throws in
      try await expect(28, naming: server.authority, "-m", "0.1", server.url())
    }
    try await withServer([.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"), .stall]) {
      server async throws in
      try await expect(28, naming: server.authority, "-m", "0.1", server.url())
    }
    var options = ScriptedServer.Options()
    options.acceptance = .nothingWithFullBacklog
    try await ScriptedServer.with(.steps([]), options: options) { server async throws in
      try await expect(28, naming: server.authority, "--connect-timeout", "0.1", server.url())
    }
  }

  @Test("a peer that speaks no TLS is 35")
  func noTLS() async throws {
    try await withServer([.send("HTTP/1.1 400 Bad Request\r\n\r\n"), .readUntilClosed]) { server async throws in
      try await expect(35, naming: "127.0.0.1", "https://127.0.0.1:\(server.port)/")
    }
  }

  @Test("a broken gzip body is 61")
  func brokenEncoding() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\n12345"
    try await withServer([.readRequest, .send(head), .readUntilClosed]) { server async throws in
      try await expect(61, naming: server.authority, "--compressed", server.url())
    }
  }

  // MARK: Certificates

  private func withTLSServer(
    clientAuthority: Bool = false, _ body: (ScriptedServer, TestCertificates) async throws -> Void
  ) async throws {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    var tls = ServerTLS(try certificates.loopback())
    if clientAuthority { tls.clientAuthority = certificates.authority }
    options.tls = tls
    try await ScriptedServer.with(.handler { _ in .text("safe") }, options: options) { server async throws in
      try await body(server, certificates)
    }
  }

  @Test("--cacert trusts that file and nothing else; -k checks nothing and warns")
  func trust() async throws {
    try await withTLSServer { server, certificates async throws in
      let url = server.url("/", host: "localhost")
      let good = try await CommandRun.linnet("--cacert", certificates.authorityFile, url)
      #expect(good.status == 0 && good.output == "safe" && good.error.isEmpty, "\(good.error)")
      let verbose = try await CommandRun.linnet("-v", "--cacert", certificates.authorityFile, url)
      #expect(verbose.error.contains("* ALPN: server did not agree on a protocol\n"), "\(verbose.error)")
      let other = try TestCertificates()
      try await expect(60, naming: "localhost", "--cacert", other.authorityFile, url)
      let careless = try await CommandRun.linnet("-k", url)
      #expect(careless.status == 0 && careless.output == "safe")
      #expect(careless.error.hasPrefix("linnet: warning: -k"))
      #expect(try await CommandRun.linnet("-sk", url).error.isEmpty)
    }
  }

  @Test("CA files that cannot be used are 77")
  func authorities() async throws {
    try await withTLSServer { server, certificates async throws in
      let garbage = try certificates.directory.write("garbage", to: "garbage.pem")
      try await expect(77, naming: "/nowhere/ca.pem", "--cacert", "/nowhere/ca.pem", server.url())
      try await expect(77, naming: garbage, "--cacert", garbage, server.url())
      let result = try await CommandRun.linnet(server.url(), environment: ["SSL_CERT_FILE": "/nowhere/ca.pem"])
      #expect(result.status == 77 && result.error.contains("/nowhere/ca.pem"), "\(result.error)")
    }
  }

  @Test("a client certificate is shown; one that cannot be used is 58")
  func identity() async throws {
    try await withTLSServer(clientAuthority: true) { server, certificates async throws in
      let files = try certificates.write(try certificates.client(), as: "client", passphrase: "open sesame")
      let other = try certificates.write(try certificates.client(), as: "other")
      let trust = ["--cacert", certificates.authorityFile]
      let good = try await CommandRun.linnet(
        trust[0], trust[1], "--cert", files.chain, "--key", files.privateKey, "--pass", "open sesame", server.url())
      #expect(good.status == 0 && good.output == "safe", "\(good.error)")
      let inline = try await CommandRun.linnet(
        trust[0], trust[1], "--cert", "\(files.chain):open sesame", "--key", files.privateKey, server.url())
      #expect(inline.status == 0, "\(inline.error)")
      try await expect(
        58, naming: files.privateKey, trust[0], trust[1], "--cert", files.chain, "--key", files.privateKey, "--pass",
        "no",
        server.url())
      try await expect(
        58, naming: other.privateKey, trust[0], trust[1], "--cert", files.chain, "--key", other.privateKey, server.url()
      )
      try await expect(58, naming: "/nowhere/c.pem", trust[0], trust[1], "--cert", "/nowhere/c.pem", server.url())
    }
  }

  @Test("SSLKEYLOGFILE gets the secrets of the session")
  func keyLog() async throws {
    try await withTLSServer { server, certificates async throws in
      let log = certificates.directory.path(of: "keys")
      let result = try await CommandRun.linnet(
        "--cacert", certificates.authorityFile, server.url(), environment: ["SSLKEYLOGFILE": log])
      #expect(result.status == 0)
      let text = String(decoding: TemporaryDirectory.contents(of: log) ?? [], as: UTF8.self)
      #expect(text.contains("CLIENT_TRAFFIC_SECRET_0 "))
    }
  }

  @Test("-m that is over before there is a connection says so plainly")
  func earlyTimeout() async throws {
    try await ScriptedServer.with(.handler { _ in .text("x") }) { server async throws in
      let result = try await CommandRun.linnet("-sS", "-m", "0.0000001", server.url("/?token=S3CRET"))
      #expect(result.status == 28 && result.error.contains("total"), "\(result.error)")
      #expect(!result.error.contains("queue") && !result.error.contains("S3CRET"), "\(result.error)")
    }
  }
}
