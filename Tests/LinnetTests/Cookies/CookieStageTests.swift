import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

/// Cookies of the whole client, in front of a real server.
@Suite(.timeLimit(.minutes(1)))
struct CookieStageTests {
  /// `/as/NAME` begins a session of NAME, and everything else is answered with the session.
  private static let sessions = ServerScript.handler { request in
    guard request.path.utf8.starts(with: "/as/".utf8) else {
      return .text(request.headers["Cookie"] ?? "nobody").adding("Cache-Control", "max-age=60")
    }
    return .text("").adding("Set-Cookie", "session=\(request.path.dropFirst(4)); Path=/")
  }

  private static let cached = CachePack(
    responseCachePolicy: .cacheFirst(maxAge: .seconds(60)), responseCache: InMemoryResponseCache())

  private func get(_ fixture: ClientFixture, _ path: String, _ cookies: CookieHandling? = nil) async throws -> String {
    var request = HTTPRequest.get(fixture.server.url(path))
    request.options.cookies = cookies
    return try await fixture.client.perform(request).text
  }

  private func cookies(of server: ScriptedServer) -> [[String]] {
    server.snapshot.requests.map { $0.headers.values(for: "Cookie") }
  }

  @Test("each client has a private jar, which endpoints and requests made by hand share")
  func standard() async throws {
    try await ClientFixture.with(Self.sessions) { fixture async throws in
      #expect(try await get(fixture, "/as/ann") == "")
      #expect(try await get(fixture, "/who") == "session=ann")
      let undecodable = await failure { () throws(NetworkError) in try await fixture.client.request(GetItem()) }
      #expect(undecodable?.response != nil)
      let other = DefaultNetworkClient(configuration: .local(fixture.baseURL))
      #expect(try await other.perform(.get(fixture.server.url("/who"))).text == "nobody")
      await other.shutdown()
      #expect(cookies(of: fixture.server) == [[], ["session=ann"], ["session=ann"], []])
    }
  }

