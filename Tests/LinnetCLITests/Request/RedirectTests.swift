import LinnetTestSupport
import Testing

/// `-L` and its relatives.
@Suite("Redirections of the command", .timeLimit(.minutes(2)))
struct RedirectTests {
  /// `/to/URL` redirects there, with the status of `/301/to/…` if it begins so; `/loop/N` to `/loop/N+1`.
  private static let script = ServerScript.handler { request in
    let path = request.path
    let parts = path.split(separator: "/")
    if let status = parts.first.flatMap({ Int($0) }), (300..<400).contains(status) {
      return ServerResponse(status).adding("Location", String(path.dropFirst(4)))
    }
    if parts.first == "loop", let number = parts.last.flatMap({ Int($0) }) {
      return ServerResponse(302).adding("Location", "/loop/\(number + 1)")
    }
    return .text("\(request.method) \(path) \(request.headers["Authorization"] ?? "-") \(request.body.text)")
  }

  @Test("without -L a redirection is the response, with it the end of the way is")
  func location() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      #expect(try await CommandRun.linnet("-w", "%{http_code}", server.url("/302/x")).output == "302")
      let result = try await CommandRun.linnet(
        "-L", "-w", "|%{http_code} %{num_redirects} %{url_effective}", server.url("/302/307/x"))
      #expect(result.output == "GET /x - |200 2 \(server.url("/x"))", "\(result.error)")
    }
  }

  @Test("--max-redirs is 50 unless given; one more is status 47")
  func maximum() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let result = try await CommandRun.linnet("-L", server.url("/loop/0"))
      #expect(result.status == 47 && result.error.contains("50"), "\(result.error)")
      #expect(server.snapshot.requests.count == 51)
      #expect(try await CommandRun.linnet("-L", "--max-redirs", "0", server.url("/302/x")).status == 47)
      #expect(try await CommandRun.linnet("-L", "--max-redirs", "1", server.url("/302/x")).status == 0)
    }
  }

  @Test(
    "--post301, --post302 and --post303 each keep POST after their own status",
    arguments: [
      ([], 301, "GET"), ([], 302, "GET"), (["--post301"], 301, "POST"), (["--post301"], 302, "GET"),
      (["--post302"], 301, "GET"), (["--post302"], 302, "POST"), (["--post301", "--post302"], 301, "POST"),
      (["--post301"], 303, "GET"), (["--post302"], 307, "POST"), (["--post303"], 303, "POST"),
      (["--post303"], 302, "GET"),
    ])
  func post(_ arguments: [String], _ status: Int, _ method: String) async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-L", "-d", "a=b", server.url("/\(status)/x")] + arguments
      let result = try await CommandRun(words.map { Array($0.utf8) }).result()
      #expect(result.output == "\(method) /x - \(method == "POST" ? "a=b" : "")", "\(result.error)")
    }
  }

  @Test("-e 'URL;auto' sends the URL first, and then each URL that redirects, without user and fragment")
  func automaticReferer() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let url = "http://me:pw@\(server.authority)/302/302/x?y"
      for (words, referers) in [
        (["-e", "http://a.test/;auto"], ["http://a.test/", server.url("/302/302/x?y"), server.url("/302/x")]),
        (["-e", ";auto"], [nil, server.url("/302/302/x?y"), server.url("/302/x")]),
        (["-e", "http://a.test/"], ["http://a.test/", "http://a.test/", "http://a.test/"]),
        (["-e", "auto"], ["auto", "auto", "auto"]),
        (["-e", ";auto", "-e", "b"], ["b", "b", "b"]),
        (["-e", ";auto", "-H", "Referer: c"], ["c", "c", "c"]), (["-e", ";auto", "-H", "Referer:"], [nil, nil, nil]),
      ] as [([String], [String?])] {
        let before = server.snapshot.requests.count
        let line = [CommandRun.path, "-L", "-w", "|%{referer}"] + words + [url + "#f"]
        let result = try await CommandRun(line.map { Array($0.utf8) }).result()
        let sent = server.snapshot.requests.dropFirst(before).map { $0.headers["Referer"] }
        #expect(sent == referers, "\(words) \(result.error)")
        #expect(result.output.hasSuffix("|\(referers.last.flatMap(\.self) ?? "")"))
      }
    }
  }

  @Test("what was read over TLS is not told to a server without it, nor to another origin (RFC 9110 §10.1.3)")
  func refererOverTLS() async throws {
    let certificates = try TestCertificates()
    try await ScriptedServer.with(Self.script) { open async throws in
      let script = ServerScript.handler { request in
        request.path == "/out"
          ? ServerResponse(302).adding("Location", open.url("/x"))
          : request.path == "/in" ? ServerResponse(302).adding("Location", "/x") : .text("secure")
      }
      var secured = ScriptedServer.Options()
      secured.tls = ServerTLS(try certificates.loopback())
      try await ScriptedServer.with(script, options: secured) { secure async throws in
        for path in ["/out", "/in"] {
          let line = [
            CommandRun.path, "-L", "--proto-redir", "=http,https", "--cacert", certificates.authorityFile, "-e",
            "https://first.test/;auto", secure.url(path),
          ]
          let result = try await CommandRun(line.map { Array($0.utf8) }).result()
          #expect(result.status == 0, "\(result.error)")
        }
        #expect(open.snapshot.requests.map { $0.headers["Referer"] } == [nil])
        #expect(secure.snapshot.requests.last?.headers["Referer"] == secure.url("/in"))
      }
    }
  }

  @Test("credentials do not follow to another port, unless --location-trusted says so")
  func trusted() async throws {
    try await ScriptedServer.with(Self.script) { target async throws in
      let script = ServerScript.handler { _ in ServerResponse(302).adding("Location", target.url("/x")) }
      try await ScriptedServer.with(script) { server async throws in
        for header in [["-u", "me:pw"], ["-H", "Authorization: Basic bWU6cHc="]] {
          for (option, seen) in [("-L", "-"), ("--location-trusted", "Basic bWU6cHc=")] {
            let words = [CommandRun.path, option] + header + [server.url()]
            let result = try await CommandRun(words.map { Array($0.utf8) }).result()
            #expect(result.output == "GET /x \(seen) ", "\(result.error)")
          }
        }
      }
    }
  }

  @Test("--proto and --proto-redir refuse schemes before anything is sent there")
  func schemes() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let refused = try await CommandRun.linnet("--proto", "=https", server.url())
      #expect(refused.status == 1 && refused.error.contains("--proto"))
      #expect(server.snapshot.connectionCount == 0)
      let redirected = try await CommandRun.linnet("-L", "--proto-redir", "=https", server.url("/302/x"))
      #expect(redirected.status == 1 && redirected.error.contains("--proto-redir"), "\(redirected.error)")
      #expect(server.snapshot.requests.map(\.path) == ["/302/x"])
      #expect(try await CommandRun.linnet("-L", "--proto-redir", "=http", server.url("/302/x")).status == 0)
    }
  }

  @Test("http does not follow https, unless --proto-redir names it")
  func downgrade() async throws {
    try await ScriptedServer.with(Self.script) { target async throws in
      let script = ServerScript.handler { _ in ServerResponse(302).adding("Location", target.url("/x")) }
      var options = ScriptedServer.Options()
      options.tls = ServerTLS(try TestCertificates().loopback())
      try await ScriptedServer.with(script, options: options) { server async throws in
        let refused = try await CommandRun.linnet("-sSkL", server.url())
        #expect(refused.status == 1, "\(refused.error)")
        #expect(target.snapshot.connectionCount == 0)
        let allowed = try await CommandRun.linnet("-skL", "--proto-redir", "=http,https", server.url())
        #expect(allowed.output == "GET /x - ", "\(allowed.error)")
      }
    }
  }
}
