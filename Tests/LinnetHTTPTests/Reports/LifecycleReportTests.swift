import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetProtocols
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// User reports about what clients leave behind. Those that count what belongs to the process run in one of their own.
@Suite("Reports: lifecycle", .timeLimit(.minutes(TestSize.isLong ? 30 : 2)), .serialized)
struct LifecycleReportTests {
  // MARK: POOL-13

  @Test("POOL-13: clients that are made, used once and dropped leave no thread and no descriptor")
  func manyClients() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await Self.useManyClients() } }
  }

  @Test("POOL-13: nor do they when they speak HTTP/2")
  func manyClientsOverHTTP2() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await Self.useManyClients(isHTTP2: true) } }
  }

  private static func useManyClients(isHTTP2: Bool = false) async throws {
    let wires = try isHTTP2 ? (Wire(.http2), Wire(.http2TLS)) : (Wire(.http1), Wire(.http1TLS))
    let plain = try wires.0.start(.handler { _ in .text("x") })
    let secure = try wires.1.start(.handler { _ in .text("x") })
    func useOne() async throws {
      let client = wires.1.client { $0.httpVersion = isHTTP2 ? .http2PriorKnowledge : .automatic }
      #expect(try await client.send(.get(plain.url("/"))).text() == "x")
      #expect(try await client.send(.get(secure.url("/"))).text() == "x")
    }
    // The first ones start what stays for the life of the process: shards, and threads of the executors.
    for _ in 0..<10 { try await useOne() }
    let opened = secure.snapshot.connectionCount
    try await plain.waitForConnectionsClosed(opened)
    try await secure.waitForConnectionsClosed(opened)
    let (descriptors, threads) = (try await DescriptorCount.baseline(), ThreadCount.now())
    for _ in 0..<TestSize.of(200, long: 1000) { try await useOne() }
    try await DescriptorCount.returned(to: descriptors)
    try await ThreadCount.fell(to: threads.count + 4)
    plain.stop()
    secure.stop()
  }

  // MARK: MEM-01

  @Test("MEM-01: memory does not grow with the number of requests, whether they succeed, fail or are cancelled")
  func manyRequests() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await Self.sendManyRequests() } }
  }

  @Test("MEM-01: nor does it over HTTP/2, where all of them share a connection")
  func manyRequestsOverHTTP2() async {
    await #expect(processExitsWith: .success) {
      await recordingErrors { try await Self.sendManyRequests(over: .http2) }
    }
  }

  private static func sendManyRequests(over version: WireProtocol = .http1) async throws {
    let wire = try Wire(version)
    let cut = ServerBody([.pattern(3), wire.isHTTP2 ? .resetStream(2) : .effect(.close)])
    let server = try wire.start(
      .handler { request in
        switch request.path {
        case "/cut": ServerResponse(body: cut).framed(.announced(9))
        case "/slow": .never
        default: .pattern(3000)
        }
      }
    ) { $0.recordLimit = 10 }
    defer { server.stop() }
    let closed = try ClosedPort()
    let client = wire.client()
    func sendTen() async {
      for _ in 0..<5 { _ = await client.failure(of: .get(server.url("/"))) }
      _ = try? await client.send(.get(server.url("/")))
      #expect(await client.failure(of: .get(server.url("/cut")))?.code == (wire.isHTTP2 ? .streamReset : .truncated))
      #expect(await client.failure(of: .get("http://127.0.0.1:\(closed.port)/"))?.code == .connectionRefused)
      for yields in [1, 30] {
        let task = client.start(.get(server.url("/slow")))
        for _ in 0..<yields { await Task.yield() }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
      }
    }
    let total = TestSize.of(8000, long: 40_000)
    for _ in 0..<(total / 40) { await sendTen() }
    let before = ResidentMemory.bytes
    for _ in 0..<(total * 3 / 40) { await sendTen() }
    let growth = ResidentMemory.bytes - before
    #expect(growth < 5 << 20, "\(total * 3 / 4) requests grew the process by \(growth >> 10) KiB")
  }

  @Test(
    "MEM-01: a client is freed with its last reference, whatever became of its requests",
    arguments: WireProtocol.versions)
  func clientIsFreed(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/slow" ? .never : .text("x") })
    defer { server.stop() }
    let fixture = ManualFixture()
    weak var dropped: HTTPClient?
    do {
      let client = HTTPClient(
        configuration: wire.configuration,
        environment: EngineEnvironment(shards: fixture.shards, clock: fixture.clock))
      dropped = client
      #expect(try await client.send(.get(server.url("/"))).text() == "x")
      _ = try await client.send(.get(server.url("/")))
      let task = client.start(.get(server.url("/slow")))
      try await server.wait(for: "the slow request") { $0.requests.contains { $0.path == "/slow" } }
      task.cancel()
      _ = await task.value
    }
    #expect(dropped == nil)
    // Its connections and the timers that held them are gone too.
    try await server.wait(for: "every connection to end") { $0.closedCount == $0.connectionCount }
    try await fixture.end()
  }

  // MARK: MEM-03

  @Test(
    "MEM-03: a client may be dropped at any time: idle, with a request under way, with a body unread",
    arguments: WireProtocol.versions)
  func dropped(over version: WireProtocol) async throws {
    let gate = Gate()
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { request in
        switch request.path {
        case "/late": ServerResponse.text("late").waiting(for: gate)
        case "/body": ServerResponse(body: ServerBody([.pattern(1000), .wait(gate), .pattern(1_000_000)]))
        default: .text("x")
        }
      })
    defer { server.stop() }
    for _ in 0..<20 {
      gate.close()
      func once() async throws { #expect(try await wire.client().send(.get(server.url("/"))).text() == "x") }
      try await once()

      // The task is the only one that holds the client.
      let count = server.snapshot.requestCount
      let late = wire.client().start(.get(server.url("/late")))
      try await server.waitForRequests(count + 1)
      let body = try await wire.client().send(.get(server.url("/body"))).body
      _ = try await wire.client().send(.get(server.url("/body")))
      gate.open()
      #expect(await late.value == nil)
      #expect(try await body.collect(upTo: 2_000_000).count == 1_001_000)
    }
    try await server.wait(for: "every connection to end") { $0.closedCount == $0.connectionCount }
  }

  @Test(
    "MEM-03: the last reference may be dropped from inside a hook, a body stream, and on any executor",
    arguments: WireProtocol.versions)
  func droppedInside(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    for _ in 0..<20 {
      let box = Lock<HTTPClient?>(wire.client())
      let drop: @Sendable () -> Void = {
        let client = box.withLock { client in
          defer { client = nil }
          return client
        }
        _ = client
      }
      let body = HTTPRequestBody.stream {
        AsyncStream { continuation in
          continuation.yield(ByteChunk("abc"))
          drop()
          continuation.finish()
        }
      }
      let request = HTTPRequest.post(server.url("/"), body: body).with { $0.options.onEvent = { _ in drop() } }
      #expect(await box.withLock { $0 }?.failure(of: request) == nil)
      #expect(box.withLock { $0 == nil })

      let shard = ShardGroup.shared.next()
      let text = try await withTaskExecutorPreference(shard) { () async throws(TransportError) -> String in
        try await wire.client().send(.get(server.url("/"))).text()
      }
      #expect(text == "x")
      try await Self.onMainActor(server.url("/"), wire)
    }
    try await server.wait(for: "every connection to end") { $0.closedCount == $0.connectionCount }
  }

  @MainActor
  private static func onMainActor(_ url: String, _ wire: Wire) async throws {
    #expect(try await wire.client().send(.get(url)).text() == "x")
  }

  // MARK: MEM-04, POOL-11

  @Test("MEM-04: create, request, tear down: against a closed port, a silent one and a good one")
  func teardown() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await Self.tearDownOften() } }
  }

  @Test("MEM-04: so over HTTP/2")
  func teardownOverHTTP2() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await Self.tearDownOften(over: .http2) } }
  }

  private static func tearDownOften(over version: WireProtocol = .http1) async throws {
    let wire = try Wire(version)
    let good = try wire.start(.handler { _ in .text("x") }) { $0.recordLimit = 10 }
    let silent = try wire.start(.steps([.stall])) { $0.recordLimit = 10 }
    let closed = try ClosedPort()
    let rounds = TestSize.of(200, long: 17_000)
    func run(_ count: Int) async {
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<count {
              #expect(
                await wire.client().failure(of: .get("http://127.0.0.1:\(closed.port)/"))?.code == .connectionRefused)
              let timed = HTTPRequest.get(silent.url("/")).with {
                $0.options.timeouts.total = .after(.milliseconds(1))
              }
              #expect(await wire.client().failure(of: timed)?.code == .totalTimeout)
              #expect(await wire.client().failure(of: .get(good.url("/"))) == nil)
            }
          }
        }
      }
      _ = try? await good.wait(for: "every connection to end") { $0.closedCount == $0.connectionCount }
      _ = try? await silent.wait(for: "every connection to end") { $0.closedCount == $0.connectionCount }
    }
    await run(rounds / 8)
    let descriptors = try await DescriptorCount.baseline()
    let before = ResidentMemory.bytes
    await run(rounds / 4)
    try await DescriptorCount.returned(to: descriptors)
    #expect(ResidentMemory.bytes - before < 8 << 20)
    good.stop()
    silent.stop()
  }

  @Test("POOL-11: connections refused, reset, timed out, cancelled and encrypted come and go without crash or leak")
  func churn() async {
    await #expect(processExitsWith: .success) { await recordingErrors { try await ConnectionChurn.run() } }
  }
}

