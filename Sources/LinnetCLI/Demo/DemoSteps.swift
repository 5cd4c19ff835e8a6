internal import LinnetHTTP
internal import LinnetTestSupport

/// The stops of the tour, in order: each sends real requests and checks what comes back.
enum DemoSteps {
  static let all: [DemoStep] = [
    DemoStep("GET over TLS", get),
    DemoStep("GET again: the connection is kept", getAgain),
    DemoStep("100 requests at once", manyAtOnce),
    DemoStep("Stream a large body", streamLargeBody),
    DemoStep("Upload a stream, chunked", upload),
    DemoStep("Upload after 100 Continue", uploadAfterContinue),
    DemoStep("Decode a gzip body", decodeGzip),
    DemoStep("Chunked body with trailers", trailers),
    DemoStep("103 Early Hints before the answer", earlyHints),
    DemoStep("404 is an answer, not an error", notFound),
    DemoStep("Time-out: the server says nothing", timeout),
    DemoStep("Body cut short by the server", truncated),
    DemoStep("Kept connection gone stale", stale),
    DemoStep("Untrusted certificate", untrusted),
    DemoStep("Cancel a running download", cancel),
    DemoStep("Connection refused", refused),
  ]

  // MARK: Connections

  @Sendable
  private static func get(_ stage: DemoStage) async throws -> DemoOutcome {
    let response = try await stage.client.send(.get(stage.server.url("/")))
    let text = try await response.text()
    try DemoFailure.require(text == "hello" && !response.connection.isReused, "got \"\(text)\"")
    return DemoOutcome("\(response.status.code) \"\(text)\", certificate checked", response)
  }

  @Sendable
  private static func getAgain(_ stage: DemoStage) async throws -> DemoOutcome {
    let response = try await stage.client.send(.get(stage.server.url("/")))
    _ = try await response.collect()
    try DemoFailure.require(response.connection.isReused, "the connection was not reused")
    return DemoOutcome("\(response.status.code), no handshake needed", response)
  }

  @Sendable
  private static func manyAtOnce(_ stage: DemoStage) async throws -> DemoOutcome {
    let before = stage.server.snapshot.connectionCount
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          let text = try await stage.client.send(.get(stage.server.url("/\(number)"))).text()
          try DemoFailure.require(text == "hello", "got \"\(text)\"")
        }
      }
      try await group.waitForAll()
    }
    let made = stage.server.snapshot.connectionCount - before
    try DemoFailure.require(made < DemoStage.connectionLimit, "\(made) more connections were made")
    return DemoOutcome("100 answers over \(made + 1) connections (limit \(DemoStage.connectionLimit))")
  }

  // MARK: Bodies

  @Sendable
  private static func streamLargeBody(_ stage: DemoStage) async throws -> DemoOutcome {
    let before = ResidentMemory.bytes
    let response = try await stage.client.send(.get(stage.server.url("/big")))
    var received: UInt64 = 0
    for try await chunk in response.body {
      try DemoFailure.require(chunk.first == TestPattern.byte(at: received), "wrong bytes at \(received)")
      received += UInt64(chunk.count)
    }
    try DemoFailure.require(received == DemoStage.bigBodyBytes, "\(received) bytes")
    let growth = max(0, ResidentMemory.peakBytes - before)
    try DemoFailure.require(growth < 64 << 20, "memory grew by \(growth >> 20) MiB")
    return DemoOutcome(
      "\(received >> 20) MiB, memory grew by \(growth >> 20) MiB to \(ResidentMemory.bytes >> 20) MiB", response)
  }

  @Sendable
  private static func upload(_ stage: DemoStage) async throws -> DemoOutcome {
    let count: UInt64 = 32 << 20
    let request = HTTPRequest.put(stage.server.url("/upload"), body: .stream { PatternStream(count: count) })
    let response = try await stage.client.send(request)
    let text = try await response.text()
    try DemoFailure.require(text == "\(count) true", "the server received \"\(text)\"")
    return DemoOutcome("\(count >> 20) MiB arrived unchanged", response)
  }

  @Sendable
  private static func uploadAfterContinue(_ stage: DemoStage) async throws -> DemoOutcome {
    let body = TestPattern.bytes(100_000)
    var request = HTTPRequest.post(stage.server.url("/upload"), body: .bytes(body))
    let interim = EventRecorder<Int>()
    request.options.expectsContinue = true
    request.options.onEvent = { if case .interim(let head) = $0 { interim.record(head.status.code) } }
    let response = try await stage.client.send(request)
    let text = try await response.text()
    try DemoFailure.require(text == "\(body.count) true", "the server received \"\(text)\"")
    try DemoFailure.require(interim.events == [100], "interim responses: \(interim.events)")
    return DemoOutcome("the server agreed, then \(body.count) bytes went out", response)
  }

  @Sendable
  private static func decodeGzip(_ stage: DemoStage) async throws -> DemoOutcome {
    let response = try await stage.client.send(.get(stage.server.url("/gzip")))
    let text = try await response.text()
    try DemoFailure.require(text == DemoStage.demoText, "the text differs")
    return DemoOutcome("\(response.body.receivedWireBytes) bytes became \(text.utf8.count)", response)
  }

  @Sendable
  private static func trailers(_ stage: DemoStage) async throws -> DemoOutcome {
    let response = try await stage.client.send(.get(stage.server.url("/trailers")))
    let text = try await response.text()
    let digest = response.body.trailers?["Digest"] ?? ""
    try DemoFailure.require(text == "abc" && digest == "abc", "body \"\(text)\", trailer \"\(digest)\"")
    return DemoOutcome("\"\(text)\", then the trailer Digest: \(digest)", response)
  }

  @Sendable
  private static func earlyHints(_ stage: DemoStage) async throws -> DemoOutcome {
    var request = HTTPRequest.get(stage.server.url("/hints"))
    let hints = EventRecorder<String>()
    request.options.onEvent = { event in
      if case .interim(let head) = event { hints.record("\(head.status.code) \(head.headers["Link"] ?? "")") }
    }
    let response = try await stage.client.send(request)
    _ = try await response.collect()
    let seen = hints.events
    try DemoFailure.require(seen.count == 1 && seen[0].hasPrefix("103 </style.css>"), "\(seen)")
    return DemoOutcome("\(seen[0]), then \(response.status.code)", response)
  }

  @Sendable
  private static func notFound(_ stage: DemoStage) async throws -> DemoOutcome {
    let response = try await stage.client.send(.get(stage.server.url("/missing")))
    let text = try await response.text()
    try DemoFailure.require(response.status.code == 404 && text == "not here", "\(response.status): \"\(text)\"")
    return DemoOutcome("\(response.status.code) with its body", response)
  }
}

/// Bytes of the test pattern as a body.
struct PatternStream: AsyncSequence, Sendable {
  let count: UInt64

  struct Iterator: AsyncIteratorProtocol {
    var position: UInt64 = 0
    let count: UInt64
    private let piece: UInt64 = 251 << 9
    private let bytes = ByteChunk(TestPattern.bytes(251 << 9))

    init(count: UInt64) { self.count = count }

    mutating func next() async throws -> ByteChunk? {
      guard position < count else { return nil }
      let part = bytes.prefix(Int(Swift.min(piece, count - position)))
      position += UInt64(part.count)
      return part
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(count: count) }
}
