public import FoundationEssentials
public import LinnetHTTP

/// Repeats failed requests at once, unless the server asks for a wait.
public struct ImmediateRetryPolicy: RetryPolicy {
  /// How many attempts may follow the first.
  public let maxRetries: Int
  /// The longest wait in seconds that a server may ask for.
  public let maxRetryAfterDelay: TimeInterval?
  /// Which requests may be repeated although they may have been processed.
  public let idempotencyPolicy: RetryIdempotencyPolicy
  /// The failures that are repeated.
  public let conditions: RetryConditions

  /// A policy.
  ///
  /// - Parameters:
  ///   - maxRetries: How many attempts may follow the first. Default 1; below zero counts as zero.
  ///   - maxRetryAfterDelay: The longest wait in seconds that a server may ask for. Default 60; nil for any.
  ///   - idempotencyPolicy: Which requests may be repeated although they may have been processed.
  ///   - conditions: The failures that are repeated. Default all.
  public init(
    maxRetries: Int = 1, maxRetryAfterDelay: TimeInterval? = 60,
    idempotencyPolicy: RetryIdempotencyPolicy = .safeMethodsAndIdempotencyKey, conditions: RetryConditions = .all
  ) {
    self.maxRetries = max(0, maxRetries)
    self.maxRetryAfterDelay = maxRetryAfterDelay
    self.idempotencyPolicy = idempotencyPolicy
    self.conditions = conditions
  }

  /// 0.
  public var retryDelay: TimeInterval { 0 }

  /// Repeats what fulfils ``conditions`` while repeats are left.
  public func shouldRetry(
    error: NetworkError, retryIndex: Int, request: HTTPRequest?, response: ResponseHead?
  ) -> RetryDecision {
    guard retryIndex < maxRetries else { return .noRetry }
    return RetryRule(
      conditions: conditions, statusCodes: nil, idempotencyPolicy: idempotencyPolicy,
      maximumHint: maxRetryAfterDelay ?? .infinity, surroundings: .system
    ).decision(error: error, request: request, response: response)
  }
}

extension RetryPolicy where Self == ImmediateRetryPolicy {
  /// Repeats at once; see ``ImmediateRetryPolicy``.
  ///
  /// - Parameters:
  ///   - maxRetries: How many attempts may follow the first. Default 1.
  ///   - conditions: The failures that are repeated. Default all.
  ///   - idempotencyPolicy: Which requests may be repeated although they may have been processed.
  public static func immediate(
    maxRetries: Int = 1, conditions: RetryConditions = .all,
    idempotencyPolicy: RetryIdempotencyPolicy = .safeMethodsAndIdempotencyKey
  ) -> ImmediateRetryPolicy {
    ImmediateRetryPolicy(maxRetries: maxRetries, idempotencyPolicy: idempotencyPolicy, conditions: conditions)
  }

  /// Repeats nothing.
  ///
  /// Where an *optional* policy is expected, such as in ``Endpoint/retryPolicyOverride``, the compiler takes `.none` for
  /// `nil`, which means the client's policy there. Write ``never`` to turn retries off.
  public static var none: ImmediateRetryPolicy { ImmediateRetryPolicy(maxRetries: 0) }

  /// Repeats nothing.
  public static var never: ImmediateRetryPolicy { ImmediateRetryPolicy(maxRetries: 0) }
}