/// Opens and closes many connections of every fate from many tasks.
private enum ConnectionChurn {
  /// What becomes of a connection.
  enum Fate: CaseIterable {
    case good, refused, resetAtOnce, resetInBody, timedOut, cancelled, encrypted, untrusted, plainForTLS
  }

  struct Servers: Sendable {
    let plain: ScriptedServer
    let secure: ScriptedServer
    let closed: ClosedPort
    let client: HTTPClient
    private let certificates: TestCertificates

    init() throws {
      certificates = try TestCertificates()
      var options = ScriptedServer.Options()
      options.recordLimit = 10
      plain = try ScriptedServer.start(
        .handler(onHead: { $0.path == "/reset" ? .respond(.raw([.reset])) : .readBody }) { request in
          switch request.path {
          case "/body": .raw([.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .reset])
          case "/slow": .raw([.stall])
          default: ServerResponse.text("x").closing(.reset)
          }
        }, options: options)
      options.tls = ServerTLS(try certificates.loopback())
      secure = try ScriptedServer.start(.handler { _ in ServerResponse.text("x").closing(.abrupt) }, options: options)
      closed = try ClosedPort()
      var configuration = HTTPClientConfiguration.trusting(certificates)
      configuration.pool.maximumConnectionsPerOrigin = 32
      // The connection that a cancelled request asked for would wait for the next one.
      configuration.pool.maximumIdleConnectionsPerOrigin = 0
      client = HTTPClient(configuration: configuration)
    }

