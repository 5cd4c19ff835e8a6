import LinnetTestSupport
import Testing

/// `--limit-rate`, `--speed-limit` and `--speed-time`. The rules of time are those of the pure machines, which are tested
/// with given instants; here is shown that the command obeys them.
@Suite("Limits of the command", .timeLimit(.minutes(2)))
struct LimitTests {
  private func run(_ arguments: String..., url: String, input: String? = nil) async throws -> CommandRun.Result {
    try await CommandRun(([CommandRun.path, "-sS"] + arguments + [url]).map { Array($0.utf8) }, input: input).result()
  }

  @Test("--limit-rate keeps downloads below the rate and changes nothing in them")
  func download() async throws {
    try await ScriptedServer.with(.handler { _ in .pattern(200_000) }) { server async throws in
      let files = try TemporaryDirectory()
      let file = files.path(of: "out")
      let result = try await run("--limit-rate", "250K", "-o", file, "-w", "%{speed_download}", url: server.url())
      #expect(result.status == 0 && TemporaryDirectory.contents(of: file) == TestPattern.bytes(200_000))
      // A tenth of a second may be caught up with.
      let speed = try #require(Int(result.output))
      #expect(speed < 300_000)
    }
  }

  @Test("--limit-rate keeps uploads below the rate, whatever they are made of", arguments: ["file", "data", "stdin"])
  func upload(_ kind: String) async throws {
    let files = try TemporaryDirectory()
    let file = try files.write(TestPattern.bytes(60_000), to: "file")
    let text = String(repeating: "0123456789", count: 6000)
    try await ScriptedServer.with(.handler { _ in .text("") }) { server async throws in
      let body = kind == "file" ? ["-T", file] : kind == "data" ? ["-d", text] : ["-T", "-"]
      let words = [CommandRun.path, "-sS", "--limit-rate", "120K", "-w", "%{speed_upload}", server.url("/x")] + body
      let result = try await CommandRun(words.map { Array($0.utf8) }, input: text).result()
      let speed = try #require(Int(result.output))
      #expect(result.status == 0 && speed < 150_000, "\(result.error)")
      let request = try await server.waitForRequests(1)[0]
      #expect(request.body.count == 60_000 && (kind != "file" || request.body.matchesTestPattern))
      #expect((request.headers["Content-Length"] == "60000") == (kind != "stdin"))
    }
  }

  @Test("--max-time ends a transfer that waits for its rate")
  func maximumTime() async throws {
    try await ScriptedServer.with(.handler { _ in .pattern(100_000) }) { server async throws in
      let result = try await run("--limit-rate", "10", "-m", "0.3", url: server.url())
      #expect(result.status == 28 && result.outputBytes.count < 1000, "\(result.error)")
    }
  }

  @Test("a transfer that stalls ends with status 28 and says why", arguments: ["head", "body"])
  func stall(_ place: String) async throws {
    let body = ServerBody([.pattern(1000), .wait(Gate()), .pattern(1)])
    let script = ServerScript.handler { _ in place == "head" ? .never : ServerResponse(body: body) }
    try await ScriptedServer.with(script) { server async throws in
      let result = try await run("-Y", "100", "-y", "0.3", url: server.url())
      #expect(result.status == 28 && result.error.contains("--speed-limit"), "\(result.error)")
      #expect(result.error.contains("100 bytes per second") && result.error.contains(server.url()))
    }
  }

  @Test("an upload that stalls ends too")
  func stalledUpload() async throws {
    var options = ScriptedServer.Options()
    options.receiveBufferBytes = 4096
    let files = try TemporaryDirectory()
    let file = try files.write(TestPattern.bytes(20_000_000), to: "file")
    try await ScriptedServer.with(.steps([.readHead, .stall]), options: options) { server async throws in
      let result = try await run("-T", file, "-y", "0.3", url: server.url("/x"))
      #expect(result.status == 28 && result.error.contains("less than 1 bytes"), "\(result.error)")
    }
  }

  @Test("a transfer that is fast enough is left alone")
  func fast() async throws {
    try await ScriptedServer.with(.handler { _ in .pattern(3_000_000) }) { server async throws in
      let result = try await run("--speed-limit", "1", "--speed-time", "20", url: server.url())
      #expect(result.status == 0 && result.outputBytes == TestPattern.bytes(3_000_000))
    }
  }
}
