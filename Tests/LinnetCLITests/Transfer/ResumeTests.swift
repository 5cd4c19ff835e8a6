import LinnetTestSupport
import Testing

/// `-C`: what is on disk is used, and never made worse.
@Suite("Resuming", .timeLimit(.minutes(2)))
struct ResumeTests {
  private static let size = 200_000
  private static let whole = TestPattern.bytes(size)

  /// A server of a file with an entity tag, as RFC 9110 §13 and §14 want it.
  private static func answer(_ request: RecordedRequest) -> ServerResponse {
    guard let range = request.headers["Range"], request.path != "/plain" else {
      return ServerResponse.bytes(whole).adding("ETag", "\"v1\"")
    }
    if let condition = request.headers["If-Range"], condition != "\"v1\"" {
      return ServerResponse.bytes(whole).adding("ETag", "\"v1\"")
    }
    let first = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
    guard first < size else {
      return ServerResponse(416, headers: [HeaderLine("Content-Range", "bytes */\(size)")], body: "no such part")
    }
    let last = request.path == "/short" ? first + 99 : size - 1
    var response = ServerResponse(206, body: ServerBody(bytes: Array(whole[first...last])))
    response.headers = [
      HeaderLine("Content-Range", "bytes \(request.path == "/shifted" ? first + 1 : first)-\(last)/\(size)"),
      HeaderLine("ETag", request.path == "/changed" ? "\"v2\"" : "\"v1\""),
    ]
    return response
  }

  /// Runs the command with a file that has these bytes.
  private func run(
    _ arguments: [String], path: String = "/file", having bytes: [UInt8]?
  ) async throws -> (result: CommandRun.Result, file: [UInt8]?, request: RecordedRequest?) {
    let files = try TemporaryDirectory()
    if let bytes { try files.write(bytes, to: "file") }
    try files.write("\"v1\"\n", to: "v1")
    try files.write("\"v0\"\n", to: "v0")
    try files.write("W/\"v1\"\n", to: "weak")
    return try await ScriptedServer.with(.handler { Self.answer($0) }) { server async throws in
      let words = [CommandRun.path, "-sS", server.url(path)] + arguments
      let result = try await CommandRun(words.map { Array($0.utf8) }, directory: files.path).result()
      #expect(server.snapshot.violations.isEmpty)
      return (result, TemporaryDirectory.contents(of: files.path(of: "file")), server.snapshot.requests.first)
    }
  }

  @Test("-C - asks for the rest of the file and appends it")
  func automatic() async throws {
    let (result, file, request) = try await run(["-C", "-", "-o", "file"], having: Array(Self.whole[..<1000]))
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(file == Self.whole)
    #expect(request?.headers["Range"] == "bytes=1000-" && request?.headers["If-Range"] == nil)
  }

  @Test("-C - without a file, or with an empty one, is a download like any other", arguments: [nil, []] as [[UInt8]?])
  func nothingThere(_ bytes: [UInt8]?) async throws {
    let (result, file, request) = try await run(["-C", "-", "-O"], having: bytes)
    #expect(result.status == 0 && file == Self.whole && request?.headers["Range"] == nil)
  }

  @Test("-C OFFSET prints from there on, and continues a file of that length only")
  func offset() async throws {
    let printed = try await run(["-C", "199990"], having: nil)
    #expect(printed.result.status == 0 && printed.result.outputBytes == Array(Self.whole[199_990...]))
    let continued = try await run(["-C", "1000", "-o", "file"], having: Array(Self.whole[..<1000]))
    #expect(continued.result.status == 0 && continued.file == Self.whole)
    let other = try await run(["-C", "1000", "-o", "file"], having: Array(Self.whole[..<999]))
    #expect(other.result.status == 33 && other.request == nil && other.file?.count == 999)
    #expect(other.result.error.contains("999 bytes"))
  }

  @Test(
    "DL-01, DL-02: a finished file is a success, with --fail too, and no error page is appended",
    arguments: [[], ["-f"]])
  func finished(_ more: [String]) async throws {
    let (result, file, request) = try await run(["-C", "-", "-o", "file"] + more, having: Self.whole)
    #expect(result.status == 0 && result.error.isEmpty && file == Self.whole)
    #expect(request?.headers["Range"] == "bytes=200000-")
  }

  @Test("DL-02: a file that is longer than the server's is never a success")
  func tooLong() async throws {
    let (result, file, _) = try await run(["-C", "-", "-o", "file"], having: Self.whole + [1])
    #expect(result.status == 33 && file == Self.whole + [1] && result.error.contains("200000"))
  }

  @Test(
    "what the server cannot continue stays as it is",
    arguments: [("/plain", "does not send parts"), ("/shifted", "from 1001 on")])
  func refused(_ path: String, _ reason: String) async throws {
    let part = Array(Self.whole[..<1000])
    let (result, file, _) = try await run(["-C", "-", "-o", "file"], path: path, having: part)
    #expect(result.status == 33 && file == part && result.error.contains(reason), "\(result.error)")
    #expect(result.error.contains("'file'"))
  }