  @Test("the clock of an empty jar is not looked at, as there is nothing that could expire")
  func emptyJar() async throws {
    let looks = EventRecorder<Void>()
    let jar = CookieJar(now: {
      looks.record(())
      return HTTPDate(secondsSince1970: 0)
    })
    try await ClientFixture.with(Self.sessions, configuration: { .local($0).cookies(.jar(jar)) }) {
      fixture async throws in
      for _ in 0..<2 { #expect(try await get(fixture, "/who") == "nobody") }
      #expect(looks.events.isEmpty)
      _ = try await get(fixture, "/as/ann")
      #expect(try await get(fixture, "/who") == "session=ann")
      #expect(!looks.events.isEmpty)
      let seen = looks.events.count
      jar.removeAll()
      #expect(try await get(fixture, "/who") == "nobody")
      #expect(looks.events.count == seen)
    }
  }

  @Test("cookies can be off, and in a jar that is given; requests say otherwise in the same words")
  func handling() async throws {
    let jar = CookieJar()
    let off: (URL) -> NetworkConfiguration = { .local($0).cookies(.off) }
    try await ClientFixture.with(Self.sessions, configuration: off) { fixture async throws in
      _ = try await get(fixture, "/as/ann")
      #expect(try await get(fixture, "/who") == "nobody")
      _ = try await get(fixture, "/as/ann", .privateJar)
      #expect(try await get(fixture, "/who") == "nobody")
      #expect(try await get(fixture, "/who", .privateJar) == "session=ann")
      _ = try await get(fixture, "/as/bob", .jar(jar))
      #expect(jar.cookies.map(\.value) == ["bob"])
    }
    let given: (URL) -> NetworkConfiguration = { .local($0).cookies(.jar(jar)) }
    try await ClientFixture.with(Self.sessions, configuration: given) { fixture async throws in
      #expect(try await get(fixture, "/who") == "session=bob")
      #expect(try await get(fixture, "/who", .off) == "nobody")
      _ = try await get(fixture, "/as/eve", .off)
      #expect(try await get(fixture, "/who", .jar(CookieJar())) == "nobody")
      #expect(jar.cookies.map(\.value) == ["bob"])
    }
  }

  @Test("after a login as another user the cache does not serve what the first one got")
  func users() async throws {
    let cached: (URL) -> NetworkConfiguration = { .local($0, cache: Self.cached) }
    try await ClientFixture.with(Self.sessions, configuration: cached) { fixture async throws in
      for name in ["ann", "bob", "ann"] {
        // Each login is another URL, so that it is not answered from the cache.
        _ = try await fixture.client.perform(.post(fixture.server.url("/as/\(name)")))
        for _ in 0..<2 { #expect(try await get(fixture, "/who") == "session=\(name)") }
      }
      // Three logins; of the six others only the first of each user.
      #expect(fixture.server.snapshot.requests.count == 5)
    }
  }

  @Test(
    "the jar of the engine, or of a client that is the transport, is seen by the cache, and no field is doubled",
    arguments: [false, true])
  func engineJar(isTransport: Bool) async throws {
    let server = try ScriptedServer.start(Self.sessions)
    defer { server.stop() }
    let jar = CookieJar()
    var engine = HTTPClientConfiguration()
    engine.cookies = .jar(jar)
    let configuration = NetworkConfiguration.local(.test(server.url("/")), cache: Self.cached)
    let client =
      isTransport
      ? DefaultNetworkClient(configuration: configuration, transport: HTTPClient(configuration: engine))
      : DefaultNetworkClient(configuration: configuration.engine(engine))
    for name in ["ann", "bob"] {
      _ = try await client.perform(.post(server.url("/as/\(name)")))
      for _ in 0..<2 { #expect(try await client.perform(.get(server.url("/who"))).text == "session=\(name)") }
    }
    #expect(jar.cookies.map(\.value) == ["bob"])
    #expect(cookies(of: server) == [[], ["session=ann"], ["session=ann"], ["session=bob"]])
    await client.shutdown()
  }

  @Test("a stored response sets its cookies once")
  func storedResponse() async throws {
    let jar = CookieJar()
    let script = ServerScript.handler { _ in .text("").adding("Set-Cookie", "a=1") }
    try await ClientFixture.with(
      script, configuration: { .local($0, cache: Self.cached).cookies(.jar(jar)) }
    ) { fixture async throws in
      _ = try await get(fixture, "/x")
      #expect(jar.cookies.map(\.name) == ["a"])
      jar.removeAll()
      _ = try await get(fixture, "/x")
      #expect(jar.cookies.isEmpty)
      #expect(fixture.server.snapshot.requests.count == 1)
    }
  }

  @Test("a validation sets cookies, in the background as well", arguments: [304, 200], [false, true])
  func validation(status: Int, isInBackground: Bool) async throws {
    let jar = CookieJar()
    let script = ServerScript.handler { request in
      request.headers["If-None-Match"] == nil
        ? .text("first").adding("ETag", "\"1\"")
        : ServerResponse(status).adding("ETag", "\"1\"").adding("Set-Cookie", "a=1; Path=/elsewhere")
    }
    let policy: ResponseCachePolicy =
      isInBackground
      ? .staleWhileRevalidate(maxAge: .zero, staleWindow: .seconds(3600)) : .cacheFirst(maxAge: .zero)
    let pack = CachePack(responseCachePolicy: policy, responseCache: InMemoryResponseCache())
    try await ClientFixture.with(
      script, configuration: { .local($0, cache: pack).cookies(.jar(jar)) }
    ) { fixture async throws in
      _ = try await get(fixture, "/x")
      #expect(jar.cookies.isEmpty)
      _ = try await get(fixture, "/x")
      try await eventually("the cookie is kept") { jar.cookies.map(\.name) == ["a"] }
      #expect(fixture.server.snapshot.requests.count == 2)
    }
  }

  @Test("cookies are kept from a response whose body is refused")
  func largeBody() async throws {
    let jar = CookieJar()
    let script = ServerScript.handler { _ in .pattern(1000).adding("Set-Cookie", "a=1") }
    let pack = ResiliencePack(bodyBuffering: .streaming(maxBytes: 10))
    try await ClientFixture.with(
      script, configuration: { .local($0, resilience: pack).cookies(.jar(jar)) }
    ) { fixture async throws in
      let url = fixture.server.url("/x")
      let tooLarge = await failure { () throws(NetworkError) in try await fixture.client.perform(.get(url)) }
      #expect(tooLarge != nil)
      #expect(jar.cookies.map(\.name) == ["a"])
    }
  }
}

/// Cookies on the way through redirections, challenges and shared exchanges.
@Suite(.timeLimit(.minutes(1)))
struct CookieWayTests {
  @Test("each hop sends what belongs to it, and what it sets is kept for it alone")
  func redirects() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end").adding("Set-Cookie", "f=2; Path=/") })
    defer { foreign.stop() }
    let target = "http://foreign.test:\(foreign.port)/end"
    let home = try ScriptedServer.start(
      .handler { request in
        request.path == "/1"
          ? ServerResponse.redirect(302, to: "/2").adding("Set-Cookie", "h=1; Path=/") : .redirect(302, to: target)
      })
    defer { home.stop() }
    let jar = CookieJar()
    var engine = HTTPClientConfiguration()
    engine.resolveOverrides = ["*": ["127.0.0.1"]]
    let start = "http://home.test:\(home.port)"
    let client = DefaultNetworkClient(
      configuration: NetworkConfiguration.local(.test(start)).engine(engine).cookies(.jar(jar)))
    for _ in 0..<2 {
      let request = HTTPRequest.get("\(start)/1", headers: ["Cookie": "own=0"])
      let response = try await client.perform(request)
      #expect(response.text == "end")
      #expect(response.redirects.count == 2)
    }
    #expect(
      home.snapshot.requests.map { $0.headers.values(for: "Cookie") }
        == [["own=0"], ["own=0; h=1"], ["own=0; h=1"], ["own=0; h=1"]])
    #expect(foreign.snapshot.requests.map { $0.headers.values(for: "Cookie") } == [[], ["f=2"]])
    #expect(jar.cookies.map { "\($0.name)@\($0.domain)" } == ["h@home.test", "f@foreign.test"])
    await client.shutdown()
  }

  /// Goes on with the request that was answered, as far as it is known, and not with the proposal.
  private struct Recycling: RedirectPolicy {
    func redirect(request: HTTPRequest, response: Response, originalRequest: HTTPRequest) -> HTTPRequest? {
      var next = response.request ?? originalRequest
      next.url = request.url
      return next
    }
  }

  @Test("a policy that goes on with the answered request takes no cookie of the jar along")
  func recycling() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end") })
    defer { foreign.stop() }
    let target = "http://foreign.test:\(foreign.port)/end"
    let home = try ScriptedServer.start(.handler { _ in .redirect(302, to: target) })
    defer { home.stop() }
    let jar = CookieJar()
    try jar.add(Cookie(name: "h", value: "1", domain: "home.test"))
    var engine = HTTPClientConfiguration()
    engine.resolveOverrides = ["*": ["127.0.0.1"]]
    let start = "http://home.test:\(home.port)/"
    let transport = TransportPack(redirectPolicy: Recycling(), allowsInsecureHTTP: true)
    let client = DefaultNetworkClient(
      configuration: NetworkConfiguration.local(.test(start), transport: transport).engine(engine).cookies(.jar(jar)))
    _ = try await client.perform(.get(start))
    #expect(home.snapshot.requests.map { $0.headers["Cookie"] } == ["h=1"])
    #expect(foreign.snapshot.requests.map { $0.headers["Cookie"] } == [nil])
    await client.shutdown()
  }

