import Glibc
import LinnetTestSupport
import Testing

/// Where the command writes, and what happens when it cannot.
@Suite("Output of the command", .timeLimit(.minutes(2)))
struct OutputTests {
  private static let script = ServerScript.handler { request in
    switch request.path {
    case "/binary": .pattern(3_000_000)
    case "/missing": ServerResponse(404, body: #"{"error":"no"}"#)
    case "/trailers": ServerResponse(body: "abc").chunked(trailers: [HeaderLine("X-End", "1")])
    case "/hints": ServerResponse.text("x").after(interim: .init(103, headers: [HeaderLine("Link", "</a>")]))
    case "/secrets": ServerResponse.text("x").adding("Set-Cookie", "id=S3CRET")
    default: .text("hello\n")
    }
  }

  private func withServer(_ body: (ScriptedServer) async throws -> Void) async throws {
    try await ScriptedServer.with(Self.script, body)
  }

  @Test("bodies are byte-exact on stdout and in files, and nothing else is on stdout")
  func exact() async throws {
    let files = try TemporaryDirectory()
    try await withServer { server async throws in
      let expected = TestPattern.bytes(3_000_000)
      let direct = try await CommandRun.linnet("-v", server.url("/binary"))
      #expect(direct.outputBytes == expected)
      let file = files.path(of: "out")
      let toFile = try await CommandRun.linnet(server.url("/binary"), "-o", file)
      #expect(toFile.status == 0 && toFile.outputBytes.isEmpty && toFile.error.isEmpty)
      #expect(TemporaryDirectory.contents(of: file) == expected)
    }
  }

  @Test("CLI-02: -o writes the body when stdout and stderr are redirected, without progress")
  func redirected() async throws {
    let files = try TemporaryDirectory()
    try await withServer { server async throws in
      let script = "cd '\(files.path)' && \"$LINNET\" '\(server.url())' -o x > log 2>&1; echo $?; cat x; wc -c < log"
      #expect(try await CommandRun.shell(script).output == "0\nhello\n0\n")
      let piped = "cd '\(files.path)' && \"$LINNET\" '\(server.url())' -o y </dev/null 2>&1 | cat; cat y"
      #expect(try await CommandRun.shell(piped).output == "hello\n")
    }
  }

  @Test("-O names the file by the URL, and -o of several URLs go in order")
  func fileNames() async throws {
    let files = try TemporaryDirectory()
    try await withServer { server async throws in
      let result = try await CommandRun.linnet(
        "-O", "-o", "second", server.url("/dir/first.txt?q=1"), server.url(), directory: files.path)
      #expect(result.status == 0, "\(result.error)")
      #expect(TemporaryDirectory.contents(of: files.path(of: "first.txt")) == Array("hello\n".utf8))
      #expect(TemporaryDirectory.contents(of: files.path(of: "second")) == Array("hello\n".utf8))
      let nameless = try await CommandRun.linnet("-O", server.url("/"), directory: files.path)
      #expect(nameless.status == 23 && nameless.error.contains("-O"))
    }
  }

  @Test("CLI-07: a URL without a scheme names files as one with a scheme does", arguments: ["", "http://"])
  func namesWithoutScheme(_ scheme: String) async throws {
    let script = ServerScript.handler { request in
      request.path == "/"
        ? ServerResponse(302).adding("Location", "/pkg/tool.tgz")
        : ServerResponse.text("tool").adding("Content-Disposition", "attachment; filename=\"named.tgz\"")
    }
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(script) { server async throws in
      let url = "\(scheme)\(server.authority)"
      let plain = try await CommandRun.linnet("-sS", "-LO", "\(url)/pkg/tool.tgz", directory: files.path)
      #expect(plain.status == 0, "\(plain.error)")
      #expect(TemporaryDirectory.contents(of: files.path(of: "tool.tgz")) == Array("tool".utf8))
      let named = try await CommandRun.linnet("-sS", "-LOJ", url, directory: files.path)
      #expect(named.status == 0, "\(named.error)")
      #expect(TemporaryDirectory.contents(of: files.path(of: "named.tgz")) == Array("tool".utf8))
      // The URL as it was typed has no name, whatever it leads to.
      let nameless = try await CommandRun.linnet("-sS", "-LO", url, directory: files.path)
      #expect(nameless.status == 23 && nameless.error.contains("-O"))
    }
  }

  @Test("--create-dirs makes directories; without it a missing one is an error before anything is sent")
  func directories() async throws {
    let files = try TemporaryDirectory()
    try await withServer { server async throws in
      let file = files.path(of: "a/b/c")
      let refused = try await CommandRun.linnet(server.url(), "-o", file)
      #expect(refused.status == 23 && refused.error.contains("'\(file)'"))
      #expect(server.snapshot.connectionCount == 0)
      #expect(try await CommandRun.linnet(server.url(), "--create-dirs", "-o", file).status == 0)
      #expect(TemporaryDirectory.contents(of: file) == Array("hello\n".utf8))
    }
  }

  @Test("the file of -o is left alone when there is no response")
  func untouched() async throws {
    let files = try TemporaryDirectory()
    let file = try files.write("old", to: "out")
    let server = try ScriptedServer.start(.steps([.readRequest, .close]))
    defer { server.stop() }
    #expect(try await CommandRun.linnet(server.url(), "-o", file).status == 52)
    #expect(TemporaryDirectory.contents(of: file) == Array("old".utf8))
  }

  @Test("-i and -I write heads with CRLF, interim ones too")
  func heads() async throws {
    try await withServer { server async throws in
      let included = try await CommandRun.linnet("-i", server.url()).output
      #expect(included == "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n")
      let hints = try await CommandRun.linnet("-i", server.url("/hints")).output
      #expect(hints.hasPrefix("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n"))
      let only = try await CommandRun.linnet("-I", server.url()).output
      #expect(only.hasPrefix("HTTP/1.1 200 OK\r\n") && only.hasSuffix("\r\n\r\n"))
    }
  }

  @Test("CLI-01: without --fail a 404 is a success with its body")
  func httpErrorBody() async throws {
    try await withServer { server async throws in
      let result = try await CommandRun.linnet(server.url("/missing"))
      #expect(result.status == 0 && result.output == #"{"error":"no"}"# && result.error.isEmpty)
    }
  }

  @Test("CLI-01: --fail gives status 22 and no body, --fail-with-body gives both")
  func fail() async throws {
    let files = try TemporaryDirectory()
    try await withServer { server async throws in
      let plain = try await CommandRun.linnet("-f", server.url("/missing"))
      #expect(plain.status == 22 && plain.output.isEmpty && plain.error.contains("404 Not Found"))
      let kept = try await CommandRun.linnet("-sS", "--fail-with-body", server.url("/missing"))
      #expect(kept.status == 22 && kept.output == #"{"error":"no"}"# && kept.error.contains("404"))
      let file = files.path(of: "none")
      #expect(try await CommandRun.linnet("-sf", server.url("/missing"), "-o", file).status == 22)
      #expect(TemporaryDirectory.contents(of: file) == nil)
      #expect(try await CommandRun.linnet("-f", server.url()).status == 0)
    }
  }

  @Test("the status of several transfers is that of the first failure")
  func severalStatuses() async throws {
    try await withServer { server async throws in
      let result = try await CommandRun.linnet("-sf", server.url("/missing"), server.url())
      #expect(result.status == 22 && result.output == "hello\n")
    }
  }

  @Test("-s silences errors, -S brings them back")
  func silence() async throws {
    #expect(try await CommandRun.linnet("-s", "http://a:0/").error.isEmpty)
    #expect(try await CommandRun.linnet("-sS", "http://a:0/").error.contains("port"))
  }

  @Test("-v shows both heads and the trailers on stderr and masks secrets; --show-secrets does not")
  func verbose() async throws {
    try await withServer { server async throws in
      let arguments = ["-H", "Authorization: Bearer T0KEN"]
      let masked = try await CommandRun.linnet("-v", arguments[0], arguments[1], server.url("/secrets"))
      #expect(masked.output == "x")
      #expect(masked.error.contains("> GET /secrets HTTP/1.1\n") && masked.error.contains("< HTTP/1.1 200 OK\n"))
      #expect(masked.error.contains("* connected to 127.0.0.1:\(server.port)\n"))
      #expect(!masked.error.contains("T0KEN") && !masked.error.contains("S3CRET"))
      let open = try await CommandRun.linnet(
        "-v", "--show-secrets", arguments[0], arguments[1], server.url("/secrets"))
      #expect(open.error.contains("T0KEN") && open.error.contains("S3CRET"))
      #expect(try await CommandRun.linnet("-v", server.url("/trailers")).error.contains("< X-End: 1\n"))
      let post = try await CommandRun.linnet("-v", "-d", "abc", server.url())
      #expect(post.error.contains("> Content-Length: 3\n"))
    }
  }

  @Test("-w prints after the body, also when the transfer failed")
  func writeOut() async throws {
    try await withServer { server async throws in
      let result = try await CommandRun.linnet(
        server.url(), "-w", "%{http_code} %{size_download} %{http_version}%{stderr}%{method}\\n")
      #expect(result.output == "hello\n200 6 1.1" && result.error == "GET\n")
      let failed = try await CommandRun.linnet("-s", "http://127.0.0.1:0/", "-w", "%{http_code} %{exitcode}")
      #expect(failed.output == "000 3" && failed.status == 3)
      let upload = try await CommandRun.linnet(
        "-T", "-", server.url(), "-o", "/dev/null", "-w", "%{size_upload}", input: "12345")
      #expect(upload.output == "5")
    }
  }

  @Test("1 GiB goes through in less than 64 MiB of memory")
  func memory() async throws {
    let (isSent, mayEnd) = (Gate(), Gate())
    let body = ServerBody([.pattern(1 << 30), .effect(.open(isSent)), .wait(mayEnd), .pattern(1)])
    let server = try ScriptedServer.start(.handler { _ in ServerResponse(body: body) })
    defer { server.stop() }
    let words = [CommandRun.path, server.url("/huge"), "-o", "/dev/null", "-w", "%{size_download}"]
    let run = try CommandRun(words.map { Array($0.utf8) })
    try await isSent.opened(within: .seconds(100))
    let peak = try #require(run.peakResidentBytes)
    mayEnd.open()
    let result = await run.result()
    #expect(result.status == 0 && result.output == "\((1 << 30) + 1)")
    #expect(!ResidentMemory.isMeaningful || peak < 64 << 20, "\(peak >> 20) MiB")
  }
}

/// Closed descriptors, closed pipes and signals (D5, D7 of the conventions).
@Suite("The command and its process", .timeLimit(.minutes(2)))
struct ProcessTests {
  @Test("CLI-06: --version and --help print to stdout and exit with 0", arguments: ["--version", "--help", "-V", "-h"])
  func texts(_ option: String) async throws {
    let result = try await CommandRun.linnet(option)
    #expect(result.status == 0 && result.error.isEmpty && result.output.contains("linnet"))
    guard option == "-V" else { return }
    for word in ["OpenSSL/", "zlib/", "nghttp2/1.", " HTTP2 "] { #expect(result.output.contains(word)) }
  }

  @Test("CLI-06: --help into a closed pipe exits with 0 and says nothing", arguments: ["--version", "--help"])
  func textsIntoPipe(_ option: String) async throws {
    let result = try await CommandRun.linnet(option, output: .brokenPipe)
    #expect(result.status == 0 && !result.isSignalled && result.error.isEmpty)
    let piped = try await CommandRun.shell("{ \"$LINNET\" \(option); echo $? >&2; } | head -1 > /dev/null")
    #expect(piped.error == "0\n")
  }

  @Test("a body into a closed pipe ends the command as SIGPIPE does, silently")
  func brokenPipe() async throws {
    try await ScriptedServer.with(.handler { _ in .pattern(10_000_000) }) { server async throws in
      let result = try await CommandRun.linnet(server.url(), output: .brokenPipe)
      #expect(result.status == 141 && result.isSignalled && result.error.isEmpty)
      let head = try await CommandRun.shell("\"$LINNET\" '\(server.url())' | head -c 1")
      #expect(head.status == 0 && head.outputBytes == [0] && head.error.isEmpty)
    }
  }

  @Test("where SIGPIPE is ignored, a closed pipe is a write error")
  func ignoredPipe() async throws {
    try await ScriptedServer.with(.handler { _ in .pattern(10_000_000) }) { server async throws in
      let script = "trap '' PIPE; { \"$LINNET\" '\(server.url())'; echo $? >&2; } | true"
      let result = try await CommandRun.shell(script)
      #expect(
        result.error.contains("linnet: cannot write standard output: Broken pipe\n") && result.error.hasSuffix("23\n"))
    }
  }

