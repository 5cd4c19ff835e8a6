import LinnetHTTP
import LinnetHTTPTypes
import LinnetIO
import LinnetTestSupport
import Testing

@Suite("Connect overrides", .timeLimit(.minutes(1)))
struct ConnectOverrideTests {
  @Test(
    "the four parts may be empty, and addresses of IPv6 stand in brackets",
    arguments: [
      ("a.test:443:b.test:8443", ConnectOverride(host: "a.test", port: 443, targetHost: "b.test", targetPort: 8443)),
      (":::", ConnectOverride()),
      ("A.Test::[2001:DB8::1]:", ConnectOverride(host: "a.test", targetHost: "2001:db8::1")),
      ("[::1]:80::81", ConnectOverride(host: "::1", port: 80, targetPort: 81)),
    ])
  func parsing(text: String, override: ConnectOverride) throws {
    #expect(try ConnectOverride(text) == override)
    #expect(try ConnectOverride(override.description) == override)
  }

  @Test(
    "anything else is a typed error that says what is wrong",
    arguments: [
      ("", ConnectOverrideError.Reason.wrongNumberOfParts(1)), ("a:1:b", .wrongNumberOfParts(3)),
      ("a:1:b:2:c", .wrongNumberOfParts(5)), ("::1:80:b:2", .wrongNumberOfParts(6)), ("a:0:b:2", .invalidPort("0")),
      ("a:1:b:65536", .invalidPort("65536")), ("a:+1:b:2", .invalidPort("+1")), ("a b:1::", .invalidHost("a b")),
      ("[::1:1::", .wrongNumberOfParts(1)),
    ])
  func malformed(text: String, reason: ConnectOverrideError.Reason) {
    do throws(ConnectOverrideError) {
      _ = try ConnectOverride(text)
      Issue.record("no error")
    } catch {
      #expect(error.text == text && error.reason == reason)
    }
  }

  @Test("the first override that fits decides where to connect; Host keeps the URL's name")
  func firstMatch() async throws {
    try await ScriptedServer.with(.handler { _ in .text("here") }) { server async throws in
      var configuration = HTTPClientConfiguration()
      configuration.connectOverrides = [
        ConnectOverride(host: "other.test", targetPort: 1), ConnectOverride(host: "Name.Test", port: 81, targetPort: 1),
        ConnectOverride(host: "name.test", targetHost: "127.0.0.1", targetPort: server.port),
        ConnectOverride(targetPort: 1),
      ]
      let client = HTTPClient(configuration: configuration, environment: EngineEnvironment(resolver: FakeResolver()))
      #expect(try await client.send(.get("http://name.test/")).text() == "here")
      #expect(try await client.send(.get("http://name.test:82/")).text() == "here")
      #expect(server.snapshot.requests.map { $0.headers["Host"] } == ["name.test", "name.test:82"])
    }
  }

  @Test("an override that leads to the place itself ends the search")
  func identity() async throws {
    try await ScriptedServer.with(.handler { _ in .text("here") }) { server async throws in
      var configuration = HTTPClientConfiguration()
      configuration.connectOverrides = [
        ConnectOverride(host: "127.0.0.1"), ConnectOverride(targetHost: "127.0.0.1", targetPort: 1),
      ]
      #expect(try await HTTPClient(configuration: configuration).send(.get(server.url())).text() == "here")
    }
  }

  @Test("the target of a request comes before overrides, and connections to different places are not mixed")
  func requestTarget() async throws {
    let first = try ScriptedServer.start(.handler { _ in .text("first") })
    defer { first.stop() }
    let second = try ScriptedServer.start(.handler { _ in .text("second") })
    defer { second.stop() }
    var configuration = HTTPClientConfiguration()
    configuration.connectOverrides = [ConnectOverride(targetHost: "127.0.0.1", targetPort: first.port)]
    let client = HTTPClient(configuration: configuration, environment: EngineEnvironment(resolver: FakeResolver()))
    var request = HTTPRequest.get("http://name.test/")
    for _ in 0..<2 {
      request.options.connectTarget = nil
      #expect(try await client.send(request).text() == "first")
      request.options.connectTarget = .host("127.0.0.1", port: Int(second.port))
      #expect(try await client.send(request).text() == "second")
    }
  }

  @Test(
    "a place to connect to that is none fails the request before anything is connected, also with a proxy",
    arguments: ["", "a b", "a\r\nX: y", "a\u{0}"], [false, true])
  func noPlace(host: String, isProxied: Bool) async throws {
    try await ScriptedServer.with(.handler { _ in .text("here") }) { server async throws in
      var configuration = HTTPClientConfiguration()
      if isProxied { configuration.proxy = .fixed(.local(.http, server.port)) }
      configuration.connectOverrides = [ConnectOverride(targetHost: host, targetPort: server.port)]
      var request = HTTPRequest.get("http://name.test/")
      for _ in 0..<2 {
        let error = await HTTPClient(configuration: configuration).failure(of: request)
        #expect(error?.code == .invalidConfiguration && error?.sent == .nothing && error?.peers.isEmpty == true)
        #expect(error?.reason.contains("\r\n") == false)
        configuration.connectOverrides = []
        request.options.connectTarget = .host(host, port: Int(server.port))
      }
      #expect(server.snapshot.connections.isEmpty)
    }
  }

  @Test("a port to connect to is one", arguments: [0, -1, 65_536])
  func noPort(number: Int) async throws {
    var request = HTTPRequest.get("http://name.test/")
    request.options.connectTarget = .host("127.0.0.1", port: number)
    #expect(await HTTPClient().failure(of: request)?.code == .invalidConfiguration)
  }
}
