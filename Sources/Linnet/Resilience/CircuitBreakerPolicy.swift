/// Stops asking a server that keeps failing, so that it can recover and callers fail at once instead of slowly.
///
/// Each server (scheme, host and port) has a breaker of its own:
///
/// - *Closed*: requests pass. The last ``windowSize`` outcomes are counted, and ``failureThreshold`` failures among them
///   open the breaker. Failures are 5xx, time-outs, and failures of the network. 4xx are not counted.
/// - *Open*: requests fail with ``CircuitBreakerOpenError`` and nothing is sent, for ``resetAfter``.
/// - *Half-open*: one request at a time passes as a probe. ``numberOfProbesRequiredToClose`` answers that are not
///   failures close the breaker; a failure opens it for twice as long, up to ``maxResetAfter``.
///
/// A server that is not asked for five minutes is forgotten. Off by default.
public struct CircuitBreakerPolicy: Sendable, Hashable {
  /// How many of the last ``windowSize`` outcomes must be failures to open the breaker.
  public let failureThreshold: Int
  /// How many outcomes are kept.
  public let windowSize: Int
  /// How long the breaker stays open at first.
  public let resetAfter: Duration
  /// How long it stays open at most.
  public let maxResetAfter: Duration
  /// How many probes must succeed to close it.
  public let numberOfProbesRequiredToClose: Int
  /// Whether refused certificates and failed TLS handshakes count as failures.
  public let countsTransportSecurityFailures: Bool

  /// A policy; what makes no sense is moved to the nearest value that does: counts to at least 1, the threshold to at
  /// most the window, durations to at least 0, and the longest time to at least the first.
  ///
  /// - Parameters:
  ///   - failureThreshold: How many failures open the breaker. Default 5.
  ///   - windowSize: Of how many outcomes. Default 10.
  ///   - resetAfter: How long it stays open at first. Default 30 s.
  ///   - maxResetAfter: How long it stays open at most. Default 300 s.
  ///   - numberOfProbesRequiredToClose: How many probes must succeed to close it. Default 1.
  ///   - countsTransportSecurityFailures: Whether refused certificates and failed TLS handshakes count. Default false:
  ///     they do not pass by waiting, and nobody but the operator can do anything about them.
  public init(
    failureThreshold: Int = 5, windowSize: Int = 10, resetAfter: Duration = .seconds(30),
    maxResetAfter: Duration = .seconds(300), numberOfProbesRequiredToClose: Int = 1,
    countsTransportSecurityFailures: Bool = false
  ) {
    self.windowSize = max(1, windowSize)
    self.failureThreshold = min(max(1, failureThreshold), max(1, windowSize))
    self.resetAfter = max(.zero, resetAfter)
    self.maxResetAfter = max(.zero, resetAfter, maxResetAfter)
    self.numberOfProbesRequiredToClose = max(1, numberOfProbesRequiredToClose)
    self.countsTransportSecurityFailures = countsTransportSecurityFailures
  }

  /// A policy from values that were read from somewhere; the same as the other initialiser, but nothing is moved.
  ///
  /// - Throws: ``ConfigurationError`` for the first value that makes no sense.
  public init(
    validatedFailureThreshold failureThreshold: Int, windowSize: Int = 10, resetAfter: Duration = .seconds(30),
    maxResetAfter: Duration = .seconds(300), numberOfProbesRequiredToClose: Int = 1,
    countsTransportSecurityFailures: Bool = false
  ) throws(ConfigurationError) {
    for (field, value) in [
      ("failureThreshold", failureThreshold), ("windowSize", windowSize),
      ("numberOfProbesRequiredToClose", numberOfProbesRequiredToClose),
    ] where value < 1 {
      throw .nonPositive(field: field, value: value)
    }
    guard failureThreshold <= windowSize else {
      throw .thresholdExceedsWindow(threshold: failureThreshold, window: windowSize)
    }
    if resetAfter < .zero { throw .negativeDuration(field: "resetAfter") }
    if maxResetAfter < .zero { throw .negativeDuration(field: "maxResetAfter") }
    if maxResetAfter < resetAfter { throw .maxResetSmallerThanReset }
    self.init(
      failureThreshold: failureThreshold, windowSize: windowSize, resetAfter: resetAfter, maxResetAfter: maxResetAfter,
      numberOfProbesRequiredToClose: numberOfProbesRequiredToClose,
      countsTransportSecurityFailures: countsTransportSecurityFailures)
  }

  /// What is wrong with the values of a policy.
  public enum ConfigurationError: Error, Sendable, Hashable {
    /// A count is below 1.
    case nonPositive(field: String, value: Int)
    /// The window never holds so many failures.
    case thresholdExceedsWindow(threshold: Int, window: Int)
    /// A duration is below zero.
    case negativeDuration(field: String)
    /// The longest time is shorter than the first.
    case maxResetSmallerThanReset
  }
}

extension CircuitBreakerPolicy.ConfigurationError: CustomStringConvertible {
  /// One line that names the field.
  public var description: String {
    switch self {
    case .nonPositive(let field, let value): "\(field) is \(value), and must be at least 1"
    case .thresholdExceedsWindow(let threshold, let window):
      "failureThreshold is \(threshold), and must be at most windowSize, \(window)"
    case .negativeDuration(let field): "\(field) is negative"
    case .maxResetSmallerThanReset: "maxResetAfter is shorter than resetAfter"
    }
  }
}
