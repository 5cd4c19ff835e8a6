/// Decides after each failed attempt of one call whether another follows, and after which wait.
///
/// For `RetryStage` only, which turns errors into causes, asks the user's policy for its vote, and waits.
///
/// Theory of operation
///
/// The policy votes; this machine has the last word, in this order:
///
/// 1. *Never* when repeating cannot help or must not happen: cancelled, wrong configuration, undecodable, untrusted.
/// 2. *Never* when the body exists once and was read.
/// 3. *Never* when the policy voted against it, or its number of repeats is used up.
/// 4. *Not* when the repeat could do something twice: the method is unsafe, has no idempotency key, and the policy does
///    not claim that repeating is harmless. The exception is a request of which no byte was sent; that was proven not to
///    have been processed (RFC 9110 §9.2.2).
/// 5. An open circuit breaker has a time before which asking again is pointless. It is waited for when it is not longer
///    than the longest wait that the policy accepts; otherwise the call ends.
/// 6. The wait is the larger of the policy's own and the one the server asked for, the latter clamped to what the policy
///    accepts: a server cannot make a client sleep for a year.
package struct RetryMachine: Sendable {
  /// What the policy allows for one call.
  package struct Limits: Sendable, Hashable {
    /// Repeats, not attempts.
    package var maximumRetries: Int
    /// The longest wait that is accepted from outside, in seconds; nil for any.
    package var maximumRequestedWait: Double?

    package init(maximumRetries: Int, maximumRequestedWait: Double?) {
      self.maximumRetries = maximumRetries
      self.maximumRequestedWait = maximumRequestedWait
    }
  }

  /// Why the attempt failed, as far as it matters here.
  package enum Cause: Sendable, Hashable {
    /// Cancelled, wrong configuration, undecodable, untrusted.
    case permanent
    /// A circuit breaker stopped it before anything was sent, and will until this many seconds have passed.
    case breakerOpen(retryAfter: Double)
    /// Anything else. `isUnsent` when no byte of the request reached the network.
    case transient(isUnsent: Bool)
  }

  /// Whether sending the request again could do something twice.
  package enum Repeatability: Sendable, Hashable {
    /// A safe method, an idempotency key, or a policy that does not care.
    case harmless
    case harmful
    /// The body was consumed and cannot be sent again.
    case impossible
  }

  /// What the policy says.
  package enum Vote: Sendable, Hashable {
    case end
    case `repeat`
    /// Repeat, but not before this many seconds have passed.
    case repeatAfter(Double)
  }

  package enum Decision: Sendable, Hashable {
    /// The failure is the call's result.
    case end
    /// Wait for this many seconds, then try again. Zero does not wait.
    case wait(seconds: Double)
  }

  private let limits: Limits
  /// The number of repeats that were decided.
  package private(set) var retryIndex = 0

  package init(limits: Limits) { self.limits = limits }

  /// Whether a repeat is left at all; the policy need not be asked otherwise.
  package var hasRetriesLeft: Bool { retryIndex < limits.maximumRetries }

  /// An attempt failed.
  ///
  /// - Parameter backoff: The policy's own wait for ``retryIndex``, in seconds.
  package mutating func attemptFailed(
    _ cause: Cause, repeatability: Repeatability, vote: Vote, backoff: Double
  ) -> Decision {
    guard hasRetriesLeft, repeatability != .impossible, let wait = requestedWait(cause, vote) else { return .end }
    switch cause {
    case .permanent: return .end
    case .transient(isUnsent: false) where repeatability == .harmful: return .end
    case .transient, .breakerOpen: break
    }
    retryIndex += 1
    return .wait(seconds: max(Backoff.nonNegative(backoff), wait))
  }

  /// The wait that somebody else asked for; nil when there must be no repeat.
  private func requestedWait(_ cause: Cause, _ vote: Vote) -> Double? {
    let limit = limits.maximumRequestedWait.map(Backoff.nonNegative) ?? .infinity
    var wait: Double
    switch vote {
    case .end: return nil
    case .repeat: wait = 0
    case .repeatAfter(let seconds): wait = min(Backoff.nonNegative(seconds), limit)
    }
    if case .breakerOpen(let retryAfter) = cause {
      guard retryAfter <= limit else { return nil }
      wait = max(wait, retryAfter)
    }
    return wait
  }
}
