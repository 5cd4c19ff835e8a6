import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetProtocols
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// User reports about keeping and sharing connections.
@Suite("Reports: pool", .timeLimit(.minutes(1)))
struct PoolReportTests {
  // MARK: POOL-01

  /// How a server gives up a connection that a request is on its way to.
  enum StaleEnd: String, CaseIterable, Sendable {
    case close, reset, halfClose

    var effect: SocketEffect {
      switch self {
      case .close: .close
      case .reset: .reset
      case .halfClose: .halfClose
      }
    }
  }

  /// A server whose first connection answers one request, takes a second one and ends without an answer.
  private func staleServer(
    _ end: StaleEnd, _ options: ScriptedServer.Options, bodyBytes: Int = 0
  ) throws -> ScriptedServer {
    try ScriptedServer.start(
      .perConnection { number in
        number > 1
          ? .handler { .text("second \($0.method)") }
          : .steps([
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"), .readHead, .readBytes(bodyBytes),
            end.effect,
          ])
      }, options: options)
  }

  @Test(
    "POOL-01: an idempotent request on a connection that closes under it is sent again, unseen",
    arguments: ["GET", "HEAD", "PUT", "DELETE"], StaleEnd.allCases)
  func staleIdempotent(_ name: String, _ end: StaleEnd) async throws {
    let certificates = try TestCertificates()
    for options in [ScriptedServer.Options(), .tls(try certificates.loopback())] {
      let server = try staleServer(end, options)
      defer { server.stop() }
      let client = HTTPClient(configuration: .trusting(certificates))
      #expect(try await client.send(.get(server.url("/"))).text() == "first")
      let resent = EventRecorder<String>()
      var request = HTTPRequest(method: try #require(HTTPMethod(rawValue: name)), url: server.url("/"))
      if name == "PUT" {
        request.body = .stream {
          AsyncStream {
            _ = $0.yield(ByteChunk("body")); $0.finish()
          }
        }
      }
      request.options.onEvent = { if case .resent(let reason) = $0 { resent.record(reason) } }
      let response = try await client.send(request)
      #expect(response.status == .ok)
      #expect(try await response.text() == (name == "HEAD" ? "" : "second \(name)"))
      #expect(resent.events.count == 1)
      #expect(server.snapshot.connectionCount == 2)
    }
  }

  @Test(
    "POOL-01: a POST that may have been processed is not sent again, and its error says so",
    arguments: StaleEnd.allCases)
  func stalePost(_ end: StaleEnd) async throws {
    let certificates = try TestCertificates()
    for options in [ScriptedServer.Options(), .tls(try certificates.loopback())] {
      let server = try staleServer(end, options)
      defer { server.stop() }
      let client = HTTPClient(configuration: .trusting(certificates))
      #expect(try await client.send(.get(server.url("/"))).text() == "first")
      let error = try #require(await client.failure(of: .post(server.url("/"), body: .text("pay"))))
      #expect(error.code == .staleConnection)
      #expect(error.sent != .nothing)
      #expect(error.reason.contains("reused connection was closed before any response byte"))
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test("POOL-01: a one-shot body that was under way is not replayed")
  func staleOneShot() async throws {
    let server = try staleServer(.reset, ScriptedServer.Options(), bodyBytes: 4)
    defer { server.stop() }
    let client = HTTPClient()
    #expect(try await client.send(.get(server.url("/"))).text() == "first")
    let (stream, continuation) = AsyncStream.makeStream(of: ByteChunk.self)
    continuation.yield(ByteChunk("part"))
    let error = try #require(await client.failure(of: .put(server.url("/"), body: .oneShot(stream))))
    #expect(error.code == .staleConnection)
    #expect(server.snapshot.connectionCount == 1)
  }

  @Test(
    "POOL-01: a server that closes after every response costs no request, with POST when its close was there before")
  func keepAliveRace() async throws {
    let server = try ScriptedServer.start(.handler { _ in ServerResponse.text("x").closing(.abrupt) })
    defer { server.stop() }
    let client = HTTPClient()
    let methods: [HTTPMethod] = [.get, .head, .put, .delete]
    for round in 0..<TestSize.of(400, long: 4000) {
      let error = await client.failure(of: HTTPRequest(method: methods[round % 4], url: server.url("/")))
      #expect(error == nil, "round \(round)")
    }
    for round in 0..<TestSize.of(100, long: 1000) {
      let count = server.snapshot.connectionCount
      let error = await client.failure(of: .post(server.url("/"), body: .text("pay")))
      // A close that came meanwhile is the one thing that nobody can know before.
      #expect(error == nil || error?.code == .staleConnection && error?.sent != .nothing, "round \(round)")
      try await server.waitForConnectionsClosed(max(count, 1))
    }
    for round in 0..<TestSize.of(100, long: 1000) {
      try await server.waitForConnectionsClosed(server.snapshot.connectionCount)
      let error = await client.failure(of: .post(server.url("/"), body: .text("pay")))
      #expect(error == nil, "the close was there before: round \(round)")
    }
  }

  /// A server whose first connection answers one request over HTTP/2, takes a second one and ends without an answer.
  private func staleServer(_ end: StaleEnd, _ wire: Wire) throws -> ScriptedServer {
    try wire.start(
      .perConnection { number in
        .handler { request in
          if number > 1 { return .text("second \(request.method)") }
          return request.indexOnConnection == 1 ? .text("first") : .raw([end.effect])
        }
      })
  }

  @Test(
    "POOL-01: over HTTP/2 too an idempotent request is sent again when its connection ends, and a POST is not",
    arguments: ["GET", "HEAD", "PUT", "DELETE", "POST"], [StaleEnd.close, .reset])
  func staleOverHTTP2(_ name: String, _ end: StaleEnd) async throws {
    for version in [WireProtocol.http2, .http2TLS] {
      let wire = try Wire(version)
      let server = try staleServer(end, wire)
      defer { server.stop() }
      let client = wire.client()
      #expect(try await client.send(.get(server.url("/"))).text() == "first")
      var request = HTTPRequest(method: try #require(HTTPMethod(rawValue: name)), url: server.url("/"))
      if name == "PUT" || name == "POST" { request.body = .text("body") }
      if name == "POST" {
        let error = try #require(await client.failure(of: request))
        #expect(error.code == .staleConnection)
        #expect(error.sent != .nothing)
        #expect(server.snapshot.connectionCount == 1)
      } else {
        #expect(try await client.send(request).text() == (name == "HEAD" ? "" : "second \(name)"))
        #expect(server.snapshot.connectionCount == 2)
      }
    }
  }

  // MARK: POOL-04

  @Test(
    "POOL-04: cancelled in any stage, a request gives back its place", arguments: ExchangeStage.allCases,
    WireProtocol.versions)
  func cancelReleases(_ stage: ExchangeStage, over version: WireProtocol) async throws {
    let scene = try await ExchangeStage.Scene(stage, over: version)
    scene.task.cancel()
    #expect(await scene.task.value?.code == .cancelled)
    if let blocker = scene.blocker {
      #expect(scene.client.poolCounts.waiting == 0)
      blocker.cancel()
      _ = await blocker.value
    }
    await scene.client.waitForPools { $0.leasedStreams + $0.waiting == 0 }
    if stage.isConnected || stage == .queued {
      #expect(try await scene.client.send(scene.quick).text() == "quick")
    }
    try await scene.end()
  }

  @Test(
    "POOL-04: after a storm of cancelled requests the next one is served at once", arguments: WireProtocol.versions)
  func cancelStorm(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .pattern(20_000) })
    defer { server.stop() }
    let client = wire.client { $0.limitRequests(to: 10, over: version) }
    let url = server.url("/")
    // More than a thousand resets at a stretch are an attack for a server, which ends the connection (CVE-2023-44487).
    let count = wire.isHTTP2 ? 40 : TestSize.of(50, long: 2000)
    await withTaskGroup { group in
      for worker in 0..<20 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(worker))
          for _ in 0..<count {
            let task = client.start(.get(url))
            for _ in 0..<Int.random(in: 0..<60, using: &random) { await Task.yield() }
            task.cancel()
            let code = await task.value?.code
            #expect(code == nil || code == .cancelled)
          }
        }
      }
    }
    #expect(try await client.send(.get(url)).collect().count == 20_000)
    await client.waitForPools { $0.leasedStreams + $0.waiting == 0 }
  }

  // MARK: POOL-08

  @Test("POOL-08: a wait for a connection that is too long says how long, where, how many are in use, and the position")
  func waitTimeout() async throws {
    let server = try ScriptedServer.start(.handler { _ in .raw([.stall]) })
    defer { server.stop() }
    let fixture = ManualFixture(.limited(to: 2))
    let blockers = (0..<2).map { _ in fixture.client.start(.get(server.url("/"))) }
    try await server.waitForRequests(2)
    let request = HTTPRequest.get(server.url("/")).with {
      $0.options.timeouts.connectionWait = .after(.milliseconds(300))
    }
    let waiting = [fixture.client.start(request)]
    await fixture.client.waitForPools { $0.waiting == 1 }
    let second = fixture.client.start(request)
    await fixture.client.waitForPools { $0.waiting == 2 }
    fixture.clock.advance(by: .milliseconds(300))
    let first = try #require(await waiting[0].value)
    #expect(first.code == .poolTimeout)
    #expect(first.phase == .pool)
    #expect(first.sent == .nothing)
    #expect(
      first.reason
        == "waited 300 ms for a connection to 127.0.0.1:\(server.port), 2 of 2 in use, position 1 in the queue")
    #expect(await second.value?.code == .poolTimeout)
    for blocker in blockers { blocker.cancel() }
    for blocker in blockers { _ = await blocker.value }
    try await fixture.end()
  }

  @Test("POOL-08: the limit is a setting, with exceptions by host and by host and port")
  func limits() async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(.handler { _ in ServerResponse.text("x").waiting(for: gate) })
    defer { server.stop() }
    let hosts = [[:], ["127.0.0.1": 3], ["127.0.0.1:\(server.port)": 4, "127.0.0.1": 3]]
    for (byHost, expected) in zip(hosts, [2, 3, 4]) {
      gate.close()
      var configuration = HTTPClientConfiguration.limited(to: 2)
      configuration.pool.maximumConnectionsByHost = byHost
      let client = HTTPClient(configuration: configuration)
      let before = server.snapshot.connectionCount
      let tasks = (0..<8).map { _ in client.start(.get(server.url("/"))) }
      await client.waitForPools { $0.leasedStreams == expected && $0.waiting == 8 - expected }
      #expect(server.snapshot.connectionCount <= before + expected)
      gate.open()
      for task in tasks { #expect(await task.value == nil) }
      #expect(server.snapshot.connectionCount == before + expected)
    }
  }

  // MARK: POOL-10

  @Test("POOL-08: over HTTP/2 the wait for a stream of a connection that has no free one is a wait for a connection")
  func streamWaitTimeout() async throws {
    let wire = try Wire(.http2)
    let server = try wire.start(.handler { _ in .never })
    defer { server.stop() }
    let fixture = ManualFixture(wire.configured { $0.limitRequests(to: 2, over: .http2) })
    let blockers = (0..<2).map { _ in fixture.client.start(.get(server.url("/"))) }
    try await server.waitForRequests(2)
    let waiting = fixture.client.start(
      HTTPRequest.get(server.url("/")).with { $0.options.timeouts.connectionWait = .after(.milliseconds(300)) })
    await fixture.client.waitForPools { $0.waiting == 1 }
    fixture.clock.advance(by: .milliseconds(300))
    let error = try #require(await waiting.value)
    #expect(error.code == .poolTimeout)
    #expect(error.phase == .pool)
    #expect(error.sent == .nothing)
    #expect(error.reason.contains("waited 300 ms for a connection to 127.0.0.1:\(server.port)"), "\(error.reason)")
    #expect(error.reason.contains("position 1 in the queue"), "\(error.reason)")
    #expect(server.snapshot.connectionCount == 1)
    for blocker in blockers { blocker.cancel() }
    for blocker in blockers { _ = await blocker.value }
    try await fixture.end()
  }

  @Test(
    "POOL-10: responses of which only the status is looked at stall nobody: small bodies are drained, large ones close",
    arguments: [1000, 200_000, 1_000_000, 20_000_000] as [UInt64], [false, true])
  func unreadBodies(size: UInt64, isChunked: Bool) async throws {
    let server = try ScriptedServer.start(
      .handler { _ in
        let response = ServerResponse(500, body: .pattern(size))
        return isChunked ? response.chunked() : response
      })
    defer { server.stop() }
    let client = HTTPClient(configuration: .limited(to: 1))
    for _ in 0..<100 { #expect(try await client.send(.get(server.url("/"))).status.code == 500) }
    #expect(server.snapshot.headCount == 100)
    // Of a megabyte enough may have come before the response was dropped.
    if size != 1_000_000 { #expect(server.snapshot.connectionCount == (size <= 256 << 10 ? 1 : 100)) }
    await client.waitForPools { $0.leasedStreams + $0.waiting == 0 }
  }

  @Test(
    "POOL-10: over HTTP/2 unread bodies stall nobody either: their streams are reset, and the connection stays",
    arguments: [1000, 200_000, 20_000_000] as [UInt64], [false, true])
  func unreadBodiesOverHTTP2(size: UInt64, isChunked: Bool) async throws {
    let wire = try Wire(.http2)
    let server = try wire.start(
      .handler { _ in
        let response = ServerResponse(500, body: .pattern(size))
        return isChunked ? response.chunked() : response
      })
    defer { server.stop() }
    let client = wire.client { $0.limitRequests(to: 1, over: .http2) }
    for _ in 0..<100 { #expect(try await client.send(.get(server.url("/"))).status.code == 500) }
    #expect(server.snapshot.headCount == 100)
    #expect(server.snapshot.connectionCount == 1)
    await client.waitForPools { $0.leasedStreams + $0.waiting == 0 }
  }

  @Test("POOL-10: an unread body that trickles holds its connection for a moment only")
  func unreadTrickle() async throws {
    let server = try ScriptedServer.start(
      .handler {
        $0.path == "/quick"
          ? .text("quick")
          : .raw([.send("HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), .stall])
      })
    defer { server.stop() }
    var configuration = HTTPClientConfiguration.limited(to: 1)
    configuration.timeouts.idle = nil
    let fixture = ManualFixture(configuration)
    #expect(try await fixture.client.send(.get(server.url("/"))).status.code == 500)
    let next = Task { try await fixture.client.send(.get(server.url("/quick"))).text() }
    await fixture.client.waitForPools { $0.waiting == 1 }
    fixture.clock.advance(by: .seconds(1))
    #expect(try await next.value == "quick")
    #expect(server.snapshot.connectionCount == 2)
    try await fixture.end()
  }

  // MARK: POOL-14

  @Test(
    "POOL-14: many parallel POSTs against a server that takes its time all complete", arguments: [30, 300, 3000],
    WireProtocol.versions)
  func parallelPosts(_ count: Int, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in ServerResponse(body: ServerBody([.pause(.milliseconds(50))])) })
    defer { server.stop() }
    let client = wire.client()
    let body = HTTPRequestBody.bytes([UInt8](repeating: 0x61, count: 200))
    for _ in 0..<TestSize.of(count < 1000 ? 3 : 1, long: 10) {
      let codes = await withTaskGroup { group in
        for _ in 0..<count { group.addTask { await client.failure(of: .post(server.url("/"), body: body))?.code } }
        return await group.reduce(into: [TransportError.Code?: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(codes == [nil: count])
    }
    #expect(server.snapshot.connectionCount <= (wire.isHTTP2 ? 8 : 64))
    #expect(server.snapshot.violations.isEmpty)
  }

  // MARK: PERF-01

  @Test("PERF-01: a thousand https requests in a row use one connection", arguments: WireProtocol.secure)
  func oneHandshake(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { .text($0.path) })
    defer { server.stop() }
    let client = wire.client()
    for number in 0..<1000 {
      #expect(try await client.send(.get(server.url("/\(number)"))).text() == "/\(number)")
    }
    #expect(server.snapshot.connectionCount == 1)
    #expect(server.snapshot.requestCount == 1000)
  }
}
