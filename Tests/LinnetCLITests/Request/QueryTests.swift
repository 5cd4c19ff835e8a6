import LinnetTestSupport
import Testing

/// Data in queries and percent-encoded data.
@Suite("Queries of the command", .timeLimit(.minutes(2)))
struct QueryTests {
  private func request(_ arguments: [String], path: String = "/x", input: String? = nil) async throws -> RecordedRequest
  {
    try await ScriptedServer.with(.handler { _ in .text("") }) { server async throws in
      let words = ([CommandRun.path, "-sS"] + arguments + [server.url(path)]).map { Array($0.utf8) }
      let result = try await CommandRun(words, input: input).result()
      #expect(result.status == 0, "\(result.error)")
      return try await server.waitForRequests(1)[0]
    }
  }

  @Test(
    "-G puts the data into the query and sends GET without a body",
    arguments: [
      ("/x", ["-d", "a=1", "-d", "b=2"], "/x?a=1&b=2"), ("/x?q", ["-d", "a"], "/x?q&a"), ("/x?", ["-d", "a"], "/x?a"),
      ("/x#f", ["-d", "a"], "/x?a"), ("/x", ["-d", "a b#c\u{E9}"], "/x?a%20b%23c%C3%A9"),
      ("/x", ["--data-urlencode", "q=a b&c"], "/x?q=a+b%26c"), ("/x", ["-d", "a", "--url-query", "b"], "/x?b&a"),
      ("", ["-d", "a"], "/?a"), ("/x", [], "/x"),
    ])
  func get(_ path: String, _ arguments: [String], _ target: String) async throws {
    let request = try await request(["-G"] + arguments, path: path)
    #expect(request.method == "GET" && request.target == target)
    #expect(request.body.count == 0 && request.headers["Content-Type"] == nil)
    #expect(request.headers["Content-Length"] == nil)
  }

  @Test("-G with -I sends HEAD, and -X wins")
  func methods() async throws {
    #expect(try await request(["-G", "-I", "-d", "a"]).method == "HEAD")
    #expect(try await request(["-G", "-X", "DELETE", "-d", "a"]).method == "DELETE")
  }

  @Test("--url-query joins the query and leaves the body alone")
  func urlQuery() async throws {
    let request = try await request(["--url-query", "a=b c", "--url-query", "+d=%20", "-d", "body"], path: "/x?q=1")
    #expect(request.method == "POST" && request.target == "/x?q=1&a=b+c&d=%20" && request.body.text == "body")
  }

  @Test("--data-urlencode encodes all but unreserved characters, of files too")
  func encoded() async throws {
    let files = try TemporaryDirectory()
    let file = try files.write("a b\n&~", to: "data")
    let request = try await request([
      "--data-urlencode", "x y", "--data-urlencode", "=a=b", "--data-urlencode", "n=é", "--data-urlencode", "@\(file)",
      "--data-urlencode", "m@\(file)",
    ])
    #expect(request.body.text == "x+y&a%3Db&n=%C3%A9&a+b%0A%26~&m=a+b%0A%26~")
    #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test("--data-urlencode @- reads standard input")
  func standardInput() async throws {
    #expect(try await request(["--data-urlencode", "n@-"], input: "a/b").body.text == "n=a%2Fb")
  }

  @Test(
    "--path-as-is sends dots in paths, without it they are resolved, as by curl",
    arguments: [("/a/../b/./c?d/../e", "/b/c?d/../e"), ("/../..", "/"), ("/%2e%2e/x", "/x"), ("/..%2fx", "/..%2fx")])
  func pathAsIs(_ path: String, _ resolved: String) async throws {
    try await ScriptedServer.with(.handler { .text($0.target) }) { server async throws in
      let url = "http://\(server.authority)\(path)"
      #expect(try await CommandRun.linnet("-s", url).output == resolved)
      #expect(try await CommandRun.linnet("-s", "--path-as-is", url).output == path)
      let queried = try await CommandRun.linnet("-s", "--path-as-is", "--url-query", "z=1", url).output
      #expect(queried == path + (path.utf8.contains(UInt8(ascii: "?")) ? "&z=1" : "?z=1"))
    }
  }
}
