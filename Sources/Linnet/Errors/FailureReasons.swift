/// What is wrong with a request that was not sent.
public enum NetworkConfigurationFailureReason: Sendable, Hashable {
  /// The base URL, or the URL made from it, cannot be used: no host, another scheme than HTTPS, credentials in it. The
  /// text has no user name or password.
  case invalidBaseURL(String)
  /// The request contradicts itself or its policies.
  case invalidRequest(String)
  /// There is no network, and a policy asks for one.
  case offline(String)
}

/// What was being decoded.
public enum DecodingStage: String, Sendable, Hashable, CaseIterable {
  /// The collected body of a response.
  case responseBody
  /// One line or event of a stream.
  case streamFrame
}

/// Why a server could not be reached.
public enum ReachabilityReason: String, Sendable, Hashable, CaseIterable {
  /// There is no route to any network.
  case notConnectedToInternet
  /// The name service failed; the host may exist.
  case dnsLookupFailed
  /// The host name has no address.
  case cannotFindHost
  /// The server refused the connection: nothing listens there.
  case connectionRefused
  /// The connection was lost while the request was under way.
  case networkConnectionLost
}

/// Which time limit passed.
public enum TimeoutReason: String, Sendable, Hashable, CaseIterable {
  /// The server was silent for too long.
  case requestTimeout
  /// The whole request took too long.
  case resourceTimeout
  /// Connecting took too long.
  case connectionTimeout
}

/// Why a server was not trusted.
public enum TrustFailureReason: Sendable, Hashable {
  /// The server asks for a kind of authentication that the policy does not know.
  case unsupportedAuthenticationMethod(String)
  /// The server presented no certificate.
  case missingServerTrust
  /// The verification of the connection refused the certificate: expired, wrong name, unknown issuer, or a key that is
  /// none of `pinnedPublicKeys`. The reason has peer, phase and cause; the code of ``NetworkError/transport`` tells which.
  case systemTrustEvaluationFailed(reason: SendableUnderlyingError)
  /// The host has no pins, and the policy wants some.
  case hostNotPinned(String)
  /// The certificate's key could not be read.
  case publicKeyExtractionFailed
  /// A trust policy found none of its pins of the host.
  case pinMismatch(host: String)
  /// A policy of the application refused.
  case custom(String)
}
