import LinnetBytes
import LinnetHTTP
import LinnetHTTPTypes
import LinnetProtocols
import LinnetTestSupport
import Testing

/// Rules of RFC 9113 that a client keeps, seen from the server and from the caller.
@Suite("HTTP/2 rules", .timeLimit(.minutes(1)))
struct HTTP2RuleTests {
  // MARK: RST_STREAM

  static let codes: [UInt32] = Array(0...13) + [14, 0xFF, 0xDEAD_BEEF]

  @Test("the code of RST_STREAM is kept, and nobody else notices", arguments: codes, HTTP2Scene.Wire.allCases)
  func resetCode(_ code: UInt32, _ wire: HTTP2Scene.Wire) async throws {
    try await HTTP2Scene.with(
      wire, configure: { if wire == .tls { $0.httpVersion = .http2Only } },
      { connection in
        try connection.handshake()
        var bystander: UInt32 = 0
        while true {
          let request = try connection.nextHead()
          switch request.path {
          case "/bystander":
            bystander = request.stream
            try connection.begin(bystander)
          case "/reset":
            try connection.send(.rstStream(request.stream, HTTP2Frame.ErrorCode(rawValue: code)))
            guard bystander != 0 else { break }
            try connection.sendData(Array("whole".utf8), on: bystander, endStream: true)
            bystander = 0
          default: try connection.respond(request.stream, .text("next"))
          }
        }
      },
      { scene async throws in
        let bystander = try await scene.client.send(scene.get("/bystander"))
        let error = try #require(await scene.client.failure(of: scene.get("/reset")))
        #expect(error.http2ErrorCode == code)
        #expect(error.code == (code == 7 ? .streamRefused : .streamReset))
        #expect(error.sent == (code == 7 ? .nothing : .all))
        #expect(try await scene.text("/next") == "next")
        #expect(try await bystander.text() == "whole")
        // What is refused may find room elsewhere, and who wants calm is left alone; no other code says anything of the
        // connection.
        if code != 7 && code != 11 { #expect(scene.server.snapshot.connections.count == 1) }
      })
  }

  @Test("RST_STREAM within the body ends the body with its code, behind what came before")
  func resetInBody() async throws {
    let read = Gate()
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        let request = try connection.nextRequest()
        try connection.begin(request.stream, body: Array("part".utf8))
        try connection.wait(for: read)
        try connection.send(.rstStream(request.stream, .internalError))
        try connection.readUntilClosed()
      },
      { scene async throws in
        let response = try await scene.client.send(scene.get())
        #expect(try await response.body.next() == ByteChunk("part"))
        read.open()
        let error = await #expect(throws: TransportError.self) { _ = try await response.body.next() }
        #expect(error?.code == .streamReset)
        #expect(error?.phase == .body)
        #expect(error?.http2ErrorCode == 2)
      })
  }

  @Test(
    "a complete response ends a large upload, with NO_ERROR or without, and is a success", arguments: [true, false])
  func earlyResponse(resets: Bool) async throws {
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        connection.returnsWindow = false
        let head = try connection.nextHead()
        try connection.respond(head.stream, .text("enough"))
        if resets { try connection.send(.rstStream(head.stream, .noError)) }
        connection.returnsWindow = true
        try connection.serve { .text($0.target) }
      },
      { scene async throws in
        let body = HTTPRequestBody.bytes(TestPattern.bytes(10 << 20))
        #expect(try await scene.client.send(scene.post("/upload", body)).text() == "enough")
        #expect(try await scene.text("/next") == "/next")
        if !resets { #expect(try await scene.server.waitForResets(1).map(\.code) == [.cancel]) }
        await scene.client.waitForPools { $0.leasedStreams == 0 }
        let snapshot = scene.server.snapshot
        #expect(snapshot.connections.count == 1)
        #expect(snapshot.connections[0].dataBytes < 1 << 20)
      })
  }

  @Test("a streamed upload stops when the response is complete")
  func earlyResponseToStream() async throws {
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        let head = try connection.nextHead()
        try connection.respond(head.stream, .text("enough"))
        try connection.send(.rstStream(head.stream, .noError))
        try connection.serve { .text($0.target) }
      },
      { scene async throws in
        // Without an end: only the response can stop it.
        let endless = HTTPRequestBody.stream {
          AsyncStream(unfolding: { ByteChunk([UInt8](repeating: 1, count: 1000)) })
        }
        #expect(try await scene.client.send(scene.post("/upload", endless)).text() == "enough")
        #expect(try await scene.text("/next") == "/next")
        await scene.client.waitForPools { $0.leasedStreams == 0 }
        #expect(scene.server.snapshot.connections.count == 1)
      })
  }

  // MARK: Falling back

  enum Demand: String, CaseIterable, Sendable { case reset, goAway, goAwayAfterStream }

  private static func demand(_ demand: Demand, _ connection: HTTP2FrameConnection) throws {
    try connection.handshake()
    let head = try connection.nextHead()
    switch demand {
    case .reset: try connection.send(.rstStream(head.stream, .http11Required))
    case .goAway: try connection.send(.goAway(lastStream: 0, .http11Required))
    case .goAwayAfterStream:
      try connection.send(.goAway(lastStream: head.stream, .http11Required))
      try connection.halfClose()
    }
    try connection.readUntilClosed()
  }

  @Test(
    "a server that demands HTTP/1.1 gets it, except what it may have processed and must not be repeated",
    arguments: Demand.allCases, ["GET", "POST"])
  func demandsHTTP1(_ demand: Demand, _ method: String) async throws {
    let certificates = try TestCertificates()
    let h2 = try HTTP2FrameServer.start(options: try HTTP2Scene.options(.tls, certificates)) { connection in
      try Self.demand(demand, connection)
    }
    defer { h2.stop() }
    let h1 = try ScriptedServer.start(
      .handler { .text("\($0.method) over HTTP/1.1: \($0.body.text)") },
      options: .tls(try certificates.loopback()) { $0.applicationProtocols = ["http/1.1"] })
    defer { h1.stop() }
    let never = Gate()
    let (port2, port1) = (h2.port, h1.port)
    let front = try ScriptedServer.start(
      .perConnection { .steps([.relay(toPort: $0 == 1 ? port2 : port1, frozenBy: never)]) })
    defer { front.stop() }
    let client = HTTPClient(configuration: .trusting(certificates))
    let url = "https://127.0.0.1:\(front.port)/x"
    let request: HTTPRequest = method == "GET" ? .get(url) : .post(url, body: .text("pay"))
    // RFC 9113 §6.8: streams up to the last one that GOAWAY names might have been processed.
    if demand == .goAwayAfterStream, method == "POST" {
      let failure = await client.failure(of: request)
      #expect(failure?.http2ErrorCode == 0xd)
      #expect(failure?.sent == .all)
      #expect(h1.snapshot.requestCount == 0)
      return await client.shutdown(grace: .zero)
    }
    let response = try await client.send(request)
    #expect(response.version == .http1_1)
    #expect(try await response.text() == "\(method) over HTTP/1.1: \(method == "GET" ? "" : "pay")")
    #expect(h1.snapshot.requestCount == 1)
    #expect(h2.snapshot.requests.count == 1)
    #expect(h2.snapshot.violations.isEmpty)
    await client.shutdown(grace: .zero)
  }

  @Test("who asked for HTTP/2 only is told that the server demands HTTP/1.1", arguments: Demand.allCases)
  func demandsHTTP1InVain(_ demand: Demand) async throws {
    try await HTTP2Scene.with(
      .tls, configure: { $0.httpVersion = .http2Only }, { connection in try Self.demand(demand, connection) },
      { scene async throws in
        let error = try #require(await scene.client.failure(of: scene.post("/", .text("x"))))
        #expect(error.http2ErrorCode == 0xd)
      })
  }

  @Test("HTTP/2 only, and the server does not agree", arguments: [[], ["http/1.1"]])
  func notNegotiated(_ protocols: [String]) async throws {
    let certificates = try TestCertificates()
    let server = try ScriptedServer.start(
      .handler { _ in .text("x") }, options: .tls(try certificates.loopback()) { $0.applicationProtocols = protocols })
    defer { server.stop() }
    for version in [HTTPVersionPolicy.http2Only, .http2PriorKnowledge] {
      var configuration = HTTPClientConfiguration.trusting(certificates)
      configuration.httpVersion = version
      let client = HTTPClient(configuration: configuration)
      let error = try #require(await client.failure(of: .get(server.url("/"))))
      #expect(error.code == .http2NotNegotiated)
      #expect(error.phase == .tls)
      #expect(error.sent == .nothing)
      await client.shutdown(grace: .zero)
    }
    #expect(server.snapshot.requestCount == 0)
  }

  @Test("HTTP/2 only does not go with cleartext")
  func cleartextHTTP2Only() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.httpVersion = .http2Only
    let client = HTTPClient(configuration: configuration)
    let error = try #require(await client.failure(of: .get("http://127.0.0.1:1/")))
    #expect(error.code == .http2NotNegotiated)
    #expect(error.phase == .request)
  }

  @Test("a server of HTTP/1.1 that is asked with prior knowledge is an error that says so")
  func priorKnowledgeOfHTTP1() async throws {
    let server = try ScriptedServer.start(
      .steps([
        .readBytes(24), .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .close,
      ])
    )
    defer { server.stop() }
    var configuration = HTTPClientConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    let client = HTTPClient(configuration: configuration)
    for _ in 0..<3 {
      let error = try #require(await client.failure(of: .get(server.url("/"))))
      #expect(error.code == .protocolViolation)
      #expect(error.reason.contains("does not speak HTTP/2"))
    }
    await client.shutdown(grace: .zero)
  }

  // MARK: Calm

  @Test("a server that calls for calm by GOAWAY is not dialled again at once")
  func calm() async throws {
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake()
      if connection.number == 1 {
        let head = try connection.nextHead()
        try connection.send(.goAway(lastStream: head.stream, .enhanceYourCalm))
        try connection.respond(head.stream, .text("first"))
      }
      try connection.serve { _ in .text("second") }
    }
    defer { server.stop() }
    var configuration = HTTPClientConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    let fixture = ManualFixture(configuration)
    #expect(try await fixture.client.send(.get(server.url("/"))).text() == "first")
    try await server.waitForConnectionsClosed(1)
    let next = fixture.client.start(.get(server.url("/")))
    await fixture.client.waitForPools { $0.waiting == 1 }
    #expect(fixture.client.poolCounts.dialling == 0)
    fixture.clock.advance(by: .milliseconds(99))
    #expect(fixture.client.poolCounts.dialling == 0)
    #expect(server.snapshot.connections.count == 1)
    fixture.clock.advance(by: .milliseconds(1))
    #expect(await next.value == nil)
    #expect(server.snapshot.connections.count == 2)
    #expect(server.snapshot.violations.isEmpty)
    try await fixture.end()
  }

  // MARK: SETTINGS

  @Test("a window of 0 holds the body back; the window that is given, and no more, is used")
  func windows() async throws {
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake([.initialWindowSize(0)])
        // Behind the first answer the client knows the SETTINGS.
        try connection.respond(try connection.nextRequest().stream, .text("warm"))
        connection.returnsWindow = false
        let head = try connection.nextHead()
        var bytes: UInt64 = 0
        func next(_ isWanted: (HTTP2Frame) -> Bool) throws {
          while true {
            let frame = try connection.readFrame()
            if frame.kind == .data { bytes += UInt64(frame.payload.count) }
            if isWanted(frame) { return }
          }
        }
        func read(_ count: UInt64) throws { while bytes < count { try next { $0.kind == .data } } }
        func expectNoMore(than count: UInt64) throws {
          // Behind the answer to a PING nothing is under way that was allowed before it.
          try connection.send(.ping(7))
          try next { $0.kind == .ping && $0.isAck }
          try Unexpected.unless(bytes == count, "\(bytes) bytes came, and \(count) were allowed")
        }
        try expectNoMore(than: 0)
        // Raised by SETTINGS while the stream waits.
        try connection.send(.settings([.initialWindowSize(20_000)]))
        try read(20_000)
        try expectNoMore(than: 20_000)
        // Lowered: what was used before is missing now (RFC 9113 §6.9.2).
        try connection.send(.settings([.initialWindowSize(5000)]), .windowUpdate(head.stream, 14_000))
        try expectNoMore(than: 20_000)
        try connection.send(.windowUpdate(head.stream, 2000))
        try read(21_000)
        try expectNoMore(than: 21_000)
        try connection.send(.windowUpdate(head.stream, 1 << 20), .windowUpdate(0, 1 << 20))
        connection.returnsWindow = true
        let request = try connection.readBody(of: head)
        try connection.respond(head.stream, .text("\(request.bodyBytes)"))
        try connection.readUntilClosed()
      },
      { scene async throws in
        #expect(try await scene.text() == "warm")
        let body = HTTPRequestBody.bytes(TestPattern.bytes(100_000))
        #expect(try await scene.client.send(scene.post("/", body)).text() == "100000")
      })
  }

  @Test("the number of streams that SETTINGS allow is kept when it is raised and lowered")
  func streamLimits() async throws {
    try await HTTP2Scene.with(
      configure: { $0.pool.maximumHTTP2ConnectionsPerOrigin = 1 },
      { connection in
        try connection.handshake([.maxConcurrentStreams(1)])
        let warm = try connection.nextRequest()
        try connection.respond(warm.stream, .text("warm"))
        func expectNoRequest() throws {
          try connection.send(.ping(7))
          try connection.readFrame { $0.kind == .ping && $0.isAck }
          try Unexpected.unless(connection.takeRequest() == nil, "a request came that was not allowed")
        }
        let first = try connection.nextRequest()
        try expectNoRequest()
        try connection.send(.settings([.maxConcurrentStreams(3)]))
        let second = try connection.nextRequest()
        let third = try connection.nextRequest()
        try expectNoRequest()
        try connection.send(.settings([.maxConcurrentStreams(1)]))
        try connection.respond(first.stream, .text("x"))
        try connection.respond(second.stream, .text("x"))
        try expectNoRequest()
        try connection.respond(third.stream, .text("x"))
        let fourth = try connection.nextRequest()
        try expectNoRequest()
        try connection.send(.settings([.maxConcurrentStreams(100)]))
        try connection.respond(try connection.nextRequest().stream, .text("x"))
        try connection.respond(fourth.stream, .text("x"))
        try connection.serve { _ in .text("x") }
      },
      { scene async throws in
        #expect(try await scene.text("/warm") == "warm")
        let requests = (0..<6).map { _ in scene.client.start(scene.get()) }
        for request in requests { #expect(await request.value == nil) }
      })
  }

  @Test("SETTINGS of every kind while bodies are under way change nothing of them")
  func settingsInFlight() async throws {
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        let head = try connection.nextHead()
        try connection.begin(head.stream)
        let changes: [[HTTP2Frame.Setting]] = [
          [.headerTableSize(0)], [.headerTableSize(65_536)], [.initialWindowSize(1)], [.initialWindowSize(1 << 20)],
          [.maxFrameSize(1 << 20)], [.maxFrameSize(16_384)], [.maxConcurrentStreams(1)], [.maxHeaderListSize(1 << 20)],
          [.enableConnectProtocol(1)], [.noRFC7540Priorities(0)], [HTTP2Frame.Setting(id: 0xFAFA, value: 1)], [],
        ]
        for change in changes {
          try connection.send(.settings(change))
          try connection.sendData(Array("part ".utf8), on: head.stream)
        }
        let request = try connection.readBody(of: head)
        try connection.sendData(Array("\(request.bodyBytes)".utf8), on: head.stream, endStream: true)
        try connection.serve { .text($0.target) }
      },
      { scene async throws in
        let body = HTTPRequestBody.bytes(TestPattern.bytes(1 << 20))
        let text = try await scene.client.send(scene.post("/", body)).text()
        #expect(text == String(repeating: "part ", count: 12) + "1048576")
        #expect(try await scene.text("/next") == "/next")
        #expect(scene.server.snapshot.connections[0].acknowledgedSettings == 13)
      })
  }

  @Test("a head above the server's MAX_HEADER_LIST_SIZE is sent, and the server's own answer comes back")
  func largeHead() async throws {
    try await HTTP2Scene.serving(
      settings: [.maxHeaderListSize(200)],
      { request in
        let size = request.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
        return size > 200 ? .text("too large", status: 431) : .text("?")
      },
      { scene async throws in
        for _ in 0..<2 {
          var request = scene.get()
          request.headers.add("X-Large", String(repeating: "a", count: 1000))
          let response = try await scene.client.send(request)
          #expect(response.status.code == 431)
          #expect(try await response.text() == "too large")
        }
      })
  }

  // MARK: Messages

  @Test("interim heads are events, and trailers are behind the body", arguments: HTTP2Scene.Wire.allCases)
  func interimAndTrailers(_ wire: HTTP2Scene.Wire) async throws {
    try await HTTP2Scene.serving(
      wire,
      { _ in
        var response = HTTP2FrameResponse(200, [HeaderLine("x-a", "b")], body: .pattern(100_000)).withoutLength()
        response.interim = [.init(100), .init(103, [HeaderLine("link", "</a.css>")])]
        response.trailers = [HeaderLine("x-checksum", "42")]
        return response
      },
      { scene async throws in
        let interim = EventRecorder<Int>()
        let request = scene.get().with {
          $0.options.onEvent = { if case .interim(let head) = $0 { interim.record(head.status.code) } }
        }
        let response = try await scene.client.send(request)
        #expect(interim.events == [100, 103])
        #expect(response.headers["X-A"] == "b")
        #expect(response.headers["Link"] == nil)
        #expect(try await response.collect() == ByteChunk(TestPattern.bytes(100_000)))
        #expect(response.body.trailers?["X-Checksum"] == "42")
      })
  }

  @Test("fields that belong to an HTTP/1.1 connection are not sent")
  func connectionFields() async throws {
    try await HTTP2Scene.serving(
      .cleartext,
      { .text($0.target) },
      { scene async throws in
        let request = HTTPRequest.get(
          scene.server.url("/"),
          headers: [
            "Connection": "keep-alive, X-Hop", "Keep-Alive": "timeout=5", "Proxy-Connection": "keep-alive",
            "Upgrade": "h2c", "TE": "gzip", "X-Hop": "1", "X-Kept": "2", "Host": "other.test",
          ])
        #expect(try await scene.client.send(request).text() == "/")
        let seen = try #require(scene.server.snapshot.requests.first)
        #expect(seen.authority == "other.test")
        #expect(seen.headers["x-kept"] == "2")
        let dropped = ["connection", "keep-alive", "proxy-connection", "upgrade", "te", "x-hop", "host"]
        for name in dropped { #expect(seen.headers[name] == nil, "\(name)") }
      })
  }

  @Test("TE: trailers is sent")
  func trailersField() async throws {
    try await HTTP2Scene.serving(
      .cleartext,
      { .text($0.target) },
      { scene async throws in
        _ = try await scene.client.send(.get(scene.server.url("/"), headers: ["TE": "trailers"])).text()
        #expect(scene.server.snapshot.requests.first?.headers["te"] == "trailers")
      })
  }

  @Test("secrets are never put into a table")
  func neverIndexed() async throws {
    try await HTTP2Scene.serving(
      .cleartext,
      { .text($0.target) },
      { scene async throws in
        var headers: HTTPHeaders = [
          "Authorization": "Bearer secret", "Cookie": "a=short", "Proxy-Authorization": "Basic eDp5", "X-Open": "1",
        ]
        try headers.add(name: "X-Key", value: "secret", isSensitive: true)
        for _ in 0..<2 {
          _ = try await scene.client.send(.get(scene.server.url("/"), headers: headers)).text()
        }
        for request in scene.server.snapshot.requests {
          #expect(Set(request.neverIndexed) == ["authorization", "cookie", "proxy-authorization", "x-key"])
        }
      })
  }
}
