import Glibc
import LinnetTestSupport
import Testing

/// Where files are written, and under which names.
@Suite("Files of the command", .timeLimit(.minutes(2)))
struct FileOutputTests {
  private static let script = ServerScript.handler { request in
    switch request.path {
    case "/named", "/": ServerResponse.text("hello").adding("Content-Disposition", "attachment; filename=tool.tgz")
    case "/evil": ServerResponse.text("hello").adding("Content-Disposition", "attachment; filename=\"../../x\"")
    case "/hidden": ServerResponse.text("hello").adding("Content-Disposition", "attachment; filename=.profile")
    case "/utf8": ServerResponse.text("hello").adding("Content-Disposition", "inline; filename*=UTF-8''na%C3%AFve")
    case "/cut": ServerResponse.text("hello").framed(.announced(10)).closing(.abrupt)
    case "/missing": ServerResponse(404, body: "no")
    case "/dated": ServerResponse.text("hello").adding("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
    default: .text("hello")
    }
  }

  /// Runs the command in a new directory.
  private func run(
    _ arguments: [String], path: String = "/file", prepare: (TemporaryDirectory) throws -> Void = { _ in }
  ) async throws -> (result: CommandRun.Result, files: TemporaryDirectory) {
    let files = try TemporaryDirectory()
    try prepare(files)
    return try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-sS"] + arguments + [server.url(path)]
      return (try await CommandRun(words.map { Array($0.utf8) }, directory: files.path).result(), files)
    }
  }

