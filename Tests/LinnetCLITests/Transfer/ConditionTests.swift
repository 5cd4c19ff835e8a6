import Glibc
import LinnetTestSupport
import Testing

/// `-z`, `--etag-save` and `--etag-compare`.
@Suite("Conditions of the command", .timeLimit(.minutes(2)))
struct ConditionTests {
  private static let script = ServerScript.handler { request in
    if request.headers["If-None-Match"] == "\"v1\"" {
      return ServerResponse(304, headers: [HeaderLine("ETag", "\"v1\"")])
    }
    switch request.path {
    case "/304": return ServerResponse(304)
    case "/404": return ServerResponse(404, headers: [HeaderLine("ETag", "\"error\"")], body: "no")
    case "/cut":
      return ServerResponse.text("new").adding("ETag", "\"v2\"").framed(.announced(10)).closing(.abrupt)
    case "/untagged": return .text("new")
    default:
      return ServerResponse.text("new").adding("ETag", "\"v1\"").adding(
        "Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
    }
  }

  private func run(
    _ arguments: [String], path: String = "/", prepare: (TemporaryDirectory) throws -> Void = { _ in }
  ) async throws -> (result: CommandRun.Result, files: TemporaryDirectory, request: RecordedRequest?) {
    let files = try TemporaryDirectory()
    try prepare(files)
    return try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path] + arguments + [server.url(path)]
      let result = try await CommandRun(words.map { Array($0.utf8) }, directory: files.path).result()
      return (result, files, server.snapshot.requests.first)
    }
  }

  private func text(_ name: String, _ files: TemporaryDirectory) -> String? {
    TemporaryDirectory.contents(of: files.path(of: name)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "-z sends the date as HTTP writes it, and - turns the condition round",
    arguments: [
      ("1994-11-05", "If-Modified-Since", "Sat, 05 Nov 1994 00:00:00 GMT"),
      ("-Sun, 06 Nov 1994 08:49:37 GMT", "If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
      ("+6 Nov 1994 01:00 +0100", "If-Modified-Since", "Sun, 06 Nov 1994 00:00:00 GMT"),
    ])
  func dates(_ value: String, _ name: String, _ date: String) async throws {
    let (result, _, request) = try await run(["-z", value])
    #expect(result.status == 0 && result.output == "new" && request?.headers[name] == date, "\(result.error)")
  }

  @Test("-z FILE takes the time of the file")
  func file() async throws {
    let (result, _, request) = try await run(["-z", "old"]) { files in
      try files.write("x", to: "old")
      let times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 86_400, tv_nsec: 5)]
      #expect(utimensat(AT_FDCWD, files.path(of: "old"), times, 0) == 0)
    }
    #expect(result.status == 0 && request?.headers["If-Modified-Since"] == "Fri, 02 Jan 1970 00:00:00 GMT")
  }

  @Test("what is neither a date nor a file is told, and the body is fetched")
  func neither() async throws {
    let (result, _, request) = try await run(["-z", "soon"])
    #expect(result.status == 0 && result.output == "new" && request?.headers["If-Modified-Since"] == nil)
    #expect(result.error.contains("warning") && result.error.contains("'soon'"))
  }

  @Test("304 leaves the file alone, and so does an answer that the condition does not want")
  func unchanged() async throws {
    for (arguments, path) in [
      (["-z", "2000-01-01"], "/304"), (["-z", "2000-01-01"], "/"), (["-z", "-1990-01-01"], "/"), ([], "/304"),
    ] {
      let (result, files, _) = try await run(arguments + ["-o", "file"], path: path) { try $0.write("old", to: "file") }
      #expect(result.status == 0 && text("file", files) == "old", "\(arguments) \(path)")
    }
    let (shown, _, _) = try await run(["-i", "-z", "2000-01-01"], path: "/304")
    #expect(shown.output.hasPrefix("HTTP/1.1 304 Not Modified\r\n"))
  }

  @Test("--etag-compare asks for another version only, and a missing or empty file is no condition")
  func compare() async throws {
    let known = try await run(["--etag-compare", "tag", "-o", "file"]) { files in
      try files.write("\"v1\"\r\n", to: "tag")
      try files.write("old", to: "file")
    }
    #expect(known.result.status == 0 && known.request?.headers["If-None-Match"] == "\"v1\"")
    #expect(text("file", known.files) == "old")
    for content in [nil, "", "\n"] {
      let (result, _, request) = try await run(["--etag-compare", "tag"]) { files in
        if let content { try files.write(content, to: "tag") }
      }
      #expect(result.output == "new" && request?.headers["If-None-Match"] == nil)
    }
  }

  @Test("--etag-save - writes to standard output, and makes no file")
  func savedToOutput() async throws {
    let (result, files, _) = try await run(["--etag-save", "-", "-o", "file"])
    #expect(result.status == 0 && result.output == "\"v1\"\n", "\(result.output) \(result.error)")
    #expect(TemporaryDirectory.contents(of: files.path(of: "-")) == nil)
  }

  @Test("--etag-save keeps the tag of a complete body, for the owner only")
  func save() async throws {
    let (result, files, _) = try await run(["--etag-save", "tag", "-o", "file"])
    #expect(result.status == 0 && text("tag", files) == "\"v1\"\n")
    var status = stat()
    #expect(stat(files.path(of: "tag"), &status) == 0 && status.st_mode & 0o777 == 0o600)
    let listed = try await CommandRun.shell("ls '\(files.path)'")
    #expect(listed.output == "file\ntag\n", "nothing is left behind")
  }

  @Test("--etag-save keeps what it has when the transfer fails or nothing is new", arguments: ["/404", "/cut", "/304"])
  func notSaved(_ path: String) async throws {
    let (_, files, _) = try await run(["-s", "--etag-save", "tag"], path: path) { try $0.write("\"v0\"\n", to: "tag") }
    #expect(text("tag", files) == "\"v0\"\n")
  }

  @Test("a body without a tag empties the file: the old tag is not that of the new body")
  func untagged() async throws {
    let (_, files, _) = try await run(["--etag-save", "tag"], path: "/untagged") { try $0.write("\"v0\"\n", to: "tag") }
    #expect(text("tag", files) == "")
  }

  @Test("--etag-save follows a link of the user, and writes to a device")
  func special() async throws {
    let (result, files, _) = try await run(["--etag-save", "tag"]) { files in
      try files.write("mine", to: "other")
      #expect(symlink("other", files.path(of: "tag")) == 0)
    }
    #expect(result.status == 0 && text("other", files) == "\"v1\"\n" && text("tag", files) == "\"v1\"\n")
    var status = stat()
    #expect(lstat(files.path(of: "tag"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try await run(["-o", "x", "--etag-save", "/dev/stdout"]).result.output == "\"v1\"\n")
    #expect(try await run(["--etag-save", "/dev/null"]).result.status == 0)
    #expect(try await run(["--etag-save", "/dev/full"]).result.status == 23)
    #expect(access("/dev/full", W_OK) == 0)
  }

  @Test("the options of tags work with one URL only")
  func oneURL() async throws {
    let result = try await run(["--etag-save", "tag", "http://127.0.0.1:1/"]).result
    #expect(result.status == 2 && result.error.contains("--etag-save"))
    let expanded = try await run(["--etag-save", "tag"], path: "/[1-2]").result
    // Also when it is several only by its braces: nothing of it was sent.
    #expect(expanded.status == 2 && expanded.output.isEmpty && expanded.error.contains("--etag-save"))
  }
}
