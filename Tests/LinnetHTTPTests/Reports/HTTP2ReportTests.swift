import LinnetBytes
import LinnetHTTP
import LinnetHTTPTypes
import LinnetIO
import LinnetProtocols
import LinnetTestSupport
import Testing

/// User reports about HTTP/2.
@Suite("Reports: HTTP/2", .timeLimit(.minutes(2)))
struct HTTP2ReportTests {
  // MARK: H2-01

  @Test(
    "H2-01: forty parallel requests and what they are redirected to, at the same and at another origin",
    arguments: HTTP2Scene.Wire.allCases)
  func redirects(_ wire: HTTP2Scene.Wire) async throws {
    let certificates = try TestCertificates()
    let options = try HTTP2Scene.options(wire, certificates)
    let other = try HTTP2FrameServer.serving(options: options) { .text("other \($0.target)") }
    defer { other.stop() }
    let otherURL = other.url("/blob")
    let home = try HTTP2FrameServer.serving(options: options) { request in
      let parts = request.target.split(separator: "/")
      guard let number = parts.last, parts.count == 2 else { return .text("?", status: 500) }
      switch parts[0] {
      case "same": return HTTP2FrameResponse(303, [HeaderLine("location", "/blob/\(number)")])
      case "other": return HTTP2FrameResponse(303, [HeaderLine("location", "\(otherURL)/\(number)")])
      default: return .text("home \(request.target)")
      }
    }
    defer { home.stop() }
    let client = HTTPClient(configuration: HTTP2Scene.configuration(wire, certificates))
    for origin in ["same", "other"] {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            let response = try await client.send(.get(home.url("/\(origin)/\(number)")))
            #expect(response.history.map(\.status) == [.seeOther])
            #expect(response.version == .http2)
            let text = try await response.text()
            #expect(text == (origin == "same" ? "home" : "other") + " /blob/\(number)")
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(home.snapshot.connections.count == 1)
    #expect(other.snapshot.connections.count == 1)
    #expect(home.snapshot.violations.isEmpty && other.snapshot.violations.isEmpty)
    await client.shutdown(grace: .zero)
  }

  // MARK: H2-02

  /// Requests that come in one at a time are given out to workers.
  private final class Numbers: Sendable {
    private let next = Lock(0)
    private let count: Int

    init(_ count: Int) { self.count = count }

    func take() -> Int? {
      next.withLock { next in
        guard next < count else { return nil }
        defer { next += 1 }
        return next
      }
    }
  }

  /// Takes the first `count` streams, says GOAWAY with the last of them before that is answered, and ignores later ones.
  private static func serveAndGo(
    _ connection: HTTP2FrameConnection, _ count: Int, _ processed: EventRecorder<String>
  ) throws {
    try connection.handshake([.maxConcurrentStreams(1000)])
    for index in 1...count {
      let head = try connection.nextHead()
      if index == count { try connection.send(.goAway(lastStream: head.stream)) }
      try answer(head, on: connection, processed)
    }
    try connection.readUntilClosed()
  }

  private static func answer(
    _ head: HTTP2FrameRequest, on connection: HTTP2FrameConnection, _ processed: EventRecorder<String>
  ) throws {
    let request = try connection.readBody(of: head)
    processed.record(request.target)
    try connection.respond(head.stream, .text(request.target + " " + request.body.text))
  }

  @Test(
    "H2-02: ten thousand requests while the server goes away every 100 streams: none lost, none twice, no error",
    arguments: [(HTTP2Scene.Wire.cleartext, 64), (.cleartext, 256), (.tls, 256)])
  func goAway(_ wire: HTTP2Scene.Wire, _ atOnce: Int) async throws {
    let processed = EventRecorder<String>()
    let count = 10_000
    try await HTTP2Scene.with(
      wire, configure: { $0.http2.maximumConcurrentStreams = 256 },
      { connection in try Self.serveAndGo(connection, 100, processed) },
      { scene async throws in
        let numbers = Numbers(count)
        let resends = EventRecorder<Int>()
        await withTaskGroup { group in
          for _ in 0..<atOnce {
            group.addTask {
              while let number = numbers.take() {
                let path = "/\(number)"
                var request = number % 2 == 0 ? scene.get(path) : scene.post(path, .text("body \(number)"))
                let mine = Lock(0)
                request.options.onEvent = { if case .resent = $0 { mine.withLock { $0 += 1 } } }
                do {
                  let text = try await scene.client.send(request).text()
                  #expect(text == path + " " + (number % 2 == 0 ? "" : "body \(number)"))
                } catch {
                  Issue.record("request \(number): \(error)")
                }
                if let sent = mine.withLock({ $0 > 0 ? $0 : nil }) { resends.record(sent) }
              }
            }
          }
        }
        let targets = processed.events
        #expect(targets.count == count)
        #expect(Set(targets).count == count)
        // The test tests something: streams were refused, on many connections.
        #expect(resends.events.count > 0)
        #expect(scene.server.snapshot.connections.count >= count / 100)
      })
  }

  @Test(
    "H2-02: streams up to the last finish, uploads and downloads too; those above are sent again",
    arguments: HTTP2Scene.Wire.allCases)
  func goAwayBetween(_ wire: HTTP2Scene.Wire) async throws {
    let size = 1 << 20
    try await HTTP2Scene.with(
      wire,
      { connection in
        try connection.handshake()
        guard connection.number == 1 else { return try connection.serve { .text("again \($0.bodyBytes)") } }
        let download = try connection.nextHead()
        let upload = try connection.nextHead()
        let above = try connection.nextHead()
        try Unexpected.unless(above.stream > upload.stream, "the streams came in another order")
        // As a server does that is shut down: first a warning, then the last stream (RFC 9113 §6.8).
        try connection.send(.goAway(lastStream: 0x7FFF_FFFF), .goAway(lastStream: upload.stream))
        try connection.respond(download.stream, .pattern(UInt64(size)))
        let request = try connection.readBody(of: upload)
        try connection.respond(upload.stream, .text("first \(request.bodyBytes)"))
        try connection.readUntilClosed()
      },
      { scene async throws in
        let download = Task { try await scene.client.send(scene.get("/down")).collect() }
        try await scene.server.waitForHeads(1)
        let bytes = HTTPRequestBody.bytes(TestPattern.bytes(size))
        let upload = Task { try await scene.client.send(scene.post("/up", bytes)).text() }
        try await scene.server.waitForHeads(2)
        let above = Task { try await scene.client.send(scene.post("/above", .bytes([1, 2, 3]))).text() }
        #expect(try await above.value == "again 3")
        #expect(try await download.value == ByteChunk(TestPattern.bytes(size)))
        #expect(try await upload.value == "first \(size)")
        // The connection that goes away closes with its last stream.
        try await scene.server.waitForConnectionsClosed(1)
        #expect(scene.server.snapshot.connections.count == 2)
      })
  }

  // MARK: H2-05

  /// Answers at most five requests at a time; what comes beyond is refused.
  private static func serveFive(_ connection: HTTP2FrameConnection, _ seen: EventRecorder<String>) throws {
    while true {
      var accepted = [try connection.nextRequest()]
      try connection.readAvailableFrames()
      while let more = connection.takeRequest() {
        if accepted.count < 5 {
          accepted.append(more)
        } else {
          try connection.send(.rstStream(more.stream, .refusedStream))
        }
      }
      for request in accepted {
        seen.record(request.target)
        try connection.respond(request.stream, .text(request.target + " " + request.body.text))
      }
    }
  }

  @Test(
    "H2-05: what a server refuses because its SETTINGS came late is sent again, POST too",
    arguments: HTTP2Scene.Wire.allCases)
  func lateSettings(_ wire: HTTP2Scene.Wire) async throws {
    let seen = EventRecorder<String>()
    let allThere = Gate()
    try await HTTP2Scene.with(
      wire,
      { connection in
        try connection.readPreface()
        if connection.number == 1 {
          // Late: all requests are on their way before the client knows the limit.
          (connection.acknowledges, connection.returnsWindow) = (false, false)
          try connection.wait(for: allThere)
          try connection.pause(.milliseconds(50))
          (connection.acknowledges, connection.returnsWindow) = (true, true)
          try connection.send(.settings([.maxConcurrentStreams(5)]), .settingsAck)
        } else {
          try connection.send(.settings([.maxConcurrentStreams(5)]))
        }
        try Self.serveFive(connection, seen)
      },
      { scene async throws in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<50 {
            group.addTask {
              let path = "/\(number)"
              let bytes = ByteChunk("body \(number)")
              let stream = HTTPRequestBody.stream {
                AsyncStream {
                  _ = $0.yield(bytes)
                  $0.finish()
                }
              }
              let request =
                switch number % 3 {
                case 0: scene.get(path)
                case 1: scene.post(path, .chunk(bytes))
                default: scene.post(path, stream)
                }
              let text = try await scene.client.send(request).text()
              #expect(text == path + " " + (number % 3 == 0 ? "" : "body \(number)"))
            }
          }
          try await scene.server.waitForHeads(50)
          allThere.open()
          try await group.waitForAll()
        }
        #expect(seen.events.count == 50)
        #expect(Set(seen.events).count == 50)
      })
  }

