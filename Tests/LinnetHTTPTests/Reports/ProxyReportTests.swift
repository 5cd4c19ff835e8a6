import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// User reports about proxies.
@Suite("Reports: proxies", .timeLimit(.minutes(1)))
struct ProxyReportTests {
  private func client(_ variables: [String: String], _ configuration: HTTPClientConfiguration) -> HTTPClient {
    HTTPClient(
      configuration: configuration, environment: EngineEnvironment(resolver: FakeResolver(), variables: variables))
  }

  @Test(
    "PRX-01: one switch honours the proxy variables, with user and password; the response says which proxy was used",
    arguments: ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], [true, false])
  func variables(name: String, isOn: Bool) async throws {
    let isSecure = name.first == "h" && name != "http_proxy" || name == "HTTPS_PROXY"
    let wire = try Wire(isSecure ? .http1TLS : .http1)
    let origin = try wire.start(.handler { _ in .text("origin") })
    defer { origin.stop() }
    try await ScriptedProxy.with(.http) { proxy async throws in
      var configuration = wire.configuration
      if isOn { configuration.proxy = .environment }
      let client = client([name: proxy.url(userinfo: "aladdin:sesame")], configuration)
      let response = try await client.send(.get(origin.url("/p")))
      #expect(try await response.text() == "origin")
      #expect(response.connection.proxy?.name == (isOn ? "http://127.0.0.1:\(proxy.port)" : nil))
      #expect(proxy.requests.map(\.way) == (isOn ? [isSecure ? .connect : .forward] : []))
      #expect(
        proxy.requests.map(\.target)
          == (isOn ? [isSecure ? "127.0.0.1:\(origin.port)" : "http://127.0.0.1:\(origin.port)/p"] : []))
      #expect(proxy.requests.allSatisfy { $0.authorization == aladdinField })
      #expect(origin.snapshot.requests.allSatisfy { $0.headers["Proxy-Authorization"] == nil })
    }
  }

  @Test("PRX-01: a host of no_proxy is connected to directly, also by a request between two that are not")
  func exceptions() async throws {
    let origin = try ScriptedServer.start(.handler { _ in .text("direct") })
    defer { origin.stop() }
    try await ScriptedServer.with(.handler { _ in .text("proxy") }) { proxy async throws in
      let variables = ["http_proxy": "127.0.0.1:\(proxy.port)", "no_proxy": "127.0.0.0/8"]
      var configuration = HTTPClientConfiguration()
      configuration.proxy = .environment
      let client = client(variables, configuration)
      for _ in 0..<2 {
        #expect(try await client.send(.get("http://origin.test/")).text() == "proxy")
        #expect(try await client.send(.get(origin.url("/"))).text() == "direct")
      }
    }
  }

  /// The challenge of the report, on a connection that stays or not.
  private static func challenge(closes: Bool) -> ProxyAnswer {
    .refuse(407, headers: [HeaderLine("Proxy-Authenticate", "Basic realm=\"p\"")], body: "deny", closes: closes)
  }

  @Test(
    "PRX-06: credentials are sent unasked, or in answer to a challenge, on the same connection if it stays",
    arguments: [HTTPProxy.Kind.http, .https], [true, false])
  func challenge(kind: HTTPProxy.Kind, closes: Bool) async throws {
    for (credentials, isUnasked) in [(aladdin, true), (.any(user: "aladdin", password: "sesame"), false)] {
      let scene = try ProxyScene(kind, to: .http1TLS) { request in
        request.authorization == aladdinField ? .allow : Self.challenge(closes: closes)
      }
      let client = scene.client(credentials)
      #expect(try await client.send(.get(scene.url)).text() == "through")
      #expect(scene.proxy.requests.map(\.authorization) == (isUnasked ? [aladdinField] : [nil, aladdinField]))
      #expect(scene.proxy.server.snapshot.connectionCount == (!isUnasked && closes ? 2 : 1))
      await client.shutdown(grace: .zero)
    }
  }

  @Test(
    "PRX-06: a Digest challenge to CONNECT is answered once; the answer says neither name of the scheme nor password",
    arguments: [true, false])
  func digest(closes: Bool) async throws {
    let scene = try ProxyScene(.http, to: .http1TLS) { request in
      if request.authorization?.hasPrefix("Digest ") == true { return .allow }
      return .refuse(
        407, headers: [HeaderLine("Proxy-Authenticate", "Digest realm=\"p\", nonce=\"n1\", qop=\"auth\"")],
        body: "deny", closes: closes)
    }
    let client = scene.client(.digest(user: "aladdin", password: "sesame"))
    #expect(try await client.send(.get(scene.url)).text() == "through")
    let answer = try #require(scene.proxy.requests.last?.authorization)
    #expect(
      answer.hasPrefix(
        "Digest username=\"aladdin\", realm=\"p\", nonce=\"n1\", uri=\"\(ProxyScene.host):\(scene.origin.port)\""))
    #expect(scene.proxy.requests.count == 2)
    await client.shutdown(grace: .zero)
  }

  @Test("PRX-06: a proxy that closes behind its challenge without a word is asked again on another connection")
  func unannouncedClose() async throws {
    let origin = try Wire(.http1TLS)
    let server = try origin.start(.handler { _ in .text("through") })
    defer { server.stop() }
    let challenge = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 4\r\n\r\ndeny"
    let script = ServerScript.perConnection { number in
      number == 1
        ? .steps([.readHead, .send(challenge), .close])
        : .steps([.readHead, .send("HTTP/1.1 200 OK\r\n\r\n"), .relay(toPort: server.port, frozenBy: Gate())])
    }
    try await ScriptedServer.with(script) { proxy async throws in
      let client = origin.client {
        $0.proxy = .fixed(.local(.http, proxy.port, .any(user: "aladdin", password: "sesame")))
      }
      #expect(try await client.send(.get(server.url("/"))).text() == "through")
      #expect(proxy.snapshot.requests.last?.headers["Proxy-Authorization"] == aladdinField)
      #expect(proxy.snapshot.connectionCount == 2)
      await client.shutdown(grace: .zero)
    }
  }

  @Test(
    "PRX-06: a refusal shows the proxy's status and body, as the proxy's error",
    arguments: [403, 407, 502, 503], [true, false])
  func refusal(status: Int, closes: Bool) async throws {
    let scene = try ProxyScene(.http, to: .http2TLS) { _ in
      .refuse(
        status, headers: [HeaderLine("Proxy-Authenticate", "Basic realm=\"p\"")], body: "deny", closes: closes)
    }
    let error = try #require(await scene.client(aladdin).failure(of: .get(scene.url)))
    #expect(error.code == (status == 407 ? .proxyAuthenticationRequired : .proxyRefused))
    #expect(error.phase == .proxy && error.sent == .nothing)
    #expect(error.proxyResponse?.head.status.code == status)
    #expect(error.proxyResponse.map { String(decoding: $0.body.array, as: UTF8.self) } == "deny")
    #expect(error.reason.contains("http://127.0.0.1:\(scene.proxy.port)") && error.reason.contains("\(status)"))
    #expect(!error.description.contains("aladdin") && !error.description.contains("sesame"))
    #expect(scene.proxy.requests.count == 1)
  }
}
