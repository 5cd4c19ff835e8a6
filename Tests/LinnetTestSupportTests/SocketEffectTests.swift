import LinnetTestSupport
import Testing

@Suite("SocketEffect", .timeLimit(.minutes(2)))
struct SocketEffectTests {
  private static let get = "GET / HTTP/1.1\r\nHost: t\r\n\r\n"

  private func received(_ effects: [SocketEffect]) throws -> String {
    let server = try ScriptedServer.start(.steps(effects))
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    return try client.receiveToEnd()
  }

  @Test("sending in every way sends the same bytes")
  func sending() throws {
    let bytes = Array("hello".utf8)
    #expect(try received([.readRequest, .send("hello")]) == "hello")
    #expect(try received([.readRequest, .sendPieces([Array("he".utf8), Array("llo".utf8)])]) == "hello")
    #expect(try received([.readRequest, .trickle(bytes, every: nil)]) == "hello")
    #expect(try received([.readRequest, .trickle(bytes, every: .milliseconds(1))]) == "hello")
    #expect(try received([.readRequest, .split(bytes, at: 2, until: Gate(isOpen: true))]) == "hello")
    #expect(try received([.readRequest, .truncate(bytes, after: 3), .send("more")]) == "hel")
    #expect(try received([.readRequest, .sendPattern(3)]) == "\u{0}\u{1}\u{2}")
    #expect(try received([.readRequest, .repeated(2, [.send("ab")])]) == "abab")
  }

  @Test("a split waits for its gate")
  func split() async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(.steps([.readRequest, .split(Array("abcd".utf8), at: 1, until: gate)]))
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    #expect(try client.receive(1) == Array("a".utf8))
    gate.open()
    #expect(try client.receiveToEnd() == "bcd")
  }

  @Test("the script tells the test where it is")
  func openGate() async throws {
    let reached = Gate()
    let server = try ScriptedServer.start(.steps([.readHead, .open(reached), .stall]))
    defer { server.stop() }
    let client = try RawClient(server)
    #expect(!reached.isOpen)
    try client.send(Self.get)
    try await reached.opened()
    #expect(server.snapshot.headCount == 1 && server.snapshot.requestCount == 0)
    client.close()
    #expect(try await server.waitForConnectionsClosed(1).first?.ending == .peerClosed)
  }

  @Test("a close, a reset and a half-close look different to the client")
  func endings() async throws {
    #expect(try received([.readRequest, .close]) == "")
    #expect(throws: RawClient.Failure.receive(104)) { try received([.readRequest, .reset]) }
    let server = try ScriptedServer.start(.steps([.readRequest, .halfClose, .readBytes(4), .send("")]))
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    #expect(try client.receiveToEnd() == "")
    try client.send("more")
    let record = try await server.waitForConnectionsClosed(1).first
    #expect(record?.ending == .serverClosed && record?.receivedBytes == UInt64(Self.get.utf8.count + 4))
  }

  @Test("a close with unread input resets, as the kernel does")
  func closeWithUnreadInput() throws {
    #expect(throws: RawClient.Failure.receive(104)) { try received([.readBytes(1), .close]) }
  }

  @Test("a body can be read slowly")
  func readSlowly() async throws {
    var options = ScriptedServer.Options()
    options.receiveBufferBytes = 4096
    let script = ServerScript.steps([.readHead, .readBodySlowly(bytes: 4096, every: .milliseconds(1)), .send("done")])
    let server = try ScriptedServer.start(script, options: options)
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 200000\r\n\r\n")
    try client.send(TestPattern.bytes(200_000))
    #expect(try client.receiveToEnd() == "done")
    let body = try #require(try await server.waitForRequests(1).first?.body)
    #expect(body.count == 200_000 && body.matchesTestPattern)
  }

  @Test("steps repeat until the client closes")
  func repeatForever() async throws {
    let server = try ScriptedServer.start(.answer("HTTP/1.1 204 No Content\r\n\r\n"))
    defer { server.stop() }
    let client = try RawClient(server)
    for _ in 0..<3 {
      try client.send(Self.get)
      #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 204 No Content\r\n\r\n")
    }
    client.close()
    let record = try await server.waitForConnectionsClosed(1).first
    #expect(record?.requestCount == 3 && record?.ending == .peerClosed)
  }

  @Test("steps that never touch the socket end when the server stops")
  func spinning() async throws {
    let server = try ScriptedServer.start(.steps([.repeatForever([.open(Gate())])]))
    let client = try RawClient(server)
    try await server.waitForConnections(1)
    server.stop()
    #expect(server.snapshot.closedCount == 1)
    _ = client
  }

  @Test("a client that leaves an endless body is noticed")
  func sendForever() async throws {
    let server = try ScriptedServer.start(.steps([.readRequest, .sendForever]))
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    let bytes = try client.receive(300_000)
    #expect(TestPattern.firstMismatch(in: bytes) == nil)
    client.reset()
    #expect(try await server.waitForConnectionsClosed(1).first?.ending == .peerReset)
  }

  @Test("each connection can have a script of its own")
  func perConnection() async throws {
    let server = try ScriptedServer.start(
      .perConnection { $0 == 1 ? .steps([.reset]) : .handler { .text("connection \($0.connection)") } })
    defer { server.stop() }
    let first = try RawClient(server)
    #expect(throws: RawClient.Failure.receive(104)) { try first.receiveSome() }
    let second = try RawClient(server)
    try second.send(Self.get)
    #expect(try second.receive(until: "connection 2").hasSuffix("\r\n\r\nconnection 2"))
  }
}
