import LinnetHTTP
import LinnetProtocols
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// Whatever a server does and whenever the caller loses patience: every call ends once, and nothing is left.
@Suite("HTTP/2 races", .serialized, .timeLimit(.minutes(5)))
struct HTTP2RaceTests {
  // MARK: Random servers

  /// What a random server may send next. Much of it is wrong.
  private enum Move: CaseIterable {
    case respond, begin, body, lastByte, trailers, interim, malformed
    case reset, refuse, resetUnknown, streamWindow, window, hugeWindow, settings, noStreams, tinyWindow
    case ping, graceful, goAwayFirst, goAwayAll, unknownFrame, priority, continuation, push, garbage, read
  }

  private static func play(_ connection: HTTP2FrameConnection, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    connection.returnsWindow = Bool.random(using: &random)
    connection.acknowledges = Int.random(in: 0..<8, using: &random) > 0
    if Int.random(in: 0..<20, using: &random) > 0 {
      try connection.handshake(
        Bool.random(using: &random) ? [] : [.maxConcurrentStreams(UInt32.random(in: 0...5, using: &random))])
    }
    if Int.random(in: 0..<10, using: &random) > 0 { _ = try connection.nextHead() }
    for _ in 0..<Int.random(in: 0..<40, using: &random) {
      guard let move = Move.allCases.randomElement(using: &random) else { continue }
      let stream = 1 + 2 * UInt32.random(in: 0...(connection.lastStream / 2), using: &random)
      // A violation of a correct move is the one that the stream is over.
      try make(move, on: stream, connection, &random)
      try connection.readAvailableFrames()
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try connection.close()
    case 1: try connection.reset()
    case 2:
      try connection.halfClose()
      try connection.readUntilClosed()
    case 3: try connection.stall()
    default: try connection.readUntilClosed()
    }
  }

  private static func make(
    _ move: Move, on stream: UInt32, _ connection: HTTP2FrameConnection, _ random: inout SeededGenerator
  ) throws {
    let ok = HeaderLine(":status", "200")
    switch move {
    case .respond:
      try connection.sendFields([ok, HeaderLine("content-length", "2")], on: stream)
      try connection.send(.data(stream, [1, 2], endStream: true))
    case .begin: try connection.sendFields([ok], on: stream, endStream: Bool.random(using: &random))
    case .body:
      let count = Int.random(in: 0...16_384, using: &random)
      try connection.send(.data(stream, TestPattern.bytes(count), padding: Bool.random(using: &random) ? 7 : nil))
    case .lastByte: try connection.send(.data(stream, [9], endStream: true))
    case .trailers: try connection.sendFields([HeaderLine("x-end", "1")], on: stream, endStream: true)
    case .interim: try connection.sendFields([HeaderLine(":status", "100")], on: stream)
    case .malformed: try connection.sendFields([HeaderLine("Upper", "1"), ok], on: stream)
    default: try makeControl(move, on: stream, connection, &random)
    }
  }

  private static func makeControl(
    _ move: Move, on stream: UInt32, _ connection: HTTP2FrameConnection, _ random: inout SeededGenerator
  ) throws {
    let last = connection.lastStream
    switch move {
    case .reset:
      let code = UInt32.random(in: 0...14, using: &random)
      try connection.send(.rstStream(stream, HTTP2Frame.ErrorCode(rawValue: code)))
    case .refuse: try connection.send(.rstStream(stream, .refusedStream))
    case .resetUnknown: try connection.send(.rstStream(last &+ 1000 | 1, .cancel))
    case .streamWindow: try connection.send(.windowUpdate(stream, UInt32.random(in: 0...100_000, using: &random)))
    case .window: try connection.send(.windowUpdate(0, UInt32.random(in: 1...100_000, using: &random)))
    case .hugeWindow: try connection.send(.windowUpdate(stream, 0x7FFF_FFFF))
    case .settings: try connection.send(.settings([.initialWindowSize(UInt32.random(in: 0...200_000, using: &random))]))
    case .noStreams: try connection.send(.settings([.maxConcurrentStreams(UInt32.random(in: 0...2, using: &random))]))
    case .tinyWindow: try connection.send(.settings([.initialWindowSize(0), .headerTableSize(0)]))
    case .ping: try connection.send(.ping(UInt64.random(in: 0...3, using: &random), ack: Bool.random(using: &random)))
    case .graceful: try connection.send(.goAway(lastStream: 0x7FFF_FFFF))
    case .goAwayFirst: try connection.send(.goAway(lastStream: 1))
    case .goAwayAll: try connection.send(.goAway(lastStream: last, .enhanceYourCalm))
    case .unknownFrame: try connection.send(.unknown(stream: stream, payload: [1, 2, 3]))
    case .priority: try connection.send(.priority(stream))
    case .continuation where Int.random(in: 0..<8, using: &random) == 0: try connection.send(.continuation(stream, []))
    case .push where Int.random(in: 0..<8, using: &random) == 0:
      try connection.send(.pushPromise(stream, promised: 2, [0x88]))
    case .garbage where Int.random(in: 0..<8, using: &random) == 0:
      try connection.sendRaw((0..<50).map { _ in UInt8.random(in: 0...255, using: &random) })
    default: try connection.readAvailableFrames()
    }
  }

