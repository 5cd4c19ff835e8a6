import LinnetCLI
import LinnetTestSupport
import LinnetTestRandom
import Testing

/// Secrets are masked wherever a URL or a header is shown.
@Suite("Secrets in what the command shows", .timeLimit(.minutes(2)))
struct SecretTests {
  /// `/to` redirects to a URL with secrets in all its parts.
  private static let script = ServerScript.handler { request in
    switch request.path {
    case "/to":
      ServerResponse(302).adding("Location", "/end?a=1&access_token=S3CRET1&b=2#token=S3CRET2")
        .adding("Content-Location", "https://me:S3CRET3@a.test/?sig=S3CRET4")
        .adding("X-Next", "https://a.test/?api_key=S3CRET5").adding("Refresh", "1; url=/x?password=S3CRET6")
    case "/loop": ServerResponse(302).adding("Location", "/loop?token=S3CRET1")
    case "/404": ServerResponse(404, body: "no")
    default: .text("end")
    }
  }

  private func run(_ words: [String]) async throws -> (CommandRun.Result, files: TemporaryDirectory) {
    let files = try TemporaryDirectory()
    return try await ScriptedServer.with(Self.script) { server async throws in
      let line = [CommandRun.path] + words.map { $0.replacing("SERVER", with: server.authority) }
      return (try await CommandRun(line.map { Array($0.utf8) }, directory: files.path).result(), files)
    }
  }

  private static let request = [
    "-L", "-e", "http://me:S3CRET7@from.test/?jwt=S3CRET8", "http://me:S3CRET9@SERVER/to?token=S3CRET0&n=1",
  ]

