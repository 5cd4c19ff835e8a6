import LinnetTestSupport
import Testing

/// `-u`, netrc and their relatives.
@Suite("Credentials of the command", .timeLimit(.minutes(2)))
struct CredentialTests {
  private static let script = ServerScript.handler { request in
    let sent = request.headers["Authorization"] ?? "-"
    guard request.path == "/digest", !sent.hasPrefix("Digest ") else { return .text(sent) }
    return ServerResponse(401, body: "who?").adding(
      "WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#)
  }

  private func output(
    _ arguments: [String], path: String = "/x", host: String = "", environment: [String: String] = [:]
  ) async throws -> String {
    try await ScriptedServer.with(Self.script) { server async throws in
      let url = "http://\(host)127.0.0.1:\(server.port)\(path)"
      let words = ([CommandRun.path, "-sS", url] + arguments).map { Array($0.utf8) }
      let result = try await CommandRun(words, environment: environment).result()
      #expect(result.status == 0, "\(result.error)")
      return result.output
    }
  }

  @Test("-u is Basic at once, --oauth2-bearer a bearer token")
  func preemptive() async throws {
    #expect(try await output(["-u", "me:p:w"]) == "Basic bWU6cDp3")
    #expect(try await output(["-u", "me:"]) == "Basic bWU6")
    #expect(try await output(["--oauth2-bearer", "T0KEN"]) == "Bearer T0KEN")
  }

  @Test("--digest and --anyauth answer the server's challenge", arguments: ["--digest", "--anyauth"])
  func digest(_ option: String) async throws {
    let answer = try await output(["-u", "me:pw", option], path: "/digest")
    #expect(answer.hasPrefix("Digest ") && answer.contains("username=\"me\""))
    #expect(try await output([option], path: "/digest", host: "me:pw@").hasPrefix("Digest "))
  }

  @Test("user and password of the URL are sent, -u comes before them, and -H before both")
  func order() async throws {
    #expect(try await output([], host: "me:pw@") == "Basic bWU6cHc=")
    #expect(try await output(["-u", "a:b"], host: "me:pw@") == "Basic YTpi")
    #expect(try await output(["-u", "a:b", "-H", "Authorization: X"]) == "X")
  }

  @Test("a missing password without a terminal is refused")
  func noPassword() async throws {
    let result = try await CommandRun.shell("setsid -w \"$LINNET\" -u me http://127.0.0.1:1/ < /dev/null")
    #expect(result.status == 2 && result.error.contains("no password for 'me'"), "\(result.error)")
  }

  @Test("netrc is read when asked for, from $NETRC, the home directory or a file")
  func netrc() async throws {
    let files = try TemporaryDirectory()
    let file = try files.write("machine 127.0.0.1 login me password pw\n", to: ".netrc")
    _ = try await CommandRun.shell("chmod 600 '\(file)'")
    let home = ["HOME": files.path]
    #expect(try await output([], environment: home) == "-")
    #expect(try await output(["-n"], environment: home) == "Basic bWU6cHc=")
    #expect(try await output(["-n"], environment: ["NETRC": file]) == "Basic bWU6cHc=")
    #expect(try await output(["--netrc-file", file]) == "Basic bWU6cHc=")
    #expect(try await output(["-n", "-u", "a:b"], environment: home) == "Basic YTpi")
    #expect(try await output(["-n"]) == "-")
    #expect(try await output(["--netrc-optional", "--netrc-file", "/nowhere"]) == "-")
  }

  @Test("a netrc file that cannot be read or understood is refused before anything is sent")
  func unreadable() async throws {
    let files = try TemporaryDirectory()
    let broken = try files.write("machine 127.0.0.1 login \"me\n", to: "broken")
    try await ScriptedServer.with(Self.script) { server async throws in
      for file in ["/nowhere/netrc", files.path, broken] {
        let result = try await CommandRun.linnet("-sS", "--netrc-file", file, server.url())
        #expect(result.status == 2 && result.error.contains(file), "\(result.error)")
      }
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test("a netrc file that others can read is used with a warning")
  func openMode() async throws {
    let files = try TemporaryDirectory()
    let file = try files.write("machine 127.0.0.1 login me password pw\n", to: "netrc")
    _ = try await CommandRun.shell("chmod 644 '\(file)'")
    try await ScriptedServer.with(Self.script) { server async throws in
      let result = try await CommandRun.linnet("--netrc-file", file, server.url())
      #expect(result.status == 0 && result.output == "Basic bWU6cHc=")
      #expect(result.error.contains("warning") && result.error.contains(file) && !result.error.contains("pw"))
    }
  }

  @Test("passwords and tokens of the command line do not stand in the list of processes while it runs")
  func processList() async throws {
    let gate = Gate()
    try await ScriptedServer.with(.handler { _ in .text("x").waiting(for: gate) }) { server async throws in
      let words = [
        CommandRun.path, "-sS", "-ume:S3CRET", "--proxy-user=p:S3CRET", "-H", "X-Token: S3CRET", "-b", "id=S3CRET",
        "-x", "",
        "http://n:S3CRET@\(server.authority)/",
      ]
      let run = try CommandRun(words.map { Array($0.utf8) })
      try await server.waitForHeads(1)
      let line = String(decoding: run.commandLine ?? [], as: UTF8.self)
      gate.open()
      _ = await run.result()
      #expect(line.contains("-ume:******") && !line.contains("S3CRET"), "\(line)")
      #expect(server.snapshot.requests.first?.headers["Authorization"] == "Basic bWU6UzNDUkVU")
    }
  }
}
