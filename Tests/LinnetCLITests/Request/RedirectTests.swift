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
    "--post301 and --post302 each keep POST after their own status",
    arguments: [
      ([], 301, "GET"), ([], 302, "GET"), (["--post301"], 301, "POST"), (["--post301"], 302, "GET"),
      (["--post302"], 301, "GET"), (["--post302"], 302, "POST"), (["--post301", "--post302"], 301, "POST"),
      (["--post301"], 303, "GET"), (["--post302"], 307, "POST"),
    ])
  func post(_ arguments: [String], _ status: Int, _ method: String) async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-L", "-d", "a=b", server.url("/\(status)/x")] + arguments
      let result = try await CommandRun(words.map { Array($0.utf8) }).result()
      #expect(result.output == "\(method) /x - \(method == "POST" ? "a=b" : "")", "\(result.error)")
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
