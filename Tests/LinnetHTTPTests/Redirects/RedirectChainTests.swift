import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Limits, ends and side effects of chains of redirections.
@Suite("Redirect chains")
struct RedirectChainTests {
  /// `/20` redirects to `/19`, and so on; `/0` is the end.
  private static let countdown = ServerScript.handler { request in
    let left = Int(request.path.dropFirst()) ?? 0
    return left == 0 ? .text("end") : .redirect(to: "/\(left - 1)")
  }

  @Test("20 redirections are followed and one more is not", arguments: WireProtocol.versions)
  func limit(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(Self.countdown)
    defer { server.stop() }
    let client = wire.client()
    let response = try await client.send(.get(server.url("/20")))
    #expect(try await response.text() == "end")
    #expect(response.history.count == 20)
    let error = await client.failure(of: .get(server.url("/21")))
    #expect(error?.code == .tooManyRedirects)
    #expect(error?.history.count == 20)
    #expect(error?.url == server.url("/1"))
    #expect(error?.description.utf8.hasRun(of: "more than 20 redirects") == true)
    #expect(error?.description.utf8.hasRun(of: "after 20 redirects from \(server.url("/21"))") == true)
    #expect(server.snapshot.requestCount == 21 + 21)
    #expect(server.snapshot.connectionCount == 1)
  }

  @Test("the limit is the policy's", arguments: [0, 1, 50])
  func ownLimit(hops: Int) async throws {
    let server = try ScriptedServer.start(Self.countdown)
    defer { server.stop() }
    var request = HTTPRequest.get(server.url("/\(hops)"))
    request.options.redirects = .follow
    request.options.redirects?.maximumHops = hops
    #expect(try await HTTPClient().send(request).history.count == hops)
    request.url = server.url("/\(hops + 1)")
    #expect(await HTTPClient().failure(of: request)?.code == .tooManyRedirects)
  }