  @Test(
    "H2-05: a server that refuses always is an error after a bounded number of tries", arguments: ["GET", "POST"],
    HTTP2Scene.Wire.allCases)
  func refusesAlways(_ method: String, _ wire: HTTP2Scene.Wire) async throws {
    try await HTTP2Scene.with(
      wire,
      { connection in
        try connection.handshake([.maxConcurrentStreams(5)])
        while true {
          let head = try connection.nextHead()
          try connection.send(.rstStream(head.stream, .refusedStream))
        }
      },
      { scene async throws in
        let request = method == "GET" ? scene.get() : scene.post("/", .text("pay"))
        let error = try #require(await scene.client.failure(of: request))
        #expect(error.code == .streamRefused)
        #expect(error.sent == .nothing)
        #expect(error.http2ErrorCode == 7)
        #expect(error.reason.contains("REFUSED_STREAM"))
        let tries = scene.server.snapshot.requests.count
        #expect(tries > 2 && tries <= 17)
        #expect(scene.server.snapshot.connections.count == 1)
        await scene.client.waitForPools { $0.leasedStreams + $0.waiting == 0 }
      })
  }

  @Test("H2-05: a body that exists once cannot be sent again, and the error says so")
  func refusedOneShot() async throws {
    let bodyCame = Gate()
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        let head = try connection.nextHead()
        try connection.readFrame { $0.kind == .data }
        try connection.send(.rstStream(head.stream, .refusedStream))
        bodyCame.open()
        try connection.readUntilClosed()
      },
      { scene async throws in
        let (stream, continuation) = AsyncStream.makeStream(of: ByteChunk.self)
        continuation.yield(ByteChunk("part"))
        let error = try #require(await scene.client.failure(of: scene.post("/", .oneShot(stream))))
        #expect(error.code == .streamRefused)
        #expect(error.sent == .nothing)
        #expect(error.reason.contains("cannot be sent again"))
        #expect(scene.server.snapshot.requests.count == 1)
        continuation.finish()
      })
  }

  // MARK: H2-07

  /// A server behind a relay whose first connection dies when the gate opens: nothing is forwarded, nothing closed.
  private static func dying(
    _ body: (_ client: (HTTP2Configuration) -> HTTPClient, _ relay: ScriptedServer, _ freeze: Gate) async throws -> Void
  ) async throws {
    let server = try HTTP2FrameServer.serving { .text($0.target) }
    defer { server.stop() }
    let freeze = Gate()
    let never = Gate()
    let port = server.port
    let relay = try ScriptedServer.start(
      .perConnection { .steps([.relay(toPort: port, frozenBy: $0 == 1 ? freeze : never)]) })
    defer { relay.stop() }
    try await body(
      { http2 in
        var configuration = HTTPClientConfiguration()
        configuration.httpVersion = .http2PriorKnowledge
        configuration.http2 = http2
        return HTTPClient(configuration: configuration)
      }, relay, freeze)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("H2-07: a connection that gives no sign of life is given up, and new requests use a new one")
  func deadByPing() async throws {
    try await Self.dying { makeClient, relay, freeze in
      var http2 = HTTP2Configuration()
      http2.keepAliveInterval = .milliseconds(50)
      http2.keepAliveTimeout = .milliseconds(50)
      let client = makeClient(http2)
      #expect(try await client.send(.get(relay.url("/first"))).text() == "/first")
      freeze.open()
      let requests = (0..<3).map { client.start(.get(relay.url("/\($0)"))) }
      for request in requests {
        // One that came after the connection was given up succeeds.
        if let error = await request.value {
          #expect(error.code == .connectionLost)
          #expect(error.reason.contains("sign of life"))
        }
      }
      #expect(try await client.send(.get(relay.url("/next"))).text() == "/next")
      #expect(relay.snapshot.connectionCount == 2)
      try await relay.waitForConnectionsClosed(1)
      await client.waitForPools { $0.inUse == 0 && $0.idle == 1 }
      await client.shutdown(grace: .zero)
    }
  }

  @Test("H2-07: after a request that timed out in silence, new requests open a new connection at once")
  func deadByTimeout() async throws {
    try await Self.dying { makeClient, relay, freeze in
      var http2 = HTTP2Configuration()
      http2.keepAliveInterval = nil
      http2.keepAliveTimeout = .milliseconds(500)
      let client = makeClient(http2)
      #expect(try await client.send(.get(relay.url("/first"))).text() == "/first")
      freeze.open()
      let request = HTTPRequest.get(relay.url("/lost")).with {
        $0.options.timeouts.responseHead = .after(.milliseconds(50))
      }
      #expect(await client.failure(of: request)?.code == .headTimeout)
      for number in 0..<3 {
        #expect(try await client.send(.get(relay.url("/\(number)"))).text() == "/\(number)")
      }
      #expect(relay.snapshot.connectionCount == 2)
      // The PING has no answer either.
      try await relay.waitForConnectionsClosed(1)
      await client.waitForPools { $0.inUse == 0 && $0.idle == 1 }
      await client.shutdown(grace: .zero)
    }
  }

  @Test("H2-07: a connection that was only slow is used again when it shows a sign of life")
  func slowOnly() async throws {
    let answer = Gate()
    try await HTTP2Scene.with(
      configure: { $0.http2.keepAliveInterval = nil },
      { connection in
        try connection.handshake()
        if connection.number == 1 {
          let warm = try connection.nextRequest()
          try connection.respond(warm.stream, .text("warm"))
          connection.acknowledges = false
          try connection.wait(for: answer)
          connection.acknowledges = true
          // What came meanwhile is answered late.
          try connection.send(.ping(1, ack: true))
        }
        try connection.serve { .text("\($0.target)") }
      },
      { scene async throws in
        #expect(try await scene.text("/warm") == "warm")
        let request = scene.get("/late").with { $0.options.timeouts.responseHead = .after(.milliseconds(50)) }
        #expect(await scene.client.failure(of: request)?.code == .headTimeout)
        #expect(try await scene.text("/second") == "/second")
        #expect(scene.server.snapshot.connections.count == 2)
        answer.open()
        // Both connections are taken for good again: the one that was used last serves, and none is closed.
        try await scene.server.wait(for: "the answer to the late request") { !$0.connections[0].resets.isEmpty }
        #expect(try await scene.text("/third") == "/third")
        #expect(scene.server.snapshot.connections.count == 2)
        #expect(scene.server.snapshot.closedCount == 0)
      })
  }

  // MARK: H2-11

  @Test("H2-11: a server that allows one stream gets as many connections as the limit says, and the rest in order")
  func streamLimit() async throws {
    for limit in [1, 2] {
      let answer = Gate()
      let order = EventRecorder<String>()
      let server = try HTTP2FrameServer.start { connection in
        try connection.handshake([.maxConcurrentStreams(1)])
        while true {
          let request = try connection.nextRequest()
          if request.target != "/warm" {
            try connection.wait(for: answer)
            order.record(request.target)
          }
          try connection.respond(request.stream, .text(request.target))
        }
      }
      defer { server.stop() }
      var configuration = HTTPClientConfiguration()
      configuration.httpVersion = .http2PriorKnowledge
      configuration.pool.maximumHTTP2ConnectionsPerOrigin = limit
      let fixture = ManualFixture(configuration)
      // The limit is known once the first response is there.
      #expect(try await fixture.client.send(.get(server.url("/warm"))).text() == "/warm")
      var requests: [Task<TransportError?, Never>] = []
      for number in 0..<4 {
        requests.append(fixture.client.start(.get(server.url("/\(number)"))))
        await fixture.client.waitForPools {
          $0.leasedStreams == min(number + 1, limit) && $0.waiting == max(0, number + 1 - limit)
        }
      }
      try await server.waitForRequests(1 + limit)
      #expect(server.snapshot.connections.count == limit)

      // The wait is visible.
      let impatient = HTTPRequest.get(server.url("/no")).with {
        $0.options.timeouts.connectionWait = .after(.milliseconds(300))
      }
      let waiting = fixture.client.start(impatient)
      await fixture.client.waitForPools { $0.waiting == 5 - limit }
      fixture.clock.advance(by: .milliseconds(300))
      let error = try #require(await waiting.value)
      #expect(error.code == .poolTimeout)
      #expect(error.phase == .pool)
      #expect(error.sent == .nothing)
      #expect(
        error.reason
          == "waited 300 ms for a connection to \(server.authority), \(limit) of \(limit) HTTP/2 connections in use, "
          + "all their streams taken, position \(5 - limit) in the queue")

      answer.open()
      for request in requests { #expect(await request.value == nil) }
      if limit == 1 { #expect(order.events == ["/0", "/1", "/2", "/3"]) }
      #expect(Set(order.events).count == 4)
      #expect(server.snapshot.connections.count == limit)
      #expect(server.snapshot.violations.isEmpty)
      try await fixture.end()
    }
  }

  @Test("H2-11: a burst that finds out about the stream limit only now spreads over the connections it may have")
  func coldBurst() async throws {
    let answer = Gate()
    try await HTTP2Scene.with(
      configure: { $0.pool.maximumHTTP2ConnectionsPerOrigin = 2 },
      { connection in
        try connection.handshake([.maxConcurrentStreams(1)])
        let first = try connection.nextRequest()
        while !answer.isOpen {
          try connection.readAvailableFrames()
          while let more = connection.takeRequest() {
            try connection.send(.rstStream(more.stream, .refusedStream))
          }
          try connection.pause(.milliseconds(1))
        }
        try connection.respond(first.stream, .text(first.target))
        try connection.serve { .text($0.target) }
      },
      { scene async throws in
        let requests = (0..<4).map { number in scene.client.start(scene.get("/\(number)")) }
        try await scene.server.wait(for: "both connections to have a request") {
          $0.connections.filter { !$0.requests.isEmpty }.count == 2
        }
        answer.open()
        for request in requests { #expect(await request.value == nil) }
      })
  }

  // MARK: H2-12

  @Test(
    "H2-12: a connection without streams closes after the idle timeout: GOAWAY, then the end",
    arguments: HTTP2Scene.Wire.allCases)
  func idleTimeout(_ wire: HTTP2Scene.Wire) async throws {
    let certificates = try TestCertificates()
    let server = try HTTP2FrameServer.serving(options: try HTTP2Scene.options(wire, certificates)) { .text($0.target) }
    defer { server.stop() }
    var configuration = HTTP2Scene.configuration(wire, certificates)
    configuration.pool.idleTimeout = .milliseconds(500)
    let fixture = ManualFixture(configuration)
    #expect(try await fixture.client.send(.get(server.url("/a"))).text() == "/a")
    await fixture.client.waitForPools { $0.idle == 1 }
    fixture.clock.advance(by: .milliseconds(499))
    #expect(try await fixture.client.send(.get(server.url("/b"))).text() == "/b")
    await fixture.client.waitForPools { $0.idle == 1 }
    fixture.clock.advance(by: .milliseconds(499))
    #expect(server.snapshot.closedCount == 0)
    fixture.clock.advance(by: .milliseconds(1))
    let record = try #require(try await server.waitForConnectionsClosed(1).first)
    #expect(record.goAways.map(\.code) == [.noError])
    #expect(record.transport.ending == .peerClosed)
    #expect(record.transport.receivedCloseNotify == (wire == .tls))
    #expect(record.completeRequests == 2)
    #expect(fixture.client.poolCounts.idle == 0)
    #expect(server.snapshot.violations.isEmpty)
    try await fixture.end()
  }

  // MARK: STR-02

  @Test(
    "STR-02: a response that nobody reads stops its server after the stream's window, and reading lets it go on",
    arguments: HTTP2Scene.Wire.allCases)
  func unread(_ wire: HTTP2Scene.Wire) async throws {
    let stopped = EventRecorder<UInt64>()
    let size: UInt64 = 20 << 20
    try await HTTP2Scene.with(
      wire,
      { connection in
        try connection.handshake()
        let request = try connection.nextRequest()
        try connection.begin(request.stream)
        var sent: UInt64 = 0
        while sent < size {
          let window = min(connection.sendWindow(of: request.stream) ?? 0, connection.sendWindow)
          let count = min(window, 16_384, Int(size - sent))
          if count > 0 {
            let bytes = TestPattern.bytes(count, from: sent)
            sent += UInt64(count)
            try connection.send(.data(request.stream, bytes, endStream: sent == size))
          } else {
            if stopped.events.isEmpty {
              // The client has taken all of it in, and gives nothing back.
              try connection.send(.ping(7))
              try connection.readFrame { $0.kind == .ping && $0.isAck }
              stopped.record(sent)
            }
            try connection.readFrame()
          }
        }
        try connection.readUntilClosed()
      },
      { scene async throws in
        let response = try await scene.client.send(scene.get())
        let sent = try await stopped.waitForCount(1)[0]
        #expect(sent == UInt64(HTTP2Configuration().initialStreamWindowBytes))
        #expect(try await response.collect() == ByteChunk(TestPattern.bytes(Int(size))))
      })
  }
}
