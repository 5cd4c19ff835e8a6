import Glibc
import LinnetTestSupport
import Testing

/// What becomes of links, devices and pipes that the user names to be written to.
@Suite("Files that are written to", .timeLimit(.minutes(2)))
struct OutputFileTests {
  private static let script = ServerScript.handler { request in
    request.path == "/cut"
      ? ServerResponse.text("hello").framed(.announced(10)).closing(.abrupt)
      : ServerResponse.text("hello").adding("Set-Cookie", "a=b; Max-Age=99").adding("ETag", "\"v1\"")
  }

  private func run(_ words: [String], in files: TemporaryDirectory, path: String = "/file") async throws
    -> CommandRun.Result
  {
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-s", "-S"] + words + [server.url(path)]
      return try await CommandRun(words.map { Array($0.utf8) }, directory: files.path).result()
    }
  }

  private func text(_ name: String, _ files: TemporaryDirectory) -> String? {
    TemporaryDirectory.contents(of: files.path(of: name)).map { String(decoding: $0, as: UTF8.self) }
  }

  private func kind(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  private static let options = [
    ["-o", "NAME"], ["-D", "NAME"], ["--trace", "NAME"], ["--trace-ascii", "NAME"], ["--stderr", "NAME", "-v"],
    ["--etag-save", "NAME"], ["-c", "NAME"],
  ]

  private func words(_ option: [String], _ name: String) -> [String] {
    let words = option.map { $0 == "NAME" ? name : $0 }
    return option.first == "-o" ? words : words + ["-o", "body"]
  }

  @Test("a link of the user is followed and stays a link, whether its target is there or not", arguments: Self.options)
  func ownLink(_ option: [String]) async throws {
    for isThere in [true, false] {
      let files = try TemporaryDirectory()
      if isThere { try files.write("old", to: "target") }
      #expect(symlink("target", files.path(of: "first")) == 0 && symlink("first", files.path(of: "link")) == 0)
      let result = try await run(words(option, "link"), in: files)
      #expect(result.status == 0, "\(result.error)")
      let written = try #require(text("target", files))
      #expect(!written.isEmpty && written != "old")
      #expect(kind(files.path(of: "link")) == S_IFLNK && kind(files.path(of: "target")) == S_IFREG)
    }
  }

  @Test("a link of another user is refused, and what it leads to stays as it is", arguments: Self.options)
  func foreignLink(_ option: [String]) async throws {
    let files = try TemporaryDirectory()
    try files.write("old", to: "target")
    #expect(symlink("target", files.path(of: "link")) == 0)
    // Only root can make a link of somebody else.
    guard geteuid() == 0, lchown(files.path(of: "link"), 12_345, 12_345) == 0 else { return }
    let result = try await run(words(option, "link"), in: files)
    #expect(result.status == 23 && result.error.contains("'link'") && result.error.contains("link"), "\(result.error)")
    #expect(text("target", files) == "old" && kind(files.path(of: "link")) == S_IFLNK)
    #expect(text("body", files) == nil, "noticed before anything was sent")
  }

  @Test("a device stays a device, by its name, by a link and by a link of the kernel", arguments: Self.options)
  func devices(_ option: [String]) async throws {
    let files = try TemporaryDirectory()
    #expect(symlink("/dev/null", files.path(of: "link")) == 0)
    for name in ["/dev/null", "link"] {
      #expect(try await run(words(option, name), in: files).status == 0)
      #expect(kind("/dev/null") == S_IFCHR && kind(files.path(of: "link")) == S_IFLNK)
    }
    let output = try await run(words(option, "/dev/stdout"), in: files)
    #expect(output.status == 0 && !output.output.isEmpty, "\(output.error)")
    #expect(kind("/dev/stdout") == S_IFLNK)
  }

  @Test("a pipe is written to and stays one", arguments: [["--etag-save", "pipe"], ["-c", "pipe"]])
  func pipes(_ option: [String]) async throws {
    let files = try TemporaryDirectory()
    let pipe = files.path(of: "pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let result = try await run(option + ["-o", "body"], in: files)
    #expect(result.status == 0 && kind(pipe) == S_IFIFO, "\(result.error)")
    var bytes = [UInt8](repeating: 0, count: 100)
    #expect(read(reader, &bytes, bytes.count) > 0)
  }

  @Test("a link that leads to itself is refused", arguments: Self.options)
  func circle(_ option: [String]) async throws {
    let files = try TemporaryDirectory()
    #expect(symlink("link", files.path(of: "link")) == 0)
    let result = try await run(words(option, "link"), in: files)
    #expect(result.status == 23 && text("body", files) == nil, "\(result.error)")
  }

  @Test(
    "what is wrong on this side is noticed before anything is sent, and before a file is emptied",
    arguments: [
      (["-OJ", "--output-dir", "missing"], 23), (["-O", "--output-dir", "missing"], 23), (["-o", "missing/x"], 23),
      (["-D", "missing/x"], 23), (["--trace", "missing/x"], 23), (["-c", "missing/x"], 23),
      (["--etag-save", "missing/x"], 23), (["http://127.0.0.1:0/"], 3), (["ftp://a/"], 1), (["http://a/{"], 3),
      (["-T", "missing", "-o", "body"], 26),
    ] as [([String], Int32)])
  func early(_ words: [String], _ status: Int32) async throws {
    let files = try TemporaryDirectory()
    for name in ["head", "trace"] { try files.write("old", to: name) }
    let hasURL = words[0].utf8.contains(UInt8(ascii: "/")) && !words[0].hasPrefix("-")
    let other = [("-D", "head"), ("--trace", "trace")].flatMap { words[0] == $0.0 ? [] : [$0.0, $0.1] }
    try await ScriptedServer.with(Self.script) { server async throws in
      let line = [CommandRun.path, "-sS"] + other + words + (hasURL ? [] : [server.url("/file")])
      let result = try await CommandRun(line.map { Array($0.utf8) }, directory: files.path).result()
      #expect(result.status == status && result.output.isEmpty, "\(result.error)")
      #expect(server.snapshot.connectionCount == 0)
    }
    #expect(text("head", files) == "old" && text("trace", files) == "old")
  }

  @Test("files that are written at the end may lie in a directory that --create-dirs makes for the body")
  func createdDirectory() async throws {
    let files = try TemporaryDirectory()
    let result = try await run(["--create-dirs", "-o", "d/x", "--etag-save", "d/tag", "-c", "d/jar"], in: files)
    #expect(result.status == 0 && text("d/tag", files) == "\"v1\"\n" && text("d/jar", files) != nil, "\(result.error)")
  }

  @Test("--remove-on-error removes the file behind a link and not the link, nor what has taken the file's place")
  func removal() async throws {
    let files = try TemporaryDirectory()
    #expect(symlink("target", files.path(of: "link")) == 0)
    #expect(try await run(["-o", "link", "--remove-on-error"], in: files, path: "/cut").status == 18)
    #expect(kind(files.path(of: "link")) == S_IFLNK && text("target", files) == nil)

    let cut = Gate()
    let script = ServerScript.handler { _ in
      .raw([.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .wait(cut), .close])
    }
    try await ScriptedServer.with(script) { server async throws in
      let words = [CommandRun.path, "-s", "-o", "file", "--remove-on-error", server.url()]
      let run = try CommandRun(words.map { Array($0.utf8) }, directory: files.path)
      while text("file", files) != "hello" { try await Task.sleep(for: .milliseconds(2)) }
      unlink(files.path(of: "file"))
      try files.write("mine", to: "file")
      cut.open()
      #expect(await run.result().status == 18)
    }
    #expect(text("file", files) == "mine")
  }
}
