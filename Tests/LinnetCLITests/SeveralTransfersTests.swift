import LinnetTestSupport
import Testing

/// Several URLs: globbing, connection reuse, `-Z`.
@Suite("Several transfers of the command", .timeLimit(.minutes(2)))
struct SeveralTransfersTests {
  private static let script = ServerScript.handler { request in
    request.path.hasPrefix("/missing") ? ServerResponse(404, body: "") : .text("\(request.path)\n")
  }

  @Test("braces and brackets stand for several URLs on one connection")
  func globbing() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let result = try await CommandRun.linnet(server.url("/{a,b}[1-2]"), server.url("/c"))
      #expect(result.output == "/a1\n/a2\n/b1\n/b2\n/c\n", "\(result.error)")
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test("-g takes their meaning away, and a broken one is refused before anything is sent")
  func globOff() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      #expect(try await CommandRun.linnet("-g", server.url("/{a}[1-2]")).output == "/%7Ba%7D[1-2]\n")
      let count = server.snapshot.requests.count
      let refused = try await CommandRun.linnet(server.url("/a"), server.url("/[2-1]"))
      #expect(refused.status == 3 && refused.error.contains("-g") && refused.output.isEmpty)
      #expect(server.snapshot.requests.count == count)
    }
  }

  @Test("#1 in -o is what stands for the first braces")
  func names() async throws {
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(Self.script) { server async throws in
      let result = try await CommandRun.linnet(
        server.url("/{a,b}/[1-2]"), "-o", "f_#1_#2", directory: files.path)
      #expect(result.status == 0, "\(result.error)")
      for name in ["a_1", "a_2", "b_1", "b_2"] {
        let content = TemporaryDirectory.contents(of: files.path(of: "f_\(name)"))
        #expect(content == Array("/\(name.replacing("_", with: "/"))\n".utf8))
      }
    }
  }

  @Test("the output of the n-th URL goes to the n-th -o, whatever its braces stand for")
  func outputs() async throws {
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(Self.script) { server async throws in
      let result = try await CommandRun.linnet(
        server.url("/[1-2]"), server.url("/x"), "-o", "a#1", "-o", "b", directory: files.path)
      #expect(result.status == 0 && result.output.isEmpty, "\(result.error)")
      #expect(TemporaryDirectory.contents(of: files.path(of: "a2")) == Array("/2\n".utf8))
      #expect(TemporaryDirectory.contents(of: files.path(of: "b")) == Array("/x\n".utf8))
    }
  }

  @Test("-Z has as many transfers under way as --parallel-max says, and no more")
  func parallel() async throws {
    let gate = Gate()
    try await ScriptedServer.with(.handler { _ in .text("x").waiting(for: gate) }) { server async throws in
      let words = [CommandRun.path, "-Z", "--parallel-max", "3", server.url("/[1-6]")]
      let run = try CommandRun(words.map { Array($0.utf8) })
      // None is answered before three are there.
      try await server.waitForHeads(3)
      gate.open()
      let result = await run.result()
      #expect(result.status == 0 && result.output == "xxxxxx", "\(result.error)")
      // A fourth at the same time would have needed a fourth connection.
      #expect(server.snapshot.connectionCount == 3)
    }
  }

  @Test("-Z: one failure stops no other transfer, and the status is that of the first in order")
  func parallelFailure() async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let result = try await CommandRun.linnet(
        "-sZf", server.url("/a"), "http://127.0.0.1:0/", server.url("/missing"), server.url("/b"))
      #expect(result.status == 3)
      #expect(Set(result.output.split(separator: "\n")) == ["/a", "/b"])
    }
  }

  @Test("-Z --fail-early: what is ended tells so", arguments: [false, true])
  func aborted(isJSON: Bool) async throws {
    let gate = Gate()
    let script = ServerScript.handler { request in
      request.path == "/missing" ? ServerResponse(404, body: "") : .text("x").waiting(for: gate)
    }
    try await ScriptedServer.with(script) { server async throws in
      defer { gate.open() }
      let words = ["-sSfZ", "--fail-early", server.url("/{a,missing}")] + (isJSON ? ["--output-format", "json"] : [])
      let result = try await CommandRun(([CommandRun.path] + words).map { Array($0.utf8) }).result()
      #expect(result.status == 22)
      let lines = result.error.split(separator: "\n")
      #expect(lines.count == 2 && lines.contains { $0.contains("cancelled") && $0.contains("/a") }, "\(result.error)")
      #expect(!isJSON || lines.contains { $0.contains("\"exitcode\":42") })
    }
  }

  @Test("--fail-early ends the command at the first failure", arguments: [[], ["-Z", "--parallel-max", "1"]])
  func failEarly(_ arguments: [String]) async throws {
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-sf", "--fail-early", server.url("/{a,missing,b}")] + arguments
      let result = try await CommandRun(words.map { Array($0.utf8) }).result()
      #expect(result.status == 22 && result.output == "/a\n")
      #expect(server.snapshot.requests.map(\.path) == ["/a", "/missing"])
    }
  }
}
