import FoundationEssentials
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("MockTransport", .timeLimit(.minutes(2)))
struct MockTransportTests {
  private struct User: Codable, Equatable {
    var name: String
  }

  private func code(_ mock: MockTransport, _ path: String = "/") async throws -> Int {
    try await mock.send(.get("http://mock.test\(path)")).status.code
  }

  @Test("scripted responses come in order, then the default one for ever")
  func order() async throws {
    let mock = MockTransport()
    mock.setMockResponse(statusCode: 200)
    mock.setScriptedResponses([.http(statusCode: 201), .http(statusCode: 202)])
    mock.enqueueScriptedResponse(.http(statusCode: 203))
    #expect(mock.scriptedResponseCount == 3)
    var codes: [Int] = []
    for _ in 0..<5 { codes.append(try await code(mock)) }
    #expect(codes == [201, 202, 203, 200, 200])
    #expect(mock.scriptedResponseCount == 0)
  }

  @Test("setting scripted responses drops those that were left")
  func replacing() async throws {
    let mock = MockTransport()
    mock.setScriptedResponses([.http(statusCode: 201), .http(statusCode: 202)])
    mock.setScriptedResponses([.http(statusCode: 204)])
    #expect(try await code(mock) == 204)
    #expect(mock.scriptedResponseCount == 0)
  }

