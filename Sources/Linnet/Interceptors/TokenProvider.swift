/// Where ``BearerTokenInterceptor`` gets its token: a session, a key file, a secret store.
public protocol TokenProvider: Sendable {
  /// The token to send now; nil for none. Called for every attempt.
  ///
  /// - Throws: Anything; the request is not sent then.
  func currentToken() async throws -> String?
}
