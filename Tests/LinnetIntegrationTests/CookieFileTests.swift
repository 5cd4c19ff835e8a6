import LinnetHTTP
import LinnetTestSupport
import Testing

/// Cookie files go to other programs and back.
@Suite(.timeLimit(.minutes(2)))
struct CookieFileTests {
  private static let hasPython: Bool = ServerProcess.isInstalled("python3")
  private static let hasCurl: Bool = ServerProcess.isInstalled("curl")
  /// In 2100, so that no program drops it.
  private static let expiry = HTTPDate(secondsSince1970: 4_102_444_800)

  /// One of each kind.
  private static func makeCookies() -> [Cookie] {
    let host = Cookie(name: "host", value: "1", domain: "127.0.0.1")
    var wide = Cookie(name: "wide", value: "a=b c", domain: "example.com")
    wide.isHostOnly = false
    wide.expires = expiry
    var hidden = Cookie(name: "hidden", value: "\"q\"", domain: "www.example.com")
    hidden.isHTTPOnly = true
    hidden.isSecure = true
    hidden.path = "/p"
    hidden.expires = expiry
    let empty = Cookie(name: "empty", value: "", domain: "x.example")
    return [host, wide, hidden, empty]
  }

  private static func save(_ cookies: [Cookie], to path: String) async throws {
    let jar = CookieJar()
    for cookie in cookies { try jar.add(cookie) }
    try await jar.save(netscapeFile: path)
  }

  private static func load(_ path: String) async throws -> Set<Cookie> {
    let jar = CookieJar()
    #expect(try await jar.load(netscapeFile: path) == [])
    return Set(jar.cookies)
  }

  @Test("Python's http.cookiejar reads our file, and we read what it writes", .enabled(if: hasPython))
  func python() async throws {
    let directory = try TemporaryDirectory()
    let (ours, theirs) = (directory.path(of: "ours.txt"), directory.path(of: "theirs.txt"))
    let cookies = Self.makeCookies()
    try await Self.save(cookies, to: ours)
    let program = """
      import http.cookiejar, sys
      jar = http.cookiejar.MozillaCookieJar()
      jar.load(sys.argv[1], ignore_discard=True, ignore_expires=True)
      jar.save(sys.argv[2], ignore_discard=True, ignore_expires=True)
      print(sorted((c.name, c.value, c.domain, c.path, c.secure, c.expires) for c in jar))
      print("done")
      """
    let process = try ServerProcess(["python3", "-c", program, ours, theirs])
    let line = try process.line(containing: "done")
    process.stop()
    #expect(line == "done")
    #expect(try await Self.load(theirs) == Set(cookies))
  }

  @Test("curl sends the cookies of our file, and we read the file that it writes", .enabled(if: hasCurl))
  func curl() async throws {
    let directory = try TemporaryDirectory()
    let (ours, theirs) = (directory.path(of: "ours.txt"), directory.path(of: "theirs.txt"))
    let cookies = Self.makeCookies()
    try await Self.save(cookies, to: ours)
    let script = ServerScript.handler { _ in .text("done\n").adding("Set-Cookie", "new=2; Path=/p; HttpOnly") }
    try await ScriptedServer.with(script) { server async throws in
      let process = try ServerProcess(["curl", "-sS", "-b", ours, "-c", theirs, server.url("/p/q")])
      // The cookie file is there when curl has ended, and so has its output.
      #expect(throws: TestSupportError.self) { try process.line(containing: "more than that") }
      process.stop()
      #expect(server.snapshot.requests.map { $0.headers.values(for: "Cookie") } == [["host=1"]])
    }
    var new = Cookie(name: "new", value: "2", domain: "127.0.0.1")
    new.path = "/p"
    new.isHTTPOnly = true
    #expect(try await Self.load(theirs) == Set(cookies + [new]))
  }
}
