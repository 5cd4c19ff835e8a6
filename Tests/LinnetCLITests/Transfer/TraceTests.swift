import Glibc
import LinnetCLI
import LinnetHTTP
import LinnetTestSupport
import Testing

/// `--trace` and its relatives, `-D` and `--stderr`.
@Suite("Traces of the command", .timeLimit(.minutes(2)))
struct TraceTests {
  private static let script = ServerScript.handler { request in
    switch request.path {
    case "/hints": ServerResponse.text("x").after(interim: .init(103, headers: [HeaderLine("Link", "</a>")]))
    case "/missing": ServerResponse(404, body: "no")
    default: ServerResponse.text("hello\n").adding("Set-Cookie", "id=S3CRET")
    }
  }

  private func run(
    _ arguments: [String], path: String = "/", body: (CommandRun.Result, TemporaryDirectory) throws -> Void
  ) async throws {
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path] + arguments + [server.url(path)]
      try body(try await CommandRun(words.map { Array($0.utf8) }, directory: files.path).result(), files)
    }
  }

  private func text(_ name: String, _ files: TemporaryDirectory) -> String {
    String(decoding: TemporaryDirectory.contents(of: files.path(of: name)) ?? [], as: UTF8.self)
  }

  @Test("--trace-ascii shows what is sent and received, with secrets in heads masked")
  func ascii() async throws {
    try await run(["--trace-ascii", "t", "-d", "body=1", "-H", "Authorization: Bearer T0KEN"]) { result, files in
      #expect(result.output == "hello\n" && result.error.isEmpty)
      let trace = text("t", files)
      for part in [
        "== Info: connected to 127.0.0.1:", "=> Send header, ", "0000: POST / HTTP/1.1\n", ": Content-Length: 6\n",
        "=> Send data, 6 bytes (0x6)\n0000: body=1\n", "<= Recv header, ", "0000: HTTP/1.1 200 OK\n",
        "<= Recv data, 6 bytes (0x6)\n0000: hello.\n",
      ] { #expect(trace.contains(part), "\(part) in \(trace)") }
      #expect(!trace.contains("T0KEN") && !trace.contains("S3CRET") && trace.contains("Authorization: ***"))
      var status = stat()
      #expect(stat(files.path(of: "t"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test("--show-secrets shows them, and --trace has hexadecimal digits")
  func hexadecimal() async throws {
    try await run(["--trace", "t", "--show-secrets"]) { _, files in
      let trace = text("t", files)
      #expect(trace.contains("0000: 47 45 54 20 2f 20 48 54 54 50 2f 31 2e 31 0d 0a GET / HTTP/1.1..\n"))
      #expect(trace.contains("0000: 68 65 6c 6c 6f 0a                               hello.\n"))
      #expect(trace.contains("S3CRET") || trace.contains("53 33 43 52"))
    }
  }

  @Test("- and % stand for stdout and stderr", arguments: ["-", "%"])
  func streams(_ name: String) async throws {
    try await run(["--trace-ascii", name]) { result, _ in
      #expect((name == "-" ? result.output : result.error).contains("<= Recv data, 6 bytes"))
      #expect(result.output.contains("hello\n"))
    }
  }

  @Test("--trace-time and --trace-ids stand before each line", arguments: ["-v", "--trace-ascii"])
  func stamps(_ option: String) async throws {
    let arguments = option == "-v" ? ["-v"] : ["--trace-ascii", "%"]
    try await run(arguments + ["--trace-time", "--trace-ids"]) { result, _ in
      let lines = result.error.split(separator: "\n").filter { !$0.hasPrefix("00") }
      #expect(lines.count > 4)
      for line in lines {
        let parts = line.split(separator: " ")
        #expect(parts.count >= 3 && parts[0].count == 15 && parts[1] == "[0]", "\(line)")
      }
    }
  }

  @Test("a trace that cannot be made is an error before anything is sent")
  func unwritable() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      for option in ["--trace", "-D", "--stderr"] {
        let result = try await CommandRun.linnet(option, "/nowhere/t", server.url())
        #expect(result.status == 23 && result.error.contains("'/nowhere/t'"))
      }
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test("-D writes the heads of all responses to a file, and the body goes where it goes")
  func heads() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let files = try TemporaryDirectory()
      try files.write("old", to: "h")
      let result = try await CommandRun.linnet(
        "-sf", "-D", "h", server.url("/hints"), server.url("/missing"), directory: files.path)
      #expect(result.status == 22 && result.output == "x")
      #expect(
        text("h", files)
          == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"
          + "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n")
      #expect(try await CommandRun.linnet("-D", "-", server.url("/hints")).output.hasPrefix("HTTP/1.1 103"))
    }
  }

  @Test("--stderr sends everything for people to a file or to stdout")
  func standardError() async throws {
    try await run(["--stderr", "e", "-v", "-f"], path: "/missing") { result, files in
      #expect(result.status == 22 && result.error.isEmpty)
      #expect(text("e", files).contains("> GET /missing HTTP/1.1\n") && text("e", files).contains("linnet: GET "))
    }
    try await run(["--stderr", "-", "-f"], path: "/missing") { result, _ in
      #expect(result.error.isEmpty && result.output.contains("404"))
    }
  }

  @Test(
    "a trace that cannot be written is status 23, and the transfer is done", arguments: ["--trace", "--trace-ascii"])
  func full(_ option: String) async throws {
    try await run([option, "/dev/full"]) { result, _ in
      #expect(result.status == 23 && result.error.contains("'/dev/full'") && !result.output.isEmpty, "\(result.error)")
    }
  }

  @Test("-v shows a proxy, and its answer to CONNECT once")
  func proxy() {
    var connection = ConnectionInfo(peerAddress: "127.0.0.1:3128")
    connection.proxy = .init(
      name: "http://127.0.0.1:3128", isTunnel: true,
      connectResponse: ResponseHead(status: .ok, reason: "Connection established", headers: ["Via": "x"]))
    let output = VerboseOutput(showsSecrets: false, framingLine: nil)
    #expect(
      output.text(for: .connection(connection)) == """
        * connected to 127.0.0.1:3128
        * tunnel through the proxy http://127.0.0.1:3128
        < HTTP/1.1 200 Connection established
        < Via: x
        <

        """)
    connection.isReused = true
    #expect(!output.text(for: .connection(connection)).contains("<"))
    connection.proxy?.isTunnel = false
    #expect(output.text(for: .connection(connection)).hasSuffix("* using the proxy http://127.0.0.1:3128\n"))
  }
}
