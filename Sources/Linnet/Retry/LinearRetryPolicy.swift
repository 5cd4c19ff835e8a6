public import FoundationEssentials
public import LinnetHTTP
internal import LinnetPolicies

/// Repeats failed requests after 1, 2, 3 … times a delay, exactly; for servers that say how they want to be asked again.
public struct LinearRetryPolicy: RetryPolicy {
  /// How many attempts may follow the first.
  public let maxRetries: Int
  /// The wait before the first repeat, in seconds.
  public let retryDelay: TimeInterval
  /// The longest wait in seconds that a server may ask for.
  public let maxRetryAfterDelay: TimeInterval?
  /// The longest wait of the policy's own, in seconds.
  public let maxDelay: TimeInterval
  /// Which requests may be repeated although they may have been processed.
  public let idempotencyPolicy: RetryIdempotencyPolicy
  /// The failures that are repeated.
  public let conditions: RetryConditions

  /// A policy. Numbers below zero count as zero.
  ///
  /// - Parameters:
  ///   - maxRetries: How many attempts may follow the first. Default 3.
  ///   - retryDelay: The wait before the first repeat in seconds, and by how much each later one is longer. Default 1.
  ///   - maxRetryAfterDelay: The longest wait in seconds that a server may ask for. Default 60; nil is `maxDelay`.
  ///   - maxDelay: The longest wait of the policy's own in seconds. Default 60.
  ///   - idempotencyPolicy: Which requests may be repeated although they may have been processed.
  ///   - conditions: The failures that are repeated. Default all.
  public init(
    maxRetries: Int = 3, retryDelay: TimeInterval = 1, maxRetryAfterDelay: TimeInterval? = 60,
    maxDelay: TimeInterval = 60, idempotencyPolicy: RetryIdempotencyPolicy = .safeMethodsAndIdempotencyKey,
    conditions: RetryConditions = .all
  ) {
    self.maxRetries = max(0, maxRetries)
    self.retryDelay = Backoff.nonNegative(retryDelay)
    self.maxRetryAfterDelay = maxRetryAfterDelay.map(Backoff.nonNegative)
    self.maxDelay = Backoff.nonNegative(maxDelay)
    self.idempotencyPolicy = idempotencyPolicy
    self.conditions = conditions
  }

  /// The first wait times the index plus one, capped.
  public func retryDelay(for retryIndex: Int) -> TimeInterval {
    Backoff(growth: .linear, baseDelay: retryDelay, maximumDelay: maxDelay, jitterRatio: 0)
      .delay(index: retryIndex, randomBits: 0)
  }

  /// Repeats what fulfils ``conditions`` while repeats are left.
  public func shouldRetry(
    error: NetworkError, retryIndex: Int, request: HTTPRequest?, response: ResponseHead?
  ) -> RetryDecision {
    guard retryIndex < maxRetries else { return .noRetry }
    return RetryRule(
      conditions: conditions, statusCodes: nil, idempotencyPolicy: idempotencyPolicy,
      maximumHint: maxRetryAfterDelay ?? maxDelay, surroundings: .system
    ).decision(error: error, request: request, response: response)
  }
}

extension RetryPolicy where Self == LinearRetryPolicy {
  /// Repeats after 1, 2, 3 … times a delay; see ``LinearRetryPolicy``.
  ///
  /// - Parameters:
  ///   - maxRetries: How many attempts may follow the first. Default 3.
  ///   - delay: The wait before the first repeat in seconds. Default 1.
  ///   - conditions: The failures that are repeated. Default all.
  ///   - idempotencyPolicy: Which requests may be repeated although they may have been processed.
  public static func linear(
    maxRetries: Int = 3, delay: TimeInterval = 1, conditions: RetryConditions = .all,
    idempotencyPolicy: RetryIdempotencyPolicy = .safeMethodsAndIdempotencyKey
  ) -> LinearRetryPolicy {
    LinearRetryPolicy(
      maxRetries: maxRetries, retryDelay: delay, maxDelay: max(60, delay), idempotencyPolicy: idempotencyPolicy,
      conditions: conditions)
  }
}
