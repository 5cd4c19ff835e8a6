import LinnetHTTP
import LinnetTestSupport
import Testing

/// A client over a local server, a mock and a cassette are the same to whoever sends requests.
@Suite("Transport parity", .timeLimit(.minutes(2)))
struct TransportParityTests {
  @Test(
    "TEST-01: mock and cassette answer as the client over a local server does", arguments: TransportScenario.all)
  func sameResults(_ scenario: TransportScenario) async throws {
    let server = try ScriptedServer.start(.handler { _ in scenario.server })
    defer { server.stop() }
    let real = await scenario.run(on: HTTPClient(), url: server.url("/x"))
    let mock = MockTransport()
    mock.mockResponse = scenario.mock
    #expect(await scenario.run(on: mock, url: server.url("/x")) == real)
    guard scenario.isRecordable else { return }
    let recorder = VCRTransport(mode: .record, recordingTransport: HTTPClient())
    #expect(await scenario.run(on: recorder, url: server.url("/x")) == real, "while it is recorded")
    let player = VCRTransport(cassette: recorder.cassette, mode: .replay)
    #expect(await scenario.run(on: player, url: server.url("/x")) == real, "when it is replayed")
  }

  @Test(
    "TEST-01: what the client refuses before it connects the others refuse with the same error",
    arguments: ["not a url", "ftp://a.test/", "http://a.test:0/", "header", "connect"])
  func sameRefusals(kind: String) async {
    var request = HTTPRequest.get(kind)
    if kind == "header" || kind == "connect" { request.url = "http://127.0.0.1:1/" }
    if kind == "header" { request.headers.add("X-A", "1\r\nX-B: 2") }
    if kind == "connect" { request.method = .connect }
    let mock = MockTransport()
    mock.setMockResponse(statusCode: 200)
    let transports: [any HTTPTransport] = [HTTPClient(), mock, VCRTransport(mode: .replay)]
    var texts: [String] = []
    for transport in transports {
      let sent = request
      let error = await #expect(throws: TransportError.self) { try await transport.send(sent) }
      texts.append("\(error?.code.rawValue ?? "") \(error?.phase.rawValue ?? "") \(error?.reason ?? "")")
    }
    #expect(Set(texts).count == 1, "\(texts)")
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("TEST-01: cancelling a request that waits for its head ends it in the same way")
  func cancelBeforeHead() async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(.handler { _ in .text("late").waiting(for: gate) })
    defer { server.stop() }
    let mock = MockTransport()
    mock.mockResponse = .never
    let url = server.url("/x")
    let scenario = TransportScenario(name: "cancel", server: .text(""), mock: .never)
    let onServer = Task { await scenario.run(on: HTTPClient(), url: url) }
    let onMock = Task { await scenario.run(on: mock, url: url) }
    try await server.waitForRequests(1)
    try await mock.waitForRequests(1)
    onServer.cancel()
    onMock.cancel()
    let real = await onServer.value
    #expect(await onMock.value == real)
    #expect(real.errors == ["cancelled in head, sent maybe"])
  }

  @Test("TEST-01: cancelling a request that waits for the rest of its body ends it in the same way")
  func cancelInBody() async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(
      .handler { _ in ServerResponse(body: ServerBody([.bytes(Array("first".utf8)), .wait(gate), .pattern(5)])) })
    defer { server.stop() }
    let mock = MockTransport()
    let (stream, feed) = AsyncStream.makeStream(of: ByteChunk.self)
    feed.yield(ByteChunk("first"))
    mock.mockResponse = .stream(expectedLength: 10) { stream }
    let url = server.url("/x")
    var observations: [TransportObservation] = []
    for transport in [HTTPClient(), mock] as [any HTTPTransport] {
      let pieces = EventRecorder<String>()
      let scenario = TransportScenario(
        name: "cancel", server: .text(""), mock: .never,
        read: { response, seen throws(TransportError) in
          while let chunk = try await response.body.next() {
            seen.body += chunk.array
            pieces.record("piece")
          }
        })
      let task = Task { await scenario.run(on: transport, url: url) }
      try await pieces.waitForCount(1)
      task.cancel()
      observations.append(await task.value)
    }
    #expect(observations[0] == observations[1])
    #expect(observations[0].body == Array("first".utf8))
    #expect(observations[0].errors == ["cancelled in body, sent all"])
  }

  @Test("TEST-01: a request without an answer is timed out in the same way", arguments: [true, false])
  func timeout(isTotal: Bool) async throws {
    let gate = Gate()
    let server = try ScriptedServer.start(.handler { _ in .text("late").waiting(for: gate) })
    defer { server.stop() }
    let mock = MockTransport()
    mock.mockResponse = .never
    var request = HTTPRequest.get(server.url("/x"))
    if isTotal {
      request.options.timeouts.total = .after(.milliseconds(50))
    } else {
      request.options.timeouts.responseHead = .after(.milliseconds(50))
    }
    let sent = request
    var observations: [TransportObservation] = []
    for transport in [HTTPClient(), mock] as [any HTTPTransport] {
      var seen = TransportObservation()
      if let error = await #expect(throws: TransportError.self, performing: { try await transport.send(sent) }) {
        seen.record(error)
      }
      observations.append(seen)
    }
    #expect(observations[0] == observations[1])
    #expect(observations[0].errors == ["\(isTotal ? "totalTimeout" : "headTimeout") in head, sent all"])
  }

  @Test("TEST-01: a cancelled task sends nothing")
  func cancelledBefore() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let mock = MockTransport()
    mock.setMockResponse(statusCode: 200)
    let url = server.url("/x")
    for transport in [HTTPClient(), mock] as [any HTTPTransport] {
      let gate = Gate()
      let task = Task { () async -> TransportError? in
        // Held back until the task is cancelled.
        try? await gate.opened()
        do throws(TransportError) {
          _ = try await transport.send(.get(url))
          return nil
        } catch {
          return error
        }
      }
      task.cancel()
      let error = await task.value
      #expect(error?.code == .cancelled)
      #expect(error?.sent == .nothing)
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
    #expect(server.snapshot.requests.isEmpty)
  }

  @Test("TEST-01: a one-shot body is sent once, also by a mock", arguments: [false, true])
  func oneShot(isMock: Bool) async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let mock = MockTransport()
    mock.setMockResponse(statusCode: 200)
    let transport: any HTTPTransport = isMock ? mock : HTTPClient()
    let body = HTTPRequestBody.oneShot(
      AsyncStream<ByteChunk> {
        $0.yield(ByteChunk("once")); $0.finish()
      })
    let request = HTTPRequest.post(server.url("/x"), body: body)
    #expect(try await transport.send(request).status == .ok)
    let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
    #expect(error?.code == .bodyNotReplayable)
    #expect(mock.capturedRequestsInOrder.count == (isMock ? 1 : 0))
  }
}
