/// What an endpoint has to do with the session's token. Every endpoint says it; there is deliberately no default.
public enum SessionAuthentication: Sendable, Hashable {
  /// The token policy is never asked, and no token is sent.
  case anonymous
  /// The current token is sent and a 401 refreshed when the client has a token policy; otherwise the request goes out
  /// without one.
  case optional
  /// The request is not sent without a token: with no policy, or when no token can be had, it fails with
  /// ``NetworkConfigurationFailureReason/invalidRequest(_:)`` before anything is sent.
  case required
}
