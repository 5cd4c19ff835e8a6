import LinnetHTTP
import LinnetTestSupport
import Testing

/// What may be sent on a connection that was used before, and what ends its life.
@Suite("Connection reuse")
struct ConnectionReuseTests {
  @Test("a request that cannot be sent does not cost the connection")
  func refusedHead() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let client = HTTPClient()
    #expect(try await client.send(.get(server.url("/"))).text() == "ok")
    var contradiction = HTTPRequest.post(server.url("/"), body: .text("four"))
    try contradiction.headers.add(name: "Content-Length", value: "5")
    #expect(await client.failure(of: contradiction)?.code == .invalidRequest)
    let third = try await client.send(.get(server.url("/")))
    #expect(third.connection.isReused)
    #expect(try await third.text() == "ok")
    #expect(server.snapshot.connectionCount == 1)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("bytes behind a response that ends with the receive buffer are not the next response")
  func bytesBehindFullRead() async throws {
    let injected = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
    // The exact size of the first read depends on the allocator.
    for total in 16_384..<16_440 {
      let server = try ScriptedServer.start(
        .perConnection { number in
          guard number == 1 else { return .handler { _ in .text("good") } }
          let head = "HTTP/1.1 200 OK\r\nContent-Length: \(total - 42)\r\n\r\n"
          #expect(head.utf8.count == 42)
          let body = [UInt8](repeating: 0x61, count: total - 42)
          return .steps([.readRequest, .sendBytes(Array(head.utf8) + body + Array(injected.utf8)), .stall])
        })
      defer { server.stop() }
      let client = HTTPClient()
      #expect(try await client.send(.get(server.url("/"))).collect().count == total - 42)
      #expect(try await client.send(.get(server.url("/"))).text() == "good", "\(total)")
    }
  }

  @Test("a fresh connection that is closed at once is an empty reply, whoever notices it first")
  func closedAtOnce() async throws {
    let server = try ScriptedServer.start(.steps([.close]))
    defer { server.stop() }
    for _ in 0..<50 {
      let error = await HTTPClient().failure(of: .get(server.url("/")))
      #expect(error?.code == .emptyReply || error?.code == .connectionLost, "\(String(describing: error))")
      // Nothing was reset here: a lost connection is one whose request met the closed socket.
      if error?.code == .connectionLost { #expect(error?.sent != .nothing) }
    }
  }

  @Test("a dropped body is not read on when the connection ends with it", arguments: ["Connection: close\r\n", ""])
  func dropWithoutReuse(field: String) async throws {
    let server = try ScriptedServer.start(
      .steps([
        .readRequest, .send("HTTP/1.1 200 OK\r\n\(field)\(field.isEmpty ? "" : "Content-Length: 9\r\n")\r\nab"), .stall,
      ]))
    defer { server.stop() }
    let clock = ManualClock()
    let client = HTTPClient(
      configuration: HTTPClientConfiguration(), environment: EngineEnvironment(shards: clock.makeGroup(), clock: clock))
    do {
      let response = try await client.send(.get(server.url("/")))
      #expect(response.status.code == 200)
    }
    // The clock stands still: no timeout did this.
    _ = try await server.waitForConnectionsClosed(1)
    await client.shutdown()
  }
}
