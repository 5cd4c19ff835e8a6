import LinnetCLI
import LinnetTestSupport
import Testing

/// `--dry-run` and `--print-curl`.
@Suite("Dry runs of the command", .timeLimit(.minutes(2)))
struct DryRunTests {
  private func run(_ words: [String], environment: [String: String] = [:]) async throws -> CommandRun.Result {
    try await ScriptedServer.with(.handler { _ in .text("sent") }) { server async throws in
      let words = ([CommandRun.path] + words.map { $0.replacing("SERVER", with: server.authority) }).map {
        Array($0.utf8)
      }
      let result = try await CommandRun(words, environment: environment).result()
      #expect(server.snapshot.connectionCount == 0)
      return result
    }
  }

  @Test("--dry-run prints the request that would be sent, with cookies and credentials masked")
  func request() async throws {
    let words = [
      "--dry-run", "-L", "-u", "me:S3CRET", "-b", "id=S3CRET", "-H", "X-A: b", "-d", "a=1", "-A", "x",
      "http://SERVER/p?q=1",
    ]
    let result = try await run(words)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(result.output.hasPrefix("* to http://127.0.0.1:"))
    for line in [
      "* redirections would be followed", "> POST /p?q=1 HTTP/1.1", "> User-Agent: x", "> X-A: b",
      "> Authorization: ***",
      "> Cookie: ***", "> Content-Length: 3", "a=1",
    ] { #expect(result.output.split(separator: "\n").contains(Substring(line)), "\(line)\n\(result.output)") }
    #expect(!result.output.contains("S3CRET"))
    let open = try await run(["--show-secrets"] + words).output
    #expect(open.contains("> Authorization: Basic bWU6UzNDUkVU\n") && open.contains("> Cookie: id=S3CRET\n"))
  }

  @Test("--dry-run names the proxy, each URL of several, and makes no file")
  func several() async throws {
    let files = try TemporaryDirectory()
    let result = try await run(
      [
        "--dry-run", "http://SERVER/{a,b}", "-o", files.path(of: "out"), "-D", files.path(of: "head"), "-c",
        files.path(of: "jar"), "--trace", files.path(of: "trace"),
      ], environment: ["http_proxy": "http://me:S3CRET@proxy.invalid:1"])
    #expect(result.status == 0, "\(result.error)")
    #expect(result.output.split(separator: "\n").filter { $0.hasPrefix("> GET http://127.0.0.1:") }.count == 2)
    #expect(result.output.contains("through http://proxy.invalid:1\n") && !result.output.contains("S3CRET"))
    #expect(try await CommandRun.shell("ls '\(files.path)'").output.isEmpty)
  }

  @Test(
    "--dry-run refuses what would be refused", arguments: [["-x", "ftp://p"], ["-H", "A"], ["http://127.0.0.1:0/"]])
  func refused(_ words: [String]) async throws {
    let result = try await run(["--dry-run", "http://SERVER/"] + words)
    #expect(result.status != 0 && !result.error.isEmpty)
  }

  @Test("--print-curl prints a command that does the same, quoted, with secrets masked")
  func curl() async throws {
    let words = [
      "--print-curl", "-L", "PUT", ":8080/{a,b}?x='y z'", "-d", "it's", "-H", "Authorization: Bearer S3CRET", "-H",
      "A: b",
      "--oauth2-bearer", "S3CRET", "-E", "c", "--pass", "S3CRET", "-x", "http://u:S3CRET@p", "-b", "id=S3CRET",
      "--no-progress",
      "--unix-socket", "@s", "--no-keepalive", "-d", "a\u{1}b",
    ]
    let result = try await run(words.map { $0 })
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(
      result.output
        == #"curl -q -X PUT --location --data 'it'\''s' --header 'Authorization:***' --header 'A: b' --oauth2-bearer '***'"#
        + #" --cert c --pass '***' --proxy 'http://***@p' --cookie 'id=***' --abstract-unix-socket s --no-keepalive"#
        + #" --data $'a\001b' --url 'http://localhost:8080/{a,b}?x='\''y z'\'''"# + "\n")
    #expect(try await run(["--show-secrets"] + words).output.contains("--oauth2-bearer S3CRET"))
  }

  @Test("curl understands the printed command")
  func repeated() async throws {
    guard try await CommandRun.shell("command -v curl").status == 0 else { return }
    try await ScriptedServer.with(.handler { .text("\($0.method) \($0.target) \($0.body.text)") }) {
      server async throws in
      let script =
        "sh -c \"$(\"$LINNET\" --print-curl PATCH '\(server.url("/a?b"))' -sS -d \"it's\" --data-urlencode 'x=y z')\""
      let result = try await CommandRun.shell(script)
      #expect(result.output == "PATCH /a?b it's&x=y+z", "\(result.error)")
    }
  }
}
