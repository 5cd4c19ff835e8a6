import LinnetTestSupport
import Testing

/// `--check-status`, `--output-format json` and `-vv`.
@Suite("Output for machines", .timeLimit(.minutes(2)))
struct MachineOutputTests {
  private static let script = ServerScript.handler { request in
    guard let status = request.path.split(separator: "/").last.flatMap({ Int($0) }) else {
      return .text("hello").adding("Set-Cookie", "id=S3CRET").adding("X", "\"a\\").adding("X", "b")
    }
    return ServerResponse(status, body: "body")
  }

  private func run(_ words: [String], input: String? = nil) async throws -> CommandRun.Result {
    try await ScriptedServer.with(Self.script) { server async throws in
      let line = [CommandRun.path] + words.map { $0.replacing("SERVER", with: server.authority) }
      return try await CommandRun(line.map { Array($0.utf8) }, input: input).result()
    }
  }

  /// The members of the objects that `python3` finds, one object a line, as `name=value` lines.
  private func members(_ text: String, _ names: String...) async throws -> String {
    let script = """
      import json,sys
      for line in sys.stdin:
        o = json.loads(line)
        print(' '.join('%s=%s' % (n, o.get(n)) for n in sys.argv[1:]))
      """
    let words = ["/usr/bin/env", "python3", "-c", script] + names
    let result = try await CommandRun(words.map { Array($0.utf8) }, input: text).result()
    #expect(result.status == 0, "\(text) \(result.error)")
    return result.output
  }

  @Test(
    "--check-status tells the class of an HTTP error and prints its body",
    arguments: [(200, 0), (304, 0), (399, 0), (400, 4), (404, 4), (499, 4), (500, 5), (503, 5)] as [(Int, Int32)])
  func checkStatus(_ status: Int, _ code: Int32) async throws {
    let result = try await run(["--check-status", "http://SERVER/\(status)"])
    #expect(result.status == code && result.output == (status == 304 ? "" : "body"))
    #expect(result.error.isEmpty == (code == 0) && (code == 0 || result.error.contains("answered \(status)")))
  }

  @Test("--check-status and -f exclude each other", arguments: ["-f", "--fail-with-body"])
  func excluded(_ option: String) async throws {
    let result = try await run(["--check-status", option, "http://SERVER/404"])
    #expect(result.status == 2 && result.error.contains("--check-status"))
  }

  @Test("--output-format json tells of each transfer on stderr, one object a line, and leaves stdout to the bodies")
  func records() async throws {
    let result = try await run(
      [
        "--output-format", "json", "-f", "http://me:S3CRET@SERVER/x?token=S3CRET", "http://SERVER/404",
        "http://127.0.0.1:0/",
      ])
    #expect(result.status == 22 && result.output == "hello" && !result.error.contains("S3CRET"), "\(result.error)")
    let found = try await members(result.error, "exitcode", "http_code", "num_headers")
    #expect(
      found
        == "exitcode=0 http_code=200 num_headers=4\nexitcode=22 http_code=404 num_headers=1\nexitcode=3 http_code=0 num_headers=0\n"
    )
    let headers = try await members(result.error, "headers").split(separator: "\n").first ?? ""
    #expect(headers.contains("'x': ['\"a\\\\', 'b']") && headers.contains("'set-cookie': ['***']"), "\(headers)")
  }

  @Test(
    "every error and warning is one JSON object, also that of a command line which is not understood",
    arguments: [
      (["--nonsense", "http://SERVER/"], 2), (["-m", "x", "http://SERVER/"], 2), ([], 2),
      (["-D", "/missing/x", "http://SERVER/"], 23),
      (["ftp://a.test/"], 1), (["-H", "\"a\u{1}\u{9b}\nb", "http://SERVER/"], 2),
    ] as [([String], Int)])
  func errors(_ words: [String], _ code: Int) async throws {
    for format in [["--output-format", "json"], ["--output-format=json"]] {
      let result = try await run(format + words)
      #expect(result.status == code && result.output.isEmpty)
      #expect(result.error.split(separator: "\n").count == 1)
      #expect(try await members(result.error, "exitcode") == "exitcode=\(code)\n")
    }
  }

  @Test("a warning is an object of its own; text is the default")
  func warnings() async throws {
    let result = try await run(["--output-format", "json", "-k", "http://SERVER/"])
    #expect(try await members(result.error, "exitcode").hasPrefix("exitcode=None\nexitcode=0\n"))
    #expect(result.error.hasPrefix("{\"warning\":\"-k: "))
    #expect(try await run(["--output-format", "text", "http://SERVER/"]).error.isEmpty)
    #expect(try await run(["--output-format", "xml", "http://SERVER/"]).status == 2)
  }

  @Test("-vv adds addresses, times and sizes to -v; --no-verbose takes all away")
  func moreVerbose() async throws {
    let url = "http://SERVER/x"
    let once = try await run(["-v", url]).error
    let twice = try await run(["-vv", url]).error
    for part in ["* from 127.0.0.1:", "* looked up in ", "connected in ", "* times: request sent after ", "* sent: "] {
      #expect(!once.contains(part) && twice.contains(part), "\(part) \(twice)")
    }
    #expect(twice.contains(", 0 of bodies; received: ") && twice.hasSuffix(" of heads, 5 of the body\n"))
    #expect(try await run(["-v", "-v", url]).error.contains("* times: "))
    #expect(try await run(["-vv", "--no-verbose", url]).error.isEmpty)
  }
}
