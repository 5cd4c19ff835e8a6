public import FoundationEssentials

/// What a ``RetryPolicy`` says about a failed attempt.
public enum RetryDecision: Sendable, Hashable {
  /// The failure is the result.
  case noRetry
  /// Try again after the policy's own delay.
  case retry
  /// Try again, but not before so many seconds have passed. The wait is the larger of this, clamped to
  /// ``RetryPolicy/maxRetryAfterDelay``, and the policy's own delay.
  case retryAfter(TimeInterval)
}
