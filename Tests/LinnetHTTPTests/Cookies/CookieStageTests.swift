import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CookieStageTests {
  private func cookies(of server: ScriptedServer) -> [[String]] {
    server.snapshot.requests.map { $0.headers.values(for: "Cookie") }
  }

  private static let setting = ServerScript.handler { request in
    request.path == "/set"
      ? .text("").adding("Set-Cookie", "a=1").adding("Set-Cookie", "b=2; Path=/p") : .text("")
  }

  @Test("cookies are off until asked for, by the client or by a request", arguments: WireProtocol.versions)
  func handling(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(Self.setting, options: wire.options) { server async throws in
      func send(_ path: String, _ client: HTTPClient, _ cookies: CookieHandling? = nil) async throws {
        var request = HTTPRequest.get(server.url(path))
        request.options.cookies = cookies
        _ = try await client.send(request).collect()
      }
      let off = wire.client()
      try await send("/set", off)
      try await send("/p", off)
      // The private jar is the client's, also when only some requests use it.
      try await send("/set", off, .privateJar)
      try await send("/p", off)
      try await send("/p", off, .privateJar)
      let other = CookieJar()
      try await send("/set", off, .jar(other))
      #expect(other.cookies.map(\.name) == ["a", "b"])

      let on = wire.client { $0.cookies = .privateJar }
      try await send("/set", on, .off)
      try await send("/p", on)
      try await send("/set", on)
      try await send("/p", on)
      try await send("/p", on, .off)

      let shared = wire.client { $0.cookies = .jar(other) }
      try await send("/p/q", shared)
      try await send("/p/q", shared, .privateJar)
      let both = ["b=2; a=1"]
      #expect(cookies(of: server) == [[], [], [], [], both, [], [], [], [], both, [], both, both])
    }
  }

  @Test(
    "the caller's cookies come first, and by name in the place of the jar's", arguments: WireProtocol.versions)
  func explicit(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(Self.setting, options: wire.options) { server async throws in
      let client = wire.client {
        $0.cookies = .privateJar
        $0.defaultHeaders.add("Cookie", "d=4")
      }
      func sent(_ headers: HTTPHeaders, omitting: [String] = []) async throws -> [String] {
        var request = HTTPRequest.get(server.url("/p"), headers: headers)
        request.options.omittedDefaultHeaders = omitting
        _ = try await client.send(request).collect()
        return cookies(of: server).last ?? []
      }
      _ = try await client.send(.get(server.url("/set"))).collect()
      #expect(try await sent([:]) == ["d=4; b=2; a=1"])
      #expect(try await sent([:], omitting: ["cookie"]) == ["b=2; a=1"])
      #expect(try await sent(["cookie": "c=3"]) == ["c=3; b=2; a=1"])
      #expect(try await sent(["Cookie": "a=9;c=3"]) == ["a=9;c=3; b=2"])
      #expect(try await sent([HTTPHeader("Cookie", "c=3"), HTTPHeader("Cookie", " b = 5 ")]) == ["c=3; b = 5; a=1"])
    }
  }

  @Test(
    "cookies that a client above has noted for a hop stay with it: on the next one a challenge brings none back",
    arguments: [false, true])
  func noted(isReplaced: Bool) async throws {
    let foreign = try ScriptedServer.start(
      .handler { request in
        request.headers["Authorization"] == nil
          ? ServerResponse(401).adding("WWW-Authenticate", "Basic realm=x") : .text("end")
      })
    defer { foreign.stop() }
    let target = foreign.url("/")
    let home = try ScriptedServer.start(.handler { _ in .redirect(302, to: target) })
    defer { home.stop() }
    var configuration = HTTPClientConfiguration()
    configuration.credentials = [try HTTPURL(target).origin: .any(user: "user", password: "password")]
    let client = HTTPClient(configuration: configuration)
    var request = HTTPRequest.get(home.url("/"), headers: ["Cookie": "own=0"])
    request.options.hopCookies = HopCookies(jar: CookieJar(), headers: request.headers)
    if isReplaced {
      let options = request.options
      request.options.redirects = .following { redirect in
        var next = HTTPRequest.get(redirect.request.url)
        next.options = options
        return .followInstead(next)
      }
    }
    #expect(try await client.send(request).text() == "end")
    #expect(cookies(of: home) == [["own=0"]])
    #expect(cookies(of: foreign) == [[], []])
    await client.shutdown(grace: .zero)
  }

  @Test(
    "cookies of a response are waited for until its request's total timeout, and without one for as long as it takes")
  func deadline() throws {
    let clock = ManualClock()
    var configuration = HTTPClientConfiguration()
    configuration.timeouts.total = .seconds(5)
    let client = HTTPClient(
      configuration: configuration, environment: EngineEnvironment(shards: clock.makeGroup(), clock: clock))
    let response = HTTPResponse(
      status: .ok, url: try HTTPURL("http://a/"), timings: ExchangeTimings(responseHead: .seconds(2)))
    var request = HTTPRequest.get("http://a/")
    #expect(client.cookieDeadline(of: response, to: request).at == clock.now.advanced(by: .seconds(3)))
    request.options.timeouts.total = .after(.seconds(1))
    #expect(client.cookieDeadline(of: response, to: request).at == clock.now)
    request.options.timeouts.total = .unlimited
    #expect(client.cookieDeadline(of: response, to: request).at == .distantFuture)
  }

  @Test("a Cookie field that must not be sent still fails the request")
  func invalidField() async throws {
    let wire = try Wire(.http1)
    try await ScriptedServer.with(Self.setting) { server async throws in
      let client = wire.client { $0.cookies = .privateJar }
      _ = try await client.send(.get(server.url("/set"))).collect()
      let failure = await client.failure(of: .get(server.url("/"), headers: ["Cookie": "a=\u{1}"]))
      #expect(failure?.code == .invalidRequest)
      #expect(server.snapshot.requests.count == 1)
    }
  }

  @Test(
    "the cookies of every response are kept, but not those of a proxy that refuses",
    arguments: [(200, true), (404, true), (401, true), (503, true), (407, false)])
  func statuses(status: Int, isKept: Bool) async throws {
    let script = ServerScript.handler { _ in ServerResponse(status).adding("Set-Cookie", "a=1") }
    try await ScriptedServer.with(script) { server async throws in
      let jar = CookieJar()
      let client = try Wire(.http1).client { $0.cookies = .jar(jar) }
      _ = try await client.send(.get(server.url("/"))).collect()
      #expect(jar.cookies.map(\.name) == (isKept ? ["a"] : []))
    }
  }

  @Test("the URL's host counts, wherever the connection goes")
  func connectTarget() async throws {
    try await ScriptedServer.with(Self.setting) { server async throws in
      let jar = CookieJar()
      let client = try Wire(.http1).client {
        $0.cookies = .jar(jar)
        $0.connectTarget = .host("127.0.0.1", port: Int(server.port))
      }
      _ = try await client.send(.get("http://one.test/set")).collect()
      _ = try await client.send(.get("http://two.test/")).collect()
      _ = try await client.send(.get("http://one.test:81/", headers: ["Host": "two.test"])).collect()
      #expect(cookies(of: server) == [[], [], ["a=1"]])
      #expect(jar.cookies.map(\.domain) == ["one.test", "one.test"])
    }
  }

  @Test("bytes that are not UTF-8 come back as they were")
  func bytes() async throws {
    let reply =
      Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nSet-Cookie: a=".utf8) + [0xE9, 0xFF] + Array("\r\n\r\n".utf8)
    let script = ServerScript.steps([.repeatForever([.readRequest, .sendBytes(reply)])])
    try await ScriptedServer.with(script) { server async throws in
      let jar = CookieJar()
      let client = try Wire(.http1).client { $0.cookies = .jar(jar) }
      for _ in 0..<2 { _ = try await client.send(.get(server.url("/"))).collect() }
      #expect(jar.cookies.first?.value == "\u{E9}\u{FF}")
      let head = try #require(server.snapshot.requests.last).headBytes
      #expect(head.indices.contains { head[$0...].starts(with: Array("Cookie: a=".utf8) + [0xE9, 0xFF, 0x0D]) })
    }
  }

  @Test("a challenge's cookies go along with the request that answers it", arguments: WireProtocol.versions)
  func challenge(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let script = ServerScript.handler { request in
      request.headers["Authorization"] == nil
        ? ServerResponse(401).adding("WWW-Authenticate", "Basic realm=x").adding("Set-Cookie", "a=1") : .text("in")
    }
    try await ScriptedServer.with(script, options: wire.options) { server async throws in
      let client = wire.client { $0.cookies = .privateJar }
      var request = HTTPRequest.get(server.url("/"), headers: ["Cookie": "c=3"])
      request.options.credentials = .any(user: "user", password: "password")
      #expect(try await client.send(request).text() == "in")
      #expect(cookies(of: server) == [["c=3"], ["c=3; a=1"]])
    }
  }
}
