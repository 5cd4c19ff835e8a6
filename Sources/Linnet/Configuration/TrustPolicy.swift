/// Whose certificates the client accepts.
///
/// Authorities, client certificates and TLS versions are settings of the engine: see ``NetworkConfiguration/engine(_:)``
/// and `TLSConfiguration`. A policy with an evaluator of the application's own comes with the engine's verification
/// hook; until then there is no such case, rather than one that does nothing.
public enum TrustPolicy: Sendable, Hashable {
  /// What the engine's TLS settings say: by default every certificate is verified against the system's authorities.
  case systemDefault
  /// Any certificate of these hosts is accepted: expired, self-signed or somebody else's. Anybody on the path can read
  /// and change what is exchanged with them; it is for test equipment in a network of one's own. All other hosts are
  /// verified as usual.
  ///
  /// Hosts are compared with the host of the URL, without port and without case; there are no wildcards. The first
  /// request to each such host writes one warning line to standard error.
  case insecureAcceptAnyCertificate(hosts: Set<String>)
}
