import LinnetHTTP
import LinnetTestSupport
import Testing

/// What an HTTP/2 connection does in corners that a hostile or careless server can bring it into.
@Suite("HTTP/2 core", .timeLimit(.minutes(1)))
struct HTTP2CoreTests {
  @Test("a streamed upload for which the server makes no room ends with the idle timeout")
  func stuckUpload() async throws {
    try await HTTP2Scene.with(
      .cleartext,
      configure: {
        $0.timeouts.idle = .milliseconds(100)
        $0.timeouts.responseHead = nil
        $0.timeouts.total = .seconds(20)
      },
      { connection in
        try connection.handshake([.initialWindowSize(0)])
        try connection.readUntilClosed()
      },
      { scene async throws in
        let body = HTTPRequestBody.stream { AsyncStream(unfolding: { ByteChunk([UInt8](repeating: 1, count: 1000)) }) }
        let failure = await scene.client.failure(of: scene.post("/upload", body))
        #expect(failure?.code == .idleTimeout)
        #expect(failure?.phase == .send)
      })
  }

  @Test("a client whose large upload was answered early and never taken can be shut down in peace")
  func shutdownAfterEarlyAnswer() async throws {
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        connection.returnsWindow = false
        let head = try connection.nextHead()
        try connection.respond(head.stream, .text("enough"))
        try connection.readUntilClosed()
      },
      { scene async throws in
        let request = scene.post("/upload", .bytes(TestPattern.bytes(10 << 20)))
        #expect(try await scene.client.send(request).text() == "enough")
        await scene.client.shutdown(grace: .seconds(600))
        try await scene.server.waitForConnectionsClosed(1)
      })
  }

  @Test("a body in frames of one byte that waits is held in few chunks")
  func tinyFrames() async throws {
    let count = 65_000
    let isSent = Gate()
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        let request = try connection.nextRequest()
        try connection.begin(request.stream)
        for start in stride(from: 0, to: count, by: 1000) {
          try connection.send((0..<1000).map { .data(request.stream, [UInt8(truncatingIfNeeded: start + $0)]) })
        }
        // Its answer shows that the client has got everything before.
        try connection.send(.ping(1))
        try connection.readFrame { $0.kind == .ping && $0.isAck }
        isSent.open()
        try connection.send(.data(request.stream, endStream: true))
        try connection.readUntilClosed()
      },
      { scene async throws in
        let response = try await scene.client.send(scene.get())
        try await isSent.opened()
        var chunks = 0
        var bytes = 0
        for try await chunk in response.body {
          chunks += 1
          for byte in chunk {
            #expect(byte == UInt8(truncatingIfNeeded: bytes))
            bytes += 1
          }
        }
        #expect(bytes == count)
        #expect(chunks < count / 100)
      })
  }

  @Test("too many interim responses are a fault of one stream, and no call for calm")
  func interimResponses() async throws {
    try await HTTP2Scene.with(
      .cleartext,
      { connection in
        try connection.handshake()
        let request = try connection.nextRequest()
        for _ in 0..<65 { try connection.sendFields([HeaderLine(":status", "103")], on: request.stream) }
        try connection.serve { .text($0.target) }
      },
      { scene async throws in
        #expect(await scene.client.failure(of: scene.get())?.code == .responseHeadTooLarge)
        #expect(try await scene.text("/next") == "/next")
        #expect(scene.server.snapshot.connections.count == 1)
      })
  }
}
