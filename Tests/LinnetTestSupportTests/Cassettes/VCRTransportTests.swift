import FoundationEssentials
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("VCRTransport", .timeLimit(.minutes(2)))
struct VCRTransportTests {
  /// A mock that answers with the number of the request.
  private func counting() -> MockTransport {
    let mock = MockTransport()
    mock.setScriptedResponses((1...9).map { .text("answer \($0)", headers: ["Set-Cookie": "secret=1"]) })
    return mock
  }

  private func text(_ transport: VCRTransport, _ request: HTTPRequest) async throws -> String {
    try await transport.send(request).text()
  }

  @Test("what was recorded is replayed in order, through a file")
  func recordAndReplay() async throws {
    let mock = counting()
    let recorder = VCRTransport(mode: .record, recordingTransport: mock)
    let requests: [HTTPRequest] = [
      .get("http://a.test/1"), .get("http://a.test/1"), .post("http://a.test/1", body: .text("x")),
      .post("http://a.test/1", body: .text("y")), .get("http://a.test/2"),
    ]
    for (index, request) in requests.enumerated() {
      #expect(try await text(recorder, request) == "answer \(index + 1)")
    }
    let directory = try TemporaryDirectory()
    try recorder.cassette.write(to: directory.path(of: "c.json"))
    let cassette = try VCRCassette.load(from: directory.path(of: "c.json"))
    #expect(cassette == recorder.cassette)
    let player = VCRTransport(cassette: cassette, mode: .replay)
    #expect(player.unusedInteractions.count == 5)
    // In another order: only equal requests depend on each other.
    var answers: [String] = []
    for index in [4, 3, 2, 0, 1] { answers.append(try await text(player, requests[index])) }
    #expect(answers == ["answer 5", "answer 4", "answer 3", "answer 1", "answer 2"])
    #expect(player.unusedInteractions.isEmpty)
    #expect(mock.capturedRequestsInOrder.count == 5)
    #expect(player.cassette == cassette)
  }