  /// Two hosts of one client: `home.test` redirects everything to `foreign.test`, which asks for credentials and has some.
  private func withTwoHosts(
    _ body: (
      _ client: DefaultNetworkClient, _ jar: CookieJar, _ home: ScriptedServer, _ foreign: ScriptedServer
    ) async throws -> Void
  ) async throws {
    let foreign = try ScriptedServer.start(
      .handler { request in
        request.headers["Authorization"] == nil
          ? ServerResponse(401).adding("WWW-Authenticate", "Basic realm=x").adding("Set-Cookie", "f=2; Path=/")
          : .text("end")
      })
    defer { foreign.stop() }
    let target = "http://foreign.test:\(foreign.port)/end"
    let home = try ScriptedServer.start(.handler { _ in .redirect(302, to: target) })
    defer { home.stop() }
    let jar = CookieJar()
    var engine = HTTPClientConfiguration()
    engine.resolveOverrides = ["*": ["127.0.0.1"]]
    engine.credentials = [try HTTPURL(target).origin: .any(user: "user", password: "password")]
    let client = DefaultNetworkClient(
      configuration: NetworkConfiguration.local(.test("http://home.test:\(home.port)")).engine(engine)
        .cookies(.jar(jar)))
    try await body(client, jar, home, foreign)
    await client.shutdown()
  }