  @Test("a request that was sent before is a loop", arguments: WireProtocol.versions)
  func loop(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { .redirect(to: $0.path == "/a" ? "/b?key=value" : "/a") })
    defer { server.stop() }
    let error = await wire.client().failure(of: .get(server.url("/a")))
    #expect(error?.code == .redirectLoop)
    #expect(error?.history.map(\.to.path) == ["/b"])
    #expect(server.snapshot.requestCount == 2)
    let own = try wire.start(.handler { _ in .redirect(to: "?key=secret") })
    defer { own.stop() }
    let selfish = await wire.client().failure(of: .get(own.url("/?key=secret")))
    #expect(selfish?.code == .redirectLoop)
    #expect(selfish?.description.utf8.hasRun(of: "secret") == false)
  }

  @Test("a redirection to itself that sets a cookie is no loop yet, and a POST that became a GET is none")
  func noLoop() async throws {
    let server = try ScriptedServer.start(
      .handler { request in
        request.method == "POST" || request.indexOnConnection < 3
          ? .redirect(to: "/a").adding("Set-Cookie", "n=\(request.indexOnConnection)") : .text("end")
      })
    defer { server.stop() }
    #expect(try await HTTPClient().send(.get(server.url("/a"))).text() == "end")
    let other = try ScriptedServer.start(
      .handler { $0.method == "POST" ? .redirect(303, to: "/a") : .text("end") })
    defer { other.stop() }
    #expect(try await HTTPClient().send(.post(other.url("/a"), body: .text("x"))).text() == "end")
  }

  @Test(
    "each redirection is told before the next request, and the last head after it", arguments: WireProtocol.versions)
  func events(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(Self.countdown)
    defer { server.stop() }
    let recorder = EventRecorder<String>()
    var request = HTTPRequest.get(server.url("/2"))
    request.options.onEvent = { event in
      switch event {
      case .requestHead(let head): recorder.record("\(head.method.rawValue) \(head.target)")
      case .redirected(let head, let hop):
        recorder.record("\(head.status.code) \(hop.from.path) \(hop.to.path) \(hop.method.rawValue)")
      default: break
      }
    }
    _ = try await wire.client().send(request).collect()
    #expect(
      recorder.events == ["GET /2", "302 /2 /1 GET", "GET /1", "302 /1 /0 GET", "GET /0"])
  }

  @Test("a small body of a redirection does not cost the connection, a large one does", arguments: [false, true])
  func bodies(isLarge: Bool) async throws {
    let server = try ScriptedServer.start(
      .handler { request in
        guard request.path == "/a" else { return .text("end") }
        var response = ServerResponse.redirect(to: "/b")
        response.body = isLarge ? .pattern(64 << 20) : ServerBody(bytes: [UInt8](repeating: 0x20, count: 2000))
        return isLarge ? response : response.chunked()
      })
    defer { server.stop() }
    let client = HTTPClient()
    for _ in 0..<20 {
      #expect(try await client.send(.get(server.url("/a"))).text() == "end")
      if isLarge { break }
    }
    #expect(server.snapshot.connectionCount == (isLarge ? 2 : 1))
    await client.shutdown(grace: .zero)
  }

  @Test(
    "a body that turns out to be larger than what is waited for holds up nobody, and its connection is kept",
    arguments: [302, 401, 407])
  func middlingBodies(status: Int) async throws {
    let begun = Gate()
    let rest = Gate()
    let held = Gate()
    // No event tells of the question of a proxy that forwards.
    if status == 407 { begun.open() }
    let server = try ScriptedServer.start(
      .handler { request in
        guard request.target.hasSuffix("/a"), request.headers["Authorization"] == nil,
          request.headers["Proxy-Authorization"] == nil
        else { return request.target.hasSuffix("/held") ? .text("held").waiting(for: held) : .text("end") }
        let fields: [HeaderLine] = [
          HeaderLine("Location", "/end"), HeaderLine("WWW-Authenticate", "Basic realm=r"),
          HeaderLine("Proxy-Authenticate", "Basic realm=r"),
        ]
        return ServerResponse(
          status, headers: fields, body: ServerBody([.wait(begun), .pattern(100_000), .wait(rest), .pattern(100_000)])
        ).chunked()
      })
    defer { server.stop() }
    var configuration = HTTPClientConfiguration.limited(to: 2)
    if status == 407 { configuration.proxy = .fixed(.local(.http, server.port, .any(user: "a", password: "b"))) }
    let client = HTTPClient(configuration: configuration)
    var request = HTTPRequest.get(server.url("/a"))
    if status == 401 { request.options.credentials = .any(user: "a", password: "b") }
    request.options.onEvent = { event in
      switch event {
      case .redirected, .challenged: begun.open()
      default: break
      }
    }
    #expect(try await client.send(request).text() == "end")
    // The second connection is taken, so the next request waits for the first.
    let other = Task { try await client.send(.get(server.url("/held"))).text() }
    _ = try await server.waitForRequests(3)
    let last = Task { try await client.send(.get(server.url("/end"))).text() }
    rest.open()
    #expect(try await last.value == "end")
    held.open()
    #expect(try await other.value == "held")
    #expect(server.snapshot.connectionCount == 2)
    await client.shutdown(grace: .zero)
  }

  @Test("a body whose end would be the end of the connection is not waited for")
  func closeDelimited() async throws {
    let server = try ScriptedServer.start(
      .perConnection { number in
        number == 1
          ? .steps([.readRequest, .send("HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\nmoved"), .readUntilClosed])
          : .handler { _ in .text("end") }
      })
    defer { server.stop() }
    #expect(try await HTTPClient().send(.get(server.url("/a"))).text() == "end")
  }

  @Test("a redirection whose body breaks off is followed all the same", arguments: WireProtocol.versions)
  func brokenBody(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { request in
        guard request.path == "/a" else { return .text("end") }
        var response = ServerResponse.redirect(to: "/b").closing(.abrupt)
        response.body = ServerBody(bytes: [1, 2, 3])
        return wire.isHTTP2 ? response : response.framed(.announced(100))
      })
    defer { server.stop() }
    #expect(try await wire.client().send(.get(server.url("/a"))).text() == "end")
  }

  @Test("the error of a later hop names it, and where the way began", arguments: WireProtocol.versions)
  func laterError(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let closed = try ClosedPort()
    let server = try wire.start(
      .handler { _ in .redirect(to: "http://127.0.0.1:\(closed.port)/there?key=secret") })
    defer { server.stop() }
    let error = await wire.client().failure(of: .get(server.url("/a?key=secret")))
    #expect(error?.code == .connectionRefused)
    #expect(error?.url == "http://127.0.0.1:\(closed.port)/there?key=secret")
    #expect(error?.history.map(\.from.path) == ["/a"])
    let text = try #require(error?.description)
    #expect(text.utf8.hasRun(of: "after a redirect from \(server.url("/a?key=<redacted>"))"))
    #expect(!text.utf8.hasRun(of: "secret"))
  }

  @Test("the total timeout spans the chain", arguments: WireProtocol.versions)
  func totalTimeout(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/a" ? .redirect(to: "/b") : .never })
    defer { server.stop() }
    let clock = ManualClock()
    let client = HTTPClient(
      configuration: wire.configured { $0.timeouts.total = .seconds(10) },
      environment: EngineEnvironment(shards: clock.makeGroup(), clock: clock))
    var request = HTTPRequest.get(server.url("/a"))
    request.options.redirects = .following { _ in
      clock.advance(by: .seconds(6))
      return .follow
    }
    let task = Task { await client.failure(of: request) }
    _ = try await server.waitForRequests(2)
    clock.advance(by: .seconds(5))
    let error = await task.value
    #expect(error?.code == .totalTimeout)
    #expect(error?.elapsed == .seconds(11))
    #expect(error?.url == server.url("/b"))
  }

  @Test("a cancellation ends a chain wherever it is", arguments: WireProtocol.versions)
  func cancelled(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/a" ? .redirect(to: "/b") : .never })
    defer { server.stop() }
    let client = wire.client()
    let task = Task { await client.failure(of: .get(server.url("/a"))) }
    _ = try await server.waitForRequests(2)
    task.cancel()
    #expect(await task.value?.code == .cancelled)
  }

  @Test("a cancellation while the policy decides is one, whatever the policy makes of it", arguments: [false, true])
  func cancelledDecision(throwsError: Bool) async throws {
    let server = try ScriptedServer.start(Self.countdown)
    defer { server.stop() }
    let entered = Gate()
    let gate = Gate()
    var request = HTTPRequest.get(server.url("/1"))
    request.options.redirects = .following { _ in
      entered.open()
      if throwsError { try await gate.opened() } else { try? await gate.opened() }
      return .follow
    }
    let sent = request
    let task = Task { await HTTPClient().failure(of: sent) }
    try await entered.opened()
    task.cancel()
    #expect(await task.value?.code == .cancelled)
    #expect(server.snapshot.requestCount == 1)
  }

  @Test("what a policy throws is the underlying error")
  func failingDecision() async throws {
    struct Broken: Error {}
    let server = try ScriptedServer.start(Self.countdown)
    defer { server.stop() }
    var request = HTTPRequest.get(server.url("/1"))
    request.options.redirects = .following { _ in throw Broken() }
    let error = await HTTPClient().failure(of: request)
    #expect(error?.code == .redirectRefused)
    #expect(error?.underlying is Broken)
  }

  @Test("a policy that takes its time holds up nobody else", arguments: WireProtocol.versions)
  func slowDecision(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(Self.countdown)
    defer { server.stop() }
    let client = wire.client()
    let entered = Gate()
    let gate = Gate()
    var request = HTTPRequest.get(server.url("/1"))
    request.options.redirects = .following { _ in
      entered.open()
      try await gate.opened()
      return .follow
    }
    let sent = request
    let slow = Task { try await client.send(sent).text() }
    try await entered.opened()
    for _ in 0..<10 { #expect(try await client.send(.get(server.url("/1"))).text() == "end") }
    gate.open()
    #expect(try await slow.value == "end")
  }

  @Test("another request of the policy's has to be an http URL", arguments: ["ws://a.test/", "unix:/x", "no url"])
  func badDecision(url: String) async throws {
    let server = try ScriptedServer.start(Self.countdown)
    defer { server.stop() }
    var request = HTTPRequest.get(server.url("/1"))
    request.options.redirects = .following { _ in .followInstead(.get(url)) }
    let code = await HTTPClient().failure(of: request)?.code
    #expect(code == (url == "no url" ? .invalidRedirect : .redirectRefused))
  }

  @Test("a socket that a request is sent to is that of its origin; another origin is looked up")
  func connectTarget() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "socket")
    let other = try ScriptedServer.start(.handler { _ in .text("network") })
    defer { other.stop() }
    let target = other.url("/")
    let server = try ScriptedServer.start(
      .handler { $0.path == "/a" ? .redirect(to: "/b") : .redirect(to: target) }, options: .at(.unix(path: path)))
    defer { server.stop() }
    var request = HTTPRequest.get("http://local.test/a")
    request.options.connectTarget = .unixSocket(path)
    #expect(try await HTTPClient().send(request).text() == "network")
    #expect(server.snapshot.requests.map(\.target) == ["/a", "/b"])
  }
}
