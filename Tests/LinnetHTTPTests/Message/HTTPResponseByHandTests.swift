import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Responses and bodies that no connection carried behave as those that one did.
@Suite("Responses made by hand")
struct HTTPResponseByHandTests {
  private struct Cause: Error {}

  private func response(_ body: HTTPResponseBody) throws -> HTTPResponse {
    HTTPResponse(status: .ok, url: try HTTPURL("http://me:secret@made.test/x"), body: body)
  }

  /// A stream of these pieces that then waits for ever; `stopped` records that it was cancelled.
  private func endless(_ pieces: [ByteChunk], stopped: EventRecorder<String>) -> AsyncStream<ByteChunk> {
    AsyncStream { continuation in
      for piece in pieces { continuation.yield(piece) }
      continuation.onTermination = { _ in stopped.record("stopped") }
    }
  }

  private func failing(after pieces: [ByteChunk], with error: any Error) -> AsyncThrowingStream<ByteChunk, any Error> {
    AsyncThrowingStream { continuation in
      for piece in pieces { continuation.yield(piece) }
      continuation.finish(throwing: error)
    }
  }

  @Test("a response made by hand says what it was given, and otherwise that it has no connection")
  func head() async throws {
    let response = HTTPResponse(
      status: .notFound, headers: ["A": "b", "C": "d"], url: try HTTPURL("http://a.test/"), body: .bytes(ByteChunk("x"))
    )
    #expect(response.status.code == 404)
    #expect(response.headers == ["A": "b", "C": "d"])
    #expect(response.head.reason == "Not Found")
    #expect(response.version == .http1_1)
    #expect(response.connection == .inMemory)
    #expect(response.timings == ExchangeTimings())
    #expect(response.body.expectedLength == 1)
  }

  @Test("an empty body collects to nothing and is at its end", arguments: [false, true])
  func empty(isStream: Bool) async throws {
    let response = try response(isStream ? .stream(AsyncStream { $0.finish() }) : .empty)
    #expect(response.body.expectedLength == (isStream ? nil : 0))
    #expect(try await response.collect().isEmpty)
    #expect(try await response.body.next() == nil)
    #expect(response.body.receivedWireBytes == 0)
  }

  @Test("the pieces of a stream come one by one, empty ones left out")
  func pieces() async throws {
    let given = ["one", "", "two", "three"].map { ByteChunk($0) }
    let response = try response(
      .stream(
        AsyncStream { stream in
          given.forEach { stream.yield($0) }; stream.finish()
        }))
    var texts: [String] = []
    for try await chunk in response.body { texts.append(String(chunk)) }
    #expect(texts == ["one", "two", "three"])
    #expect(response.body.receivedWireBytes == 11)
  }

  @Test("a body is read once", arguments: [false, true])
  func once(isStream: Bool) async throws {
    let chunk = ByteChunk("once")
    let response = try response(
      isStream
        ? .stream(
          AsyncStream {
            $0.yield(chunk); $0.finish()
          }) : .bytes(chunk))
    #expect(try await response.text() == "once")
    let error = await #expect(throws: TransportError.self) { try await response.text() }
    #expect(error?.code == .bodyAlreadyConsumed)
  }

  @Test("a second reader finds the body busy while the first waits")
  func oneReader() async throws {
    let asked = EventRecorder<String>()
    let gate = Gate()
    let body = HTTPResponseBody.stream(
      AsyncStream<ByteChunk>(unfolding: {
        asked.record("asked")
        try? await gate.opened()
        return ByteChunk("piece")
      }))
    let first = Task { try await body.next().map { String($0) } }
    // The first reader waits: the stream was asked on its behalf.
    try await asked.waitForCount(1)
    let error = await #expect(throws: TransportError.self) { try await body.next() }
    #expect(error?.code == .bodyAlreadyConsumed)
    gate.open()
    #expect(try await first.value == "piece")
  }

