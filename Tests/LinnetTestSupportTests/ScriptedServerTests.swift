import Glibc
import LinnetTestSupport
import Testing

@Suite("ScriptedServer", .timeLimit(.minutes(2)))
struct ScriptedServerTests {
  private static let get = "GET /a?b=c HTTP/1.1\r\nHost: test\r\nX-A: 1\r\nx-a: 2\r\n\r\n"

  @Test("a request is recorded byte for byte and answered")
  func recordsRequest() async throws {
    let server = try ScriptedServer.start(.handler { .text("you asked for \($0.path)") })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    let answer = try client.receive(until: "/a")
    #expect(answer == "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\nyou asked for /a")
    let request = try #require(try await server.waitForRequests(1).first)
    #expect(request.method == "GET")
    #expect(request.target == "/a?b=c")
    #expect(request.headers.values(for: "X-a") == ["1", "2"])
    #expect(request.headers.map(\.name) == ["Host", "X-A", "x-a"])
    #expect(request.headBytes == Array(Self.get.utf8))
    #expect(request.connection == 1 && request.indexOnConnection == 1 && request.isComplete)
  }

  @Test(
    "every kind of loopback address works",
    arguments: [
      ScriptedServer.Address.ipv4, .ipv6, .unix(path: "/tmp/linnet-server-\(getpid()).sock"),
      .abstract(name: "linnet-server-\(getpid())"),
    ])
  func addresses(_ address: ScriptedServer.Address) async throws {
    var options = ScriptedServer.Options()
    options.address = address
    try await ScriptedServer.with(.handler { _ in .text("ok") }, options: options) { server in
      let client = try RawClient(server)
      try client.send(Self.get)
      #expect(try client.receive(until: "\r\n\r\nok").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test("a connection is kept open and its requests are counted")
  func keepAlive() async throws {
    let server = try ScriptedServer.start(.handler { .text("#\($0.indexOnConnection)") })
    defer { server.stop() }
    let client = try RawClient(server)
    for index in 1...3 {
      try client.send(Self.get)
      #expect(try client.receive(until: "#\(index)").hasSuffix("\r\n\r\n#\(index)"))
    }
    client.close()
    let records = try await server.waitForConnectionsClosed(1)
    #expect(records.map(\.requestCount) == [3])
    #expect(records.first?.ending == .peerClosed)
    #expect(records.first?.receivedBytes == UInt64(Self.get.utf8.count * 3))
    #expect(server.snapshot.connectionCount == 1 && server.snapshot.openCount == 0)
  }

  @Test("pipelined requests are answered in order")
  func pipelining() async throws {
    let server = try ScriptedServer.start(.responses([.text("one"), .text("two")]))
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get + Self.get)
    let answer = try client.receive(until: "two")
    #expect(answer == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\noneHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo")
  }

  @Test("a reset by the client is told from a close")
  func peerReset() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    _ = try client.receive(until: "\r\n\r\nx")
    client.reset()
    #expect(try await server.waitForConnectionsClosed(1).first?.ending == .peerReset)
  }

