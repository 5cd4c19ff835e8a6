import LinnetTestSupport
import Testing

@Suite("A relay", .timeLimit(.minutes(2)))
struct RelayTests {
  private static let get = "GET / HTTP/1.1\r\nHost: t\r\n\r\n"

  @Test("a tunnel forwards both ways after CONNECT")
  func tunnel() async throws {
    let target = try ScriptedServer.start(.handler { .text("reached \($0.path)") })
    defer { target.stop() }
    let proxy = try ScriptedServer.start(
      .steps([
        .readHead, .send("HTTP/1.1 200 Connection established\r\n\r\n"),
        .relay(toPort: target.port, frozenBy: Gate()),
      ]))
    defer { proxy.stop() }
    let client = try RawClient(proxy)
    try client.send("CONNECT 127.0.0.1:\(target.port) HTTP/1.1\r\nHost: 127.0.0.1:\(target.port)\r\n\r\n" + Self.get)
    #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 200 Connection established\r\n\r\n")
    #expect(try client.receive(until: "reached /").hasSuffix("\r\n\r\nreached /"))
    client.close()
    #expect(try await proxy.waitForConnectionsClosed(1).first?.ending == .peerClosed)
    #expect(try await target.waitForConnectionsClosed(1).first?.ending == .peerClosed)
    #expect(proxy.snapshot.requests.map(\.method) == ["CONNECT"])
  }

  @Test("a client that has finished sending still gets the answer")
  func halfClose() async throws {
    let target = try ScriptedServer.start(.steps([.readBytes(4), .readUntilClosed]))
    defer { target.stop() }
    let proxy = try ScriptedServer.start(.steps([.relay(toPort: target.port, frozenBy: Gate())]))
    defer { proxy.stop() }
    let client = try RawClient(proxy)
    try client.send("abcd")
    client.halfClose()
    #expect(try client.receiveToEnd() == "")
    #expect(try await target.waitForConnectionsClosed(1).first?.ending == .peerClosed)
  }

  @Test("a frozen relay forwards nothing and closes nothing")
  func frozen() async throws {
    let gate = Gate()
    let target = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { target.stop() }
    let proxy = try ScriptedServer.start(.steps([.relay(toPort: target.port, frozenBy: gate)]))
    let client = try RawClient(proxy)
    try client.send(Self.get)
    _ = try client.receive(until: "\r\n\r\nok")
    gate.open()
    try client.send(Self.get)
    #expect(proxy.snapshot.openCount == 1 && target.snapshot.openCount == 1)
    proxy.stop()
    #expect(target.snapshot.requestCount == 1)
    #expect(try client.receiveToEnd() == "")
  }

  @Test("a client that leaves a frozen relay is noticed")
  func leavingFrozen() async throws {
    let gate = Gate()
    let target = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { target.stop() }
    let proxy = try ScriptedServer.start(.steps([.relay(toPort: target.port, frozenBy: gate)]))
    defer { proxy.stop() }
    let client = try RawClient(proxy)
    try client.send(Self.get)
    _ = try client.receive(until: "\r\n\r\nok")
    gate.open()
    try client.send("unread")
    client.close()
    #expect(try await proxy.waitForConnectionsClosed(1).first?.ending == .peerClosed)
    #expect(try await target.waitForConnectionsClosed(1).first?.requestCount == 1)
  }
}
