import LinnetBytes
import LinnetHTTP
import LinnetProtocols
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// What requests on one connection do to each other: nothing.
@Suite("HTTP/2 cancellation and fairness", .timeLimit(.minutes(2)))
struct HTTP2FairnessTests {
  /// Holds every request until the gate opens, then answers all with their targets.
  private static func answer(after gate: Gate, _ connection: HTTP2FrameConnection) throws {
    try connection.handshake()
    try connection.wait(for: gate)
    try connection.serve { .text($0.target) }
  }

  // MARK: Cancellation

  @Test("a cancelled task resets its own stream and nobody else's", arguments: HTTP2Scene.Wire.allCases)
  func cancel(_ wire: HTTP2Scene.Wire) async throws {
    let gate = Gate()
    try await HTTP2Scene.with(
      wire, { connection in try Self.answer(after: gate, connection) },
      { scene async throws in
        let requests = (0..<10).map { scene.client.start(scene.get("/\($0)")) }
        let heads = try await scene.server.waitForRequests(10)
        for index in [2, 5, 9] { requests[index].cancel() }
        let resets = try await scene.server.waitForResets(3)
        gate.open()
        for (index, request) in requests.enumerated() {
          let error = await request.value
          #expect(error?.code == ([2, 5, 9].contains(index) ? .cancelled : nil))
        }
        let cancelled = heads.filter { ["/2", "/5", "/9"].contains($0.target) }.map(\.stream)
        #expect(Set(resets.map(\.stream)) == Set(cancelled))
        #expect(resets.allSatisfy { $0.code == .cancel })
        #expect(try await scene.text("/next") == "/next")
        #expect(scene.server.snapshot.connections.count == 1)
        #expect(scene.server.snapshot.connections[0].resets.count == 3)
      })
  }

  @Test("a request that times out resets its own stream and nobody else's")
  func timeout() async throws {
    let gate = Gate()
    try await HTTP2Scene.with(
      .cleartext, { connection in try Self.answer(after: gate, connection) },
      { scene async throws in
        let other = scene.client.start(scene.get("/other"))
        try await scene.server.waitForRequests(1)
        let request = scene.get("/late").with { $0.options.timeouts.total = .after(.milliseconds(50)) }
        #expect(await scene.client.failure(of: request)?.code == .totalTimeout)
        #expect(try await scene.server.waitForResets(1).map(\.code) == [.cancel])
        gate.open()
        #expect(await other.value == nil)
      })
  }

  @Test("a response whose body is dropped resets its own stream", arguments: HTTP2Scene.Wire.allCases)
  func dropped(_ wire: HTTP2Scene.Wire) async throws {
    try await HTTP2Scene.serving(
      wire, { $0.path == "/large" ? .pattern(100 << 20) : .text($0.target) },
      { scene async throws in
        for number in 0..<5 {
          let status = try await scene.client.send(scene.get("/large")).status
          #expect(status == .ok)
          try await scene.server.waitForResets(number + 1)
          #expect(try await scene.text("/\(number)") == "/\(number)")
        }
        let partly = try await scene.client.send(scene.get("/large"))
        #expect(try await partly.body.next() != nil)
        try await scene.client.withResponse(to: scene.get("/large")) { _ in }
        let resets = try await scene.server.waitForResets(6)
        #expect(resets.allSatisfy { $0.code == .cancel })
        let record = scene.server.snapshot.connections[0]
        #expect(record.requests.filter { $0.path != "/large" }.allSatisfy { $0.resetCode == nil })
        #expect(scene.server.snapshot.connections.count == 1)
      })
  }

  @Test("a cancelled upload stops", arguments: HTTP2Scene.Wire.allCases)
  func cancelledUpload(_ wire: HTTP2Scene.Wire) async throws {
    try await HTTP2Scene.serving(
      wire, { .text($0.target) },
      { scene async throws in
        let endless = HTTPRequestBody.stream {
          AsyncStream(unfolding: { ByteChunk([UInt8](repeating: 1, count: 10_000)) })
        }
        let upload = scene.client.start(scene.post("/upload", endless))
        try await scene.server.wait(for: "some of the upload") { ($0.connections.first?.dataBytes ?? 0) > 1 << 20 }
        upload.cancel()
        #expect(await upload.value?.code == .cancelled)
        #expect(try await scene.server.waitForResets(1).map(\.code) == [.cancel])
        #expect(try await scene.text("/next") == "/next")
        #expect(scene.server.snapshot.connections.count == 1)
      })
  }

  // MARK: Late frames

  @Test(
    "what a server still sends on a stream that was reset costs nobody anything", arguments: HTTP2Scene.Wire.allCases)
  func lateFrames(_ wire: HTTP2Scene.Wire) async throws {
    // More than the connection's window: all of it is returned.
    let lateFrames = (80 << 20) / 16_384
    try await HTTP2Scene.with(
      wire,
      { connection in
        try connection.handshake()
        let head = try connection.nextRequest()
        try connection.begin(head.stream, body: [1])
        let other = try connection.nextRequest()
        try connection.begin(other.stream, body: Array("begun ".utf8))
        while connection.isOpen(head.stream) { try connection.readFrame() }
        let zeros = [UInt8](repeating: 0, count: 16_384)
        for _ in 0..<lateFrames {
          while connection.sendWindow < zeros.count { try connection.readFrame() }
          try connection.send(.data(head.stream, zeros))
        }
        try connection.send(.data(head.stream, [], endStream: true))
        try connection.sendData(Array("ended".utf8), on: other.stream, endStream: true)
        try connection.serve { .text($0.target) }
      },
      { scene async throws in
        var dropped: HTTPResponse? = try await scene.client.send(scene.get("/dropped"))
        let other = try await scene.client.send(scene.get("/other"))
        #expect(dropped?.status == .ok)
        dropped = nil
        let before = ResidentMemory.peakBytes
        #expect(try await other.text() == "begun ended")
        #expect(try await scene.text("/next") == "/next")
        #expect(scene.server.snapshot.connections.count == 1)
        #expect(scene.server.snapshot.connections[0].resets.map(\.code) == [.cancel])
        #expect(ResidentMemory.peakBytes - before < 64 << 20)
      })
  }

