public import FoundationEssentials
public import LinnetHTTP

/// Decides whether a failed attempt of a request is repeated, and when.
///
/// A client has none by default: nothing is repeated unless the application knows that its server bears it. Ready made
/// are ``ExponentialBackoffRetryPolicy``, ``LinearRetryPolicy`` and ``ImmediateRetryPolicy``.
///
/// A policy is asked after each failed attempt, and the client has the last word. It never repeats what was cancelled,
/// wrongly configured, undecodable or untrusted; nor a body that exists only once and was read; nor, unless
/// ``idempotencyPolicy`` allows it, a request that may have been processed already and could do something twice.
public protocol RetryPolicy: Sendable {
  /// How many attempts may follow the first. 0 or less for none.
  var maxRetries: Int { get }
  /// The most repeats of one call, whatever happens in between. Default ``maxRetries``.
  var maxTotalRetries: Int { get }
  /// The wait before a repeat, in seconds.
  var retryDelay: TimeInterval { get }
  /// The longest wait in seconds that a server may ask for; nil, the default, for any.
  var maxRetryAfterDelay: TimeInterval? { get }
  /// Which requests may be repeated although they may have been processed. Default
  /// ``RetryIdempotencyPolicy/safeMethodsAndIdempotencyKey``.
  var idempotencyPolicy: RetryIdempotencyPolicy { get }

  /// The wait in seconds before the repeat with an index, which is 0 for the first. Default ``retryDelay``. Zero does
  /// not wait; what is negative or not a number counts as zero.
  func retryDelay(for retryIndex: Int) -> TimeInterval

  /// Decides about a failed attempt.
  ///
  /// - Parameters:
  ///   - error: Why it failed.
  ///   - retryIndex: How many repeats there were: 0 when the first attempt failed.
  ///   - request: The request as it was to be sent; nil when it could not be built.
  ///   - response: The head of the response, when there was one.
  func shouldRetry(
    error: NetworkError, retryIndex: Int, request: HTTPRequest?, response: ResponseHead?
  ) -> RetryDecision
}

extension RetryPolicy {
  /// ``maxRetries``.
  public var maxTotalRetries: Int { maxRetries }
  /// Nil.
  public var maxRetryAfterDelay: TimeInterval? { nil }
  /// ``RetryIdempotencyPolicy/safeMethodsAndIdempotencyKey``.
  public var idempotencyPolicy: RetryIdempotencyPolicy { .safeMethodsAndIdempotencyKey }
  /// ``retryDelay``.
  public func retryDelay(for retryIndex: Int) -> TimeInterval { retryDelay }
}
