import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetHTTPTypes
import LinnetTestSupport
import Testing

@Suite struct CookieJarTests {
  private static let now = HTTPDate(secondsSince1970: 1_800_000_000)

  private func headers(_ fields: String...) -> HTTPHeaders { HTTPHeaders(fields.map { HTTPHeader("Set-Cookie", $0) }) }

  @Test("a response's cookies are kept with all that they say, the broken ones left out")
  func storing() async throws {
    let jar = CookieJar(now: { Self.now })
    let fields = headers(
      "a=1; Path=/p; Secure; HttpOnly; SameSite=Lax; Max-Age=60; Domain=.example.com", "=", "__Host-b=2", "c=3")
    await jar.store(fields, from: try HTTPURL("https://www.example.com/x/y"))
    let cookies = jar.cookies
    #expect(cookies.map(\.name) == ["a", "c"])
    let first = try #require(cookies.first)
    #expect(first.value == "1" && first.path == "/p" && first.domain == "example.com" && !first.isHostOnly)
    #expect(first.isSecure && first.isHTTPOnly && first.sameSite == .lax)
    #expect(first.expires == HTTPDate(secondsSince1970: Self.now.secondsSince1970 + 60))
    let last = try #require(cookies.last)
    #expect(last.path == "/x" && last.domain == "www.example.com" && last.isHostOnly && last.expires == nil)
    #expect(jar.cookies(for: try HTTPURL("https://example.com/p")) == [first])
  }

  @Test("cookies end by the jar's clock")
  func clock() async throws {
    let time = Lock(Self.now)
    let jar = CookieJar(now: { time.withLock { $0 } })
    let url = try HTTPURL("http://x.example/")
    await jar.store(headers("a=1; Max-Age=60", "b=2"), from: url)
    time.withLock { $0 = HTTPDate(secondsSince1970: Self.now.secondsSince1970 + 59) }
    #expect(jar.cookies(for: url).count == 2)
    time.withLock { $0 = HTTPDate(secondsSince1970: Self.now.secondsSince1970 + 60) }
    #expect(jar.cookies(for: url).map(\.name) == ["b"])
    #expect(jar.cookies.map(\.name) == ["b"])
    jar.removeSessionCookies()
    #expect(jar.cookies.isEmpty)
  }

  @Test("a cookie put in by hand has the defaults of a host's own session cookie, and can be removed")
  func byHand() throws {
    let jar = CookieJar()
    var cookie = Cookie(name: "a", value: "1", domain: ".BÜCHER.example")
    try jar.add(cookie)
    let kept = try #require(jar.cookies.first)
    #expect(kept.domain == "xn--bcher-kva.example")
    #expect(kept.isHostOnly && kept.path == "/" && !kept.isSecure && kept.expires == nil && kept.sameSite == nil)
    #expect(jar.cookies(for: try HTTPURL("http://bücher.example/any")) == [kept])
    #expect(jar.cookies(for: try HTTPURL("http://www.bücher.example/")) == [])
    cookie.isHostOnly = false
    cookie.value = "2"
    try jar.add(cookie)
    #expect(jar.cookies(for: try HTTPURL("http://www.bücher.example/")).map(\.value) == ["2"])
    jar.remove(kept)
    #expect(jar.cookies.map(\.value) == ["2"])
    cookie.expires = .earliest
    try jar.add(cookie)
    #expect(jar.cookies.isEmpty)
    try jar.add(Cookie(name: "six", value: "6", domain: "[::1]"))
    #expect(jar.cookies(for: try HTTPURL("http://[::1]/")).map(\.name) == ["six"])
    jar.removeAll()
    #expect(jar.cookies.isEmpty)
  }

