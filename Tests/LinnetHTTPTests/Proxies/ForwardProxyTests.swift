import LinnetHTTP
import LinnetTestSupport
import Testing

/// Requests that a proxy forwards (RFC 9112 §3.2.2). The scripted server is the proxy; no origin exists.
@Suite("Forward proxies", .timeLimit(.minutes(1)))
struct ForwardProxyTests {
  @Test("An http request goes to the proxy in absolute form, without userinfo and fragment, with the origin's Host")
  func absoluteForm() async throws {
    try await ScriptedServer.with(.handler { _ in .text("forwarded") }) { proxy async throws in
      let client = HTTPClient(configuration: .through(.local(.http, proxy.port)))
      let response = try await client.send(.get("http://origin.test:8080/a/b?q=1#part"))
      #expect(try await response.text() == "forwarded")
      #expect(
        proxy.heads == [
          "GET http://origin.test:8080/a/b?q=1 HTTP/1.1\r\nHost: origin.test:8080\r\n"
            + "User-Agent: linnet/\(LinnetLibrary.version)\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate\r\n\r\n"
        ])
      #expect(response.connection.proxy?.name == "http://127.0.0.1:\(proxy.port)")
      #expect(response.connection.proxy?.isTunnel == false)
      #expect(response.connection.peerAddress == "127.0.0.1:\(proxy.port)")
      #expect(response.connection.tls == nil)
      #expect(response.url.description == "http://origin.test:8080/a/b?q=1#part")
    }
  }

  @Test("Requests to several origins share the connections to the proxy that forwards them")
  func sharedConnection() async throws {
    try await ScriptedServer.with(.handler { .text($0.authority ?? "") }) { proxy async throws in
      let client = HTTPClient(configuration: .through(.local(.http, proxy.port)))
      for host in ["a.test", "b.test", "c.test:81", "a.test"] {
        #expect(try await client.send(.get("http://\(host)/")).text() == host)
      }
      #expect(proxy.snapshot.connectionCount == 1)
    }
  }

  @Test("The proxy's headers and credentials are of forwarded requests; a response of the origin is not asked for more")
  func headersAndCredentials() async throws {
    try await ScriptedServer.with(.handler { _ in ServerResponse(401) }) { proxy async throws in
      var settings = HTTPProxy.local(.http, proxy.port, aladdin)
      settings.headers = ["X-Tenant": "blue", "User-Agent": "gate"]
      let client = HTTPClient(configuration: .through(settings))
      #expect(try await client.send(.get("http://origin.test/")).status == .unauthorized)
      let headers = try #require(proxy.snapshot.requests.first).headers
      #expect(headers.values(for: "Proxy-Authorization") == [aladdinField])
      #expect(headers.values(for: "X-Tenant") == ["blue"])
      #expect(headers.values(for: "User-Agent") == ["gate"])
      #expect(headers["Authorization"] == nil)
    }
  }

  @Test("Connections made with other credentials are not shared")
  func credentialsSeparatePools() async throws {
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { proxy async throws in
      let client = HTTPClient(configuration: .through(.local(.http, proxy.port, aladdin)))
      for user in ["a", "b"] {
        var request = HTTPRequest.get("http://origin.test/")
        request.options.proxy = .fixed(.local(.http, proxy.port, .basic(user: user, password: "")))
        _ = try await client.send(request).collect()
      }
      _ = try await client.send(.get("http://origin.test/")).collect()
      #expect(proxy.snapshot.requests.map(\.connection) == [1, 2, 3])
    }
  }

  @Test("Equal settings of requests and of the client share connections, whatever else the rules say")
  func equalSettings() async throws {
    try await ScriptedServer.with(.handler { _ in .text("ok") }) { proxy async throws in
      let client = HTTPClient(configuration: .through(.local(.http, proxy.port, aladdin)))
      for exceptions in [[], ["a.test"], ["b.test"], ["a.test"]] {
        var request = HTTPRequest.get("http://origin.test/")
        request.options.proxy = .fixed(.local(.http, proxy.port, aladdin), exceptions: exceptions)
        _ = try await client.send(request).collect()
      }
      _ = try await client.send(.get("http://origin.test/")).collect()
      #expect(proxy.snapshot.requests.map(\.connection) == [1, 1, 1, 1, 1])
    }
  }

  @Test("A program that makes new credentials for every request does not grow without bound, and is served")
  func manySettings() async throws {
    try await ScriptedServer.with(.handler { .text($0.headers["Proxy-Authorization"] ?? "") }) { proxy async throws in
      let client = HTTPClient(configuration: .through(.local(.http, proxy.port)))
      var texts: Set<String> = []
      for number in 0..<300 {
        var request = HTTPRequest.get("http://origin.test/")
        request.options.proxy = .fixed(.local(.http, proxy.port, .bearer("t\(number)")))
        texts.insert(try await client.send(request).text())
      }
      #expect(texts.count == 300)
    }
  }

  @Test("407 without credentials, or with refused ones, is the proxy's error with its answer, and names no credential")
  func refusedCredentials() async throws {
    let refusal = ServerResponse(
      407, headers: [HeaderLine("Proxy-Authenticate", "Basic realm=\"p\"")], body: ServerBody(bytes: Array("deny".utf8))
    )
    try await ScriptedServer.with(.handler { _ in refusal }) { proxy async throws in
      for credentials in [nil, aladdin, .any(user: "aladdin", password: "sesame")] {
        let client = HTTPClient(configuration: .through(.local(.http, proxy.port, credentials)))
        let error = try #require(await client.failure(of: .get("http://origin.test/")))
        #expect(error.code == .proxyAuthenticationRequired)
        #expect(error.phase == .proxy)
        #expect(error.proxyResponse?.head.status == .proxyAuthenticationRequired)
        #expect(error.proxyResponse.map { String(decoding: $0.body.array, as: UTF8.self) } == "deny")
        #expect(error.description.contains("http://127.0.0.1:\(proxy.port)"))
        #expect(!error.description.contains("aladdin") && !error.description.contains("sesame"))
      }
    }
  }

  @Test("A challenge of the proxy is answered once, on the same connection", arguments: [HTTPMethod.get, .post])
  func challenge(method: HTTPMethod) async throws {
    let script = ServerScript.handler { request in
      request.headers["Proxy-Authorization"] == aladdinField
        ? .text("in") : ServerResponse(407, headers: [HeaderLine("Proxy-Authenticate", "Basic realm=\"p\"")])
    }
    try await ScriptedServer.with(script) { proxy async throws in
      let credentials = HTTPCredentials.any(user: "aladdin", password: "sesame")
      let client = HTTPClient(configuration: .through(.local(.http, proxy.port, credentials)))
      var request = HTTPRequest(method: method, url: "http://origin.test/")
      if method == .post { request.body = .text("content") }
      let challenged = EventRecorder<Int>()
      request.options.onEvent = { event in
        if case .challenged = event { challenged.record(1) }
      }
      #expect(try await client.send(request).text() == "in")
      #expect(proxy.snapshot.requests.map { $0.headers["Proxy-Authorization"] } == [nil, aladdinField])
      #expect(proxy.snapshot.connectionCount == 1)
      #expect(challenged.events == [1])
    }
  }

  @Test("A connection to the proxy that went stale is made again for a request that may be sent twice")
  func stale() async throws {
    let script = ServerScript.perConnection { number in
      number == 1
        ? .steps([.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), .readRequest, .close])
        : .handler { _ in .text("again") }
    }
    try await ScriptedServer.with(script) { proxy async throws in
      let client = HTTPClient(configuration: .through(.local(.http, proxy.port)))
      _ = try await client.send(.get("http://a.test/")).collect()
      #expect(try await client.send(.get("http://b.test/")).text() == "again")
    }
  }

  @Test(
    "Credentials for the proxy that cannot be expressed fail without a connection in hand",
    arguments: [
      (HTTPCredentials.basic(user: "a:b", password: "c"), 0), (.bearer(""), 0), (.digest(user: "a", password: "\0"), 0),
      // Digest could be answered for them, and Basic is what is asked for.
      (.any(user: "a:b", password: "c"), 3),
    ])
  func inexpressible(credentials: HTTPCredentials, requests: Int) async throws {
    let question = ServerResponse(407, headers: [HeaderLine("Proxy-Authenticate", "Basic realm=\"p\"")])
    try await ScriptedServer.with(.handler { $0.authority == "asked.test" ? question : .text("ok") }) {
      proxy async throws in
      var configuration = HTTPClientConfiguration.through(.local(.http, proxy.port, credentials))
      // A lease that was lost would be waited for.
      configuration.pool.maximumConnectionsPerOrigin = 1
      let client = HTTPClient(configuration: configuration)
      for _ in 0..<3 {
        let error = try #require(await client.failure(of: .get("http://asked.test/")))
        #expect(error.code == .invalidConfiguration && error.phase == .request && error.sent == .nothing)
      }
      #expect(proxy.snapshot.requestCount == requests)
      #expect(proxy.snapshot.connectionCount == (requests == 0 ? 0 : 1))
      #expect(client.pendingCount == 0)
      if requests > 0 { #expect(try await client.send(.get("http://other.test/")).text() == "ok") }
      await client.shutdown(grace: .zero)
      #expect(ClientSockets.count(toPort: proxy.port) == 0)
    }
  }

  /// Why a request does not go through the proxy that is configured.
  enum Bypass: CaseIterable, Sendable {
    case connectTarget, direct, excepted
  }

  @Test("A request's own `Proxy-Authorization` does not reach an origin around the proxy", arguments: Bypass.allCases)
  func ownField(_ bypass: Bypass) async throws {
    try await ScriptedServer.with(.handler { _ in .text("direct") }) { server async throws in
      var configuration = HTTPClientConfiguration.through(.local(.http, 1))
      if bypass == .excepted { configuration.proxy = .fixed(.local(.http, 1), exceptions: ["127.0.0.1"]) }
      var request = HTTPRequest.get(server.url("/"))
      request.headers.add("Proxy-Authorization", "Basic b3RoZXI=")
      switch bypass {
      case .connectTarget:
        request.url = "http://origin.test/"
        request.options.connectTarget = .host("127.0.0.1", port: Int(server.port))
      case .direct: request.options.proxy = .direct
      case .excepted: break
      }
      #expect(try await HTTPClient(configuration: configuration).send(request).text() == "direct")
      #expect(server.snapshot.requests.map { $0.headers["Proxy-Authorization"] } == [nil])
    }
  }
}
