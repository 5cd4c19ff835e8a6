import LinnetTestSupport
import Testing

/// What the command sends, looked at by a server.
@Suite("Requests of the command", .timeLimit(.minutes(2)))
struct RequestTests {
  /// Runs the command against a server that answers `hello`, and returns the request that it saw.
  private func request(
    _ arguments: String..., input: String? = nil, path: String = "/x", directory: String? = nil
  ) async throws -> RecordedRequest {
    try await ScriptedServer.with(.handler { _ in .text("hello") }) { server async throws in
      let words = ([CommandRun.path, "-sS"] + arguments + [server.url(path)]).map { Array($0.utf8) }
      let result = try await CommandRun(words, input: input, directory: directory).result()
      #expect(result.status == 0, "\(result.error)")
      #expect(server.snapshot.violations.isEmpty)
      return try await server.waitForRequests(1)[0]
    }
  }

  @Test("a plain GET has the default headers of curl and no Expect")
  func plain() async throws {
    let request = try await request()
    #expect(request.method == "GET" && request.target == "/x")
    #expect(request.headers.map(\.name) == ["Host", "User-Agent", "Accept"])
    #expect(request.headers["Accept"] == "*/*")
    #expect(request.headers["User-Agent"]?.hasPrefix("linnet/") == true)
  }

  @Test("-H adds, 'Name:' removes, 'Name;' sends it empty, @file adds lines")
  func headers() async throws {
    let files = try TemporaryDirectory()
    let file = try files.write("X-File: 1\r\nX-Other: 2\n\n", to: "headers")
    let request = try await request("-H", "X-A: b", "-H", "Accept:", "-H", "X-Empty;", "-H", "@\(file)")
    #expect(request.headers["X-A"] == "b" && request.headers["X-Empty"] == "")
    #expect(request.headers["Accept"] == nil)
    #expect(request.headers["X-File"] == "1" && request.headers["X-Other"] == "2")
  }

  @Test("-A, -e and -r set their headers; an empty -A removes it; -H wins")
  func headerOptions() async throws {
    let first = try await request("-A", "me", "-e", "http://from/", "-r", "0-4")
    #expect(first.headers["User-Agent"] == "me" && first.headers["Referer"] == "http://from/")
    #expect(first.headers["Range"] == "bytes=0-4")
    #expect(try await request("-A", "").headers["User-Agent"] == nil)
    #expect(try await request("-A", "me", "-H", "User-Agent: you").headers.values(for: "User-Agent") == ["you"])
  }

