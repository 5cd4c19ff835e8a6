package import FoundationEssentials
internal import LinnetHTTP
internal import LinnetPolicies

/// What the ready-made retry policies have in common: which failures are repeated, and what the server asks for.
struct RetryRule: Sendable {
  var conditions: RetryConditions
  /// The statuses that are repeated in the place of those of ``conditions``.
  var statusCodes: Set<Int>?
  var idempotencyPolicy: RetryIdempotencyPolicy
  /// The longest wait that a server may ask for.
  var maximumHint: TimeInterval
  var surroundings: RetrySurroundings

  func decision(error: NetworkError, request: HTTPRequest?, response: ResponseHead?) -> RetryDecision {
    guard isRepeatable(error) else { return .noRetry }
    guard idempotencyPolicy.allowsRetry(for: request) || error.isProvenUnsent(of: request) else { return .noRetry }
    if let open = error.circuitBreakerOpenError { return .retryAfter(open.retryAfter.seconds) }
    guard let hint = hint(error: error, response: response) else { return .retry }
    return .retryAfter(min(hint, Backoff.nonNegative(maximumHint)))
  }

  private func isRepeatable(_ error: NetworkError) -> Bool {
    if case .statusCode(let response) = error, let statusCodes { return statusCodes.contains(response.statusCode) }
    if error.circuitBreakerOpenError != nil { return conditions.contains(.networkFailure) }
    return conditions.contains(error)
  }

  /// `Retry-After` is defined for 503 and redirects (RFC 9110 §10.2.3) and for 429 (RFC 6585 §4).
  private func hint(error: NetworkError, response: ResponseHead?) -> TimeInterval? {
    guard case .statusCode(let failed) = error else { return nil }
    guard failed.statusCode == 429 || failed.statusCode == 503 || (300..<400).contains(failed.statusCode) else {
      return nil
    }
    let seconds = surroundings.wallTime().timeIntervalSince1970
    let now = HTTPDate(secondsSince1970: Int64(exactly: seconds.rounded(.down)) ?? 0)
    return RetryAfter.seconds(in: response?.headers ?? failed.headers, now: now)
  }
}

/// What a policy reads from outside; arguments, so that a test decides what it finds.
package struct RetrySurroundings: Sendable {
  package var wallTime: @Sendable () -> Date
  package var randomBits: @Sendable () -> UInt64

  package init(wallTime: @escaping @Sendable () -> Date, randomBits: @escaping @Sendable () -> UInt64) {
    self.wallTime = wallTime
    self.randomBits = randomBits
  }

  /// The system's clock and generator.
  package static var system: RetrySurroundings {
    RetrySurroundings(wallTime: { Date() }, randomBits: { .random(in: .min ... .max) })
  }
}