  @Test(
    "a request that asks to be redirected by itself is, hop by hop: cookies stay with their origins",
    arguments: [0, 1, 2])
  func ownRedirects(choice: Int) async throws {
    try await withTwoHosts { client, jar, home, foreign async throws in
      var request = HTTPRequest.get("http://home.test:\(home.port)/", headers: ["Cookie": "own=0"])
      request.options.redirects = [nil, .follow, .following { _ in .follow }][choice]
      let response = try await client.perform(request)
      #expect(response.text == "end")
      #expect(response.redirects.count == 1)
      #expect(home.snapshot.requests.map { $0.headers.values(for: "Cookie") } == [["own=0"]])
      #expect(foreign.snapshot.requests.map { $0.headers.values(for: "Cookie") } == [[], ["f=2"]])
      #expect(jar.cookies.map { "\($0.name)@\($0.domain)" } == ["f@foreign.test"])
    }
  }

  @Test("a request that is not to be redirected gets the redirection")
  func manual() async throws {
    try await withTwoHosts { client, _, home, foreign async throws in
      var request = HTTPRequest.get("http://home.test:\(home.port)/")
      request.options.redirects = .manual
      let response = try await client.perform(request, acceptableStatusCodes: [302])
      #expect(response.statusCode == 302)
      #expect(foreign.snapshot.connections.isEmpty)
    }
  }

  @Test("the request of a response, sent elsewhere, takes no cookies along that were noted for its challenge")
  func reused() async throws {
    try await withTwoHosts { client, _, home, foreign async throws in
      let own: HTTPHeaders = ["Cookie": "own=0"]
      var first = HTTPRequest.get("http://home.test:\(home.port)/", headers: own)
      first.options.redirects = .manual
      let response = try await client.perform(first, acceptableStatusCodes: [302])
      var request = try #require(response.request)
      #expect(request.options.timeSpent == nil)
      request.url = "http://foreign.test:\(foreign.port)/"
      request.headers.remove("Cookie")
      request.options.cookies = .off
      _ = try await client.perform(request)
      #expect(foreign.snapshot.requests.map { $0.headers.values(for: "Cookie") } == [[], []])
    }
  }

  @Test("a challenge's cookies go along with the request that answers it")
  func challenge() async throws {
    let script = ServerScript.handler { request in
      request.headers["Authorization"] == nil
        ? ServerResponse(401).adding("WWW-Authenticate", "Basic realm=x").adding("Set-Cookie", "a=1; Path=/")
        : .text("in")
    }
    try await ClientFixture.with(script) { fixture async throws in
      var request = HTTPRequest.get(fixture.server.url("/"), headers: ["Cookie": "c=3"])
      request.options.credentials = .any(user: "user", password: "password")
      #expect(try await fixture.client.perform(request).text == "in")
      #expect(fixture.server.snapshot.requests.map { $0.headers.values(for: "Cookie") } == [["c=3"], ["c=3; a=1"]])
    }
  }

  @Test("requests with different cookies, or for different jars, share no exchange", arguments: [false, true])
  func coalescing(isOtherJar: Bool) async throws {
    let gate = Gate()
    let jar = CookieJar()
    let script = ServerScript.handler { request in
      .text(request.headers["Cookie"] ?? "nobody").adding("Set-Cookie", "a=1; Path=/").waiting(for: gate)
    }
    let pack = ResiliencePack(coalescing: .getOnly)
    try await ClientFixture.with(
      script, configuration: { .local($0, resilience: pack).cookies(.jar(jar)) }
    ) { fixture async throws in
      let request = HTTPRequest.get(fixture.server.url("/"))
      async let first = fixture.client.perform(request)
      _ = try await fixture.server.waitForRequests(1)
      let otherJar = CookieJar()
      var other = request
      if isOtherJar {
        other.options.cookies = .jar(otherJar)
      } else {
        try jar.add(Cookie(name: "session", value: "bob", domain: "127.0.0.1"))
      }
      async let second = fixture.client.perform(other)
      _ = try await fixture.server.waitForRequests(2)
      gate.open()
      #expect(try await first.text == "nobody")
      #expect(try await second.text == (isOtherJar ? "nobody" : "session=bob"))
      #expect(otherJar.cookies.map(\.name) == (isOtherJar ? ["a"] : []))
      #expect(jar.cookies.contains { $0.name == "a" })
    }
  }
}
