import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetProtocols
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// User reports about cancelling and shutting down.
@Suite("Reports: cancellation", .timeLimit(.minutes(1)))
struct CancellationReportTests {
  // MARK: CAN-01

  @Test(
    "CAN-01: requests cancelled at random moments from elsewhere all end, as cancelled or with their answer",
    arguments: WireProtocol.versions)
  func randomMoments(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/big" ? .pattern(300_000) : .text("x") })
    defer { server.stop() }
    let client = wire.client()
    let (small, big) = (server.url("/"), server.url("/big"))
    // More than a thousand resets at a stretch are an attack for a server, which ends the connection (CVE-2023-44487).
    let count = wire.isHTTP2 ? 30 : TestSize.of(60, long: 1000)
    let outcomes = await withTaskGroup { group in
      for worker in 0..<32 {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(worker))
          var outcomes: [TransportError.Code?: Int] = [:]
          for _ in 0..<count {
            let task = client.start(.get(Bool.random(using: &random) ? small : big))
            let yields = Int.random(in: 0..<100, using: &random)
            let canceller = Task {
              for _ in 0..<yields { await Task.yield() }
              task.cancel()
            }
            outcomes[await task.value?.code, default: 0] += 1
            await canceller.value
          }
          return outcomes
        }
      }
      return await group.reduce(into: [TransportError.Code?: Int]()) { $0.merge($1, uniquingKeysWith: +) }
    }
    #expect(outcomes.keys.allSatisfy { $0 == nil || $0 == .cancelled }, "\(outcomes)")
    #expect(outcomes.values.reduce(0, +) == 32 * count)
    await client.waitForPools { $0.leasedStreams + $0.waiting == 0 }
  }

  @Test(
    "CAN-01: a request may be cancelled by its own hook, by its body's stream, and by the reader of its response",
    arguments: WireProtocol.versions)
  func fromInside(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .pattern(1_000_000) })
    defer { server.stop() }
    let client = wire.client()
    for _ in 0..<20 {
      let hook = Task { () -> TransportError.Code? in
        let request = HTTPRequest.get(server.url("/")).with {
          $0.options.onEvent = { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        return await client.failure(of: request)?.code
      }
      #expect(await hook.value == .cancelled)

      let handle = Lock<Task<TransportError?, Never>?>(nil)
      let began = Gate()
      let body = HTTPRequestBody.stream {
        AsyncStream {
          try? await began.opened()
          handle.withLock { $0 }?.cancel()
          return ByteChunk("x")
        }
      }
      let upload = client.start(.post(server.url("/"), body: body))
      handle.withLock { $0 = upload }
      began.open()
      #expect(await upload.value?.code == .cancelled)

      let reader = Task { () -> TransportError.Code? in
        do throws(TransportError) {
          let response = try await client.send(.get(server.url("/")))
          while try await response.body.next() != nil { withUnsafeCurrentTask { $0?.cancel() } }
          return nil
        } catch { return error.code }
      }
      #expect(await reader.value == .cancelled)
    }
    await client.waitForPools { $0.leasedStreams + $0.waiting == 0 }
  }

  @Test("CAN-01: a cancellation handler may use the client", arguments: WireProtocol.versions)
  func handlerUsesClient(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/slow" ? .never : .text("x") })
    defer { server.stop() }
    let client = wire.client { $0.limitRequests(to: 2, over: version) }
    for round in 0..<20 {
      let followUps = EventRecorder<TransportError.Code?>()
      let task = Task {
        await withTaskCancellationHandler {
          await client.failure(of: .get(server.url("/slow")))
        } onCancel: {
          _ = client.pendingCount
          _ = Task { followUps.record(await client.failure(of: .get(server.url("/")))?.code) }
        }
      }
      try await server.waitForRequests(round * 2 + 1)
      task.cancel()
      #expect(await task.value?.code == .cancelled)
      #expect(try await followUps.waitForCount(1) == [nil])
    }
  }

  @Test("CAN-01: reading a body that comes as fast as it is read can be cancelled", arguments: WireProtocol.versions)
  func fastBody(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in ServerResponse.pattern(1 << 50).framed(.close) })
    defer { server.stop() }
    let client = wire.client()
    let started = Gate()
    let task = Task { () -> TransportError.Code? in
      do throws(TransportError) {
        let response = try await client.send(.get(server.url("/")))
        while try await response.body.next() != nil { started.open() }
        return nil
      } catch { return error.code }
    }
    try await started.opened()
    task.cancel()
    #expect(await task.value == .cancelled)
    if wire.isHTTP2 {
      try await server.wait(for: "a reset") { !$0.streamResets.isEmpty }
    } else {
      try await server.waitForConnectionsClosed(1)
    }
  }

  // MARK: CAN-02

  @Test(
    "CAN-02: a cancelled request closes its connection, so that the server stops",
    arguments: ExchangeStage.allCases.filter(\.isConnected))
  func closes(_ stage: ExchangeStage) async throws {
    let scene = try await ExchangeStage.Scene(stage)
    scene.task.cancel()
    let records = try await scene.server.waitForConnectionsClosed(1, within: .seconds(10))
    #expect(records.first?.ending == .peerClosed || records.first?.ending == .peerReset, "\(records)")
    #expect(await scene.task.value?.code == .cancelled)
    try await scene.end()
  }

  @Test(
    "CAN-02: over HTTP/2 a cancelled request resets its stream with CANCEL, so that the server stops, and nothing else",
    arguments: ExchangeStage.allCases.filter(\.isConnected))
  func resets(_ stage: ExchangeStage) async throws {
    let scene = try await ExchangeStage.Scene(stage, over: .http2)
    scene.task.cancel()
    let snapshot = try await scene.server.wait(for: "a reset", within: .seconds(10)) { !$0.streamResets.isEmpty }
    #expect(snapshot.streamResets.map(\.code) == [.cancel])
    #expect(await scene.task.value?.code == .cancelled)
    #expect(try await scene.client.send(scene.quick).text() == "quick")
    #expect(scene.server.snapshot.connectionCount == 1)
    try await scene.end()
  }

  // MARK: CAN-03

  @Test("CAN-03: a task that was cancelled before it began sends nothing", arguments: WireProtocol.versions)
  func beforeStart(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = wire.client()
    // With an idle connection at hand and without.
    for _ in 0..<2 {
      let gate = Gate()
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        gate.open()
        return await client.failure(of: .get(server.url("/late")))
      }
      task.cancel()
      #expect(await task.value?.code == .cancelled)
      #expect(try await client.send(.get(server.url("/"))).text() == "x")
    }
    #expect(server.snapshot.requests.map(\.path) == ["/", "/"])
  }

  @Test(
    "CAN-03: what comes first decides between cancellation and timeout, in every stage",
    arguments: ExchangeStage.allCases, WireProtocol.versions)
  func cancelOrTimeout(_ stage: ExchangeStage, over version: WireProtocol) async throws {
    for cancelsFirst in [true, false] {
      let clock = ManualClock()
      let scene = try await ExchangeStage.Scene(stage, over: version, clock: clock) {
        $0.timeouts = TimeoutConfiguration(
          connect: .seconds(100), connectionWait: .seconds(100), responseHead: nil, idle: nil, total: .seconds(1))
      }
      if cancelsFirst {
        scene.task.cancel()
        clock.advance(by: .seconds(1))
        #expect(await scene.task.value?.code == .cancelled)
      } else {
        let ended = EventRecorder<TransportError?>()
        let watcher = Task { ended.record(await scene.task.value) }
        await clock.advance(by: .seconds(1), until: ended)
        scene.task.cancel()
        await watcher.value
        #expect(ended.events.first??.code == .totalTimeout)
      }
      try await scene.end()
    }
  }

  @Test(
    "CAN-03: a cancellation and a timeout at the same time give one of both, and nothing else",
    arguments: ExchangeStage.allCases, WireProtocol.versions)
  func cancelAndTimeout(_ stage: ExchangeStage, over version: WireProtocol) async throws {
    for _ in 0..<5 {
      let clock = ManualClock()
      let scene = try await ExchangeStage.Scene(stage, over: version, clock: clock) {
        $0.timeouts = TimeoutConfiguration(
          connect: .seconds(100), connectionWait: .seconds(100), responseHead: nil, idle: nil, total: .seconds(1))
      }
      async let advanced: Void = clock.advance(by: .seconds(1))
      scene.task.cancel()
      await advanced
      let code = await scene.task.value?.code
      #expect(code == .cancelled || code == .totalTimeout)
      try await scene.end()
    }
  }

  // MARK: CAN-04

  @Test(
    "CAN-04: a shutdown without grace fails what is in flight, in every stage, twice without harm",
    arguments: ExchangeStage.allCases, WireProtocol.versions)
  func shutdown(_ stage: ExchangeStage, over version: WireProtocol) async throws {
    let scene = try await ExchangeStage.Scene(stage, over: version)
    let client = scene.client
    async let second: Void = client.shutdown(grace: .zero)
    await client.shutdown(grace: .zero)
    await second
    #expect(client.pendingCount == 0)
    #expect(await scene.task.value?.code == .clientShutDown)
    if let blocker = scene.blocker { #expect(await blocker.value?.code == .clientShutDown) }
    #expect(await client.failure(of: scene.quick)?.code == .clientShutDown)
    await client.shutdown()
    try await scene.end()
  }

  @Test(
    "CAN-04: within its grace a shutdown waits for what is in flight, and a second one for the same end",
    arguments: WireProtocol.versions)
  func graceful(over version: WireProtocol) async throws {
    let gate = Gate()
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in ServerResponse.text("x").waiting(for: gate) })
    defer { server.stop() }
    let fixture = ManualFixture(wire.configuration)
    let client = fixture.client
    let tasks = (0..<10).map { _ in client.start(.get(server.url("/"))) }
    try await server.waitForRequests(10)
    let ends = EventRecorder<Int>()
    let first = Task {
      await client.shutdown(grace: .seconds(30)); ends.record(1)
    }
    // One for the shutdown, and one for each connection.
    let connections = server.snapshot.connectionCount
    #expect(connections == (wire.isHTTP2 ? 1 : 10))
    try await fixture.clock.waitForTimers(connections + 1)
    let second = Task {
      await client.shutdown(grace: .seconds(60)); ends.record(2)
    }
    try await fixture.clock.waitForTimers(connections + 2)
    fixture.clock.advance(by: .seconds(29))
    #expect(await client.failure(of: .get(server.url("/")))?.code == .clientShutDown)
    #expect(ends.events.isEmpty)
    gate.open()
    for task in tasks { #expect(await task.value == nil) }
    _ = await (first.value, second.value)
    #expect(ends.events.count == 2)
    #expect(ClientSockets.count(toPort: server.port) == 0)
    try await fixture.end()
  }

  @Test(
    "CAN-04: after its grace a shutdown fails what is in flight; so it does when its task is cancelled",
    arguments: WireProtocol.versions)
  func graceEnds(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    for isCancelled in [false, true] {
      let server = try wire.start(.handler { _ in .never })
      defer { server.stop() }
      let fixture = ManualFixture(wire.configuration)
      let client = fixture.client
      let task = client.start(.get(server.url("/")))
      try await server.waitForRequests(1)
      let shutdown = Task { await client.shutdown(grace: .seconds(30)) }
      try await fixture.clock.waitForTimers(2)
      if isCancelled { shutdown.cancel() } else { fixture.clock.advance(by: .seconds(30)) }
      await shutdown.value
      #expect(await task.value?.code == .clientShutDown)
      try await fixture.end()
    }
  }
}
