import LinnetBytes
import LinnetHTTP
import LinnetProtocols
import LinnetTestSupport
import Testing

/// What servers must not do over HTTP/2: each ends in one typed error of the right scope.
@Suite("HTTP/2 misbehaviour", .timeLimit(.minutes(2)))
struct HTTP2MisbehaviourTests {
  /// How a request ended that was attacked while another one was under way on the same connection.
  private struct Ending {
    var outcome: HTTP2Attack.Outcome
    var error: TransportError?
    var bystander: TransportError?
  }

  /// A body that goes on when the test says so.
  private struct HeldBody {
    let body: HTTPRequestBody
    private let continuation: AsyncStream<ByteChunk>.Continuation

    init() {
      let (stream, continuation) = AsyncStream.makeStream(of: ByteChunk.self)
      continuation.yield(ByteChunk("begin"))
      body = .oneShot(stream)
      self.continuation = continuation
    }

    func finish() { continuation.finish() }
  }

  private func play(_ attack: HTTP2Attack, _ scene: HTTP2Scene) async throws -> Ending {
    // Stream 1: begun before the attack, and ended after it.
    let held = HeldBody()
    let bystander = scene.client.start(scene.post("/bystander", held.body))
    try await scene.server.waitForHeads(1)
    // A POST, because a GET that a connection's end hits would be sent again.
    let request = scene.post("/attack", .text("x"))
    var error: TransportError?
    do throws(TransportError) {
      let response = try await scene.client.send(request)
      if attack.needsUnreadBody {
        _ = try? await scene.server.wait(for: "an objection") {
          $0.closedCount > 0 || $0.connections.contains { !$0.resets.isEmpty || !$0.goAways.isEmpty }
        }
      }
      let text = try await response.text()
      #expect(text == HTTP2Attack.aliveBody)
    } catch let failure {
      error = failure
    }
    held.finish()
    let other = await bystander.value
    let outcome: HTTP2Attack.Outcome = other != nil ? .connectionError : error != nil ? .streamError : .success
    return Ending(outcome: outcome, error: error, bystander: other)
  }

  @Test(
    "ends in one error: of its stream, and the others go on; or of the connection, and the next request gets a new one",
    arguments: HTTP2Attacks.floods + HTTP2Attacks.framing + HTTP2Attacks.flowControl + HTTP2Attacks.messages
      + HTTP2Attacks.endings + HTTP2Attacks.legal, HTTP2Scene.Wire.allCases)
  func attacks(_ attack: HTTP2Attack, _ wire: HTTP2Scene.Wire) async throws {
    try await HTTP2Scene.with(
      wire, serve: { if let bytes = attack.receiveBufferBytes { $0.socket.receiveBufferBytes = bytes } },
      { connection in
        guard connection.number == 1 else {
          try connection.handshake()
          return try connection.serve { _ in .text(HTTP2Attack.aliveBody) }
        }
        try attack.script(connection)
      },
      { scene async throws in
        let ending = try await play(attack, scene)
        #expect(attack.outcomes.contains(ending.outcome), "\(ending)")
        if let error = ending.error { check(error, ending.outcome, attack) }
        if let error = ending.bystander { check(error, ending.outcome, attack) }
        // Whatever it was, the client lives on.
        #expect(try await scene.text("/after") == HTTP2Attack.aliveBody)
        await scene.client.waitForPools { $0.leasedStreams + $0.waiting == 0 && $0.dialling == 0 }
        let snapshot = scene.server.snapshot
        let goesAway = ending.outcome == .connectionError || attack.name.contains("GOAWAY")
        #expect(snapshot.connections.count == (goesAway ? 2 : 1))
        guard let first = snapshot.connections.first else { return }
        try await checkReply(first, ending, attack, scene)
      })
  }

  /// The error has what belongs to it.
  private func check(_ error: TransportError, _ outcome: HTTP2Attack.Outcome, _ attack: HTTP2Attack) {
    #expect(error.sent != .nothing, "\(error)")
    #expect([.send, .head, .body].contains(error.phase), "\(error)")
    let codes: Set<TransportError.Code> =
      switch outcome {
      case .success: []
      case .streamError: [.streamReset, .invalidResponse, .responseHeadTooLarge, .truncated, .protocolViolation]
      // Some go on when they have cost their stream, and cost the connection then.
      case .connectionError:
        [
          .protocolViolation, .connectionLost, .emptyReply, .staleConnection, .invalidResponse, .streamReset,
          .responseHeadTooLarge,
        ]
      }
    #expect(codes.contains(error.code), "\(error.code): \(error)")
    if error.code == .protocolViolation, let code = error.http2ErrorCode {
      #expect(attack.codes.contains { $0.rawValue == code }, "\(error.code), \(code): \(error)")
    }
  }