  private func text(_ name: String, _ files: TemporaryDirectory) -> String? {
    TemporaryDirectory.contents(of: files.path(of: name)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "CLI-07: -OJ takes the server's name, and that of the URL without one",
    arguments: [
      ("/named", "tool.tgz"), ("/", "tool.tgz"), ("/plain.txt?q", "plain.txt"), ("/utf8", "naïve"),
    ])
  func headerNames(_ path: String, _ name: String) async throws {
    let (result, files) = try await run(["-OJ", "-w", "%{filename_effective}"], path: path)
    #expect(result.status == 0 && result.output == name, "\(result.error)")
    #expect(text(name, files) == "hello")
  }

  @Test("CLI-07: the name is the same without a scheme", arguments: ["-O", "-OJ"])
  func schemeless(_ option: String) async throws {
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(Self.script) { server async throws in
      for url in ["localhost:\(server.port)/named", ":\(server.port)/named"] {
        let result = try await CommandRun.linnet("-sS", "-4", option, url, directory: files.path)
        let name = option == "-O" ? "named" : "tool.tgz"
        #expect(result.status == 0 && text(name, files) == "hello", "\(result.error)")
        unlink(files.path(of: name))
      }
    }
  }

  @Test("DL-08: a server's name leads out of no directory and hides nothing")
  func evilNames() async throws {
    for (path, name) in [("/evil", "d/x"), ("/hidden", "d/_profile")] {
      let (result, files) = try await run(["-OJ", "--output-dir", "d", "--create-dirs"], path: path)
      #expect(result.status == 0 && text(name, files) == "hello", "\(result.error)")
    }
  }

  @Test("a name that the server chose overwrites nothing and follows no link")
  func noOverwriting() async throws {
    let (taken, files) = try await run(["-OJ"], path: "/named") { try $0.write("old", to: "tool.tgz") }
    #expect(taken.status == 23 && text("tool.tgz", files) == "old" && taken.error.contains("'tool.tgz'"))
    let (linked, other) = try await run(["-OJ"], path: "/named") { files in
      #expect(symlink("target", files.path(of: "tool.tgz")) == 0)
    }
    #expect(linked.status == 23 && text("target", other) == nil)
  }

  @Test("--no-clobber adds the first number that is free", arguments: [["-o", "file"], ["-O"], ["-OJ"]])
  func noClobber(_ arguments: [String]) async throws {
    let (result, files) = try await run(arguments + ["--no-clobber", "-w", "%{filename_effective}"]) { files in
      try files.write("old", to: "file")
      try files.write("older", to: "file.1")
    }
    #expect(result.status == 0 && result.output == "file.2", "\(result.error)")
    #expect(text("file", files) == "old" && text("file.1", files) == "older" && text("file.2", files) == "hello")
  }

  @Test("--no-clobber takes the name itself when it is free; --clobber overwrites")
  func clobber() async throws {
    #expect(try await run(["-o", "file", "--no-clobber", "-w", "%{filename_effective}"]).result.output == "file")
    let (result, files) = try await run(["-o", "file", "--no-clobber", "--clobber"]) { try $0.write("old", to: "file") }
    #expect(result.status == 0 && text("file", files) == "hello")
  }

  @Test("--output-dir stands before every name, and --create-dirs makes it for its owner and group")
  func outputDirectory() async throws {
    let (result, files) = try await run(["-O", "--output-dir", "a/b", "--create-dirs"])
    #expect(result.status == 0 && text("a/b/file", files) == "hello", "\(result.error)")
    var status = stat()
    #expect(stat(files.path(of: "a"), &status) == 0 && status.st_mode & 0o007 == 0)
    #expect(try await run(["-O", "--output-dir", "a/b"]).result.status == 23)
  }

  @Test("-o to a link that the user made follows it")
  func link() async throws {
    let (result, files) = try await run(["-o", "link"]) { files in
      try files.write("old", to: "target")
      #expect(symlink("target", files.path(of: "link")) == 0)
    }
    #expect(result.status == 0 && text("target", files) == "hello")
  }

  @Test("--remove-on-error removes what a failed transfer has left, and nothing else")
  func removeOnError() async throws {
    let kept = try await run(["-o", "file"], path: "/cut")
    #expect(kept.result.status == 18 && text("file", kept.files) == "hello")
    let removed = try await run(["-o", "file", "--remove-on-error"], path: "/cut")
    #expect(removed.result.status == 18 && text("file", removed.files) == nil)
    let device = try await run(["-o", "/dev/null", "--remove-on-error"], path: "/cut")
    #expect(device.result.status == 18 && access("/dev/null", W_OK) == 0)
    let unopened = try await run(["-f", "-o", "file", "--remove-on-error"], path: "/missing") {
      try $0.write("old", to: "file")
    }
    #expect(unopened.result.status == 22 && text("file", unopened.files) == "old")
  }

  @Test("-R gives the file the server's time")
  func remoteTime() async throws {
    let (result, files) = try await run(["-R", "-O"], path: "/dated")
    var status = stat()
    #expect(result.status == 0 && stat(files.path(of: "dated"), &status) == 0)
    #expect(status.st_mtim.tv_sec == 784_111_777)
    #expect(try await run(["-R", "-O"]).result.status == 0)
  }

  @Test("--max-filesize refuses by the length that is told, and makes no file")
  func maximumSize() async throws {
    let (result, files) = try await run(["-o", "file", "--max-filesize", "4"])
    #expect(result.status == 63 && text("file", files) == nil && result.error.contains("5 bytes"))
    #expect(try await run(["--max-filesize", "5"]).result.output == "hello")
    #expect(try await run(["-I", "--max-filesize", "4"]).result.status == 0)
  }

  @Test("--max-filesize ends a body of unknown length when it is reached")
  func maximumSizeWhileReading() async throws {
    let script = ServerScript.handler { _ in ServerResponse.pattern(1_000_000).chunked() }
    try await ScriptedServer.with(script) { server async throws in
      let result = try await CommandRun.linnet("-sS", "--max-filesize", "100K", server.url())
      #expect(result.status == 63 && result.outputBytes.count <= 100 << 10)
      #expect(TestPattern.firstMismatch(in: result.outputBytes) == nil)
    }
  }

  @Test("--max-filesize counts decoded bytes: a small answer that unpacks to a large one is refused")
  func maximumSizeDecoded() async throws {
    let text = String(repeating: "a", count: 500_000)
    try await ScriptedServer.with(.handler { _ in ServerResponse.text(text).compressed(.gzip) }) {
      server async throws in
      let result = try await CommandRun.linnet("-sS", "--compressed", "--max-filesize", "10000", server.url())
      #expect(result.status == 63 && result.outputBytes.count <= 10_000)
    }
  }
}
