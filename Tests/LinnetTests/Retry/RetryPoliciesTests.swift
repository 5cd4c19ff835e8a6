import FoundationEssentials
import Linnet
import Testing

@Suite struct RetryPoliciesTests {
  private static let wallTime = Date(timeIntervalSince1970: 784_111_777)

  private func policy(
    _ policy: ExponentialBackoffRetryPolicy = ExponentialBackoffRetryPolicy(), randomBits: UInt64 = 1 << 63
  ) -> ExponentialBackoffRetryPolicy {
    policy.with(RetrySurroundings(wallTime: { Self.wallTime }, randomBits: { randomBits }))
  }

  private func decision(
    _ policy: some RetryPolicy, _ error: NetworkError, index: Int = 0, request: HTTPRequest? = .get("https://a.test/")
  ) -> RetryDecision {
    policy.shouldRetry(error: error, retryIndex: index, request: request, response: error.response?.response)
  }

  @Test("defaults")
  func defaults() {
    let policy = ExponentialBackoffRetryPolicy()
    #expect(policy.maxRetries == 3 && policy.maxTotalRetries == 3)
    #expect(policy.retryDelay == 1 && policy.maxDelay == 30 && policy.maxRetryAfterDelay == 60)
    #expect(policy.jitterRatio == 0.2 && policy.idempotencyPolicy == .safeMethodsAndIdempotencyKey)
    #expect(LinearRetryPolicy().maxRetries == 3 && ImmediateRetryPolicy().maxRetries == 1)
    let none: any RetryPolicy = .none
    #expect(none.maxRetries == 0)
    let linear: any RetryPolicy = .linear()
    #expect((0..<3).map(linear.retryDelay(for:)) == [1, 2, 3])
    let exponential: any RetryPolicy = .exponential(maxRetries: 5, conditions: [.timeout, .serverError])
    #expect(exponential.maxRetries == 5)
    let immediate: any RetryPolicy = .immediate()
    #expect(immediate.retryDelay(for: 0) == 0)
  }

  @Test("delays double up to the cap, and jitter stays within its ratio and the cap")
  func delays() {
    #expect((0..<7).map { policy().retryDelay(for: $0) } == [1, 2, 4, 8, 16, 30, 30])
    #expect(policy(randomBits: 0).retryDelay(for: 1) == 1.6)
    #expect(abs(policy(randomBits: .max).retryDelay(for: 1) - 2.4) < 1e-9)
    #expect(policy(randomBits: .max).retryDelay(for: 9) == 30)
  }

  @Test(
    "the default statuses are repeated",
    arguments: [
      (408, true), (425, true), (429, true), (500, true), (503, true), (400, false), (404, false), (304, false),
    ])
  func statuses(status: Int, isRepeated: Bool) throws {
    #expect((decision(policy(), .statusCode(try .made(status))) != .noRetry) == isRepeated)
  }

  @Test("other statuses can be named")
  func ownStatuses() throws {
    let policy = policy(ExponentialBackoffRetryPolicy(retryableStatusCodes: [404]))
    #expect(decision(policy, .statusCode(try .made(404))) == .retry)
    #expect(decision(policy, .statusCode(try .made(503))) == .noRetry)
  }

  @Test("conditions limit what is repeated")
  func conditions() throws {
    let policy = policy(ExponentialBackoffRetryPolicy(conditions: .transient))
    #expect(decision(policy, .statusCode(try .made(503))) == .retry)
    #expect(decision(policy, .statusCode(try .made(429))) == .noRetry)
    #expect(decision(policy, .statusCode(try .made(408))) == .noRetry)
  }

  @Test(
    "Retry-After is honoured where it has a meaning, and clamped",
    arguments: [
      (503, "7", .retryAfter(7)), (429, "Sun, 06 Nov 1994 08:50:07 GMT", .retryAfter(30)),
      (503, "600", .retryAfter(60)),
      (503, "Sun, 06 Nov 1994 08:49:00 GMT", .retry), (503, "x", .retry), (500, "7", .retry), (408, "7", .retry),
    ] as [(Int, String, RetryDecision)])
  func retryAfter(status: Int, value: String, expected: RetryDecision) throws {
    let response = try Response.made(status, headers: ["Retry-After": value])
    #expect(decision(policy(), .statusCode(response)) == expected)
  }

  @Test("without a limit of its own, a server's wait is limited by the longest delay")
  func hintLimit() throws {
    let policy = policy(ExponentialBackoffRetryPolicy(maxRetryAfterDelay: nil, maxDelay: 20))
    #expect(decision(policy, .statusCode(try .made(503, headers: ["Retry-After": "50"]))) == .retryAfter(20))
  }

  @Test("unsafe methods are repeated with a key, when nothing was sent, or when the policy does not care")
  func methods() throws {
    let error = NetworkError.statusCode(try .made(503))
    let unsent = NetworkError(.made(.connectionRefused, .connect, sent: .nothing))
    for method in [HTTPMethod.post, .put, .delete, .patch] {
      var request = HTTPRequest(method: method, url: "https://a.test/")
      #expect(decision(policy(), error, request: request) == .noRetry)
      #expect(decision(policy(), unsent, request: request) == .retry)
      #expect(decision(.immediate(idempotencyPolicy: .methodAgnostic), error, request: request) == .retry)
      request.headers["Idempotency-Key"] = " "
      #expect(decision(policy(), error, request: request) == .noRetry)
      request.headers["idempotency-key"] = "k"
      #expect(decision(policy(), error, request: request) == .retry)
    }
  }

  @Test("repeats end at the limit")
  func limit() throws {
    let error = NetworkError.statusCode(try .made(503))
    #expect(decision(policy(), error, index: 2) == .retry)
    #expect(decision(policy(), error, index: 3) == .noRetry)
    #expect(decision(policy(ExponentialBackoffRetryPolicy(maxTotalRetries: 1)), error, index: 1) == .noRetry)
  }

  @Test("what makes no sense is clamped")
  func clamped() {
    let policy = policy(
      ExponentialBackoffRetryPolicy(
        maxRetries: -1, retryDelay: -1, maxRetryAfterDelay: -1, maxDelay: .nan, jitterRatio: 7))
    #expect(policy.maxRetries == 0 && policy.maxTotalRetries == 0)
    #expect(policy.retryDelay == 0 && policy.maxRetryAfterDelay == 0 && policy.maxDelay == 0 && policy.jitterRatio == 1)
    #expect(policy.retryDelay(for: 3) == 0)
  }

  @Test("idempotency keys are made once, for the named methods, and never overwrite")
  func keys() {
    let id = UUID()
    let policy = IdempotencyKeyPolicy.automaticForUnsafeMethods()
    #expect(policy.makeKey(for: .post, requestID: id) == id.uuidString)
    #expect(policy.makeKey(for: .get, requestID: id) == nil)
    #expect(IdempotencyKeyPolicy.disabled.makeKey(for: .post, requestID: id) == nil)
    var request = HTTPRequest.post("https://a.test/")
    policy.attach("k", to: &request)
    policy.attach("other", to: &request)
    #expect(request.headers["Idempotency-Key"] == "k")
  }
}
