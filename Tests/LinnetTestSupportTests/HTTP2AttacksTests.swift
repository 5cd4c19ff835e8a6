import LinnetTestSupport
import Testing

@Suite("HTTP2Attacks", .timeLimit(.minutes(3)))
struct HTTP2AttacksTests {
  private typealias Raw = RawHTTP2Client

  @Test("have names of their own and an outcome")
  func names() {
    let all = HTTP2Attacks.all
    #expect(Set(all.map(\.name)).count == all.count)
    #expect(all.allSatisfy { !$0.outcomes.isEmpty })
    #expect(all.count > 100)
  }

  /// What a client that minds nothing gets: the frames on its stream, up to its end.
  private func frames(of attack: HTTP2Attack) throws -> [HTTP2Frame] {
    let server = try attack.start()
    defer { server.stop() }
    let client = try Raw.connected(to: server)
    try client.send(.headers(1, Raw.head(), endStream: true))
    var frames: [HTTP2Frame] = []
    while frames.count < 300, let frame = try client.read() {
      frames.append(frame)
      if frame.kind == .rstStream || (frame.stream == 1 && frame.endsStream) { break }
    }
    return frames
  }

  @Test(
    "every flood is endless for a client that reads it",
    arguments: HTTP2Attacks.floods.filter { $0.name.contains("flood") })
  func floods(attack: HTTP2Attack) throws {
    let frames = try frames(of: attack)
    #expect(frames.count >= 300 || frames.last?.kind == .rstStream)
  }

  @Test("a flood ends when its client goes", arguments: HTTP2Attacks.floods)
  func floodEnds(attack: HTTP2Attack) async throws {
    let server = try attack.start()
    defer { server.stop() }
    do {
      let client = try Raw.connected(to: server)
      try client.send(.headers(1, Raw.head(), endStream: true))
      _ = try client.read { $0.kind != .settings }
      try client.send(.goAway(lastStream: 0, .enhanceYourCalm))
      client.connection.close()
    }
    let record = try #require(try await server.waitForConnectionsClosed(1).first)
    #expect(record.requests.count == 1 && record.violations.isEmpty)
    #expect(record.goAways.map(\.code) == [.enhanceYourCalm])
  }

  @Test(
    "what is called legal succeeds with curl", .enabled(if: Tool.exists("curl"), "needs curl"),
    arguments: HTTP2Attacks.legal)
  func legal(attack: HTTP2Attack) async throws {
    let server = try attack.start()
    defer { server.stop() }
    let output = Tool.run("curl", "-sS", "--http2-prior-knowledge", "--max-time", "20", server.url("/attack"))
    #expect(output.text == HTTP2Attack.aliveBody && output.status == 0)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test(
    "what is forbidden does not succeed with curl, which names the expected reason",
    .enabled(if: Tool.exists("curl"), "needs curl"), arguments: ForbiddenToServers.all)
  func forbidden(attack: HTTP2Attack) async throws {
    let server = try attack.start()
    defer { server.stop() }
    // Some versions of curl wait for ever after a connection error within a body.
    let output = Tool.run("curl", "-sS", "--http2-prior-knowledge", "--max-time", "2", server.url("/attack"))
    #expect(output.status != 0 || output.text != HTTP2Attack.aliveBody)
    let record = try #require(try await server.waitForConnectionsClosed(1).first)
    let codes = Set(record.resets.map(\.code) + record.goAways.map(\.code)).subtracting([.noError])
    #expect(codes.isSubset(of: attack.codes))
    #expect(record.violations.isEmpty)
  }
}

enum ForbiddenToServers {
  /// Nothing here is about limits that each client chooses for itself, and nghttp2, on which curl builds, knows the RFC.
  static let all = (HTTP2Attacks.framing + HTTP2Attacks.flowControl + HTTP2Attacks.messages).filter {
    !$0.outcomes.contains(.success) && !$0.needsUnreadBody
  }
}
