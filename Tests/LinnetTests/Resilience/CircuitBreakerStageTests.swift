import Linnet
import LinnetTestSupport
import Testing

@Suite struct CircuitBreakerStageTests {
  private let clock = ManualPolicyClock()

  private func run(
    _ stage: CircuitBreakerStage, _ outcome: Result<Int, NetworkError>, url: String = "https://a.test/"
  ) async throws(NetworkError) -> Int {
    let response = try await stage.execute(.get(url), call: CallContext(clock: clock)) {
      request, _ throws(NetworkError) in
      let status = try outcome.get()
      do {
        return try .made(status, for: request)
      } catch {
        throw NetworkError.map(error)
      }
    }
    return response.statusCode
  }

  private func isOpen(_ stage: CircuitBreakerStage, url: String = "https://a.test/") async -> Bool {
    do throws(NetworkError) {
      _ = try await run(stage, .failure(.cancelled), url: url)
      return false
    } catch {
      return error.circuitBreakerOpenError != nil
    }
  }

  private static let error = SendableUnderlyingError(domain: "test", code: 1, message: "made for a test")

  @Test(
    "server errors, time-outs and network failures open it; nothing else does",
    arguments: [
      (.success(500), true), (.success(503), true), (.success(404), false), (.success(401), false),
      (.success(200), false), (.success(304), false),
      (.failure(.timeout(reason: .requestTimeout, underlying: nil)), true),
      (.failure(.reachability(.cannotFindHost, error, nil)), true),
      (.failure(.reachability(.connectionRefused, error, nil)), true),
      (.failure(NetworkError(.made(.invalidResponse))), true), (.failure(.cancelled), false),
      (.failure(.configuration(reason: .invalidRequest(""))), false),
      (.failure(.trustEvaluationFailed(.missingServerTrust)), false),
      (.failure(NetworkError(.made(.tlsHandshakeFailed, .tls))), false), (.failure(.underlying(error, nil)), false),
      (.failure(NetworkError(.made(.bodyTooLarge, .decode))), false),
      (.failure(NetworkError(.made(.invalidURL, .request))), false),
    ] as [(Result<Int, NetworkError>, Bool)])
  func outcomes(outcome: Result<Int, NetworkError>, opens: Bool) async {
    let stage = CircuitBreakerStage(policy: CircuitBreakerPolicy(failureThreshold: 2))
    for _ in 0..<2 { _ = try? await run(stage, outcome) }
    #expect(await isOpen(stage) == opens)
  }

  @Test(
    "failures of trust count when the policy says so",
    arguments: [
      NetworkError.trustEvaluationFailed(.missingServerTrust), NetworkError(.made(.tlsHandshakeFailed, .tls)),
    ])
  func trust(error: NetworkError) async {
    let stage = CircuitBreakerStage(
      policy: CircuitBreakerPolicy(failureThreshold: 1, countsTransportSecurityFailures: true))
    _ = try? await run(stage, .failure(error))
    #expect(await isOpen(stage))
  }

  @Test("the error says which server, and how long; nothing was sent, and it is no configuration error")
  func openError() async throws {
    let stage = CircuitBreakerStage(policy: CircuitBreakerPolicy(failureThreshold: 1))
    _ = try await run(stage, .success(500))
    clock.advance(by: .seconds(10))
    await #expect {
      try await run(stage, .success(200))
    } throws: {
      guard let error = $0 as? NetworkError, case .underlying = error else { return false }
      return error.circuitBreakerOpenError == CircuitBreakerOpenError(host: "a.test", retryAfter: .seconds(20))
        && error.transport?.sent == .nothing
    }
  }

  @Test("scheme, host and port tell servers apart; case of the host does not")
  func servers() async throws {
    let stage = CircuitBreakerStage(policy: CircuitBreakerPolicy(failureThreshold: 1))
    _ = try await run(stage, .success(500), url: "https://A.test/x")
    #expect(await isOpen(stage, url: "https://a.test:443/y"))
    for url in ["http://a.test/", "https://a.test:8443/", "https://b.test/"] { #expect(await !isOpen(stage, url: url)) }
  }

  @Test("after the wait one probe passes at a time, and a cancelled one frees its place")
  func probes() async throws {
    let stage = CircuitBreakerStage(policy: CircuitBreakerPolicy(failureThreshold: 1))
    _ = try await run(stage, .success(500))
    clock.advance(by: .seconds(30))
    let began = Gate()
    let probe = start { [clock] () async throws(NetworkError) in
      try await stage.execute(.get("https://a.test/"), call: CallContext(clock: clock)) { _, _ throws(NetworkError) in
        began.open()
        do { try await Gate().opened() } catch {}
        throw .cancelled
      }
    }
    try await began.opened()
    #expect(await isOpen(stage))
    probe.cancel()
    _ = await probe.value
    #expect(try await run(stage, .success(404)) == 404)
    #expect(await !isOpen(stage))
  }

  @Test("a failure that coalesced callers share counts once")
  func coalescedFailure() async throws {
    let breaker = CircuitBreakerStage(policy: CircuitBreakerPolicy(failureThreshold: 2))
    let coalescing = CoalescingStage(policy: .getOnly, refresh: nil)
    let gate = Gate()
    let call = CallContext(clock: clock)
    let callers = (0..<5).map { _ in
      start { () async throws(NetworkError) in
        try await breaker.execute(.get("https://a.test/"), call: call) { request, share throws(NetworkError) in
          try await coalescing.execute(request, call: call, share: share) { _ throws(NetworkError) in
            do { try await gate.opened() } catch {}
            throw NetworkError(.made(.connectionLost))
          }
        }
      }
    }
    try await eventually("all wait") { coalescing.waitingCount == 5 }
    gate.open()
    for caller in callers { #expect(await caller.value.failureCategory == "reachability.connection_lost") }
    #expect(await !isOpen(breaker))
    _ = try await run(breaker, .success(500))
    #expect(await isOpen(breaker))
  }
}
