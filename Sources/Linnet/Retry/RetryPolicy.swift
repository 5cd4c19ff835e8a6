public import FoundationEssentials

/// Decides whether a failed attempt is repeated.
public protocol RetryPolicy: Sendable {
  /// How many attempts may follow the first.
  var maxRetries: Int { get }
  /// The wait before a repeat, in seconds.
  var retryDelay: TimeInterval { get }
}