  @Test("collect has its limit, and for a known length before anything is read", arguments: [false, true])
  func limit(isLengthKnown: Bool) async throws {
    let started = EventRecorder<String>()
    let stream = AsyncStream<ByteChunk>(unfolding: {
      started.record("read")
      return ByteChunk([UInt8](repeating: 7, count: 100))
    })
    let response = try response(.stream(stream, expectedLength: isLengthKnown ? 1_000 : nil))
    let error = await #expect(throws: TransportError.self) { try await response.collect(upTo: 250) }
    #expect(error?.code == .bodyTooLarge)
    #expect(error?.phase == .decode)
    #expect(started.events.isEmpty == isLengthKnown)
  }

  @Test("the default limit of collect is the one that the response was made with")
  func defaultLimit() async throws {
    let response = HTTPResponse(
      head: ResponseHead(status: .ok), url: try HTTPURL("http://a.test/"), body: .bytes(ByteChunk("12345")),
      maximumCollectedBytes: 4)
    let error = await #expect(throws: TransportError.self) { try await response.collect() }
    #expect(error?.code == .bodyTooLarge)
  }

  @Test("a stream that ends before its announced length is truncated, one that goes on is cut", arguments: [10, 3])
  func length(announced: UInt64) async throws {
    let response = try response(
      .stream(
        AsyncStream {
          $0.yield(ByteChunk("12345")); $0.finish()
        }, expectedLength: announced))
    if announced == 3 {
      #expect(try await response.text() == "123")
    } else {
      let error = await #expect(throws: TransportError.self) { try await response.text() }
      #expect(error?.code == .truncated)
      #expect(error?.description.contains("5 bytes before its announced end") == true)
    }
  }

  @Test("what came before a stream's error is read first; the error names the URL without its password")
  func failure() async throws {
    let response = try response(.stream(failing(after: [ByteChunk("part")], with: Cause())))
    #expect(try await response.body.next().map { String($0) } == "part")
    let error = await #expect(throws: TransportError.self) { try await response.body.next() }
    #expect(error?.code == .connectionLost)
    #expect(error?.phase == .body)
    #expect(error?.sent == .all)
    #expect(error?.underlying is Cause)
    #expect(error?.url?.contains("made.test") == true)
    #expect(error?.url?.contains("secret") == false)
    let again = await #expect(throws: TransportError.self) { try await response.body.next() }
    #expect(again?.code == .connectionLost)
  }

  @Test("a transport error of a stream reaches the reader as it is")
  func transportError() async throws {
    let given = TransportError(code: .idleTimeout, phase: .body, sent: .all, reason: "nothing came")
    let response = try response(.stream(failing(after: [], with: given)))
    let error = await #expect(throws: TransportError.self) { try await response.collect() }
    #expect(error?.code == .idleTimeout)
    #expect(error?.reason == "nothing came")
  }

  @Test("cancelling the reader ends it with cancelled and stops the stream")
  func cancellation() async throws {
    let stopped = EventRecorder<String>()
    let response = try response(.stream(endless([ByteChunk("first")], stopped: stopped)))
    #expect(try await response.body.next().map { String($0) } == "first")
    let reader = Task { () async throws(TransportError) -> ByteChunk? in try await response.body.next() }
    reader.cancel()
    let error = await #expect(throws: TransportError.self) { try await reader.value }
    #expect(error?.code == .cancelled)
    #expect(error?.phase == .body)
    try await stopped.waitForCount(1)
  }

  @Test("dropping a body that was begun stops its stream")
  func dropping() async throws {
    let stopped = EventRecorder<String>()
    func readOne() async throws {
      let body = HTTPResponseBody.stream(endless([ByteChunk("first")], stopped: stopped))
      _ = try await body.next()
    }
    try await readOne()
    try await stopped.waitForCount(1)
  }

  @Test("a stream is not touched before the body is read")
  func laziness() async throws {
    let touched = EventRecorder<String>()
    do {
      let stream = AsyncStream<ByteChunk>(unfolding: {
        touched.record("touched")
        return nil
      })
      _ = try response(.stream(stream))
    }
    #expect(touched.events.isEmpty)
  }
}
