import LinnetTestSupport
import Testing

/// Heads, names and reports of transfers that were redirected.
@Suite("Output of redirected transfers", .timeLimit(.minutes(1)))
struct RedirectedOutputTests {
  private static let script = ServerScript.handler { request in
    switch request.path {
    case "/", "/from": .redirect(to: "/middle")
    case "/middle": .redirect(307, to: "/pkg/tool.tgz")
    case "/plain": .redirect(to: "/pkg/plain.txt")
    case "/pkg/tool.tgz":
      ServerResponse.text("hello").adding("Content-Disposition", "attachment; filename=\"the tool\"")
    default: .text("hello")
    }
  }

  private static let heads =
    "HTTP/1.1 302 Found\r\nLocation: /middle\r\nContent-Length: 0\r\n\r\n"
    + "HTTP/1.1 307 Temporary Redirect\r\nLocation: /pkg/tool.tgz\r\nContent-Length: 0\r\n\r\n"
    + "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=\"the tool\"\r\nContent-Length: 5\r\n\r\n"

  private func run(
    _ arguments: String..., path: String = "/from", body: (CommandRun.Result, TemporaryDirectory, String) throws -> Void
  ) async throws {
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(Self.script) { server async throws in
      let words = [CommandRun.path, "-sS", "-L"] + arguments + [server.url(path)]
      let result = try await CommandRun(words.map { Array($0.utf8) }, directory: files.path).result()
      try body(result, files, server.url(""))
    }
  }

  private func text(_ name: String, _ files: TemporaryDirectory) -> String? {
    TemporaryDirectory.contents(of: files.path(of: name)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("-i prints the head of every response, -I does without a body, -D writes them to its file")
  func everyHead() async throws {
    try await run("-i") { result, _, _ in #expect(result.output == Self.heads + "hello") }
    try await run("-I") { result, _, _ in #expect(result.output == Self.heads) }
    try await run("-D", "h") { result, files, _ in
      #expect(result.output == "hello" && text("h", files) == Self.heads)
    }
  }

  @Test("-D has the heads of a transfer that fails, too")
  func failed() async throws {
    try await run("-D", "h", "--max-redirs", "1") { result, files, _ in
      #expect(result.status == 47 && result.output.isEmpty)
      #expect(text("h", files)?.hasPrefix("HTTP/1.1 302 Found\r\n") == true)
    }
  }

  @Test("-w tells the last hop and how many there were")
  func report() async throws {
    try await run("-o", "f", "-w", "%{num_redirects} %{url_effective} %{url} %{http_code} %{redirect_url}") {
      result, _, base in
      #expect(result.output == "2 \(base)/pkg/tool.tgz \(base)/from 200 ")
    }
    try await run("--max-redirs", "1", "-w", "%{num_redirects} %{url_effective} %{method}") { result, _, base in
      #expect(result.status == 47 && result.output == "1 \(base)/middle GET")
    }
  }

  @Test("-v and --trace show each redirection")
  func shown() async throws {
    try await run("-v", "--trace-ascii", "t") { result, files, base in
      for text in [result.error, text("t", files) ?? ""] {
        #expect(text.contains("following the redirection to \(base)/middle\n"))
        #expect(text.contains("following the redirection to \(base)/pkg/tool.tgz\n"))
      }
    }
  }

  @Test("CLI-07: the user's URL names the file of -O, the server's field that of -OJ, the last URL a nameless one")
  func names() async throws {
    try await run("-O") { _, files, _ in #expect(text("from", files) == "hello") }
    try await run("-OJ") { _, files, _ in #expect(text("the tool", files) == "hello") }
    try await run("-OJ", path: "/") { _, files, _ in #expect(text("the tool", files) == "hello") }
    try await run("-OJ", path: "/plain") { _, files, _ in #expect(text("plain", files) == "hello") }
    try await run("-O", path: "/") { result, _, _ in #expect(result.status == 23) }
  }

  @Test("a body that is resent after a redirection is slowed down and traced again")
  func resent() async throws {
    let script = ServerScript.handler { $0.path == "/a" ? .redirect(307, to: "/b") : .text("ok") }
    try await ScriptedServer.with(script) { server async throws in
      let result = try await CommandRun.linnet(
        "-sS", "-L", "-d", "abc", "--limit-rate", "1M", "--trace-ascii", "%", server.url("/a"))
      #expect(result.status == 0 && result.output == "ok", "\(result.error)")
      #expect(server.snapshot.requests.map(\.body.text) == ["abc", "abc"])
      #expect(result.error.split(separator: "\n").filter { $0 == "0000: abc" }.count == 2)
    }
  }
}