  @Test("a known strong tag goes into If-Range, and another file is not mixed with the one that is there")
  func validators() async throws {
    let part = Array(Self.whole[..<1000])
    let same = try await run(["-C", "-", "-o", "file", "--etag-compare", "v1"], having: part)
    #expect(same.request?.headers["If-Range"] == "\"v1\"" && same.request?.headers["If-None-Match"] == nil)
    #expect(same.result.status == 0 && same.file == Self.whole)
    let other = try await run(["-C", "-", "-o", "file", "--etag-save", "v0"], having: part)
    #expect(other.request?.headers["If-Range"] == "\"v0\"")
    #expect(other.result.status == 33 && other.file == part && other.result.error.contains("changed"))
    let ignored = try await run(["-C", "-", "-o", "file", "--etag-compare", "v1"], path: "/changed", having: part)
    #expect(ignored.result.status == 33 && ignored.file == part)
    let weak = try await run(["-C", "-", "-o", "file", "--etag-compare", "weak"], having: part)
    #expect(weak.request?.headers["If-Range"] == nil && weak.result.status == 0)
  }

  @Test("a part that ends too early is kept and told")
  func short() async throws {
    let (result, file, _) = try await run(
      ["-C", "-", "-o", "file"], path: "/short", having: Array(Self.whole[..<1000]))
    #expect(result.status == 18 && file == Array(Self.whole[..<1100]) && result.error.contains("198900 bytes"))
  }

  @Test(
    "DL-06: an error's body never gets into the file",
    arguments: [(404, []), (503, ["-f"]), (503, ["--fail-with-body"])])
  func errors(_ status: Int, _ more: [String]) async throws {
    let files = try TemporaryDirectory()
    let file = try files.write("part", to: "file")
    try await ScriptedServer.with(.handler { _ in ServerResponse(status, body: "an error page") }) {
      server async throws in
      let words = [CommandRun.path, "-sS", server.url(), "-C", "-", "-o", file] + more
      let result = try await CommandRun(words.map { Array($0.utf8) }).result()
      #expect(result.status == (more.isEmpty ? 33 : 22) && result.error.contains("\(status)"))
      #expect(TemporaryDirectory.contents(of: file) == Array("part".utf8))
    }
  }

  @Test("DL-06: a transfer that was killed goes on in a new process")
  func killed() async throws {
    let files = try TemporaryDirectory()
    let file = files.path(of: "file")
    let (isSent, never) = (Gate(), Gate())
    let first = ServerBody([.pattern(50_000), .effect(.open(isSent)), .wait(never), .pattern(1)])
    let script = ServerScript.handler { request in
      guard request.headers["Range"] == nil else { return Self.answer(request) }
      return ServerResponse(body: first).framed(.announced(200_000))
    }
    try await ScriptedServer.with(script) { server async throws in
      let words = [CommandRun.path, "-s", server.url(), "-C", "-", "-o", file].map { Array($0.utf8) }
      let run = try CommandRun(words)
      try await isSent.opened()
      // What the kernel has not delivered yet is asked for again.
      while TemporaryDirectory.contents(of: file)?.isEmpty ?? true {
        try await Task.sleep(for: .milliseconds(1))
      }
      run.signal(9)
      #expect(await run.result().status == 137)
      let part = try #require(TemporaryDirectory.contents(of: file)?.count)
      let result = try await CommandRun(words).result()
      #expect(result.status == 0 && TemporaryDirectory.contents(of: file) == Self.whole)
      #expect(server.snapshot.requests.last?.headers["Range"] == "bytes=\(part)-")
    }
  }

  @Test("--compressed asks for no encoding when a file is continued")
  func encoding() async throws {
    let (result, file, request) = try await run(
      ["-C", "-", "-o", "file", "--compressed"], having: Array(Self.whole[..<1000]))
    #expect(result.status == 0 && file == Self.whole && request?.headers["Accept-Encoding"] == nil)
  }

  @Test("-T with -C sends the rest and says which bytes it is")
  func upload() async throws {
    let (result, _, request) = try await run(
      ["-T", "file", "-C", "150000", "-o", "/dev/null", "-w", "%{size_upload}"], having: Self.whole)
    #expect(result.status == 0 && result.output == "50000", "\(result.error)")
    #expect(request?.method == "PUT" && request?.headers["Content-Range"] == "bytes 150000-199999/200000")
    #expect(request?.headers["Content-Length"] == "50000" && request?.body.bytes == Array(Self.whole[150_000...]))
    let beyond = try await run(["-T", "file", "-C", "200000"], having: Self.whole)
    #expect(beyond.result.status == 33 && beyond.request == nil)
  }

  @Test(
    "what cannot go together is said before anything is sent",
    arguments: [
      ["-C", "-"], ["-C", "-", "-o", "file", "-r", "0-1"], ["-C", "-", "-o", "file", "-i"], ["-C", "1", "-I"],
      ["-C", "-", "-OJ"], ["-C", "-", "-o", "file", "--no-clobber"], ["-C", "-", "-o", "file", "--remove-on-error"],
      ["-C", "1", "-d", "x"], ["-C", "-", "-T", "file"], ["-C", "5", "-T", "-"], ["-J"], ["-J", "-o", "file"],
      ["-OJ", "-i"],
    ])
  func combinations(_ arguments: [String]) async throws {
    let (result, _, request) = try await run(arguments, having: [1, 2, 3])
    #expect(result.status == 2 && request == nil, "\(result.error)")
    #expect(result.error.contains(arguments[0].prefix(2)) || result.error.contains("-J"))
  }
}