    func meet(_ fate: Fate, yields: Int) async {
      let code: TransportError.Code?
      let expected: Set<TransportError.Code?>
      switch fate {
      case .good: (code, expected) = (await failure(plain.url("/")), [nil])
      case .refused: (code, expected) = (await failure("http://127.0.0.1:\(closed.port)/"), [.connectionRefused])
      case .resetAtOnce: (code, expected) = (await failure(plain.url("/reset")), [.connectionLost])
      case .resetInBody: (code, expected) = (await failure(plain.url("/body")), [.connectionLost])
      case .timedOut:
        (code, expected) = (
          await failure(plain.url("/slow")) { $0.options.timeouts.total = .after(.milliseconds(2)) }, [.totalTimeout]
        )
      case .cancelled:
        let task = client.start(.get(plain.url("/slow")))
        for _ in 0..<yields { await Task.yield() }
        task.cancel()
        (code, expected) = (await task.value?.code, [.cancelled])
      case .encrypted: (code, expected) = (await failure(secure.url("/")), [nil])
      case .untrusted:
        (code, expected) = (
          await failure(secure.url("/")) { $0.options.tls = TLSConfiguration() },
          [.certificateRejected, .trustRootsUnavailable]
        )
      case .plainForTLS:
        (code, expected) = (await failure("https://\(plain.authority)/"), [.tlsHandshakeFailed])
      }
      #expect(expected.contains(code), "\(fate): \(code.map { "\($0)" } ?? "success")")
    }

    private func failure(_ url: String, change: (inout HTTPRequest) -> Void = { _ in }) async -> TransportError.Code? {
      await client.failure(of: HTTPRequest.get(url).with(change))?.code
    }

    func settle() async throws {
      await client.waitForPools { $0.leasedStreams + $0.waiting + $0.dialling == 0 }
      // A request that was cancelled while its connection was made leaves it idle; its next use ends it.
      for url in [plain.url("/"), secure.url("/")] {
        for _ in 0..<client.poolCounts.idle { _ = await failure(url) }
      }
      for server in [plain, secure] {
        try await server.wait(for: "every connection to end") { $0.closedCount == $0.connectionCount }
      }
    }
  }

  static func run() async throws {
    let servers = try Servers()
    try await run(200, servers)
    let descriptors = try await DescriptorCount.baseline()
    let (threads, memory) = (ThreadCount.now(), ResidentMemory.bytes)
    try await run(TestSize.of(2000, long: 200_000), servers)
    try await DescriptorCount.returned(to: descriptors)
    try await ThreadCount.fell(to: threads.count + 8)
    #expect(ResidentMemory.bytes - memory < 16 << 20)
    await servers.client.shutdown(grace: .zero)
    #expect(servers.client.pendingCount == 0)
    servers.plain.stop()
    servers.secure.stop()
  }

  private static func run(_ count: Int, _ servers: Servers) async throws {
    let tasks = 20
    await withTaskGroup { group in
      for worker in 0..<tasks {
        group.addTask {
          var random = SeededGenerator(seed: UInt64(worker))
          for _ in 0..<(count / tasks) {
            let fate = Fate.allCases.randomElement(using: &random) ?? .good
            await servers.meet(fate, yields: Int.random(in: 0..<50, using: &random))
          }
        }
      }
    }
    try await servers.settle()
  }
}
