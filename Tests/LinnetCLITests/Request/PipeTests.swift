import Glibc
import LinnetTestSupport
import Testing

/// Options that name a file, given a pipe.
@Suite("Pipes in place of files", .timeLimit(.minutes(2)))
struct PipeTests {
  /// What a server got, as one text.
  private static let script = ServerScript.handler { request in
    let names = ["Authorization", "X", "Cookie", "If-None-Match"]
    let fields = request.headers.filter { names.contains($0.name) }.map(\.description)
    return .text("\(fields.joined(separator: " ")) \(request.body.text)")
  }

  private func pipe(in directory: TemporaryDirectory) throws -> String {
    let path = directory.path(of: "pipe")
    try #require(mkfifo(path, 0o600) == 0)
    return path
  }

  static let options: [([String], content: String, seen: String)] = [
    (["--netrc-file", "pipe"], "machine 127.0.0.1 login a password b", "Authorization: Basic YTpi "),
    (["-T", "pipe"], "body", " body"), (["-T", "pipe", "--limit-rate", "1M"], "body", " body"),
    (["-d", "@pipe"], "a=b\n", " a=b"), (["--data-binary", "@pipe"], "a\n", " a\n"),
    (["--data-urlencode", "n@pipe"], "a b", " n=a+b"), (["-H", "@pipe"], "X: y\n", "X: y "),
    (["-K", "pipe"], "header = \"X: z\"\n", "X: z "),
    (["--etag-compare", "pipe"], "\"tag\"\n", "If-None-Match: \"tag\" "),
    (["-b", "pipe"], "127.0.0.1\tFALSE\t/\tFALSE\t0\tn\tv\n", "Cookie: n=v "), (["-w", "@pipe"], "!", " !"),
  ]

  @Test("each option reads what is written into a pipe, whenever that is, and loses nothing of it", arguments: options)
  func content(option: [String], content: String, seen: String) async throws {
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-q", "-sS", "-m", "30"] + option + [server.url("/")]
      let command = try CommandRun(words.map { Array($0.utf8) }, directory: directory.path)
      let writer = try await writer(to: path)
      #expect(write(writer, content, content.utf8.count) == content.utf8.count)
      close(writer)
      let result = await command.result()
      #expect(result.status == 0 && result.output == seen, "\(result.output) \(result.error)")
    }
  }

  @Test("a pipe without a writer is waited for no longer than --max-time", arguments: options.map(\.0))
  func limit(option: [String]) async throws {
    let directory = try TemporaryDirectory()
    _ = try pipe(in: directory)
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-q", "-sS", "-m", "0.1"] + option + [server.url("/")]
      let result = try await CommandRun(words.map { Array($0.utf8) }, directory: directory.path).result()
      #expect(result.status == 28 && !result.error.isEmpty, "\(result.error)")
    }
  }

  @Test("SIGINT and SIGTERM end the command while it waits for a pipe", arguments: options.map(\.0), [SIGINT, SIGTERM])
  func signals(option: [String], number: CInt) async throws {
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-q", "-sS"] + option + [server.url("/")]
      let command = try CommandRun(words.map { Array($0.utf8) }, directory: directory.path)
      // It is open for reading then.
      let writer = try await writer(to: path)
      defer { close(writer) }
      command.signal(number)
      let result = await command.result()
      #expect(result.isSignalled && result.status == 128 + number)
    }
  }

  @Test("certificates are read from pipes, too")
  func certificates() async throws {
    let certificates = try TestCertificates()
    let directory = try TemporaryDirectory()
    let path = try pipe(in: directory)
    let authority = try #require(TemporaryDirectory.contents(of: certificates.authorityFile))
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.loopback())
    let server = try ScriptedServer.start(.handler { _ in .text("ok") }, options: options)
    defer { server.stop() }
    for words in [["--cacert", "pipe"], ["--cacert", "pipe", "-m", "0.1"]] {
      let all = [CommandRun.path, "-q", "-sS"] + words + [server.url("/", host: "localhost")]
      let command = try CommandRun(all.map { Array($0.utf8) }, directory: directory.path)
      if words.count == 2 {
        let writer = try await writer(to: path)
        #expect(write(writer, authority, authority.count) == authority.count)
        close(writer)
      }
      let result = await command.result()
      #expect(result.status == (words.count == 2 ? 0 : 28), "\(result.error)")
    }
  }

  /// Opens a pipe for writing once somebody reads it.
  private func writer(to path: String) async throws -> CInt {
    while true {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
      if descriptor >= 0 || errno != ENXIO { return descriptor }
      try await Task.sleep(for: .milliseconds(1))
    }
  }
}