  /// What the client objects to it says with the right code: RST_STREAM for a stream, GOAWAY for the connection.
  private func checkReply(
    _ record: HTTP2ConnectionRecord, _ ending: Ending, _ attack: HTTP2Attack, _ scene: HTTP2Scene
  ) async throws {
    guard !attack.codes.isEmpty else { return }
    switch ending.outcome {
    case .success: #expect(record.resets.isEmpty && record.goAways.isEmpty)
    case .streamError:
      let isReset = attack.name.contains("RST_STREAM")
      #expect(isReset || record.resets.contains { attack.codes.contains($0.code) }, "\(record.resets)")
      #expect(record.goAways.isEmpty)
    case .connectionError:
      let closed = try await scene.server.waitForConnectionsClosed(1)[0]
      // A server that does not read cannot be told.
      let isTold = attack.receiveBufferBytes == nil
      #expect(closed.goAways.count == 1 || !isTold, "\(closed.goAways), \(String(describing: closed.transport.ending))")
      #expect(closed.goAways.allSatisfy { attack.codes.contains($0.code) }, "\(closed.goAways)")
    }
  }

  @Test(
    "a server that does not speak HTTP/2 is one error, and so is one that is silent", arguments: HTTP2Attacks.notHTTP2,
    HTTP2Scene.Wire.allCases)
  func notHTTP2(_ attack: HTTP2Attack, _ wire: HTTP2Scene.Wire) async throws {
    try await HTTP2Scene.with(
      wire, configure: { $0.http2.keepAliveTimeout = .milliseconds(100) },
      { connection in
        guard connection.number == 1 else {
          try connection.handshake()
          return try connection.serve { _ in .text(HTTP2Attack.aliveBody) }
        }
        try attack.script(connection)
      },
      { scene async throws in
        var request = scene.post("/attack", .text("x"))
        if attack.hangs { request.options.timeouts.responseHead = .after(.milliseconds(100)) }
        let error = try #require(await scene.client.failure(of: request))
        if attack.hangs {
          #expect(error.code == .headTimeout)
        } else {
          #expect([.protocolViolation, .connectionLost, .emptyReply].contains(error.code), "\(error.code): \(error)")
        }
        #expect(try await scene.text("/after") == HTTP2Attack.aliveBody)
        let closed = try await scene.server.waitForConnectionsClosed(1)[0]
        #expect(closed.goAways.count <= 1)
        #expect(closed.goAways.allSatisfy { attack.codes.contains($0.code) || attack.codes.isEmpty })
        #expect(scene.server.snapshot.connections.count == 2)
      })
  }

  // MARK: Memory

  @Test("costs a bounded amount of memory", arguments: HTTP2Scene.Wire.allCases)
  func memory(_ wire: HTTP2Scene.Wire) async {
    if wire == .tls {
      await #expect(processExitsWith: .success) { await recordingErrors { try await Self.playAll(.tls) } }
    } else {
      await #expect(processExitsWith: .success) { await recordingErrors { try await Self.playAll(.cleartext) } }
    }
  }

  private static func playAll(_ wire: HTTP2Scene.Wire) async throws {
    let certificates = try TestCertificates()
    let client = HTTPClient(configuration: HTTP2Scene.configuration(wire, certificates))
    var before = 0
    for attack in HTTP2Attacks.legal + HTTP2Attacks.floods {
      if before == 0, attack.name.contains("flood") { before = ResidentMemory.peakBytes }
      var options = try HTTP2Scene.options(wire, certificates)
      options.frameRecordLimit = 100
      let server = try attack.start(options: options)
      _ = await client.failure(of: .post(server.url("/attack"), body: .text("x")))
      server.stop()
    }
    // The server makes frames of up to 1 MiB and bursts of 256 of them, in this process too.
    let growth = ResidentMemory.peakBytes - before
    #expect(growth < 64 << 20, "grew by \(growth >> 20) MiB")
  }
}