  @Test("a closed stdout is a write error for a body, and no socket takes its place")
  func closedOutput() async throws {
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(.handler { _ in .text("hello") }) { server async throws in
      let result = try await CommandRun.linnet(server.url(), output: .closed)
      #expect(result.status == 23 && result.error.contains("standard output"))
      let file = files.path(of: "out")
      #expect(try await CommandRun.linnet(server.url(), "-o", file, output: .closed).status == 0)
      #expect(TemporaryDirectory.contents(of: file) == Array("hello".utf8))
      let all = try await CommandRun.shell("\"$LINNET\" -v '\(server.url())' -o '\(file)' <&- >&- 2>&-")
      #expect(all.status == 0)
      #expect(server.snapshot.violations.isEmpty)
      #expect(try await CommandRun.shell("\"$LINNET\" -d @- '\(server.url())' <&-").status == 26)
    }
  }

  @Test("a full device is a write error")
  func fullDevice() async throws {
    try await ScriptedServer.with(.handler { _ in .text("hello") }) { server async throws in
      let result = try await CommandRun.linnet(server.url(), "-o", "/dev/full")
      #expect(result.status == 23 && result.error == "linnet: cannot write '/dev/full': No space left on device\n")
    }
  }

  @Test(
    "SIGINT and SIGTERM end a running transfer by the signal itself, which a shell shows as 130 and 143",
    arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(CInt, Int32)])
  func signals(_ number: CInt, _ status: Int32) async throws {
    try await ScriptedServer.with(.steps([.readRequest, .stall])) { server async throws in
      let run = try CommandRun([CommandRun.path, server.url()].map { Array($0.utf8) })
      try await server.waitForHeads(1)
      run.signal(number)
      let result = await run.result()
      #expect(result.status == status && result.isSignalled && result.error.isEmpty)
    }
  }

  @Test("the demo goes well, needs nothing and leaves nothing behind")
  func demo() async throws {
    let files = try TemporaryDirectory()
    let result = try await CommandRun.linnet("demo", environment: ["TMPDIR": files.path])
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("reused") && result.output.contains("TLSv1.3"))
    #expect(result.output.contains("50 answers over 1 connection, 50 streams at the same time"))
    #expect(try await CommandRun.shell("ls -A '\(files.path)'").output.isEmpty)
  }
}