  // MARK: Fairness

  @Test("a large upload does not hold up small requests", arguments: HTTP2Scene.Wire.allCases, [true, false])
  func largeUpload(_ wire: HTTP2Scene.Wire, isStream: Bool) async throws {
    let size = TestSize.of(24 << 20, long: 100 << 20)
    try await HTTP2Scene.serving(
      wire, settings: [.initialWindowSize(16_384)], { .text($0.target + " \($0.bodyBytes)") },
      { scene async throws in
        let bytes = ByteChunk(TestPattern.bytes(size))
        let stream = HTTPRequestBody.stream(length: UInt64(size)) {
          AsyncStream { continuation in
            for start in stride(from: 0, to: size, by: 1 << 20) {
              continuation.yield(bytes.dropFirst(start).prefix(1 << 20))
            }
            continuation.finish()
          }
        }
        let upload = Task { try await scene.client.send(scene.post("/up", isStream ? stream : .chunk(bytes))).text() }
        try await scene.server.wait(for: "the upload to begin") { ($0.connections.first?.dataBytes ?? 0) > 100_000 }
        for number in 0..<20 {
          #expect(try await scene.text("/\(number)") == "/\(number) 0")
          let request = scene.post("/p\(number)", .bytes(TestPattern.bytes(1000)))
          #expect(try await scene.client.send(request).text() == "/p\(number) 1000")
        }
        // All of them were answered while the upload was not half done.
        #expect(scene.server.snapshot.connections[0].dataBytes < UInt64(size / 2))
        #expect(try await upload.value == "/up \(size)")
        #expect(scene.server.snapshot.connections.count == 1)
      })
  }

  @Test("a large download that is not read does not hold up others", arguments: HTTP2Scene.Wire.allCases)
  func unreadDownload(_ wire: HTTP2Scene.Wire) async throws {
    try await HTTP2Scene.serving(
      wire, { $0.path == "/large" ? .pattern(4 << 20) : .pattern(300_000) },
      { scene async throws in
        let unread = try await scene.client.send(scene.get("/large"))
        for _ in 0..<20 {
          #expect(try await scene.client.send(scene.get()).collect() == ByteChunk(TestPattern.bytes(300_000)))
        }
        #expect(try await unread.collect() == ByteChunk(TestPattern.bytes(4 << 20)))
        #expect(scene.server.snapshot.connections.count == 1)
      })
  }

  @Test("bodies of many uploads take turns")
  func uploadsTakeTurns() async throws {
    let size = 2 << 20
    let turns = EventRecorder<UInt32>()
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        var open = 0
        var ended = 0
        while ended < 4 {
          let frame = try connection.readFrame()
          if frame.kind == .headers { open += 1 }
          if frame.kind == .data, open == 4 { turns.record(frame.stream) }
          if frame.endsStream { ended += 1 }
        }
        try connection.serve { .text("\($0.bodyBytes)") }
      },
      { scene async throws in
        let bytes = HTTPRequestBody.bytes(TestPattern.bytes(size))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<4 {
            group.addTask {
              let text = try await scene.client.send(scene.post("/\(number)", bytes)).text()
              #expect(text == "\(size)")
            }
          }
          try await group.waitForAll()
        }
        // While all have something to send, none sends everything before another one sends anything.
        let order = turns.events
        let firsts = Set(order).compactMap { order.firstIndex(of: $0) }.max() ?? 0
        let firstEnd = Set(order).compactMap { order.lastIndex(of: $0) }.min() ?? 0
        #expect(Set(order).count == 4)
        #expect(firsts < firstEnd)
      })
  }

  // MARK: Storms

  @Test(
    "a storm of cancelled requests leaves no stream, waiter or connection behind", arguments: HTTP2Scene.Wire.allCases)
  func storm(_ wire: HTTP2Scene.Wire) async throws {
    let rounds = TestSize.of(100, long: 2000)
    try await HTTP2Scene.serving(
      wire, settings: [.maxConcurrentStreams(8)],
      configure: { $0.pool.maximumHTTP2ConnectionsPerOrigin = 2 },
      { $0.body.count > 0 ? .text("posted") : .pattern(40_000) },
      { scene async throws in
        await withTaskGroup { group in
          for worker in 0..<20 {
            group.addTask {
              var random = SeededGenerator(seed: UInt64(worker))
              for round in 0..<rounds {
                let request =
                  round % 3 == 0 ? scene.post("/", .bytes(TestPattern.bytes(100_000))) : scene.get()
                let task = scene.client.start(request)
                for _ in 0..<Int.random(in: 0..<60, using: &random) { await Task.yield() }
                task.cancel()
                let error = await task.value
                #expect(error == nil || error?.code == .cancelled, "\(String(describing: error))")
              }
            }
          }
        }
        await scene.client.waitForPools { $0.leasedStreams + $0.waiting + $0.dialling + $0.inUse == 0 }
        let body = try await scene.client.send(scene.get()).collect()
        #expect(body.count == 40_000)
        let snapshot = scene.server.snapshot
        #expect(snapshot.connections.count - snapshot.closedCount <= 2)
        #expect(ClientSockets.count(toPort: scene.server.port) <= 2)
        await scene.client.shutdown(grace: .zero)
        #expect(ClientSockets.count(toPort: scene.server.port) == 0)
      })
  }
}