  @Test("the caller of a recording gets the response as it came, the cassette without secrets")
  func redaction() async throws {
    let mock = MockTransport()
    mock.mockResponse = .text(
      #"{"token":"secret-body"}"#,
      headers: [
        "Set-Cookie": "sid=secret-cookie", "Location": "/next?token=secret-location&page=2", "X-Plain": "visible",
      ])
    var policy = VCRRedactionPolicy.default
    policy.redactResponseBody = { _ in Data("{}".utf8) }
    let recorder = VCRTransport(mode: .record, recordingTransport: mock, redactionPolicy: policy)
    var request = HTTPRequest.post(
      "http://me:secret-password@a.test/x?page=1&Access_Token=secret-query&to%6Ben=secret-escaped&flag#fragment",
      headers: ["AUTHORIZATION": "Bearer secret-bearer", "x-api-key": "secret-key", "X-Plain": "visible"],
      body: .text("secret-request-body"))
    try request.headers.add(name: "X-Marked", value: "secret-marked", isSensitive: true)
    let response = try await recorder.send(request)
    #expect(response.headers["Set-Cookie"] == "sid=secret-cookie")
    #expect(try await response.text() == #"{"token":"secret-body"}"#)
    #expect(mock.capturedRequest?.url == request.url)
    #expect(mock.capturedRequest?.headers["Authorization"] == "Bearer secret-bearer")

    let stored = try #require(recorder.cassette.interactions.first)
    #expect(
      stored.request.url
        == "http://a.test/x?page=1&Access_Token=<redacted>&to%6Ben=<redacted>&flag")
    #expect(stored.request.headers["Authorization"] == "<redacted>")
    #expect(stored.request.headers["X-Plain"] == "visible")
    #expect(stored.response.headers["Location"] == "/next?token=<redacted>&page=2")
    #expect(stored.response.headers["X-Plain"] == "visible")
    let directory = try TemporaryDirectory()
    try recorder.cassette.write(to: directory.path(of: "c.json"))
    let file = String(decoding: TemporaryDirectory.contents(of: directory.path(of: "c.json")) ?? [], as: UTF8.self)
    #expect(file.contains("visible"))
    #expect(!file.contains("secret"))
  }

  @Test("a request finds its recording although its secrets are others")
  func replayAfterRedaction() async throws {
    let recorder = VCRTransport(mode: .record, recordingTransport: counting())
    _ = try await text(recorder, .get("http://a.test/x?token=one&page=1"))
    let player = VCRTransport(cassette: recorder.cassette, mode: .replay)
    #expect(try await text(player, .get("http://a.test/x?token=two&page=1")) == "answer 1")
    let byHand = VCRCassette(interactions: [
      VCRInteraction(
        request: VCRRequest(method: .get, url: "http://a.test/x?token=three"),
        response: VCRResponse(statusCode: 200, body: Data("by hand".utf8)))
    ])
    let other = VCRTransport(cassette: byHand, mode: .replay)
    #expect(try await text(other, .get("http://a.test/x?token=four")) == "by hand")
  }

  @Test("names, replacement and the lists are the policy's")
  func ownPolicy() async throws {
    let policy = VCRRedactionPolicy(
      sensitiveHeaderNames: ["x-own"], sensitiveQueryItemNames: ["own"], replacement: "***")
    let recorder = VCRTransport(mode: .record, recordingTransport: counting(), redactionPolicy: policy)
    _ = try await text(recorder, .get("http://a.test/?own=1&token=2", headers: ["X-Own": "3", "X-API-Key": "4"]))
    let request = try #require(recorder.cassette.interactions.first?.request)
    #expect(request.url == "http://a.test/?own=***&token=2")
    #expect(request.headers["X-Own"] == "***")
    #expect(request.headers["X-API-Key"] == "4")
  }

  @Test("a request without a recording fails and names the closest one and what differs")
  func closest() async throws {
    let recorder = VCRTransport(mode: .record, recordingTransport: counting())
    _ = try await text(recorder, .get("http://a.test/users?page=1"))
    _ = try await text(recorder, .post("http://a.test/users", body: .text("x")))
    let player = VCRTransport(cassette: recorder.cassette, mode: .replay)
    let cases: [(HTTPRequest, String)] = [
      (.get("http://a.test/users?page=2"), "closest is number 1, GET http://a.test/users?page=1, which differs in URL"),
      (.put("http://a.test/users", body: .text("x")), "number 2, POST http://a.test/users, which differs in method"),
      (.post("http://a.test/users", body: .text("y")), "number 2, POST http://a.test/users, which differs in body"),
      (.post("http://a.test/users"), "number 2, POST http://a.test/users, which differs in body"),
    ]
    for (request, text) in cases {
      let error = await #expect(throws: TransportError.self) { try await player.send(request) }
      #expect(error?.code == .noRecordedResponse)
      #expect(error?.sent == .nothing)
      #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }
    let empty = VCRTransport(mode: .replay)
    let error = await #expect(throws: TransportError.self) { try await empty.send(.get("http://a.test/")) }
    #expect(error?.reason == "the cassette is empty")
  }

  @Test("a recording that was used up says so")
  func usedUp() async throws {
    let recorder = VCRTransport(mode: .record, recordingTransport: counting())
    _ = try await text(recorder, .get("http://a.test/"))
    let player = VCRTransport(cassette: recorder.cassette, mode: .replay)
    _ = try await text(player, .get("http://a.test/"))
    let error = await #expect(throws: TransportError.self) { try await player.send(.get("http://a.test/")) }
    #expect(error?.reason == "the cassette has 1 response to this request, and all were used")
  }

  @Test("a recording without a transport fails and names what is missing")
  func noTransport() async {
    let error = await #expect(throws: TransportError.self) {
      try await VCRTransport(mode: .record).send(.get("http://a.test/"))
    }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.description.contains("recordingTransport") == true)
  }

  @Test("a failed request and a body above the limit are not recorded")
  func notRecorded() async throws {
    let mock = MockTransport()
    mock.setScriptedResponses([
      .failure(TransportError(code: .connectionRefused, phase: .connect, sent: .nothing, reason: "refused")),
      .text("too long"), .text("ok"),
    ])
    let recorder = VCRTransport(mode: .record, recordingTransport: mock, maximumBodyBytes: 4)
    var codes: [TransportError.Code?] = []
    for _ in 0..<2 {
      codes.append(
        (await #expect(throws: TransportError.self) { try await recorder.send(.get("http://a.test/")) })?.code)
    }
    #expect(codes == [.connectionRefused, .bodyTooLarge])
    #expect(try await text(recorder, .get("http://a.test/")) == "ok")
    #expect(recorder.cassette.interactions.count == 1)
  }

  @Test("requests are recorded in the order in which they were sent, not in that of their answers")
  func order() async throws {
    let mock = MockTransport()
    let gate = Gate()
    mock.setScriptedResponses([.text("late").waiting(for: gate), .text("early")])
    let recorder = VCRTransport(mode: .record, recordingTransport: mock)
    let late = Task { try await text(recorder, .get("http://a.test/first")) }
    try await mock.waitForRequests(1)
    #expect(try await text(recorder, .get("http://a.test/second")) == "early")
    gate.open()
    #expect(try await late.value == "late")
    #expect(recorder.cassette.interactions.map(\.request.url) == ["http://a.test/first", "http://a.test/second"])
  }

  @Test("a streamed request body is digested, sent and found again")
  func streamedBody() async throws {
    let mock = counting()
    let recorder = VCRTransport(mode: .record, recordingTransport: mock)
    let stream = AsyncStream<ByteChunk> {
      $0.yield(ByteChunk("ab")); $0.yield(ByteChunk("c")); $0.finish()
    }
    _ = try await text(recorder, .post("http://a.test/", body: .oneShot(stream)))
    #expect(mock.capturedRequest?.body?.bytesInMemory.map { String($0) } == "abc")
    #expect(
      recorder.cassette.interactions.first?.request.bodySHA256
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let player = VCRTransport(cassette: recorder.cassette, mode: .replay)
    #expect(try await text(player, .post("http://a.test/", body: .text("abc"))) == "answer 1")
  }
}
