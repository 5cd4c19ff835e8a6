import LinnetHTTP
import LinnetTestSupport
import Testing

/// What may be sent on a connection that was used before, and what ends its life.
@Suite("Connection reuse")
struct ConnectionReuseTests {
  @Test("a request that cannot be sent does not cost the connection", arguments: WireProtocol.versions)
  func refusedHead(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let client = wire.client()
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

  @Test(
    "over HTTP/2 a dropped body resets its stream and leaves the connection to others", arguments: [5, 30_000_000])
  func dropOverHTTP2(size: UInt64) async throws {
    let wire = try Wire(.http2)
    let server = try wire.start(
      .handler {
        $0.path == "/quick"
          ? .text("quick") : ServerResponse(body: ServerBody([.pattern(size), .wait(Gate()), .pattern(1)]))
      })
    defer { server.stop() }
    let client = wire.client()
    do {
      let response = try await client.send(.get(server.url("/")))
      #expect(response.status.code == 200)
    }
    let snapshot = try await server.wait(for: "a reset") { !$0.streamResets.isEmpty }
    #expect(snapshot.streamResets.map(\.code) == [.cancel])
    #expect(try await client.send(.get(server.url("/quick"))).text() == "quick")
    #expect(server.snapshot.connectionCount == 1)
  }

  @Test("over HTTP/2 requests at the same time share one connection, up to the server's limit", arguments: [100, 3])
  func streams(limit: Int) async throws {
    let gate = Gate()
    let wire = try Wire(.http2)
    let server = try wire.start(
      .handler { $0.path == "/first" ? .text("first") : ServerResponse.text("x").waiting(for: gate) }
    ) { $0.http2.maximumConcurrentStreams = limit }
    defer { server.stop() }
    let client = wire.client { $0.pool.maximumHTTP2ConnectionsPerOrigin = 1 }
    // Its response says how many streams the server allows.
    #expect(try await client.send(.get(server.url("/first"))).text() == "first")
    let tasks = (0..<20).map { _ in client.start(.get(server.url("/"))) }
    try await server.waitForHeads(1 + min(20, limit))
    gate.open()
    for task in tasks { #expect(await task.value == nil) }
    let record = try #require(server.snapshot.connections.first?.http2)
    #expect(record.streamCount == 21)
    #expect(record.peakStreams == min(20, limit))
    #expect(server.snapshot.connectionCount == 1)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("after GOAWAY the streams below it are answered, and the others go over another connection, unseen")
  func goAway() async throws {
    let gate = Gate()
    let wire = try Wire(.http2)
    let server = try wire.start(.handler { ServerResponse.text($0.path).waiting(for: gate) }) {
      $0.http2.goAwayAfterStreams = 3
    }
    defer { server.stop() }
    let client = wire.client()
    let requests = (0..<3).map { number in Task { try await client.send(.post(server.url("/\(number)"))).text() } }
    try await server.waitForHeads(3)
    // Its connection may be the one that goes away; a POST that the server did not process may be sent again.
    let last = Task { try await client.send(.post(server.url("/last"))).text() }
    try await server.waitForHeads(4)
    gate.open()
    for (number, request) in requests.enumerated() { #expect(try await request.value == "/\(number)") }
    #expect(try await last.value == "/last")
    #expect(server.snapshot.requests.map(\.connection) == [1, 1, 1, 2])
    #expect(try await server.waitForConnectionsClosed(1).first?.ending == .serverClosed)
  }

  @Test("a stream that was refused is sent again, whatever its method (RFC 9113 §8.7)", arguments: ["GET", "POST"])
  func refusedStream(name: String) async throws {
    let wire = try Wire(.http2)
    let heads = EventRecorder<UInt32>()
    let server = try wire.start(
      .handler(onHead: { request in
        heads.record(request.http2?.stream ?? 0)
        return heads.events.count == 1 ? .resetStream(7) : .readBody
      }) { _ in .text("ok") })
    defer { server.stop() }
    let resent = EventRecorder<String>()
    var request = HTTPRequest(method: try #require(HTTPMethod(rawValue: name)), url: server.url("/"))
    if name == "POST" { request.body = .text("pay") }
    request.options.onEvent = { if case .resent(let reason) = $0 { resent.record(reason) } }
    #expect(try await wire.client().send(request).text() == "ok")
    #expect(heads.events.count == 2)
    #expect(resent.events.count == 1)
  }
}
