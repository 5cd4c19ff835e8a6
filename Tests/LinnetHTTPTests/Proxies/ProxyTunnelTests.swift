import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// Tunnels whose proxy says exactly what a script says, towards origins that speak each protocol.
@Suite("Proxy tunnels", .timeLimit(.minutes(1)))
struct ProxyTunnelTests {
  @Test(
    "CONNECT names the origin; the proxy's fields stay with it and the origin's with the origin",
    arguments: WireProtocol.secure)
  func connect(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let origin = try wire.start(.handler { _ in .text("through") })
    defer { origin.stop() }
    let script = ServerScript.steps([
      .readHead, .send("HTTP/1.1 200 Connection established\r\nVia: 1.1 p\r\n\r\n"), .tunnel(to: origin.port),
    ])
    try await ScriptedServer.with(script) { proxy async throws in
      var settings = HTTPProxy.local(.http, proxy.port, aladdin)
      settings.headers = ["X-Tenant": "blue"]
      let client = HTTPClient(configuration: .through(settings, wire.configuration))
      for _ in 0..<3 {
        var request = HTTPRequest.get(origin.url("/x"))
        request.headers.add("Proxy-Authorization", "Basic b3RoZXI=")
        let response = try await client.send(request)
        #expect(try await response.text() == "through")
        #expect(response.connection.proxy?.isTunnel == true)
        #expect(response.connection.proxy?.connectResponse?.headers["Via"] == "1.1 p")
        #expect(response.connection.tls != nil)
      }
      #expect(
        proxy.heads == [
          "CONNECT 127.0.0.1:\(origin.port) HTTP/1.1\r\nHost: 127.0.0.1:\(origin.port)\r\n"
            + "User-Agent: linnet/\(LinnetLibrary.version)\r\nX-Tenant: blue\r\n"
            + "Proxy-Authorization: \(aladdinField)\r\n\r\n"
        ])
      let requests = origin.snapshot.requests
      #expect(requests.count == 3)
      #expect(requests.allSatisfy { $0.came(over: version) && $0.target == "/x" })
      #expect(requests.allSatisfy { $0.headers["Proxy-Authorization"] == nil && $0.headers["X-Tenant"] == nil })
      #expect(origin.snapshot.connectionCount == 1)
    }
  }

  @Test(
    "The answer of the proxy may come in any pieces, and together with the first bytes of the origin",
    arguments: WireProtocol.allCases)
  func pieces(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let origin = try wire.start(.handler { _ in .text("through") })
    defer { origin.stop() }
    let answer = Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 Fine\r\nContent-Length: 5\r\n\r\n".utf8)
    let script = ServerScript.steps([.readHead, .trickle(answer, every: nil), .tunnel(to: origin.port)])
    try await ScriptedServer.with(script) { proxy async throws in
      let client = HTTPClient(
        configuration: wire.configured {
          $0.proxy = .fixed(.local(.http, proxy.port))
          $0.proxy.tunnelsHTTP = true
        })
      #expect(try await client.send(.get(origin.url("/"))).text() == "through")
    }
  }

  @Test("Bytes of the origin that come with the proxy's answer are the origin's")
  func earlyBytes() async throws {
    let script = ServerScript.steps([
      .readHead,
      .send("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nearly"), .readUntilClosed,
    ])
    try await ScriptedServer.with(script) { proxy async throws in
      var configuration = HTTPClientConfiguration.through(.local(.http, proxy.port))
      configuration.proxy.tunnelsHTTP = true
      // HTTP/1.1 servers do not speak first: whether the connection is given up for it, or what came is taken for the
      // answer, depends on which comes first, as it does without a proxy. The bytes are not the proxy's in any case.
      do {
        #expect(try await HTTPClient(configuration: configuration).send(.get("http://origin.test/")).text() == "early")
      } catch let error as TransportError {
        #expect(error.phase != .proxy)
      }
    }
  }
}