  @Test("JSON has its content type and the encoded value")
  func json() async throws {
    let mock = MockTransport()
    try mock.setMockJSON(User(name: "a"), statusCode: 201)
    let response = try await mock.send(.get("http://mock.test/"))
    #expect(response.status == .created)
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(try await response.text() == #"{"name":"a"}"#)
    mock.mockResponse = try .json(User(name: "a"), headers: ["content-type": "application/problem+json"])
    #expect(try await mock.send(.get("http://mock.test/")).headers.values(for: "Content-Type").count == 1)
  }

  @Test("an error wins over the default response, a handler over both, a script over all")
  func precedence() async throws {
    let mock = MockTransport()
    mock.setMockResponse(statusCode: 200)
    mock.mockError = TransportError(code: .connectionRefused, phase: .connect, sent: .nothing, reason: "refused")
    let refused = await #expect(throws: TransportError.self) { try await code(mock) }
    #expect(refused?.code == .connectionRefused)
    mock.setHandler { request in try await MockResponse.text(request.url, statusCode: 202).response(to: request) }
    #expect(try await code(mock) == 202)
    mock.enqueueScriptedResponse(.http(statusCode: 203))
    #expect(try await code(mock) == 203)
    mock.setHandler(nil)
    mock.mockError = nil
    #expect(try await code(mock) == 200)
  }

  @Test("errors of a handler reach the caller: transport errors as they are, others as the underlying one")
  func handlerErrors() async {
    struct Cause: Error {}
    let mock = MockTransport { _ in
      throw TransportError(code: .headTimeout, phase: .head, sent: .all, reason: "no answer")
    }
    #expect((await #expect(throws: TransportError.self) { try await code(mock) })?.code == .headTimeout)
    mock.setHandler { _ in throw CancellationError() }
    #expect((await #expect(throws: TransportError.self) { try await code(mock) })?.code == .cancelled)
    mock.setHandler { _ in throw Cause() }
    let error = await #expect(throws: TransportError.self) { try await code(mock) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.underlying is Cause)
  }

  @Test("every error names the method and the URL of its request", arguments: 0..<4)
  func attribution(kind: Int) async {
    let mock = MockTransport(maximumBodyBytes: 2)
    var request = HTTPRequest.put("http://me:secret@mock.test/x")
    switch kind {
    case 0: mock.mockError = TransportError(code: .emptyReply, phase: .head, sent: .all, reason: "closed")
    case 1: request.body = .text("too long")
    case 2: mock.mockResponse = .stream(expectedLength: 9) { AsyncStream<ByteChunk> { $0.finish() } }
    default: break
    }
    let sent = request
    let error = await #expect(throws: TransportError.self) { try await mock.send(sent).collect() }
    #expect(error?.method == .put)
    #expect(error?.description.hasPrefix("PUT http://") == true)
    #expect(error?.description.contains("mock.test/x") == true)
    #expect(error?.description.contains("secret") == false)
  }

  @Test("a mock without an answer says so and names the request")
  func noAnswer() async {
    let error = await #expect(throws: TransportError.self) { try await code(MockTransport(), "/users") }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.sent == .nothing)
    #expect(error?.description.contains("GET http://mock.test/users") == true)
  }

  @Test("a status that is none is an invalid response", arguments: [-1, 0, 99, 1000])
  func badStatus(code status: Int) async {
    let mock = MockTransport()
    mock.setMockResponse(statusCode: status)
    let error = await #expect(throws: TransportError.self) { try await code(mock) }
    #expect(error?.code == .invalidResponse)
  }

  @Test("requests are kept in order, with their bodies in memory")
  func captured() async throws {
    let mock = MockTransport { request in try await MockResponse.http().response(to: request) }
    let directory = try TemporaryDirectory()
    #expect(mock.capturedRequest == nil)
    let stream = { @Sendable in
      AsyncStream<ByteChunk> {
        $0.yield(ByteChunk("ab")); $0.yield(ByteChunk("c")); $0.finish()
      }
    }
    let bodies: [HTTPRequestBody?] = [
      nil, .text("abc"), .file(try directory.write("abc", to: "upload")), .stream(stream), .oneShot(stream()),
    ]
    for (index, body) in bodies.enumerated() {
      _ = try await mock.send(.post("http://mock.test/\(index)", headers: ["X-Index": "\(index)"], body: body))
    }
    let captured = mock.capturedRequestsInOrder
    #expect(captured.map(\.url) == (0..<5).map { "http://mock.test/\($0)" })
    #expect(captured.map { $0.headers["X-Index"] } == (0..<5).map { "\($0)" })
    #expect(captured.map { $0.body?.bytesInMemory.map { String($0) } } == [nil, "abc", "abc", "abc", "abc"])
    #expect(mock.capturedRequest?.url == "http://mock.test/4")
  }

  @Test("a request body above the limit is refused and not kept")
  func bodyLimit() async {
    let mock = MockTransport(maximumBodyBytes: 2)
    mock.setMockResponse(statusCode: 200)
    let error = await #expect(throws: TransportError.self) {
      try await mock.send(.post("http://mock.test/", body: .text("abc")))
    }
    #expect(error?.code == .bodyTooLarge)
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("an answer waits for its gate, and the test for the request")
  func gate() async throws {
    let mock = MockTransport()
    let gate = Gate()
    mock.enqueueScriptedResponse(.text("late").waiting(for: gate))
    let answer = Task { try await mock.send(.get("http://mock.test/")).text() }
    #expect(try await mock.waitForRequests(1).map(\.url) == ["http://mock.test/"])
    gate.open()
    #expect(try await answer.value == "late")
  }

  @Test("a request that waits for a gate or for ever ends when it is cancelled", arguments: [false, true])
  func cancellation(isGated: Bool) async throws {
    let mock = MockTransport()
    mock.mockResponse = isGated ? .http().waiting(for: Gate()) : .never
    let task = Task { try await mock.send(.get("http://mock.test/")) }
    try await mock.waitForRequests(1)
    task.cancel()
    let error = await #expect(throws: TransportError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(error?.phase == .head)
  }

  @Test("the request's timeouts end its wait, the shorter one first", arguments: [true, false], [true, false])
  func timeouts(isGated: Bool, isTotalShorter: Bool) async throws {
    let clock = TestClock()
    let mock = MockTransport(clock: clock)
    mock.mockResponse = isGated ? .http().waiting(for: Gate()) : .never
    var request = HTTPRequest.get("http://mock.test/")
    request.options.timeouts.responseHead = .after(.seconds(60))
    request.options.timeouts.total = .after(.seconds(isTotalShorter ? 59 : 61))
    let sent = request
    let task = Task { try await mock.send(sent) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(60))
    let error = await #expect(throws: TransportError.self) { try await task.value }
    #expect(error?.code == (isTotalShorter ? .totalTimeout : .headTimeout))
    #expect(error?.phase == .head)
    #expect(error?.sent == .all)
  }

  @Test("each request gets a body of its own")
  func freshBodies() async throws {
    let mock = MockTransport()
    mock.mockResponse = .stream {
      AsyncStream<ByteChunk> {
        $0.yield(ByteChunk("x")); $0.finish()
      }
    }
    for _ in 0..<3 { #expect(try await mock.send(.get("http://mock.test/")).text() == "x") }
    mock.setMockResponse(statusCode: 200, data: Data("y".utf8))
    for _ in 0..<3 { #expect(try await mock.send(.get("http://mock.test/")).text() == "y") }
  }

  @Test("many requests at a time each get one scripted answer")
  func concurrency() async throws {
    let mock = MockTransport()
    mock.setScriptedResponses((0..<200).map { .http(statusCode: 200 + $0) })
    let codes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<200 { group.addTask { try await code(mock) } }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(codes == Set(200..<400))
    #expect(mock.capturedRequestsInOrder.count == 200)
  }
}