  /// One call with random patience. Returns when it has ended.
  private static func call(_ client: HTTPClient, _ url: String, seed: UInt64) async {
    var random = SeededGenerator(seed: seed)
    var request: HTTPRequest
    switch Int.random(in: 0..<4, using: &random) {
    case 0: request = .get(url)
    case 1: request = .post(url, body: .bytes(TestPattern.bytes(Int.random(in: 0...300_000, using: &random))))
    case 2:
      let count = Int.random(in: 0...40, using: &random)
      request = .post(
        url,
        body: .stream {
          AsyncStream { continuation in
            for _ in 0..<count { continuation.yield(ByteChunk([UInt8](repeating: 7, count: 20_000))) }
            continuation.finish()
          }
        })
    default:
      request = .post(
        url,
        body: .oneShot(
          AsyncStream { continuation in
            continuation.yield(ByteChunk("once"))
            continuation.finish()
          }))
    }
    request.options.expectsContinue = Int.random(in: 0..<4, using: &random) == 0
    request.options.timeouts.total = .after(.milliseconds(Int.random(in: 1...300, using: &random)))
    let chosen = request
    let reads = Int.random(in: 0..<3, using: &random)
    let task = Task {
      guard let response = try? await client.send(chosen) else { return }
      switch reads {
      case 0: break
      case 1: _ = try? await response.collect()
      default: for try await _ in response.body { break }
      }
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      for _ in 0..<Int.random(in: 0..<200, using: &random) { await Task.yield() }
      task.cancel()
    }
    _ = await task.result
  }

  private static func playAll(_ seeds: Range<UInt64>, _ wire: HTTP2Scene.Wire) async throws {
    let certificates = try TestCertificates()
    let before = try await DescriptorCount.baseline()
    for seed in seeds {
      let server = try HTTP2FrameServer.start(options: try HTTP2Scene.options(wire, certificates)) { connection in
        try play(connection, seed: seed &* 1000 &+ UInt64(connection.number))
      }
      var configuration = HTTP2Scene.configuration(wire, certificates)
      configuration.pool.maximumHTTP2ConnectionsPerOrigin = 3
      configuration.expectContinueTimeout = .milliseconds(5)
      let client = HTTPClient(configuration: configuration)
      let url = server.url("/x")
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 { group.addTask { await call(client, url, seed: seed &* 77 &+ UInt64(number)) } }
        if seed % 4 == 0 { group.addTask { await client.shutdown(grace: .milliseconds(Int(seed % 32))) } }
      }
      // A long grace: whatever did not end by itself would make this last.
      await client.waitForPools { $0.leasedStreams == 0 && $0.waiting == 0 }
      await client.shutdown(grace: .seconds(600))
      server.stop()
    }
    // Shards and the runtime keep descriptors of other kinds.
    while DescriptorCount.now().added(since: before).values.contains(where: { $0.hasPrefix("socket:") }) {
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  @Test("random servers, random callers: every call ends and nothing is left", arguments: HTTP2Scene.Wire.allCases)
  func randomServers(_ wire: HTTP2Scene.Wire) async throws {
    try await Self.playAll(0..<UInt64(TestSize.of(30, long: 1000)), wire)
  }

  // MARK: Cut transcripts

  /// A response with everything: SETTINGS, an interim head, a body in padded and plain frames, trailers.
  private static let transcript: [UInt8] = {
    let response: [HTTP2Frame] = [
      .settings([.maxConcurrentStreams(10)]), .settingsAck, .windowUpdate(0, 1000),
      // :status 103
      .headers(1, [0x08, 0x03, 0x31, 0x30, 0x33]),
      // :status 200
      .headers(1, [0x88]), .data(1, Array("hello, ".utf8), padding: 5), .ping(7), .unknown(payload: [1]),
      .data(1, Array("world".utf8)),
      // x: y
      .headers(1, [0x00, 0x01, 0x78, 0x01, 0x79], endStream: true),
    ]
    return response.flatMap(\.encoded)
  }()

  @Test("a transcript that is cut at any byte is an error, and whole it is a response")
  func cuts() async throws {
    let whole = Self.transcript
    // Connection n gets n - 1 bytes.
    let server = try HTTP2FrameServer.start { connection in
      _ = try connection.nextHeadWithoutHandshake()
      try connection.sendRaw(Array(whole.prefix(connection.number - 1)))
      if connection.number > whole.count { try connection.readUntilClosed() } else { try connection.close() }
    }
    defer { server.stop() }
    for count in 0...whole.count {
      var configuration = HTTPClientConfiguration()
      configuration.httpVersion = .http2PriorKnowledge
      let client = HTTPClient(configuration: configuration)
      do throws(TransportError) {
        let text = try await client.send(.post(server.url(), body: .text("pay"))).text()
        #expect(text == "hello, world")
        #expect(count == whole.count)
      } catch {
        #expect(count < whole.count)
        #expect([.connectionLost, .emptyReply].contains(error.code), "\(count): \(error)")
        #expect(error.sent == .all, "\(count): \(error)")
      }
      await client.shutdown(grace: .zero)
    }
    #expect(server.snapshot.connections.count == whole.count + 1)
  }

  @Test("a transcript that comes byte by byte is a response", arguments: HTTP2Scene.Wire.allCases)
  func trickle(_ wire: HTTP2Scene.Wire) async throws {
    let whole = Self.transcript
    let certificates = try TestCertificates()
    let server = try HTTP2FrameServer.start(options: try HTTP2Scene.options(wire, certificates)) { connection in
      _ = try connection.nextHeadWithoutHandshake()
      try connection.sendPieces(whole.map { [$0] })
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    let client = HTTPClient(configuration: HTTP2Scene.configuration(wire, certificates))
    let response = try await client.send(.get(server.url()))
    #expect(try await response.text() == "hello, world")
    #expect(response.body.trailers?["x"] == "y")
    await client.shutdown(grace: .zero)
  }
}

extension HTTP2FrameConnection {
  /// Reads up to the first request, and says nothing.
  fileprivate func nextHeadWithoutHandshake() throws -> HTTP2FrameRequest {
    acknowledges = false
    returnsWindow = false
    try readPreface()
    return try nextRequest()
  }
}
