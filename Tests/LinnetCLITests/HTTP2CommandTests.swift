import LinnetTestSupport
import Testing

/// The command over HTTP/2: which version is used, what of it shows, and what its errors are.
@Suite("The command over HTTP/2", .timeLimit(.minutes(2)))
struct HTTP2CommandTests {
  private static let script = ServerScript.handler(onHead: { request in
    switch request.path {
    case "/broken": .resetStream(2)
    case "/refused": .resetStream(7)
    default: .readBody
    }
  }) { request in
    switch request.path {
    case "/echo": .text("\(request.majorVersion) \(request.body.text)")
    case "/missing": ServerResponse(404, body: "no")
    default: .text("hello")
    }
  }

  /// A server that offers these protocols by ALPN, and the words that make the command trust it.
  private func withTLSServer(
    _ protocols: [String] = ["h2", "http/1.1"], _ body: (ScriptedServer, [String]) async throws -> Void
  ) async throws {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    var tls = ServerTLS(try certificates.loopback())
    tls.applicationProtocols = protocols
    options.tls = tls
    try await ScriptedServer.with(Self.script, options: options) { server async throws in
      try await body(server, ["--cacert", certificates.authorityFile])
    }
  }

  private func withCleartextServer(_ body: (ScriptedServer) async throws -> Void) async throws {
    var options = ScriptedServer.Options()
    options.acceptsHTTP2PriorKnowledge = true
    try await ScriptedServer.with(Self.script, options: options, body)
  }

  private func linnet(_ words: [String], input: String? = nil) async throws -> CommandRun.Result {
    try await CommandRun(([CommandRun.path] + words).map { Array($0.utf8) }, input: input).result()
  }

  @Test(
    "over TLS the last of the options decides, and without one HTTP/2 is used when the server agrees",
    arguments: [
      ([], ["h2", "http/1.1"], "2"), (["--http2"], ["h2", "http/1.1"], "2"),
      (["--http1.1"], ["h2", "http/1.1"], "1.1"),
      (["--http2", "--http1.1"], ["h2", "http/1.1"], "1.1"), (["--http2-prior-knowledge"], ["h2"], "2"),
      ([], ["http/1.1"], "1.1"), (["--http2"], ["http/1.1"], "1.1"), (["--http2"], [], "1.1"),
    ] as [([String], [String], String)])
  func overTLS(_ options: [String], _ protocols: [String], _ version: String) async throws {
    try await withTLSServer(protocols) { server, trust async throws in
      let result = try await linnet(trust + options + ["-w", "|%{http_version}", server.url()])
      #expect(result.status == 0 && result.output == "hello|\(version)", "\(result.error)")
    }
  }

  @Test(
    "in cleartext HTTP/2 is used by prior knowledge only",
    arguments: [([], "1.1"), (["--http2"], "1.1"), (["--http2-prior-knowledge"], "2")] as [([String], String)])
  func inCleartext(_ options: [String], _ version: String) async throws {
    try await withCleartextServer { server async throws in
      let result = try await linnet(options + ["-w", "|%{http_version}", server.url()])
      #expect(result.status == 0 && result.output == "hello|\(version)", "\(result.error)")
      #expect(server.snapshot.violations.isEmpty)
    }
  }

  @Test("-v tells what ALPN agreed on, and shows the heads as HTTP/2 sends them")
  func verbose() async throws {
    try await withTLSServer { server, trust async throws in
      let result = try await linnet(trust + ["-v", "-d", "abc", "-H", "X-Mixed: Case", server.url("/echo")])
      #expect(result.output == "2 abc")
      for line in [
        "* ALPN: server accepted h2", "* using HTTP/2", "> POST /echo HTTP/2", "> :authority: \(server.authority)",
        "> x-mixed: Case", "> content-length: 3", "< HTTP/2 200", "< content-length: 5",
      ] {
        #expect(result.error.split(separator: "\n").contains { $0 == line }, "\(line) is not in: \(result.error)")
      }
    }
  }

  @Test("-i writes the head as curl does: without a reason phrase, and with the space in front of it")
  func head() async throws {
    try await withTLSServer { server, trust async throws in
      let result = try await linnet(trust + ["-i", server.url()])
      #expect(result.output.hasPrefix("HTTP/2 200 \r\n") && result.output.hasSuffix("\r\n\r\nhello"))
    }
  }

  @Test("several URLs share a connection, also after a failure of one of them")
  func severalURLs() async throws {
    try await withTLSServer { server, trust async throws in
      let urls = ["/", "/missing", "/broken", "/"].map { server.url($0) }
      let result = try await linnet(trust + ["-s", "-w", "|%{http_code} %{num_connects}\\n"] + urls)
      #expect(result.output == "hello|200 1\nno|404 0\n|000 0\nhello|200 0\n")
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test("bodies of unknown length need no chunked coding")
  func upload() async throws {
    try await withCleartextServer { server async throws in
      let words = ["--http2-prior-knowledge", "-v", "-T", "-", server.url("/echo")]
      let result = try await linnet(words, input: "from standard input")
      #expect(result.output == "2 from standard input")
      #expect(!result.error.lowercased().contains("> transfer-encoding"))
      let request = try await server.waitForRequests(1)[0]
      #expect(request.headers["transfer-encoding"] == nil && request.headers["content-length"] == nil)
    }
  }

  @Test(
    "a stream that the server resets, or refuses again and again, is 92; the code is named",
    arguments: [
      ("/broken", "INTERNAL_ERROR"), ("/refused", "REFUSED_STREAM"),
    ])
  func streamErrors(_ path: String, _ code: String) async throws {
    try await withCleartextServer { server async throws in
      let result = try await linnet(["--http2-prior-knowledge", server.url(path)])
      #expect(result.status == 92 && result.error.contains(code), "\(result.status): \(result.error)")
      #expect(result.error.filter { $0 == "\n" }.count == 1 && result.outputBytes.isEmpty)
    }
  }

  @Test("--http2-prior-knowledge is 16 where the server does not speak HTTP/2: over TLS, and in cleartext")
  func notSpoken() async throws {
    try await withTLSServer([]) { server, trust async throws in
      let result = try await linnet(trust + ["--http2-prior-knowledge", server.url()])
      #expect(result.status == 16 && result.error.contains(server.authority), "\(result.status): \(result.error)")
    }
    let answer = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
    try await ScriptedServer.with(.steps([.readBytes(24), .send(answer), .readUntilClosed])) { server async throws in
      let result = try await linnet(["--http2-prior-knowledge", server.url()])
      #expect(result.status == 16 && result.error.contains(server.authority), "\(result.status): \(result.error)")
    }
  }
}
