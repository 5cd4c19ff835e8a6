import LinnetTestSupport
import Testing

/// `-b`, `-c` and `-j`.
@Suite("Cookies of the command", .timeLimit(.minutes(2)))
struct CookieTests {
  private static let script = ServerScript.handler { request in
    let sent = ServerResponse.text(request.headers["Cookie"] ?? "-")
    return request.path == "/login"
      ? sent.adding("Set-Cookie", "id=1; Path=/").adding("Set-Cookie", "k=v; Max-Age=99")
      : request.path == "/to" ? ServerResponse(302).adding("Location", "/x").adding("Set-Cookie", "hop=1") : sent
  }

  private func withServer(_ body: (ScriptedServer, TemporaryDirectory) async throws -> Void) async throws {
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(Self.script) { server async throws in try await body(server, files) }
  }

  @Test("without -b and -c no cookie is kept")
  func off() async throws {
    try await withServer { server, _ async throws in
      #expect(try await CommandRun.linnet(server.url("/login"), server.url("/x")).output == "--")
    }
  }

  @Test("-b sends pairs, joined when it is given twice")
  func given() async throws {
    try await withServer { server, _ async throws in
      #expect(try await CommandRun.linnet("-b", "a=b; c=d", "-b", "e=f", server.url()).output == "a=b; c=d; e=f")
    }
  }

  @Test("an empty -b keeps cookies from one URL to the next, and across redirections")
  func engine() async throws {
    try await withServer { server, _ async throws in
      #expect(try await CommandRun.linnet("-b", "", server.url("/login"), server.url("/x")).output == "-id=1; k=v")
      #expect(try await CommandRun.linnet("-L", "-b", "", server.url("/to")).output == "hop=1")
    }
  }

  @Test("-c writes a file that only the owner can read, and -b sends it again; -j leaves session cookies out")
  func jar() async throws {
    try await withServer { server, files async throws in
      let jar = files.path(of: "jar")
      #expect(try await CommandRun.linnet("-s", "-c", jar, server.url("/login")).status == 0)
      let mode = try await CommandRun.shell("stat -c %a '\(jar)'")
      #expect(mode.output == "600\n")
      #expect(try await CommandRun.linnet("-b", jar, server.url("/x")).output == "id=1; k=v")
      #expect(try await CommandRun.linnet("-j", "-b", jar, server.url("/x")).output == "k=v")
    }
  }

  @Test("-c - writes to stdout, and /dev/null stays what it is")
  func special() async throws {
    try await withServer { server, _ async throws in
      let output = try await CommandRun.linnet("-s", "-o", "/dev/null", "-c", "-", server.url("/login")).output
      #expect(output.contains("\tid\t1\n"))
      #expect(try await CommandRun.linnet("-c", "/dev/null", server.url("/login")).status == 0)
      #expect(try await CommandRun.shell("test -c /dev/null && echo still").output == "still\n")
    }
  }

  @Test("of a broken cookie file the good lines count and the bad ones are named")
  func broken() async throws {
    try await withServer { server, files async throws in
      let good = "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n"
      let file = try files.write("# Netscape HTTP Cookie File\n\(good)nonsense\n", to: "cookies")
      let result = try await CommandRun.linnet("-b", file, server.url())
      #expect(result.status == 0 && result.output == "a=b")
      #expect(result.error.contains("'\(file)'") && result.error.contains("line 3"), "\(result.error)")
      #expect(try await CommandRun.linnet("-s", "-b", file, server.url()).error.isEmpty)
    }
  }

  @Test("a cookie file that cannot be read is refused before anything is sent; a missing one is a warning")
  func unreadable() async throws {
    try await withServer { server, files async throws in
      let refused = try await CommandRun.linnet("-b", files.path, server.url())
      #expect(refused.status == 2 && refused.error.contains("'\(files.path)'"))
      #expect(server.snapshot.connectionCount == 0)
      let missing = try await CommandRun.linnet("-b", "missing", server.url())
      #expect(missing.status == 0 && missing.error.contains("'missing'"))
    }
  }

  @Test("a jar that cannot be written is status 23, before anything is sent")
  func unwritable() async throws {
    try await withServer { server, _ async throws in
      let result = try await CommandRun.linnet("-s", "-S", "-c", "/nowhere/jar", server.url())
      #expect(result.status == 23 && result.error.contains("/nowhere/jar") && result.output.isEmpty)
      #expect(server.snapshot.connectionCount == 0)
    }
  }
}