  @Test("what no server could set cannot be put in by hand either")
  func invalid() throws {
    func error(_ change: (inout Cookie) -> Void) -> CookieError? {
      var cookie = Cookie(name: "a", value: "1", domain: "x.example")
      change(&cookie)
      do throws(CookieError) {
        try CookieJar().add(cookie)
        return nil
      } catch {
        return error
      }
    }
    #expect(error { _ in } == nil)
    #expect(error { $0.name = "" } == nil)
    #expect(error { ($0.name, $0.value) = ("", "") } == .empty)
    for text in ["a;b", "a=b", "a\r\nX: y", " a", "a\t", "a\u{7F}"] {
      #expect(error { $0.name = text } == .invalidCharacter)
      #expect(error { $0.value = text } == (text == "a=b" ? nil : .invalidCharacter))
    }
    for text in ["", "a b", "x.example/", "x:80"] { #expect(error { $0.domain = text } == .invalidDomain) }
    for text in ["", "p", "/p;q", "/\n"] { #expect(error { $0.path = text } == .invalidPath) }
    #expect(error { $0.value = String(repeating: "b", count: 4096) } == .tooLarge)
    #expect(error { $0.sameSite = SameSite.none } == .sameSiteNoneWithoutSecure)
    #expect(error { $0.name = "__Host-a" } == .brokenPrefix)
    #expect(error { ($0.name, $0.isSecure) = ("__Host-a", true) } == nil)
  }

  private typealias SameSite = Cookie.SameSite

  @Test("no description or mirror shows a value")
  func descriptions() throws {
    let jar = CookieJar()
    let cookie = Cookie(name: "a", value: "secret", domain: "x.example")
    try jar.add(cookie)
    var dumped = ""
    dump(jar, to: &dumped)
    dump(cookie, to: &dumped)
    dump(NetscapeCookieFile([cookie]), to: &dumped)
    for text in [dumped, "\(jar)", "\(cookie)", String(reflecting: cookie), "\(NetscapeCookieFile([cookie]))"] {
      #expect(!text.utf8.hasRun(of: "secret"))
    }
    #expect(cookie.description == "a=<redacted>; x.example/")
  }

  @Test("a shared jar may be used from many tasks at once")
  func concurrency() async throws {
    let jar = CookieJar()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          guard let url = try? HTTPURL("http://h\(number).example/") else { return }
          for value in 0..<50 {
            await jar.store(HTTPHeaders([HTTPHeader("Set-Cookie", "a=\(value)")]), from: url)
            _ = jar.cookies(for: url)
          }
        }
      }
    }
    #expect(jar.cookies.map(\.value) == Array(repeating: "49", count: 8))
  }

  // MARK: Files

  @Test("a saved jar is read back as it was, and only its owner may read the file")
  func roundTrip() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "cookies.txt")
    let jar = CookieJar(now: { Self.now })
    await jar.store(
      headers("a=1; Max-Age=60; HttpOnly", "b=2; Secure; Path=/p", "c=3; Domain=example.com", "value-only"),
      from: try HTTPURL("https://www.example.com/"))
    try await jar.save(netscapeFile: path)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let other = CookieJar(now: { Self.now })
    #expect(try await other.load(netscapeFile: path) == [])
    #expect(other.cookies == jar.cookies)
    try await jar.save(netscapeFile: path, includingSessionCookies: false)
    other.removeAll()
    try await other.load(netscapeFile: path)
    #expect(other.cookies.map(\.name) == ["a"])
    #expect(TemporaryDirectory.names(in: directory.path) == ["cookies.txt"])
  }

  @Test("a symbolic link is neither replaced by the file nor followed, and a device stays one")
  func link() async throws {
    let directory = try TemporaryDirectory()
    let target = try directory.write("precious", to: "target")
    let path = directory.path(of: "cookies.txt")
    #expect(symlink(target, path) == 0)
    for path in [path, "/dev/null"] {
      let error = await #expect(throws: CookieFileError.self) { try await CookieJar().save(netscapeFile: path) }
      #expect(error?.reason == .unwritable)
    }
    #expect(TemporaryDirectory.contents(of: target) == Array("precious".utf8))
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test("a file that is missing, unreadable or in a place that is none is named")
  func fileErrors() async throws {
    let directory = try TemporaryDirectory()
    let jar = CookieJar()
    let missing = directory.path(of: "none")
    let error = await #expect(throws: CookieFileError.self) { try await jar.load(netscapeFile: missing) }
    #expect(error?.reason == .notFound)
    #expect(error?.description == "cannot read the cookie file \(missing): no such file or directory")
    let read = await #expect(throws: CookieFileError.self) { try await jar.load(netscapeFile: directory.path) }
    #expect(read?.reason == .unreadable)
    let write = await #expect(throws: CookieFileError.self) { try await jar.save(netscapeFile: missing + "/x") }
    #expect(write?.reason == .unwritable)
  }

  @Test("a broken file's good lines count, and replace the same cookies")
  func brokenFile() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x.example\tFALSE\t/\tFALSE\t0\ta\tnew\ngarbage\n", to: "cookies.txt")
    let jar = CookieJar()
    try jar.add(Cookie(name: "a", value: "old", domain: "x.example"))
    let problems = try await jar.load(netscapeFile: path)
    #expect(problems.map(\.description) == ["line 2: 1 fields instead of 7"])
    #expect(jar.cookies.map(\.value) == ["new"])
  }

  @Test("a cookie in a file for a domain that unrelated sites share is left out and named")
  func publicSuffixInFile() async {
    let jar = CookieJar(suffixes: PublicSuffixes(list: Array("uk\nco.uk".utf8)))
    let lines =
      ".co.uk\tTRUE\t/\tFALSE\t0\tbad\t1\n.x.co.uk\tTRUE\t/\tFALSE\t0\tgood\t1\nco.uk\tFALSE\t/\tFALSE\t0\town\t1\n"
    let problems = await jar.load(netscape: Array(lines.utf8))
    #expect(problems.map(\.line) == [1])
    #expect(jar.cookies.map(\.name) == ["good", "own"])
  }
}
