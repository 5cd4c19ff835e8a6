import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite struct RetryStageTests {
  /// What the attempts of a call do, one after the other.
  private actor Script {
    private var outcomes: [Result<Int, NetworkError>]
    private(set) var indices: [Int] = []

    init(_ outcomes: [Result<Int, NetworkError>]) { self.outcomes = outcomes }

    func next(_ index: Int) throws(NetworkError) -> Int {
      indices.append(index)
      return try outcomes.removeFirst().get()
    }
  }

  private func run(
    _ script: Script, _ policy: (any RetryPolicy)?, request: HTTPRequest? = .get("https://a.test/"),
    clock: ManualPolicyClock = ManualPolicyClock(movesItself: true), events: RequestEvents = .none
  ) async throws(NetworkError) -> Int {
    try await RetryStage(policy: policy).execute(call: CallContext(clock: clock), events: events) {
      call, record throws(NetworkError) in
      record.request = request
      return try await script.next(call.retryIndex)
    }
  }

  private static var noJitter: ExponentialBackoffRetryPolicy { ExponentialBackoffRetryPolicy(jitterRatio: 0) }

  private static func failure(_ status: Int, headers: HTTPHeaders = [:]) throws -> Result<Int, NetworkError> {
    .failure(.statusCode(try .made(status, headers: headers)))
  }

  @Test("attempts follow after growing waits, and have their index")
  func backoff() async throws {
    let clock = ManualPolicyClock(movesItself: true)
    let script = Script([try Self.failure(500), try Self.failure(503), try Self.failure(429), .success(7)])
    #expect(try await run(script, Self.noJitter, clock: clock) == 7)
    #expect(clock.sleeps.events == [.seconds(1), .seconds(2), .seconds(4)])
    #expect(await script.indices == [0, 1, 2, 3])
  }

  @Test("the last error is thrown when the repeats are used up, and without a policy at once")
  func exhausted() async throws {
    for (policy, attempts) in [(.exponential() as any RetryPolicy, 4), (.immediate(), 2), (.none, 1)] {
      let script = Script(try (500..<510).map { try Self.failure($0) })
      await #expect { try await run(script, policy) } throws: {
        ($0 as? NetworkError)?.response?.statusCode == 499 + attempts
      }
      #expect(await script.indices.count == attempts)
    }
    let script = Script([try Self.failure(500)])
    await #expect(throws: NetworkError.self) { try await run(script, nil) }
  }

  @Test("the server's wait is kept when it is longer, and clamped")
  func retryAfter() async throws {
    let clock = ManualPolicyClock(movesItself: true)
    let script = Script([
      try Self.failure(503, headers: ["Retry-After": "20"]), try Self.failure(503, headers: ["Retry-After": "0"]),
      try Self.failure(503, headers: ["Retry-After": "86400"]), .success(1),
    ])
    _ = try await run(script, Self.noJitter, clock: clock)
    #expect(clock.sleeps.events == [.seconds(20), .seconds(2), .seconds(60)])
  }

  @Test("no wait does not sleep")
  func immediate() async throws {
    let clock = ManualPolicyClock()
    let script = Script([try Self.failure(500), .success(1)])
    _ = try await run(script, .immediate(), clock: clock)
    #expect(clock.sleeps.events.isEmpty)
  }

  @Test("cancellation during the wait ends the call as cancelled, at once")
  func cancelled() async throws {
    let clock = ManualPolicyClock()
    let script = Script([try Self.failure(500)])
    let task = start { () async throws(NetworkError) in try await run(script, Self.noJitter, clock: clock) }
    try await clock.sleeps.waitForCount(1)
    task.cancel()
    #expect(await task.value.failureCategory == "cancelled")
    #expect(clock.sleeperCount == 0)
  }

  /// Wants to repeat everything.
  private struct Stubborn: RetryPolicy {
    var maxRetries = 1
    var retryDelay: TimeInterval = 0
    var idempotencyPolicy = RetryIdempotencyPolicy.safeMethodsAndIdempotencyKey
    func shouldRetry(
      error: NetworkError, retryIndex: Int, request: HTTPRequest?, response: ResponseHead?
    ) -> RetryDecision { .retry }
  }

  @Test("a policy that repeats everything is overruled where a repeat cannot help or may do harm")
  func overruled() async throws {
    let error = SendableUnderlyingError(domain: "test", code: 1, message: "made for a test")
    let timeout = NetworkError.timeout(
      reason: .requestTimeout,
      underlying: SendableUnderlyingError(domain: "t", code: 1, message: "", transport: .made(.idleTimeout)))
    let never: [NetworkError] = [
      .cancelled, .configuration(reason: .invalidRequest("")), .trustEvaluationFailed(.missingServerTrust),
      .decoding(stage: .responseBody, underlying: error, response: nil),
    ]
    for error in never {
      let script = Script([.failure(error), .success(1)])
      await #expect(throws: NetworkError.self) { try await run(script, Stubborn()) }
    }
    let script = Script([.failure(timeout), .success(1)])
    await #expect(throws: NetworkError.self) { try await run(script, Stubborn(), request: .post("https://a.test/")) }
    let agnostic = Script([.failure(timeout), .success(1)])
    #expect(
      try await run(agnostic, Stubborn(idempotencyPolicy: .methodAgnostic), request: .post("https://a.test/")) == 1)
  }

  @Test("a body that was read and exists once is not sent again")
  func oneShotBody() async throws {
    let stream = AsyncStream<ByteChunk> { $0.finish() }
    let server = try ScriptedServer.start(.handler { _ in .text("no") })
    defer { server.stop() }
    let client = HTTPClient()
    let request = HTTPRequest.post(server.url("/"), body: .oneShot(stream))
    _ = try await client.send(request)
    await client.shutdown()
    let script = Script([try Self.failure(503), .success(1)])
    await #expect(throws: NetworkError.self) {
      try await run(script, .immediate(idempotencyPolicy: .methodAgnostic), request: request)
    }
  }

  @Test("what proves that nothing was sent must be about the request itself, not about a redirect of it")
  func provenUnsent() async throws {
    let request = HTTPRequest.post("https://a.test/form?x=1")
    for (url, method, isRepeated) in [
      ("https://a.test/form?x=1", HTTPMethod.post, true), ("https://b.test/", .post, false),
      ("https://a.test/form?x=1", .get, false),
    ] {
      let error = NetworkError(.made(.connectionRefused, .connect, sent: .nothing, method: method, url: url))
      let script = Script([.failure(error), .success(1)])
      let result = try? await run(script, .immediate(), request: request)
      #expect(result == (isRepeated ? 1 : nil), "\(url) \(method)")
    }
  }

  @Test(
    "a POST on a stream that the server refused is repeated, as nothing of it was processed; after a reset it is not")
  func streams() async throws {
    let request = HTTPRequest.post("https://a.test/form")
    for (code, sent, isRepeated) in [
      (TransportError.Code.streamRefused, TransportError.SentState.nothing, true), (.streamReset, .all, false),
      (.http2NotNegotiated, .nothing, false),
    ] {
      let error = NetworkError(.made(code, sent: sent, method: .post, url: request.url))
      let script = Script([.failure(error), .success(1)])
      let result = try? await run(script, .immediate(), request: request)
      #expect(result == (isRepeated ? 1 : nil), "\(code)")
    }
  }

  @Test("an open breaker is waited for when the policy bears the wait", arguments: [(30, true), (61, false)])
  func breaker(seconds: Int, isRepeated: Bool) async throws {
    let clock = ManualPolicyClock(movesItself: true)
    let open = CircuitBreakerOpenError(host: "a.test", retryAfter: .seconds(seconds))
    let error = NetworkError(
      TransportError(
        code: .circuitBreakerOpen, phase: .request, sent: .nothing, reason: open.description, underlying: open))
    let script = Script([.failure(error), .success(1)])
    let result = try? await run(script, Self.noJitter, clock: clock)
    #expect(result == (isRepeated ? 1 : nil))
    #expect(clock.sleeps.events == (isRepeated ? [.seconds(30)] : []))
  }

  @Test("each wait is announced before it begins, with the failure's category")
  func announced() async throws {
    let observer = RecordingObserver()
    let hub = NetworkEventHub(observers: [observer])
    let id = UUID()
    let script = Script([
      try Self.failure(503), .failure(.timeout(reason: .requestTimeout, underlying: nil)), .success(1),
    ])
    _ = try await run(script, Self.noJitter, events: hub.events(of: id))
    await hub.drained()
    #expect(
      observer.events.events == [
        .retryScheduled(requestID: id, retryIndex: 0, delay: 1, reason: "http.status.503"),
        .retryScheduled(requestID: id, retryIndex: 1, delay: 2, reason: "timeout.request"),
      ])
  }
}

/// Keeps every event.
struct RecordingObserver: NetworkEventObserving {
  let events = EventRecorder<NetworkEvent>()
  func handle(_ event: NetworkEvent) async { events.record(event) }
}