  @Test("-d posts form data joined with &, and drops line ends of files")
  func formData() async throws {
    let files = try TemporaryDirectory()
    let file = try files.write("b=\r\n2\n", to: "data")
    let request = try await request("-d", "a=1", "-d", "@\(file)", "--data-raw", "@c")
    #expect(request.method == "POST" && request.body.text == "a=1&b=2&@c")
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test("--data-binary sends a file byte for byte, also one of any size")
  func binaryData() async throws {
    let files = try TemporaryDirectory()
    let file = try files.write(TestPattern.bytes(300_000), to: "data")
    let request = try await request("-X", "PATCH", "--data-binary", "@\(file)", "-H", "Content-Type: a/b")
    #expect(request.method == "PATCH" && request.body.count == 300_000 && request.body.matchesTestPattern)
    #expect(request.headers.values(for: "Content-Type") == ["a/b"])
    #expect(request.headers["Content-Length"] == "300000")
  }

  @Test("-d @- and --json @- read standard input")
  func standardInput() async throws {
    #expect(try await request("-d", "@-", input: "x=\n1").body.text == "x=1")
    let json = try await request("--json", "@-", input: "{\n}")
    #expect(json.body.text == "{\n}" && json.headers["Content-Type"] == "application/json")
    #expect(json.headers.values(for: "Accept") == ["application/json"])
  }

  @Test("-T puts a file with its length, and names it when the URL ends with a slash")
  func upload() async throws {
    let files = try TemporaryDirectory()
    let file = try files.write(TestPattern.bytes(70_000), to: "my file")
    let request = try await request("-T", file, path: "/dir/")
    #expect(request.method == "PUT" && request.target == "/dir/my%20file")
    #expect(request.body.matchesTestPattern && request.headers["Content-Length"] == "70000")
  }

  @Test("-T - sends standard input chunked")
  func uploadStandardInput() async throws {
    let request = try await request("-T", "-", input: "some input")
    #expect(request.method == "PUT" && request.body.text == "some input")
    #expect(request.headers["Transfer-Encoding"] == "chunked" && request.headers["Content-Length"] == nil)
  }

  @Test("'Transfer-Encoding: chunked' makes data chunked")
  func chunked() async throws {
    let request = try await request("-d", "abc", "-H", "Transfer-Encoding: chunked")
    #expect(request.body.text == "abc" && request.headers.values(for: "Transfer-Encoding") == ["chunked"])
  }

  @Test("'Expect: 100-continue' is sent once and waits no longer than --expect100-timeout")
  func expectation() async throws {
    try await ScriptedServer.with(.handler(onHead: { _ in .readBodyWithoutContinue }) { _ in .text("") }) {
      server async throws in
      let result = try await CommandRun.linnet(
        "-d", "abc", "-H", "Expect: 100-continue", "--expect100-timeout", "0.05", server.url())
      #expect(result.status == 0, "\(result.error)")
      let request = try await server.waitForRequests(1)[0]
      #expect(request.headers.values(for: "Expect") == ["100-continue"] && request.body.text == "abc")
    }
  }

  @Test("the method can stand before the URL, and -I sends HEAD")
  func methods() async throws {
    #expect(try await request("DELETE").method == "DELETE")
    #expect(try await request("-I").method == "HEAD")
  }

  @Test("several URLs share a connection")
  func severalURLs() async throws {
    try await ScriptedServer.with(.handler { .text($0.path) }) { server async throws in
      let result = try await CommandRun.linnet(
        "-w", "|%{num_connects}\\n", server.url("/a"), server.url("/b"), "-o", "-")
      #expect(result.output == "/a|1\n/b|0\n")
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test("--compressed asks for encodings and decodes; without it nothing is asked")
  func compressed() async throws {
    let text = String(repeating: "text ", count: 1000)
    let script = ServerScript.handler { request in
      let response = ServerResponse.text(text)
      return request.headers["Accept-Encoding"] == nil ? response : response.compressed(.gzip)
    }
    try await ScriptedServer.with(script) { server async throws in
      for arguments in [["--compressed"], []] {
        let words = ([CommandRun.path, server.url()] + arguments).map { Array($0.utf8) }
        #expect(try await CommandRun(words).result().output == text)
      }
      #expect(server.snapshot.requests.map { $0.headers["Accept-Encoding"] != nil } == [true, false])
    }
  }

  @Test("--resolve connects elsewhere and keeps the name")
  func resolve() async throws {
    try await ScriptedServer.with(.handler { .text($0.headers["Host"] ?? "") }) { server async throws in
      let result = try await CommandRun.linnet(
        "--resolve", "name.test:\(server.port):127.0.0.1", "http://name.test:\(server.port)/")
      #expect(result.output == "name.test:\(server.port)")
    }
  }

  @Test("--unix-socket, its @ and --abstract-unix-socket connect to Unix sockets")
  func unixSockets() async throws {
    let files = try TemporaryDirectory()
    let path = files.path(of: "socket")
    for (address, arguments) in [
      (ScriptedServer.Address.unix(path: path), ["--unix-socket", path]),
      (.abstract(name: path), ["--unix-socket", "@\(path)"]),
      (.abstract(name: "\(path)2"), ["--abstract-unix-socket", "\(path)2"]),
    ] {
      var options = ScriptedServer.Options()
      options.address = address
      try await ScriptedServer.with(.handler { _ in .text("unix") }, options: options) { server async throws in
        let result = try await CommandRun.linnet(arguments[0], arguments[1], "http://localhost/")
        #expect(result.output == "unix", "\(result.error)")
      }
    }
  }

  @Test("-4 and -6 choose the address family")
  func families() async throws {
    try await ScriptedServer.with(.handler { _ in .text("four") }) { server async throws in
      #expect(try await CommandRun.linnet("-4", server.url()).output == "four")
      #expect(try await CommandRun.linnet("-6", server.url()).status == 6)
    }
  }

  @Test("arguments that are not UTF-8, LANG=C and no HOME are no trouble")
  func bareEnvironment() async throws {
    let files = try TemporaryDirectory()
    try await ScriptedServer.with(.handler { _ in .text("hello") }) { server async throws in
      let name: [UInt8] = [0x66, 0xFF, 0xE9]
      let words: [[UInt8]] = [
        Array("-o".utf8), name, Array("-d".utf8), [0xFE, 0xFF], Array(server.url("/").utf8) + [0xE9],
      ]
      let result = try await CommandRun.linnet(bytes: words, directory: files.path)
      #expect(result.status == 0, "\(result.error)")
      let request = try await server.waitForRequests(1)[0]
      #expect(request.body.bytes == [0xFE, 0xFF] && request.target == "/%E9")
      let list = try await CommandRun.shell("cd '\(files.path)' && cat \"$(printf 'f\\377\\351')\"")
      #expect(list.output == "hello")
    }
  }

  @Test("fields, credentials and the format of -w keep bytes that are not UTF-8")
  func fieldBytes() async throws {
    let latin = Array("caf".utf8) + [0xE9]
    try await ScriptedServer.with(.handler { _ in .text("") }) { server async throws in
      let words: [[UInt8]] = [
        Array("-H".utf8), Array("X-A: ".utf8) + latin, Array("-A".utf8), latin, Array("-e".utf8), latin,
        Array("-b".utf8), Array("a=".utf8) + latin, Array("-u".utf8), latin + Array(":".utf8) + latin,
        Array("-w".utf8), latin + Array("%{http_code}".utf8), Array(server.url("/").utf8),
      ]
      let result = try await CommandRun.linnet(bytes: words)
      #expect(result.status == 0, "\(result.error)")
      #expect(result.outputBytes == latin + Array("200".utf8))
      let head = try await server.waitForRequests(1)[0].headBytes
      for line in ["X-A: ", "User-Agent: ", "Referer: ", "Cookie: a="] {
        #expect(head.firstRange(of: Array("\r\n\(line)".utf8) + latin + Array("\r\n".utf8)) != nil, "\(line)")
      }
      #expect(head.firstRange(of: Array("Authorization: Basic Y2Fm6TpjYWbp\r\n".utf8)) != nil)
    }
  }

  @Test("the path of a Unix socket need not be UTF-8")
  func socketBytes() async throws {
    let files = try TemporaryDirectory()
    var options = ScriptedServer.Options()
    options.address = .unix(path: files.path(of: "s"))
    try await ScriptedServer.with(.handler { _ in .text("unix") }, options: options) { _ async throws in
      _ = try await CommandRun.shell("mv '\(files.path)/s' '\(files.path)/'\"$(printf '\\351')\"")
      let result = try await CommandRun.linnet(
        bytes: ["-sS", "--unix-socket"].map { Array($0.utf8) } + [[0xE9], Array("http://a/".utf8)],
        directory: files.path)
      #expect(result.output == "unix", "\(result.error)")
    }
  }
}
