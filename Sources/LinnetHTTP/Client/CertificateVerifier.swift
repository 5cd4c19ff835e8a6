/// A policy of the application's own about certificates: pins by host, a register, trust on first use.
///
/// It is asked for each new connection, also one that resumes a session, then with the certificates of the session's first
/// handshake. The TLS handshake waits for the answer, so nothing of a request is sent before. It runs in a task of its own,
/// never on an I/O shard; the connect timeout goes on meanwhile, and when it passes, or the request is cancelled, that task
/// is cancelled and its answer dropped. Work that blocks a thread should be moved to one.
///
/// ```swift
/// final class Register: CertificateVerifier {
///   func decide(on presented: PresentedCertificates) async -> CertificateDecision {
///     guard let leaf = presented.certificates.first else { return .reject("no certificate") }
///     return await knows(leaf.publicKeyPin, of: presented.host) ? .useDefault : .reject("not in the register")
///   }
/// }
/// ```
public protocol CertificateVerifier: AnyObject, Sendable {
  /// Decides whether the connection is made.
  func decide(on presented: PresentedCertificates) async -> CertificateDecision
}

/// The answer of a ``CertificateVerifier``.
public enum CertificateDecision: Sendable, Hashable {
  /// The connection is made, also when OpenSSL refused the certificate: whoever says so takes over the whole check.
  case accept
  /// The request fails with `certificateRejected` and this reason, which may be shown to people.
  case reject(String)
  /// OpenSSL's verdict counts; with ``TLSConfiguration/verifiesPeer`` off the connection is made.
  case useDefault
}

/// What a server, or an `https` proxy, has presented in a TLS handshake.
public struct PresentedCertificates: Sendable, Hashable {
  /// What OpenSSL's own verification of chain, validity, purpose and name found.
  public enum Verdict: Sendable, Hashable {
    /// Nothing is wrong.
    case accepted
    /// Something is, for the given reason.
    case rejected(String)
    /// It was not looked at, because ``TLSConfiguration/verifiesPeer`` is off.
    case notChecked
  }

  /// The host whose name the certificate must have: the URL's, or ``TLSConfiguration/serverName``. An IPv6 address
  /// stands without brackets.
  public let host: String
  /// The port of the URL, or of the proxy.
  public let port: UInt16
  /// The peer's own certificate first, then others as the peer sent them; no more than the peer's word for it unless
  /// ``verdict`` is ``Verdict/accepted``.
  public let certificates: [PeerCertificate]
  /// OpenSSL's own verdict.
  public let verdict: Verdict

  /// For tests of a verifier.
  public init(host: String, port: UInt16, certificates: [PeerCertificate], verdict: Verdict) {
    self.host = host
    self.port = port
    self.certificates = certificates
    self.verdict = verdict
  }
}
