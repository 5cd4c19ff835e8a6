import LinnetBytes
import LinnetHTTP
import LinnetProtocols
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// Many bodies over one connection, in both directions, with consumers and producers of every pace.
@Suite("HTTP/2 flow control", .timeLimit(.minutes(TestSize.isLong ? 20 : 2)))
struct HTTP2FlowTests {
  // MARK: Downloads

  @Test("a thousand downloads on one connection: every pace, cancels, drops and resets; right bytes, bounded memory")
  func thousandDownloads() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await Self.downloadOften() } }
  }

  private static func downloadOften() async throws {
    for seed in 0..<UInt64(TestSize.of(2, long: 50)) { try await downloadAll(seed: seed) }
  }

  private static func downloadAll(seed: UInt64) async throws {
    let count = 1000
    let stopped = 100
    var random = SeededGenerator(seed: seed)
    let downloads = (0..<count).map { FlowDownload($0, stopped: stopped, random: &random) }
    var options = HTTP2FrameServer.Options()
    options.frameRecordLimit = 0
    let server = try HTTP2FrameServer.serving(options: options, settings: [.maxConcurrentStreams(1000)]) { request in
      downloads[Int(request.path.dropFirst()) ?? 0].response
    }
    defer { server.stop() }
    let window = 32 << 10
    let budget = 8 << 20
    let client = HTTPClient(
      configuration: .oneHTTP2Connection(streams: 1000) { configuration in
        configuration.http2.initialStreamWindowBytes = window
        configuration.http2.maximumStreamWindowBytes = 1 << 20
        configuration.http2.windowGrowthBudgetBytes = budget
      })
    let progress = FlowProgress()
    let before = ResidentMemory.bytes
    try await progress.watch(client) {
      await withTaskGroup { group in
        for download in downloads {
          let url = server.url("/\(download.number)")
          group.addTask {
            await download.run(client, url, progress, of: count - stopped)
            progress.ended()
          }
        }
      }
    }
    let growth = ResidentMemory.peakBytes - before
    // The rest is for the tasks, the server, and what ended streams still hold for their consumers. What the consumers that
    // stopped do not read is far more than all that.
    // ThreadSanitizer has a state of its own for each of the thousand tasks; there the bound would measure that.
    #if !LINNET_TSAN
      #expect(growth < count * window + budget + 48 << 20, "grew by \(growth >> 20) MiB")
    #else
      _ = growth
    #endif
    #expect(progress.bytes > 150 << 20)
    let snapshot = server.snapshot
    #expect(snapshot.connections.count == 1)
    #expect(snapshot.violations.isEmpty)
    await client.waitForPools { $0.leasedStreams + $0.waiting == 0 }
    #expect(client.flowControlReports.joined().contains("stream ") == false)
    await client.shutdown(grace: .zero)
  }

  @Test("a slow consumer of an endless body costs what its window allows, and the server has to wait")
  func slowConsumer() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await Self.readSlowly() } }
  }

  private static func readSlowly() async throws {
    let server = try HTTP2FrameServer.serving { $0.path == "/tick" ? .text("x") : .pattern(2 << 30) }
    defer { server.stop() }
    let maximum = 1 << 20
    let client = HTTPClient(
      configuration: .oneHTTP2Connection { $0.http2.maximumStreamWindowBytes = maximum })
    let response = try await client.send(.get(server.url("/")))
    var received: UInt64 = 0
    var before = 0
    // Between two chunks a whole exchange passes, in which the server could send far more than is read.
    while received < UInt64(TestSize.of(48, long: 2000)) << 20, let chunk = try await response.body.next() {
      #expect(TestPattern.firstMismatch(in: chunk, from: received) == nil)
      received += UInt64(chunk.count)
      _ = try await client.send(.get(server.url("/tick"))).collect()
      if before == 0, received > 4 << 20 { before = ResidentMemory.bytes }
    }
    let growth = ResidentMemory.peakBytes - before
    #expect(growth < 16 << 20, "grew by \(growth >> 20) MiB")
    let record = server.snapshot.connections[0]
    let granted = record.granted(on: 1)
    #expect(granted <= received + UInt64(maximum), "\(granted) bytes were allowed, \(received) were read")
    #expect(record.violations.isEmpty)
    await client.shutdown(grace: .zero)
  }

  @Test("consumers that never read stop no other stream of their connection")
  func unreadStreams() async throws {
    let server = try HTTP2FrameServer.serving { .pattern(UInt64($0.path.dropFirst()) ?? 0) }
    defer { server.stop() }
    let client = HTTPClient(configuration: .oneHTTP2Connection())
    var unread: [HTTPResponse] = []
    for _ in 0..<50 { unread.append(try await client.send(.get(server.url("/2000000")))) }
    let body = try await client.send(.get(server.url("/20000000"))).collect()
    #expect(TestPattern.firstMismatch(in: body) == nil)
    #expect(body.count == 20_000_000)
    // Those that were left alone are still whole.
    for response in unread.prefix(10) {
      let body = try await response.collect()
      #expect(body.count == 2_000_000)
      #expect(TestPattern.firstMismatch(in: body) == nil)
    }
    #expect(server.snapshot.connections.count == 1)
    #expect(server.snapshot.violations.isEmpty)
  }

  /// What a server saw of the windows that it was given.
  private struct WindowPeaks: Sendable {
    var stream = 0
    var sum = 0
  }

  @Test(
    "windows grow for consumers that wait, up to their maximum and within the budget of the connection",
    arguments: [(maximum: 1 << 20, budget: 64 << 20), (8 << 20, 1 << 20), (1 << 20, 0), (64 << 10, 64 << 20)])
  func windowGrowth(_ limits: (maximum: Int, budget: Int)) async throws {
    let (initial, streams) = (64 << 10, 4)
    let peaks = Lock(WindowPeaks())
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake()
      var ids: [UInt32] = []
      for _ in 0..<streams {
        let id = try connection.nextRequest().stream
        try connection.sendFields([HeaderLine(":status", "200")], on: id)
        ids.append(id)
      }
      // Whatever is allowed is sent, so all consumers wait all the time.
      var left = Array(repeating: 12 << 20, count: streams)
      while left.contains(where: { $0 > 0 }) {
        let windows = ids.map { connection.sendWindow(of: $0) ?? 0 }
        peaks.withLock { peaks in
          peaks.stream = max(peaks.stream, windows.max() ?? 0)
          peaks.sum = max(peaks.sum, windows.reduce(0, +))
        }
        var isBlocked = true
        for (index, id) in ids.enumerated() where left[index] > 0 {
          let size = min(windows[index], connection.sendWindow, 16_384, left[index])
          guard size > 0 else { continue }
          isBlocked = false
          let offset = UInt64((12 << 20) - left[index])
          left[index] -= size
          try connection.send(.data(id, TestPattern.bytes(size, from: offset), endStream: left[index] == 0))
        }
        if isBlocked { try connection.readFrame() } else { try connection.readAvailableFrames() }
      }
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    let client = HTTPClient(
      configuration: .oneHTTP2Connection { configuration in
        configuration.http2.initialStreamWindowBytes = initial
        configuration.http2.maximumStreamWindowBytes = limits.maximum
        configuration.http2.windowGrowthBudgetBytes = limits.budget
      })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<streams {
        group.addTask {
          let body = try await client.send(.get(server.url("/"))).collect()
          #expect(body.count == 12 << 20)
          #expect(TestPattern.firstMismatch(in: body) == nil)
        }
      }
      try await group.waitForAll()
    }
    let seen = peaks.withLock { $0 }
    #expect(seen.stream <= limits.maximum, "\(seen)")
    #expect(seen.sum <= streams * initial + limits.budget, "\(seen)")
    let mayGrow = limits.budget > 0 && limits.maximum > initial
    #expect((seen.stream > initial) == mayGrow, "\(seen)")
    #expect(server.snapshot.violations.isEmpty)
  }

  // MARK: Uploads

  @Test("uploads stay right while the server changes their windows, to less than was sent and back", arguments: 0..<3)
  func settingsDuringUploads(seed: UInt64) async throws {
    let (uploads, size) = (12, 600_000)
    let server = try HTTP2FrameServer.start { connection in
      var random = SeededGenerator(seed: seed)
      try connection.handshake()
      try connection.respond(try connection.nextRequest().stream, .text("0"))
      for _ in 0..<80 {
        let window = [0, 0, 1, 1000, 65_535, 300_000, 2_000_000].randomElement(using: &random) ?? 0
        try connection.send(.settings([.initialWindowSize(UInt32(window))]))
        try connection.readFrame { $0.kind == .settings && $0.isAck }
        for _ in 0..<Int.random(in: 0..<4, using: &random) { try connection.readAvailableFrames() }
      }
      try connection.send(.settings([.initialWindowSize(100_000)]))
      for _ in 0..<uploads {
        let request = try connection.nextRequest()
        try connection.respond(request.stream, .text("\(request.bodyBytes)"))
      }
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    try await Self.upload(uploads, size: size, to: server, seed: seed)
  }

  @Test("uploads stay right when the server gives windows of single bytes", arguments: 0..<3)
  func tinyWindows(seed: UInt64) async throws {
    let (uploads, size) = (6, 20_000)
    let server = try HTTP2FrameServer.start { connection in
      var random = SeededGenerator(seed: seed)
      connection.returnsWindow = false
      try connection.handshake([.initialWindowSize(0)])
      try connection.respond(try connection.nextRequest().stream, .text("0"))
      var open: [UInt32: UInt64] = [:]
      for _ in 0..<uploads { open[try connection.nextHead().stream] = 0 }
      while !open.isEmpty {
        guard let id = open.keys.sorted().randomElement(using: &random) else { break }
        let increment = UInt32([1, 1, 2, 17, 1000, 5000].randomElement(using: &random) ?? 1)
        try connection.send(.windowUpdate(id, increment), .windowUpdate(0, increment))
        // What was allowed is sent at once, and nothing else can be.
        let frame = try connection.readFrame { $0.kind == .data }
        let received = (open[frame.stream] ?? 0) + UInt64(frame.content?.count ?? 0)
        open[frame.stream] = received
        if frame.endsStream {
          open[frame.stream] = nil
          try connection.respond(frame.stream, .text("\(received)"))
        }
      }
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    try await Self.upload(uploads, size: size, to: server, seed: seed)
  }

  /// Half of the bodies are in memory, the others come from producers of a random pace.
  private static func upload(_ count: Int, size: Int, to server: HTTP2FrameServer, seed: UInt64) async throws {
    let client = HTTPClient(configuration: .oneHTTP2Connection(streams: count))
    let progress = FlowProgress()
    // Afterwards the server's settings are known.
    #expect(try await client.send(.get(server.url("/"))).text() == "0")
    try await progress.watch(client) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
          let body: HTTPRequestBody =
            number % 2 == 0
            ? .bytes(TestPattern.bytes(size))
            : .stream(length: number % 4 == 1 ? UInt64(size) : nil) {
              AsyncStream(unfolding: PacedPattern(size, seed: seed &* 1000 &+ UInt64(number), progress).next)
            }
          group.addTask {
            let text = try await client.send(.post(server.url("/\(number)"), body: body)).text()
            #expect(text == "\(size)")
            progress.ended()
          }
        }
        try await group.waitForAll()
      }
    }
    let snapshot = server.snapshot
    #expect(snapshot.violations.isEmpty)
    #expect(snapshot.connections.count == 1)
    #expect(snapshot.requests.count == count + 1)
    for request in snapshot.requests.dropFirst() {
      #expect(request.body.count == UInt64(size))
      #expect(request.body.matchesTestPattern)
    }
    await client.shutdown(grace: .zero)
  }

  @Test("two hundred uploads at once, from producers of every pace")
  func manyUploads() async throws {
    var options = HTTP2FrameServer.Options()
    options.frameRecordLimit = 0
    options.socket.keptBodyBytes = 0
    let server = try HTTP2FrameServer.serving(options: options, settings: [.maxConcurrentStreams(200)]) {
      .text("\($0.bodyBytes)")
    }
    defer { server.stop() }
    try await Self.upload(200, size: TestSize.of(200_000, long: 1 << 20), to: server, seed: 7)
  }

  @Test("a large upload needs no more memory than a small one")
  func largeUpload() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await Self.uploadLarge() } }
  }

  private static func uploadLarge() async throws {
    var options = HTTP2FrameServer.Options()
    options.frameRecordLimit = 0
    options.socket.keptBodyBytes = 0
    let server = try HTTP2FrameServer.serving(options: options) { .text("\($0.bodyBytes)") }
    defer { server.stop() }
    let client = HTTPClient(configuration: .oneHTTP2Connection())
    let sizes = [8 << 20, TestSize.of(100, long: 1024) << 20]
    var before = 0
    for size in sizes {
      let body = HTTPRequestBody.stream { AsyncStream(unfolding: PacedPattern(size, pieceBytes: 1 << 20).next) }
      #expect(try await client.send(.post(server.url("/"), body: body)).text() == "\(size)")
      if before == 0 { before = ResidentMemory.bytes }
    }
    let growth = ResidentMemory.peakBytes - before
    #expect(growth < 16 << 20, "grew by \(growth >> 20) MiB")
    #expect(server.snapshot.requests.allSatisfy { $0.body.matchesTestPattern })
    #expect(server.snapshot.violations.isEmpty)
  }

  // MARK: Both directions

  @Test("one stream carries both directions at once: the answer begins before the request ends")
  func bidirectional() async throws {
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake()
      let id = try connection.nextHead().stream
      try connection.sendFields([HeaderLine(":status", "200")], on: id)
      while true {
        let frame = try connection.readFrame { $0.kind == .data && $0.stream == id }
        try connection.sendData(frame.content ?? [], on: id, endStream: frame.endsStream)
        if frame.endsStream { break }
      }
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    // The server never has to wait for a window: the frames that it read meanwhile would be lost to the echo.
    let client = HTTPClient(configuration: .oneHTTP2Connection { $0.http2.initialStreamWindowBytes = 1 << 20 })
    let (stream, requestBody) = AsyncStream<ByteChunk>.makeStream()
    // The head of the answer comes while nothing of the body was produced.
    let response = try await client.send(.post(server.url("/"), body: .oneShot(stream)))
    var sent: UInt64 = 0
    for size in [1, 2, 100, 16_384, 65_536, 200_000] {
      requestBody.yield(ByteChunk(TestPattern.bytes(size, from: sent)))
      sent += UInt64(size)
      // All of it comes back before more is produced.
      var received = sent - UInt64(size)
      while received < sent {
        let chunk = try #require(try await response.body.next())
        #expect(TestPattern.firstMismatch(in: chunk, from: received) == nil)
        received += UInt64(chunk.count)
      }
    }
    requestBody.finish()
    #expect(try await response.body.next() == nil)
    let request = try await server.waitForRequests(1)[0]
    #expect(request.body.count == sent)
    #expect(request.body.matchesTestPattern)
    #expect(request.resetCode == nil)
    #expect(server.snapshot.violations.isEmpty)
  }

  // MARK: Ends

  @Test("shutdown lets two hundred streams finish within its grace")
  func shutdownWithGrace() async throws {
    let gate = Gate()
    let server = try Self.heldServer(gate, requests: 200)
    defer { server.stop() }
    let client = HTTPClient(configuration: .oneHTTP2Connection(streams: 200))
    let tasks = (0..<200).map { client.start(.get(server.url("/\($0)"))) }
    try await server.waitForRequests(200)
    let shutdown = Task { await client.shutdown(grace: .seconds(60)) }
    // The client takes nothing new from now on.
    while await client.failure(of: .get(server.url("/late")))?.code != .clientShutDown { await Task.yield() }
    gate.open()
    for task in tasks { #expect(await task.value == nil) }
    await shutdown.value
    try await Self.expectNothingLeft(of: client, on: server)
  }

  @Test("shutdown without grace ends two hundred streams at once, in every state")
  func shutdownWithoutGrace() async throws {
    let server = try Self.heldServer(Gate(), requests: 200)
    defer { server.stop() }
    let client = HTTPClient(configuration: .oneHTTP2Connection(streams: 400))
    // Half have their head and nobody reads the body, half wait for the head.
    var responses: [HTTPResponse] = []
    for number in 0..<100 { responses.append(try await client.send(.get(server.url("/open/\(number)")))) }
    let tasks = (0..<100).map { client.start(.get(server.url("/\($0)"))) }
    try await server.waitForRequests(200)
    await client.shutdown(grace: .zero)
    for task in tasks { #expect(await task.value?.code == .clientShutDown) }
    for response in responses {
      let error = await #expect(throws: TransportError.self) { try await response.collect() }
      #expect(error?.code == .clientShutDown)
    }
    try await Self.expectNothingLeft(of: client, on: server)
  }

  @Test("a client is dropped with streams in flight: those that are read end well, and then its connection is gone")
  func droppedInFlight() async throws {
    let gate = Gate()
    let server = try Self.heldServer(gate, requests: 60)
    defer { server.stop() }
    weak var dropped: HTTPClient?
    var bodies: [HTTPResponseBody] = []
    do {
      let client = HTTPClient(configuration: .oneHTTP2Connection(streams: 200))
      dropped = client
      for number in 0..<60 { bodies.append(try await client.send(.get(server.url("/open/\(number)"))).body) }
    }
    #expect(dropped == nil)
    bodies.removeLast(20)
    gate.open()
    for body in bodies { #expect(try await body.collect(upTo: 2_000_000).count == 1_000_000) }
    bodies = []
    try await server.waitForConnectionsClosed(1)
    #expect(ClientSockets.count(toPort: server.port) == 0)
    #expect(server.snapshot.violations.isEmpty)
  }

  /// Answers so many requests when the gate opens; those of `/open/…` get their head at once.
  private static func heldServer(_ gate: Gate, requests count: Int) throws -> HTTP2FrameServer {
    try HTTP2FrameServer.start { connection in
      try connection.handshake([.maxConcurrentStreams(400)])
      var waiting: [HTTP2FrameRequest] = []
      while waiting.count < count {
        let request = try connection.nextRequest()
        waiting.append(request)
        if request.path.hasPrefix("/open") {
          try connection.sendFields([HeaderLine(":status", "200")], on: request.stream)
        }
      }
      try connection.wait(for: gate)
      for request in waiting {
        if request.path.hasPrefix("/open") {
          try connection.sendData(TestPattern.bytes(1_000_000), on: request.stream, endStream: true)
        } else {
          try connection.respond(request.stream, .text(request.path))
        }
      }
      try connection.readUntilClosed()
    }
  }

  private static func expectNothingLeft(of client: HTTPClient, on server: HTTP2FrameServer) async throws {
    try await server.waitForConnectionsClosed(1)
    #expect(ClientSockets.count(toPort: server.port) == 0)
    #expect(client.pendingCount == 0)
    #expect(server.snapshot.connections.count == 1)
    #expect(server.snapshot.violations.isEmpty)
  }
}

extension HTTP2ConnectionRecord {
  /// What the client allowed the server to send on a stream in all.
  fileprivate func granted(on stream: UInt32) -> UInt64 {
    frames(.windowUpdate).filter { $0.stream == stream }.reduce(UInt64(settings[0x4] ?? 65_535)) {
      $0 + UInt64($1.increment ?? 0)
    }
  }
}

/// Produces ``TestPattern`` in pieces of random sizes, at a random pace.
private final class PacedPattern: Sendable {
  private struct State {
    var offset = 0
    var random: SeededGenerator
  }

  private let size: Int
  private let pieceBytes: Int?
  private let progress: FlowProgress?
  private let state: Lock<State>

  init(_ size: Int, seed: UInt64, _ progress: FlowProgress) {
    self.size = size
    pieceBytes = nil
    self.progress = progress
    state = Lock(State(random: SeededGenerator(seed: seed)))
  }

  init(_ size: Int, pieceBytes: Int) {
    self.size = size
    self.pieceBytes = pieceBytes
    progress = nil
    state = Lock(State(random: SeededGenerator(seed: 0)))
  }

  func next() async -> ByteChunk? {
    let (chunk, yields) = state.withLock { state -> (ByteChunk?, Int) in
      guard state.offset < size else { return (nil, 0) }
      let wanted = pieceBytes ?? [1, 100, 16_384, 50_000, 300_000].randomElement(using: &state.random) ?? 1
      let count = min(wanted, size - state.offset)
      let chunk = ByteChunk(TestPattern.bytes(count, from: UInt64(state.offset)))
      state.offset += count
      return (chunk, pieceBytes == nil ? Int.random(in: 0..<30, using: &state.random) : 0)
    }
    for _ in 0..<yields { await Task.yield() }
    progress?.moved(chunk?.count ?? 0)
    return chunk
  }
}
