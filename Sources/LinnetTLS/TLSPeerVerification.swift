/// A peer's certificates that wait for a decision from outside the engine.
package struct TLSPeerVerification: Sendable, Equatable {
  /// What this library found by itself.
  package enum Verdict: Sendable, Equatable {
    case accepted
    case rejected(TLSError)
    /// The settings switch the verification off.
    case notChecked
  }

  /// The peer's own certificate first, as the peer sent them.
  package let chain: [Certificate]
  package let verdict: Verdict
}

/// The answer to a ``TLSPeerVerification``.
package enum TLSVerificationDecision: Sendable, Equatable {
  case accept
  /// With the reason in words.
  case reject(String)
  /// What the library's own verdict says.
  case useVerdict
}
