public import FoundationEssentials
public import LinnetHTTP
internal import LinnetPolicies

/// Repeats failed requests after 1, 2, 4 … seconds, a little earlier or later at random so that many clients do not come
/// back at once.
///
/// ```swift
/// ResiliencePack(retry: ExponentialBackoffRetryPolicy())
/// ```
///
/// Repeated are the statuses 408, 425, 429 and 5xx, time-outs, and failures of the network, of requests that may be
/// repeated (see ``idempotencyPolicy``). `Retry-After` is honoured on 429, 503 and redirects, up to
/// ``maxRetryAfterDelay``. An open circuit breaker is waited for within the same limit.
public struct ExponentialBackoffRetryPolicy: RetryPolicy {
  /// How many attempts may follow the first.
  public let maxRetries: Int
  /// The most repeats of one call.
  public let maxTotalRetries: Int
  /// The wait before the first repeat, in seconds.
  public let retryDelay: TimeInterval
  /// The longest wait in seconds that a server may ask for.
  public let maxRetryAfterDelay: TimeInterval?
  /// The longest wait of the policy's own, in seconds, jitter included.
  public let maxDelay: TimeInterval
  /// The part of a wait by which it is made shorter or longer at random, 0 to 1.
  public let jitterRatio: Double
  /// Which requests may be repeated although they may have been processed.
  public let idempotencyPolicy: RetryIdempotencyPolicy
  /// The failures that are repeated.
  public let conditions: RetryConditions
  /// The statuses that are repeated in the place of those of ``conditions``; nil for those.
  public let retryableStatusCodes: Set<Int>?
  private let surroundings: RetrySurroundings

  /// A policy. Numbers below zero count as zero.
  ///
  /// - Parameters:
  ///   - maxRetries: How many attempts may follow the first. Default 3.
  ///   - maxTotalRetries: The most repeats of one call; nil, the default, is `maxRetries`.
  ///   - retryDelay: The wait before the first repeat in seconds. Default 1. Each later wait is twice the one before.
  ///   - maxRetryAfterDelay: The longest wait in seconds that a server may ask for. Default 60; nil is `maxDelay`.
  ///   - maxDelay: The longest wait of the policy's own in seconds. Default 30; 0 never waits.
  ///   - jitterRatio: The part of a wait by which it varies, 0 to 1. Default 0.2.
  ///   - idempotencyPolicy: Which requests may be repeated although they may have been processed. Default: safe methods,
  ///     and others with an idempotency key.
  ///   - conditions: The failures that are repeated. Default all.
  ///   - retryableStatusCodes: The statuses that are repeated in the place of those of `conditions`. Default nil: 408,
  ///     425, 429 and 500 to 599, as far as `conditions` has them.
  public init(
    maxRetries: Int = 3, maxTotalRetries: Int? = nil, retryDelay: TimeInterval = 1,
    maxRetryAfterDelay: TimeInterval? = 60, maxDelay: TimeInterval = 30, jitterRatio: Double = 0.2,
    idempotencyPolicy: RetryIdempotencyPolicy = .safeMethodsAndIdempotencyKey, conditions: RetryConditions = .all,
    retryableStatusCodes: Set<Int>? = nil
  ) {
    self.maxRetries = max(0, maxRetries)
    self.maxTotalRetries = max(0, maxTotalRetries ?? maxRetries)
    self.retryDelay = Backoff.nonNegative(retryDelay)
    self.maxRetryAfterDelay = maxRetryAfterDelay.map(Backoff.nonNegative)
    self.maxDelay = Backoff.nonNegative(maxDelay)
    self.jitterRatio = min(1, Backoff.nonNegative(jitterRatio))
    self.idempotencyPolicy = idempotencyPolicy
    self.conditions = conditions
    self.retryableStatusCodes = retryableStatusCodes
    surroundings = .system
  }

  private init(_ policy: ExponentialBackoffRetryPolicy, surroundings: RetrySurroundings) {
    maxRetries = policy.maxRetries
    maxTotalRetries = policy.maxTotalRetries
    retryDelay = policy.retryDelay
    maxRetryAfterDelay = policy.maxRetryAfterDelay
    maxDelay = policy.maxDelay
    jitterRatio = policy.jitterRatio
    idempotencyPolicy = policy.idempotencyPolicy
    conditions = policy.conditions
    retryableStatusCodes = policy.retryableStatusCodes
    self.surroundings = surroundings
  }

  /// The same policy with another clock and another source of randomness.
  package func with(_ surroundings: RetrySurroundings) -> ExponentialBackoffRetryPolicy {
    ExponentialBackoffRetryPolicy(self, surroundings: surroundings)
  }

  /// The first wait times two to the power of the index, capped, and varied by the jitter.
  public func retryDelay(for retryIndex: Int) -> TimeInterval {
    Backoff(growth: .exponential, baseDelay: retryDelay, maximumDelay: maxDelay, jitterRatio: jitterRatio)
      .delay(index: retryIndex, randomBits: surroundings.randomBits())
  }

  /// Repeats what fulfils ``conditions`` while repeats are left.
  public func shouldRetry(
    error: NetworkError, retryIndex: Int, request: HTTPRequest?, response: ResponseHead?
  ) -> RetryDecision {
    guard retryIndex < min(maxRetries, maxTotalRetries) else { return .noRetry }
    return RetryRule(
      conditions: conditions, statusCodes: retryableStatusCodes, idempotencyPolicy: idempotencyPolicy,
      maximumHint: maxRetryAfterDelay ?? maxDelay, surroundings: surroundings
    ).decision(error: error, request: request, response: response)
  }
}

extension RetryPolicy where Self == ExponentialBackoffRetryPolicy {
  /// Repeats after growing waits; see ``ExponentialBackoffRetryPolicy``.
  ///
  /// - Parameters:
  ///   - maxRetries: How many attempts may follow the first. Default 3.
  ///   - baseDelay: The wait before the first repeat in seconds. Default 1.
  ///   - maxDelay: The longest wait in seconds. Default 60.
  ///   - jitterRatio: The part of a wait by which it varies, 0 to 1. Default 0.2.
  ///   - conditions: The failures that are repeated. Default all.
  ///   - idempotencyPolicy: Which requests may be repeated although they may have been processed.
  public static func exponential(
    maxRetries: Int = 3, baseDelay: TimeInterval = 1, maxDelay: TimeInterval = 60, jitterRatio: Double = 0.2,
    conditions: RetryConditions = .all, idempotencyPolicy: RetryIdempotencyPolicy = .safeMethodsAndIdempotencyKey
  ) -> ExponentialBackoffRetryPolicy {
    ExponentialBackoffRetryPolicy(
      maxRetries: maxRetries, retryDelay: baseDelay, maxDelay: max(baseDelay, maxDelay), jitterRatio: jitterRatio,
      idempotencyPolicy: idempotencyPolicy, conditions: conditions)
  }
}
