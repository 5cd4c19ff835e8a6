import LinnetTestSupport
import Testing

@Suite("HTTP2FrameServer", .timeLimit(.minutes(2)))
struct HTTP2FrameServerTests {
  private typealias Raw = RawHTTP2Client

  // MARK: Requests and answers

  @Test("a request is recorded with its fields, body and trailers, and answered")
  func exchange() async throws {
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake([.maxConcurrentStreams(5)])
      let request = try connection.nextRequest()
      var response = HTTP2FrameResponse.text("you sent \(request.body.text)")
      response.trailers = [HeaderLine("x-end", "1")]
      response.interim = [.init(103, [HeaderLine("link", "a")])]
      try connection.respond(request.stream, response)
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    let client = try Raw.connected(to: server, [.enablePush(0)])
    try client.send(
      .headers(
        1, Raw.head([HeaderLine("x-a", "b")], path: "/p?q=1", method: "POST") + HPACKLiterals.field("s", "t", .never)),
      .data(1, Array("he".utf8)), .data(1, Array("llo".utf8), padding: 3),
      .headers(1, HPACKLiterals.field("x-t", "1"), endStream: true))
    #expect(try client.readFields(of: 1) == [HeaderLine(":status", "103"), HeaderLine("link", "a")])
    #expect(
      try client.readFields(of: 1).prefix(2) == [
        HeaderLine(":status", "200"), HeaderLine("content-type", "text/plain"),
      ])
    #expect(try client.read { $0.kind == .data }?.content == Array("you sent hello".utf8))
    #expect(try client.readFields(of: 1) == [HeaderLine("x-end", "1")])
    client.connection.halfClose()
    let record = try #require(try await server.waitForConnectionsClosed(1).first)
    let request = try #require(record.requests.first)
    #expect(request.method == "POST" && request.target == "/p?q=1" && request.path == "/p")
    #expect(request.scheme == "http" && request.authority == "test" && request.stream == 1)
    #expect(request.headers == [HeaderLine("x-a", "b"), HeaderLine("s", "t")] && request.neverIndexed == ["s"])
    #expect(request.body.text == "hello" && request.bodyBytes == 5 && request.isComplete)
    #expect(request.trailers == [HeaderLine("x-t", "1")])
    #expect(record.settings == [2: 0] && record.acknowledgedSettings == 1 && record.dataBytes == 5)
    #expect(record.frames.map(\.kind) == [.settings, .settings, .headers, .data, .data, .headers])
    #expect(record.transport.ending == .serverClosed || record.transport.ending == .peerClosed)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("DATA waits for the stream's and the connection's window")
  func windows() throws {
    let server = try HTTP2FrameServer.serving { _ in .pattern(100_000) }
    defer { server.stop() }
    let client = try Raw.connected(to: server, [.initialWindowSize(10)])
    try client.send(.headers(1, Raw.head(), endStream: true), .ping(1))
    #expect(try client.read { $0.kind == .data }?.payload == TestPattern.bytes(10))
    // The answer to a PING that was sent later shows that nothing else was sent before.
    try client.send(.ping(2))
    #expect(try client.read { $0.kind == .data || $0.pingNumber == 2 }?.pingNumber == 2)
    try client.send(.windowUpdate(1, 5))
    #expect(try client.read { $0.kind == .data }?.payload == TestPattern.bytes(5, from: 10))
    // The connection's window of 65,535 is what remains.
    try client.send(.windowUpdate(1, 1 << 20))
    var received = 15
    while received < 65_535 { received += try #require(try client.read { $0.kind == .data }).payload.count }
    #expect(received == 65_535)
    try client.send(.ping(3))
    #expect(try client.read { $0.kind == .data || $0.pingNumber == 3 }?.pingNumber == 3)
    try client.send(.windowUpdate(0, 1 << 20))
    #expect(try client.readBody(of: 1).count == 100_000 - 65_535)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("answers of several streams take turns")
  func interleaving() throws {
    let server = try HTTP2FrameServer.serving { .pattern($0.path == "/small" ? 10 : 60_000) }
    defer { server.stop() }
    let client = try Raw.connected(to: server, [.initialWindowSize(1 << 20)])
    try client.send(
      .windowUpdate(0, 1 << 20), .headers(1, Raw.head(path: "/large"), endStream: true),
      .headers(3, Raw.head(path: "/large"), endStream: true), .headers(5, Raw.head(path: "/small"), endStream: true))
    var ends: [UInt32] = []
    while ends.count < 3 {
      let frame = try #require(try client.read())
      if frame.endsStream { ends.append(frame.stream) }
    }
    #expect(ends == [5, 1, 3])
  }

  @Test("an answer that waits for a gate does not hold the other streams back")
  func gates() throws {
    let (head, body) = (Gate(), Gate())
    let server = try HTTP2FrameServer.serving { request in
      var response = HTTP2FrameResponse.text(request.path)
      if request.path == "/head" { response.gate = head }
      if request.path == "/body" { response.bodyGate = body }
      return response
    }
    defer { server.stop() }
    let client = try Raw.connected(to: server)
    try client.send(
      .headers(1, Raw.head(path: "/head"), endStream: true), .headers(3, Raw.head(path: "/body"), endStream: true))
    #expect(try client.read { $0.kind == .headers || $0.kind == .data }?.stream == 3)
    try client.send(.headers(5, Raw.head(path: "/free"), endStream: true))
    #expect(try client.readBody(of: 5) == Array("/free".utf8))
    head.open()
    #expect(try client.read { $0.kind == .headers || $0.kind == .data }?.stream == 1)
    #expect(try client.readBody(of: 1) == Array("/head".utf8))
    body.open()
    #expect(try client.readBody(of: 3) == Array("/body".utf8))
  }

  @Test("a large upload gets its windows back, and one that nobody reads does not")
  func upload() async throws {
    let server = try HTTP2FrameServer.serving { .text("\($0.body.count) \($0.body.matchesTestPattern)") }
    defer { server.stop() }
    let client = try Raw.connected(to: server)
    try client.send(.headers(1, Raw.head(method: "POST")))
    var windows: [UInt32: Int] = [0: 65_535, 1: 65_535]
    var offset = 0
    while offset < 300_000 {
      while min(windows[0] ?? 0, windows[1] ?? 0) <= 0 {
        let frame = try #require(try client.read { $0.kind == .windowUpdate })
        windows[frame.stream, default: 0] += Int(frame.increment ?? 0)
      }
      let size = min(16_384, windows[0] ?? 0, windows[1] ?? 0, 300_000 - offset)
      let bytes = TestPattern.bytes(size, from: UInt64(offset))
      offset += size
      try client.send(.data(1, bytes, endStream: offset == 300_000))
      for id in [UInt32(0), 1] { windows[id, default: 0] -= size }
    }
    #expect(try client.readBody(of: 1) == Array("300000 true".utf8))
    #expect(server.snapshot.violations.isEmpty)

    let stubborn = try HTTP2FrameServer.start { connection in
      connection.returnsWindow = false
      try connection.handshake()
      try connection.readUntilClosed()
    }
    defer { stubborn.stop() }
    let other = try Raw.connected(to: stubborn)
    try other.send(.headers(1, Raw.head(method: "POST")), .data(1, TestPattern.bytes(16_000)), .ping(1))
    #expect(try other.read { $0.kind == .windowUpdate || $0.kind == .ping }?.kind == .ping)
  }

  @Test("heads larger than a frame are continued")
  func continuation() throws {
    let server = try HTTP2FrameServer.serving { _ in
      HTTP2FrameResponse(200, (0..<3).map { HeaderLine("x-\($0)", String(repeating: "\($0)", count: 20_000)) })
    }
    defer { server.stop() }
    let client = try Raw.connected(to: server)
    try client.send(.headers(1, Raw.head(), endStream: true))
    var kinds: [HTTP2Frame.Kind] = []
    repeat {
      let frame = try #require(try client.read { $0.stream == 1 })
      kinds.append(frame.kind)
      #expect(frame.payload.count <= 16_384)
      if frame.flags.contains(.endHeaders) { break }
    } while true
    #expect(kinds.first == .headers && kinds.count > 2 && kinds.dropFirst().allSatisfy { $0 == .continuation })
  }

  // MARK: Records

  @Test("RST_STREAM, GOAWAY and the answers to SETTINGS and PING are recorded")
  func records() async throws {
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake()
      try connection.send(.ping(7))
      let request = try connection.nextHead()
      try connection.readFrame { $0.kind == .rstStream && $0.stream == request.stream }
      #expect(!connection.isOpen(request.stream))
      try connection.respond(request.stream, .text("nobody gets this"))
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    let client = try Raw.connected(to: server)
    try client.send(
      .ping(7, ack: true), .headers(1, Raw.head(method: "POST")), .rstStream(1, .cancel),
      .goAway(lastStream: 0, .enhanceYourCalm, debug: "why"))
    #expect(try await server.waitForResets(1) == server.snapshot.connections.flatMap(\.resets))
    let goAway = try #require(try await server.waitForGoAways(1).first)
    #expect(goAway.code == .enhanceYourCalm && goAway.debug == "why" && goAway.lastStream == 0)
    let record = try #require(server.snapshot.connections.first)
    #expect(record.resets.map(\.code) == [.cancel] && record.answeredPings == 1 && record.goAways.count == 1)
    #expect(record.requests.first?.resetCode == .cancel && record.requests.first?.isComplete == false)
    #expect(record.completeRequests == 0 && !record.isClosed && record.violations.isEmpty)
    #expect(try client.read { $0.kind == .ping }?.pingNumber == 7)
    client.connection.halfClose()
    #expect(try client.read { $0.kind == .headers } == nil)
    #expect(try await server.waitForConnectionsClosed(1).first?.transport.ending != nil)
  }

  @Test("frames are recorded while a script waits for a gate")
  func gate() async throws {
    let gate = Gate()
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake()
      let request = try connection.nextRequest()
      try connection.wait(for: gate)
      try connection.respond(request.stream, .text("late"))
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    let client = try Raw.connected(to: server)
    try client.send(.headers(1, Raw.head(), endStream: true))
    try await server.waitForRequests(1)
    try client.send(.ping(5))
    #expect(try client.read { $0.kind == .ping || $0.kind == .headers }?.kind == .ping)
    gate.open()
    #expect(try client.readBody(of: 1) == Array("late".utf8))
  }

  @Test("what a client does wrong is noted", arguments: ClientViolation.all)
  func violations(_ violation: ClientViolation) async throws {
    let server = try HTTP2FrameServer.start { connection in
      connection.returnsWindow = false
      try connection.handshake(violation.settings)
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    let client = try Raw.connected(to: server)
    try client.connection.send(violation.frames.flatMap(\.encoded))
    client.connection.halfClose()
    try await server.waitForConnectionsClosed(1)
    #expect(server.snapshot.violations.contains { $0.contains(violation.word) }, "\(server.snapshot.violations)")
  }

  @Test("a smaller window counts from its acknowledgement on")
  func acknowledgedSettings() async throws {
    let server = try HTTP2FrameServer.start { connection in
      connection.returnsWindow = false
      try connection.handshake()
      try connection.send(.settings([.initialWindowSize(2), .maxConcurrentStreams(1)]))
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    let client = try Raw.connected(to: server)
    try client.send(.headers(1, Raw.head(method: "POST")), .headers(3, Raw.head(method: "POST")), .data(1, [1, 2, 3]))
    _ = try client.read { $0.kind == .settings && !$0.isAck }
    try client.send(.settingsAck)
    try await server.wait(for: "the acknowledgement") { $0.connections.first?.acknowledgedSettings == 2 }
    #expect(server.snapshot.violations.isEmpty)
    try client.send(.data(3, [1, 2, 3]))
    let seen = try await server.wait(for: "the violation") { !$0.violations.isEmpty }
    #expect(seen.violations == ["connection 1: DATA beyond the window of stream 3 by 1 bytes"])
  }

  @Test("a client that does not begin with the preface, or not with SETTINGS, is noted")
  func beginnings() async throws {
    let server = try HTTP2FrameServer.serving { _ in .text("x") }
    defer { server.stop() }
    let http1 = try RawClient(server)
    try http1.send("GET / HTTP/1.1\r\n\r\n")
    #expect(try http1.receiveToEnd() == "")
    let noSettings = try RawClient(server)
    try noSettings.send(HTTP2FrameConnection.preface + HTTP2Frame.ping(1).encoded)
    let seen = try await server.wait(for: "two violations") { $0.violations.count == 2 }
    #expect(seen.violations[0].hasPrefix("connection 1: no connection preface but \"GET / HTTP"))
    #expect(seen.violations[1] == "connection 2: PING before SETTINGS")
  }

  // MARK: Ends

  @Test("an end of the script is an end of the connection", arguments: [ConnectionEnding.serverClosed, .serverReset])
  func endings(_ ending: ConnectionEnding) async throws {
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake()
      if ending == .serverReset { try connection.reset() }
    }
    defer { server.stop() }
    let client = try RawHTTP2Client(server)
    try client.connection.send(HTTP2FrameConnection.preface + HTTP2Frame.settings().encoded)
    if ending == .serverReset {
      #expect(throws: RawClient.Failure.self) { while try client.read() != nil {} }
    } else {
      while try client.read() != nil {}
    }
    #expect(try await server.waitForConnectionsClosed(1).map(\.transport.ending) == [ending])
  }

  @Test("an error of the script is a violation that names it")
  func scriptFails() async throws {
    struct Oops: Error {}
    let server = try HTTP2FrameServer.start { _ in throw Oops() }
    defer { server.stop() }
    let client = try RawClient(server)
    _ = try client.receiveToEnd()
    try await server.waitForConnectionsClosed(1)
    #expect(server.snapshot.violations == ["connection 1: the script failed: Oops()"])
  }

  @Test("stop ends scripts wherever they are, and leaves no thread and no descriptor")
  func stop() async throws {
    let baseline = try await DescriptorCount.baseline()
    let gate = Gate()
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake()
      switch connection.number % 4 {
      case 0: try connection.stall()
      case 1: try connection.readUntilClosed()
      case 2: try connection.wait(for: gate)
      default: while true { try connection.send(.ping(1)) }
      }
    }
    do {
      let clients = try (0..<8).map { _ in try Raw.connected(to: server) }
      try await server.wait(for: "all handshakes") { snapshot in
        snapshot.connections.count == 8 && snapshot.connections.allSatisfy { $0.frameCount >= 1 }
      }
      server.stop()
      #expect(server.snapshot.closedCount == clients.count)
    }
    try await DescriptorCount.returned(to: baseline)
  }

  // MARK: Other clients

  @Test("curl's requests are answered, and it breaks no rule", .enabled(if: Tool.exists("curl"), "needs curl"))
  func curl() async throws {
    let server = try HTTP2FrameServer.serving { .text("\($0.method) \($0.target) \($0.body.count)") }
    defer { server.stop() }
    let get = Tool.run("curl", "-sS", "--http2-prior-knowledge", server.url("/a?b"))
    #expect(get.text == "GET /a?b 0")
    let body = String(repeating: "x", count: 100_000)
    let post = Tool.run("curl", "-sS", "--http2-prior-knowledge", "-d", body, server.url("/p"))
    #expect(post.text == "POST /p 100000")
    #expect(try await server.waitForRequests(2).map(\.path) == ["/a", "/p"])
    try await server.waitForConnectionsClosed(2)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("nghttp's requests are answered on one connection", .enabled(if: Tool.exists("nghttp"), "needs nghttp"))
  func nghttp() async throws {
    let server = try HTTP2FrameServer.serving { .text("\($0.path);") }
    defer { server.stop() }
    let output = Tool.run("nghttp", server.url("/a"), server.url("/b"), server.url("/c"))
    #expect(output.text.split(separator: ";").sorted() == ["/a", "/b", "/c"])
    let record = try #require(try await server.waitForConnectionsClosed(1).first)
    #expect(record.completeRequests == 3 && record.violations.isEmpty)
    // It depends on idle streams, which RFC 7540 allows.
    #expect(!record.frames(.priority).isEmpty)
  }

  @Test("ALPN chooses h2, and the record says so", .enabled(if: Tool.exists("curl"), "needs curl"))
  func alpn() async throws {
    let certificates = try TestCertificates()
    let options = HTTP2FrameServer.Options(tls: ServerTLS(try certificates.loopback()))
    let server = try HTTP2FrameServer.serving(options: options) { _ in .pattern(1_000_000) }
    defer { server.stop() }
    let output = Tool.run(
      "curl", "-sS", "--http2", "--cacert", certificates.authorityFile, "-o", "/dev/null", "-w",
      "%{http_version} %{size_download}", server.url("/", host: "localhost"))
    #expect(output.text == "2 1000000")
    let record = try #require(try await server.waitForConnectionsClosed(1).first)
    #expect(record.transport.tls?.applicationProtocol == "h2" && record.violations.isEmpty)
  }

  @Test("h2load's many streams and connections are answered", .enabled(if: Tool.exists("h2load"), "needs h2load"))
  func load() async throws {
    let server = try HTTP2FrameServer.serving { .pattern(UInt64($0.stream) * 500) }
    defer { server.stop() }
    let output = Tool.run("h2load", "-n", "400", "-c", "4", "-m", "25", server.url("/"))
    #expect(output.text.contains("400 succeeded, 0 failed, 0 errored"), "\(output.text)")
    try await server.waitForConnectionsClosed(4)
    #expect(server.snapshot.completeRequests == 400 && server.snapshot.violations.isEmpty)
  }
}

/// Frames behind the handshake, on a server with the given SETTINGS, and a word of the violation that they are.
struct ClientViolation: Sendable, CustomTestStringConvertible {
  var word: String
  var settings: [HTTP2Frame.Setting] = []
  var frames: [HTTP2Frame]
  var testDescription: String { word }

  static let all: [ClientViolation] = [
    ClientViolation(word: "even", frames: [.headers(2, RawHTTP2Client.head(), endStream: true)]),
    ClientViolation(
      word: "opened after",
      frames: [.headers(5, RawHTTP2Client.head(), endStream: true), .headers(3, RawHTTP2Client.head())]),
    ClientViolation(
      word: "that are allowed", settings: [.maxConcurrentStreams(1)],
      frames: [.headers(1, RawHTTP2Client.head()), .headers(3, RawHTTP2Client.head())]),
    ClientViolation(
      word: "DATA beyond the window", settings: [.initialWindowSize(3)],
      frames: [.headers(1, RawHTTP2Client.head(method: "POST")), .data(1, [1, 2, 3, 4])]),
    ClientViolation(
      word: "DATA beyond the connection's window", settings: [.initialWindowSize(1 << 20)],
      frames: [.headers(1, RawHTTP2Client.head(method: "POST"))]
        + (0..<5).map { _ in .data(1, [UInt8](repeating: 0, count: 16_384)) }),
    ClientViolation(
      word: "above 16384",
      frames: [
        .headers(1, RawHTTP2Client.head(method: "POST")), .data(1, [UInt8](repeating: 0, count: 16_385)),
      ]),
    ClientViolation(
      word: "after END_STREAM", frames: [.headers(1, RawHTTP2Client.head(), endStream: true), .data(1, [1])]),
    ClientViolation(
      word: "HEADERS after END_STREAM",
      frames: [
        .headers(1, RawHTTP2Client.head(), endStream: true), .headers(1, [], endStream: true),
      ]),
    ClientViolation(
      word: "trailers without END_STREAM",
      frames: [
        .headers(1, RawHTTP2Client.head(method: "POST")), .headers(1, HPACKLiterals.field("a", "b")),
      ]),
    ClientViolation(
      word: ":path in trailers",
      frames: [
        .headers(1, RawHTTP2Client.head(method: "POST")),
        .headers(1, HPACKLiterals.field(":path", "b"), endStream: true),
      ]),
    ClientViolation(word: "closed or idle", frames: [.data(1, [1])]),
    ClientViolation(
      word: "closed or idle",
      frames: [
        .headers(1, RawHTTP2Client.head(method: "POST")), .rstStream(1, .cancel), .data(1, [1]),
      ]),
    ClientViolation(word: "RST_STREAM on stream 9", frames: [.rstStream(9, .cancel)]),
    ClientViolation(
      word: "inside of a field block", frames: [.headers(1, RawHTTP2Client.head(), endHeaders: false), .ping(1)]),
    ClientViolation(word: "CONTINUATION without HEADERS", frames: [.continuation(1, [])]),
    ClientViolation(word: "cannot be decoded", frames: [.headers(1, [0x80])]),
    ClientViolation(
      word: "upper-case field name X", frames: [.headers(1, RawHTTP2Client.head([HeaderLine("X", "1")]))]),
    ClientViolation(
      word: "connection-specific field upgrade",
      frames: [
        .headers(1, RawHTTP2Client.head([HeaderLine("upgrade", "1")]))
      ]),
    ClientViolation(word: "te: gzip", frames: [.headers(1, RawHTTP2Client.head([HeaderLine("te", "gzip")]))]),
    ClientViolation(
      word: ":method behind an ordinary field",
      frames: [
        .headers(1, HPACKLiterals.field("a", "b") + RawHTTP2Client.head())
      ]),
    ClientViolation(
      word: "repeated :path", frames: [.headers(1, RawHTTP2Client.head() + HPACKLiterals.field(":path", "/"))]),
    ClientViolation(
      word: "unknown pseudo-field :status", frames: [.headers(1, HPACKLiterals.status(200) + RawHTTP2Client.head())]),
    ClientViolation(word: "missing :method", frames: [.headers(1, HPACKLiterals.field(":path", "/"))]),
    ClientViolation(
      word: "differs from :authority", frames: [.headers(1, RawHTTP2Client.head([HeaderLine("host", "other")]))]),
    ClientViolation(
      word: "3 bytes of a body of 4",
      frames: [
        .headers(1, RawHTTP2Client.head([HeaderLine("content-length", "4")], method: "POST")),
        .data(1, [1, 2, 3], endStream: true),
      ]),
    ClientViolation(word: "PUSH_PROMISE", frames: [.pushPromise(1, promised: 2, [])]),
    ClientViolation(word: "increment 0", frames: [.windowUpdate(0, 0)]),
    ClientViolation(word: "too large", frames: [.windowUpdate(0, 0x7FFF_FFFF)]),
    ClientViolation(word: "PING of 7 bytes", frames: [HTTP2Frame(.ping, payload: [0, 0, 0, 0, 0, 0, 0])]),
    ClientViolation(word: "SETTINGS of 5 bytes", frames: [HTTP2Frame(.settings, payload: [0, 0, 0, 0, 0])]),
    ClientViolation(word: "SETTINGS with 2=2", frames: [.settings([.enablePush(2)])]),
    ClientViolation(word: "acknowledgement of no SETTINGS", frames: [.settingsAck]),
    ClientViolation(word: "answer to no PING", frames: [.ping(3, ack: true)]),
  ]
}