  @Test(
    "-v, --trace and --trace-ascii mask URLs in targets, fields and notes",
    arguments: ["-v", "--trace", "--trace-ascii"])
  func shown(_ option: String) async throws {
    let words = option == "-v" ? ["-v"] : [option, "trace"]
    for showsSecrets in [false, true] {
      let (result, files) = try await run((showsSecrets ? ["--show-secrets"] : []) + words + Self.request)
      #expect(result.status == 0 && result.output == "end", "\(result.error)")
      let text = String(
        decoding: option == "-v"
          ? Array(result.error.utf8) : TemporaryDirectory.contents(of: files.path(of: "trace")) ?? [], as: UTF8.self)
      if option == "-v" || !showsSecrets { #expect(text.contains("S3CRET") == showsSecrets, "\(text)") }
      guard option == "-v", !showsSecrets else { continue }
      for line in [
        "> GET /to?token=***&n=1 HTTP/1.1", "> Referer: http://***@from.test/?jwt=***",
        "< Location: /end?a=1&access_token=***&b=2#token=***", "< Content-Location: https://***@a.test/?sig=***",
        "< X-Next: https://a.test/?api_key=***", "< Refresh: 1; url=/x?password=***",
        "> GET /end?a=1&access_token=***&b=2 HTTP/1.1",
      ] { #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)\n\(text)") }
      #expect(text.contains("* following the redirection to http://127.0.0.1:"))
    }
  }

  @Test(
    "no error shows them, not even with --show-secrets: errors are kept in logs",
    arguments: [
      ["-f", "http://me:S3CRET@SERVER/404?token=S3CRET"], ["-L", "http://SERVER/loop?token=S3CRET1"],
      ["ftp://me:S3CRET@a.test/?token=S3CRET"], ["http://me:S3CRET@a.test:0/?token=S3CRET"],
      ["http://a.test/{?token=S3CRET"], ["-O", "http://SERVER/?token=S3CRET"],
      ["--max-filesize", "1", "http://SERVER/x?token=S3CRET"], ["--proto", "=https", "http://a.test/?token=S3CRET"],
      ["-C", "5", "-o", "file", "http://SERVER/x?token=S3CRET"], ["-m", "0.001", "http://SERVER/x?token=S3CRET"],
      ["//u:S3CRET@h/"], ["http:/u:S3CRET@/"], ["http://me:S3 CRET@a.test/"],
      ["-f", "http://SERVER/404?http://u:S3CRET@h/"], ["-f", "http://SERVER/404?u=http%3A//u:S3CRET%40h/"],
      ["--output-format", "json", "http://SERVER/?u=http%3A//u:S3CRET%40h/&http://u:S3CRET@h/"],
      ["-H", "Authorization Bearer S3CRET", "http://SERVER/"], ["-H", "Bearer:\u{1}S3CRET", "http://SERVER/"],
      ["-H", "S3CRETS3CRET", "http://SERVER/"],
      ["--proxy-header", "S3CRET=1", "-x", "http://p.test", "http://SERVER/"],
      ["-x", "http://me:S3CRET@p.test/x", "http://SERVER/"], ["-WS3CRET", "http://SERVER/"],
    ])
  func errors(_ words: [String]) async throws {
    let (result, _) = try await run(["-sS"] + (words.contains("json") ? [] : ["--show-secrets"]) + words)
    #expect(!result.error.contains("S3CRET"), "\(result.error)")
    #expect(result.status == 0 || !result.error.isEmpty)
  }

  @Test("a header that is refused is named")
  func header() async throws {
    let (result, _) = try await run(["-H", "Authorization Bearer S3CRET", "http://SERVER/"])
    #expect(result.status == 2 && result.error.contains("'Authorization …' has no colon"), "\(result.error)")
  }

  @Test("--dry-run masks URLs in the target and in fields")
  func dryRun() async throws {
    let (result, _) = try await run(["--dry-run", "--url-query", "code=S3CRET"] + Self.request)
    #expect(result.status == 0 && !result.output.contains("S3CRET"), "\(result.output)")
    #expect(result.output.contains("> GET /to?token=***&n=1&code=*** HTTP/1.1\n"))
    for body in ["a=1&password=S3CRET", "{\"a\":1, \"token\":\"S3CRET\"}"] {
      let (result, _) = try await run(["--dry-run", "-d", body, "http://SERVER/"])
      #expect(result.output.hasSuffix("\n\(body.replacing("S3CRET", with: "***"))\n"), "\(result.output)")
    }
  }

  @Test("--print-curl masks them in every option that may have one")
  func printCurl() async throws {
    let (result, _) = try await run(
      [
        "--print-curl", "--url-query", "token=S3CRET", "--url-query", "+a=1&sig=S3CRET", "-d",
        "user=me&password=S3CRET", "--url-query", "u=http%3A//u:S3CRET%40h/",
        "--data-urlencode", "client_secret=S3CRET", "-H", "X-From: http://me:S3CRET@a.test/", "-H", "Host: a.test",
      ] + Self.request)
    #expect(result.status == 0 && !result.output.contains("S3CRET"), "\(result.output)")
    for part in ["'http://***@from.test/?jwt=***'", "'+a=1&sig=***'", "'user=me&password=***'", "'Host: a.test'"] {
      #expect(result.output.contains(part), "\(part) \(result.output)")
    }
  }

  @Test("-w prints URLs as they are, for the script that asked for them")
  func writeOut() async throws {
    let (result, _) = try await run(["-o", "x", "-w", "%{url_effective}"] + Self.request)
    #expect(result.output.hasSuffix("/end?a=1&access_token=S3CRET1&b=2#token=S3CRET2"), "\(result.output)")
  }

  @Test(
    "the secrets of an option's value, in order",
    arguments: [
      ("url", "a.test/?token=x&b=1&sig=y", ["x", "y"]), ("url", "me:pw@a.test", ["me:pw"]), ("url", "http://a/@b", []),
      ("url", "//u:secret@h/", ["u:secret"]), ("url", "http:/u:p@h/", ["u:p"]), ("url", "https:u:p@h", ["https:u:p"]),
      ("url", "h/?http://u:p@h/&a=b@c", ["u:p"]), ("url", "v:w@h/?a=http://u:p@h/?sig=x", ["v:w", "u:p", "x"]),
      ("url", "h/?a%3A//u:p%40h/", ["u:p"]), ("url", "/?a=http%3a%2F%2fu%3Ap%40h%2F%40&b", ["u%3Ap"]),
      ("url", "h/?token=http://u:p@h/x&b", ["http://u:p@h/x"]), ("url", "http://u:p%2F@h/", ["u:p%2F"]),
      ("url-query", "a=http://u:p@h/", ["u:p"]), ("data", "a=http%3A//u:p%40h/", ["u:p"]),
      ("header", "A: x http%3A//u:p%40h/", ["u:p"]), ("url", "http://h:1/%40", []),
      ("url", "http://u@a/?monkey=1&key=2#jwt=3", ["u", "2", "3"]), ("url", "http://a/?token=&token", []),
      ("referer", "http://u:p@a/?code=c;auto", ["u:p", "c"]), ("url-query", "+token=x", ["x"]),
      ("data", "a=b&pwd=c", ["c"]), ("data", "{\"password\": \"c\"}", ["c"]), ("data", "password", []),
      ("json", "[{\"a\":\"token\",\"b\":1, \"key\" : -12 ,\"my_token\":\"x\\\"y\"}]", ["-12", "x\\\"y"]),
      ("json", "{\"token\":{\"key\":null,\"a\":\"http://u:p@h\"}}", ["u:p"]), ("cookie", "TOKEN", ["TOKEN"]),
      ("cookie", "jar.txt", []), ("cookie", "./jar", []), ("header", "Cookie;x", ["x"]), ("header", "Cookie", []),
      ("header", "Authorization Bearer x", ["Bearer x"]), ("header", "X;", []), ("header", "A: http://u:p@h/", ["u:p"]),
      ("header", "Cookie: a=b", [" a=b"]), ("header", "Accept: text/*", []), ("output", "token=x", []),
    ] as [(String, String, [String])])
  func ranges(_ option: String, _ value: String, _ secrets: [String]) {
    let bytes = Array(value.utf8)
    let found = SecretArguments.ranges(in: Argument(value), of: option)
    #expect(found.map { String(decoding: bytes[$0], as: UTF8.self) } == secrets)
  }

  @Test("no bytes trap")
  func total() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<24, using: &random)
      let bytes = (0..<count).map { _ in Array(":/?#@=&;+%3A2F4tokensig{\"\\".utf8).randomElement(using: &random) ?? 0 }
      for option in ["url", "header", "data", "json", "url-query", "cookie", "user"] {
        let ranges = SecretArguments.ranges(in: Argument(bytes), of: option)
        #expect(ranges.allSatisfy { !$0.isEmpty && $0.upperBound <= count })
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
      }
    }
  }
}
