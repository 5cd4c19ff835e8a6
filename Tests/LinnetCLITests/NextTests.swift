import LinnetCLI
import LinnetTestSupport
import Testing

/// `--next`: several requests with options of their own.
@Suite("Several requests of one command", .timeLimit(.minutes(2)))
struct NextTests {
  private static let script = ServerScript.handler { request in
    let text = "\(request.method) \(request.path) \(request.headers["X"] ?? "-") \(request.body.text)|"
    return request.path == "/login"
      ? ServerResponse.text(text).adding("Set-Cookie", "id=1; Path=/")
      : request.path == "/404" ? ServerResponse(404, body: "no|") : .text(text + (request.headers["Cookie"] ?? ""))
  }

  private func run(
    _ words: [String], _ body: (CommandRun.Result, ScriptedServer) throws -> Void
  ) async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let line = [CommandRun.path] + words.map { $0.replacing("SERVER", with: server.authority) }
      try body(try await CommandRun(line.map { Array($0.utf8) }).result(), server)
    }
  }

  @Test("each has its own method, headers, body and output; connections are shared", arguments: ["--next", "-:"])
  func sections(_ next: String) async throws {
    let words = [
      "-d", "a=1", "-H", "X: 1", "SERVER/a", next, "PUT", "SERVER/b", "SERVER/c", next, "-o", "/dev/null", "SERVER/d",
    ]
    try await run(words) { result, server in
      #expect(result.status == 0 && result.output == "POST /a 1 a=1|PUT /b - |PUT /c - |", "\(result.error)")
      #expect(server.snapshot.requests.map(\.path) == ["/a", "/b", "/c", "/d"])
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test("cookies go on, and connections do not where the options differ")
  func shared() async throws {
    try await run(["-b", "", "SERVER/login", "--next", "-b", "", "-4", "SERVER/x", "--next", "SERVER/y"]) {
      result, server in
      #expect(result.output == "GET /login - |GET /x - |id=1GET /y - |", "\(result.error)")
      #expect(server.snapshot.connectionCount == 3)
    }
  }

  @Test("the status is that of the first failure, and --fail-early is for the whole command")
  func status() async throws {
    let words = ["-sf", "SERVER/404", "--next", "SERVER/x", "--next", "-m", "0.001", "http://127.0.0.1:0/"]
    try await run(words) { result, server in
      #expect(result.status == 22 && result.output == "GET /x - |", "\(result.error)")
      #expect(server.snapshot.requests.count == 2)
    }
    try await run(words + ["--fail-early"]) { result, _ in #expect(result.status == 22 && result.output.isEmpty) }
  }

  @Test("what is wrong with one of them is noticed before the first is sent")
  func early() async throws {
    for words in [
      ["SERVER/a", "--next"], ["--next"], ["SERVER/a", "--next", "-T", "/missing", "SERVER/b"],
      ["SERVER/a", "--next", "--pass", "x", "SERVER/b"], ["SERVER/a", "--next", "-D", "/missing/x", "SERVER/b"],
    ] {
      try await run(words) { result, server in
        #expect(result.status != 0 && result.error.hasPrefix("linnet: "), "\(words)")
        #expect(server.snapshot.connectionCount == 0)
      }
    }
  }

  @Test("options are of their section, but for those of the command as a whole")
  func options() throws {
    let options = try CommandLineParser.parse(
      [
        "-L", "-g", "a", "--next", "-v", "--trace", "t", "-X", "PUT", "b", "--next", "demo", "--next", "-Z", "POST",
        "c",
      ]
      .map { Argument($0) })
    #expect(options.redirects.isFollowing && options.isVerbose && options.method == nil && options.run.isParallel)
    #expect(options.following.map(\.redirects.isFollowing) == [false, false, false])
    #expect(options.following.map(\.method) == ["PUT", nil, "POST"])
    #expect(options.following.map(\.urls) == [[Argument("b")], [Argument("demo")], [Argument("c")]])
    #expect(([options] + options.following).allSatisfy { $0.isVerbose && $0.trace.file == Argument("t") })
    #expect(([options] + options.following).map(\.run.isGlobbing) == [false, true, true, true])
  }

  @Test("what has no URL is no request: its options go on, as in curl")
  func empty() throws {
    for words in [["--next", "-L", "a", "--next", "b"], ["-L", "--next", "a", "--next", "--next", "b"]] {
      let options = try CommandLineParser.parse(words.map { Argument($0) })
      #expect(options.urls == [Argument("a")] && options.redirects.isFollowing)
      #expect(options.following.map(\.urls) == [[Argument("b")]])
    }
  }

  @Test("the numbers of transfers go on behind --next, with entity tags as well")
  func numbers() async throws {
    let words = [
      "-w", "%{urlnum}", "SERVER/{a,b}", "--next", "-w", "%{urlnum}", "--etag-save", "-", "SERVER/c", "--next", "-w",
      "%{urlnum}", "SERVER/d",
    ]
    try await run(words) { result, _ in
      #expect(result.status == 0, "\(result.error)")
      #expect(
        result.output == "GET /a - |0GET /b - |1GET /c - |\n2GET /d - |3".replacing("\n", with: ""), "\(result.error)")
    }
  }

  @Test("--print-curl and --dry-run show all of them")
  func shown() async throws {
    try await run(["--print-curl", "-d", "a", "SERVER/a", "--next", "-H", "Authorization: S3CRET", "SERVER/b"]) {
      result, server in
      #expect(
        result.output
          == "curl -q --data a --url http://\(server.authority)/a --next --header 'Authorization:***' --url http://\(server.authority)/b\n"
      )
    }
    try await run(["--dry-run", "SERVER/a", "--next", "POST", "SERVER/b"]) { result, server in
      #expect(
        result.output.split(separator: "\n").filter { $0.hasSuffix(" HTTP/1.1") } == [
          "> GET /a HTTP/1.1", "> POST /b HTTP/1.1",
        ])
      #expect(server.snapshot.connectionCount == 0)
    }
  }
}
