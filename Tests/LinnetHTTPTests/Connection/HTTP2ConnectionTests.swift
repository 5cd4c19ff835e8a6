import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// One HTTP/2 connection from the outside: what the server sees, and what the caller gets.
@Suite("HTTP/2 connection", .timeLimit(.minutes(1)))
struct HTTP2ConnectionTests {
  private static func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> HTTPClient {
    var configuration = HTTPClientConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    change(&configuration)
    return HTTPClient(configuration: configuration)
  }

  @Test("a GET has its four pseudo-fields, and its answer is HTTP/2")
  func get() async throws {
    let server = try HTTP2FrameServer.serving { _ in .text("hello") }
    defer { server.stop() }
    let response = try await Self.client().send(.get(server.url("/a?b=c")))
    #expect(response.version == .http2)
    #expect(try await response.text() == "hello")
    let request = try await server.waitForRequests(1)[0]
    #expect(request.method == "GET")
    #expect(request.scheme == "http")
    #expect(request.authority == server.authority)
    #expect(request.target == "/a?b=c")
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("many requests at once share one connection")
  func multiplexed() async throws {
    let server = try HTTP2FrameServer.serving { request in .text("\(request.target)") }
    defer { server.stop() }
    let client = Self.client()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let response = try await client.send(.get(server.url("/\(number)")))
          #expect(try await response.text() == "/\(number)")
        }
      }
      try await group.waitForAll()
    }
    #expect(server.snapshot.connections.count == 1)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test(
    "bodies of every size arrive whole",
    arguments: [0, 1, 16_383, 16_384, 16_385, 65_535, 65_536, 262_144, 1 << 20, 20 << 20])
  func bodies(_ count: Int) async throws {
    let server = try HTTP2FrameServer.serving { _ in .pattern(UInt64(count)) }
    defer { server.stop() }
    let body = try await Self.client().send(.get(server.url())).collect()
    #expect(body.count == count)
    #expect(body == ByteChunk(TestPattern.bytes(count)))
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("uploads of every size arrive whole", arguments: [0, 1, 16_384, 65_535, 65_536, 1 << 20, 10 << 20])
  func uploads(_ count: Int) async throws {
    let server = try HTTP2FrameServer.serving { request in .text("\(request.bodyBytes)") }
    defer { server.stop() }
    var request = HTTPRequest.post(server.url())
    request.body = .bytes(TestPattern.bytes(count))
    #expect(try await Self.client().send(request).text() == "\(count)")
    #expect(server.snapshot.violations.isEmpty)
  }

  // MARK: Priority (RFC 9218)

  @Test(
    "the Priority field says what differs from the default",
    arguments: [
      (HTTPPriority(), "u=3"), (HTTPPriority(isIncremental: true), "i"), (HTTPPriority(urgency: 0), "u=0"),
      (HTTPPriority(urgency: 7, isIncremental: true), "u=7, i"), (HTTPPriority(urgency: 99), "u=7"),
      (HTTPPriority(urgency: -1), "u=0"),
    ])
  func priorityField(_ priority: HTTPPriority, _ value: String) async throws {
    let server = try HTTP2FrameServer.serving { _ in .text("") }
    defer { server.stop() }
    var request = HTTPRequest.get(server.url())
    request.options.priority = priority
    _ = try await Self.client().send(request).collect()
    #expect(try await server.waitForRequests(1)[0].headers["priority"] == value)
  }

  @Test("PRIORITY_UPDATE is sent to a server that announced it, and to no other", arguments: [true, false])
  func priorityUpdate(_ isAnnounced: Bool) async throws {
    let updated = Gate()
    let server = try HTTP2FrameServer.start { connection in
      try connection.handshake(isAnnounced ? [.noRFC7540Priorities(1)] : [])
      let request = try connection.nextRequest()
      try connection.begin(request.stream, body: [1])
      try connection.wait(for: updated)
      // Behind the answer to a PING, everything that was sent before it has come.
      try connection.send(.ping(7))
      try connection.readFrame { $0.kind == .ping && $0.isAck }
      try connection.sendData([2], on: request.stream, endStream: true)
      try connection.readUntilClosed()
    }
    defer { server.stop() }
    let client = Self.client()
    let response = try await client.send(.get(server.url()))
    response.updatePriority(HTTPPriority(urgency: 1))
    updated.open()
    #expect(try await response.collect().array == [1, 2])
    // Once the body is complete there is nothing to say.
    response.updatePriority(HTTPPriority(urgency: 2))
    await client.shutdown()
    try await server.waitForConnectionsClosed(1)
    #expect(server.snapshot.connections[0].frames(.priorityUpdate).count == (isAnnounced ? 1 : 0))
    #expect(server.snapshot.violations.isEmpty)
  }
}