  @Test("a client that leaves while the answer waits for a gate is noticed", arguments: [false, true])
  func closeWhileWaiting(byReset: Bool) async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(.handler { _ in .text("never").waiting(for: gate) })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    try await server.waitForRequests(1)
    if byReset { client.reset() } else { client.close() }
    let ending = try await server.waitForConnectionsClosed(1).first?.ending
    #expect(ending == (byReset ? .peerReset : .peerClosed))
  }

  @Test("a gate holds an answer back until it is opened")
  func gate() async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(.handler { _ in .text("late").waiting(for: gate) })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    try await server.waitForRequests(1)
    #expect(server.snapshot.openCount == 1)
    gate.open()
    #expect(try client.receive(until: "late").hasSuffix("late"))
  }

  @Test("stop ends connections in every state and leaves nothing behind", arguments: 0..<4)
  func stopReleasesEverything(state: Int) async throws {
    let scripts: [ServerScript] = [
      .steps([.stall]), .steps([.wait(Gate())]), .steps([.readUntilClosed]), .handler { _ in .text("") },
    ]
    let server = try ScriptedServer.start(scripts[state])
    let clients = try (0..<5).map { _ in try RawClient(server) }
    try await server.waitForConnections(5)
    server.stop()
    server.stop()
    #expect(server.snapshot.closedCount == 5)
    #expect(server.snapshot.connections.allSatisfy { $0.ending == .stopped })
    for client in clients { #expect(try client.receiveToEnd() == "") }
    #expect(throws: RawClient.Failure.self) { try RawClient(server) }
  }

  @Test("a wait that does not come true says what was seen instead")
  func waitTimeout() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("") })
    defer { server.stop() }
    let error = await #expect(throws: WaitTimeout.self) {
      try await server.waitForRequests(1, within: .milliseconds(10))
    }
    #expect(error?.description.contains("1 requests; seen: 0 connections") == true)
  }

  @Test("a cancelled wait ends")
  func waitCancelled() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("") })
    defer { server.stop() }
    let task = Task { try await server.waitForRequests(1) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("three thousand connections at once are served")
  func manyConnections() async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(.handler { _ in ServerResponse(204).waiting(for: gate) })
    defer { server.stop() }
    var clients: [RawClient] = []
    for _ in 0..<3000 { clients.append(try RawClient(server)) }
    for client in clients { try client.send(Self.get) }
    try await server.waitForRequests(3000)
    #expect(server.snapshot.openCount == 3000)
    gate.open()
    for client in clients { #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 204 No Content\r\n\r\n") }
  }

  @Test("a listener that accepts nothing completes the TCP handshake only")
  func acceptNothing() async throws {
    var options = ScriptedServer.Options()
    options.acceptance = .nothing
    let server = try ScriptedServer.start(.handler { _ in .text("") }, options: options)
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    #expect(server.snapshot.connectionCount == 0)
  }

  @Test("after stopListening open connections go on and new ones are refused")
  func stopListening() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    _ = try client.receive(until: "\r\n\r\nok")
    server.stopListening()
    #expect(throws: RawClient.Failure.connect(111)) { try RawClient(server) }
    try client.send(Self.get)
    #expect(try client.receive(until: "\r\n\r\nok").hasSuffix("ok"))
  }

  @Test("a full queue leaves clients in the middle of the TCP handshake")
  func fullBacklog() async throws {
    var options = ScriptedServer.Options()
    options.acceptance = .nothingWithFullBacklog
    options.acceptBacklog = 0
    let server = try ScriptedServer.start(.handler { _ in .text("") }, options: options)
    defer { server.stop() }
    #expect(try RawClient.isConnected(to: server, within: 50) == false)
  }

  @Test("a server that is stopped leaves no thread and no descriptor")
  func leavesNothing() async {
    await #expect(processExitsWith: .success) {
      // An error that leaves the body would only show as a signal.
      do { try await Self.checkLeavesNothing() } catch { Issue.record(error) }
    }
  }

  private static func checkLeavesNothing() async throws {
    let gate = Gate()
    let certificates = try TestCertificates()
    var secure = ScriptedServer.Options()
    secure.tls = ServerTLS(try certificates.loopback())
    // The first round starts what stays for the life of the process, such as the threads of the executor.
    try await round(gate, secure)
    let (descriptors, threads) = (try await DescriptorCount.baseline(), ThreadCount.now())
    for _ in 0..<20 { try await round(gate, secure) }
    try await DescriptorCount.returned(to: descriptors)
    // One thread of a server would be 20 here; the executor may have started one or two more.
    try await ThreadCount.fell(to: threads.count + 4)
  }

  private static func round(_ gate: Gate, _ secure: ScriptedServer.Options) async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("").waiting(for: gate) })
    let secureServer = try ScriptedServer.start(.handler { _ in .text("") }, options: secure)
    let clients = try (0..<10).map { try RawClient($0 % 2 == 0 ? server : secureServer) }
    for client in clients { try client.send(get) }
    try await server.waitForRequests(5)
    try await secureServer.waitForConnections(5)
    clients[0].close()
    clients[2].reset()
    try await server.waitForConnectionsClosed(2)
    server.stop()
    secureServer.stop()
  }
}
