public import LinnetHTTP

/// The session's token: how requests carry it, and how a new one is got when the server refuses the old one.
///
/// ```swift
/// let refresh = RefreshTokenPolicy(
///   currentToken: { try await tokenStore.currentAccessToken() },
///   refreshToken: { try await authService.refreshAccessToken() }
/// )
/// ```
///
/// It concerns endpoints whose ``SessionAuthentication`` is not anonymous, and only requests to the origin of the
/// client's base URL: a token is never sent anywhere else.
///
/// A response with one of the refresh statuses, 401 by default, makes the client call `refreshToken` and send the request
/// once more with the new token; a second 401 is delivered. However many requests fail at once, one refresh runs and all
/// wait for it. A request that was sent with an older token than the one that was got meanwhile takes that one. Cancelling
/// a request that waits does not cancel the refresh of the others.
///
/// `refreshToken` may use the same client, for an anonymous endpoint. A request that it makes neither waits for a refresh
/// nor starts one.
public struct RefreshTokenPolicy: Sendable {
  let refreshStatusCodes: Set<Int>
  let appliesTo: @Sendable (HTTPRequest) -> Bool
  let failureCooldown: RefreshFailureCooldown
  let currentToken: @Sendable () async throws -> String?
  let refreshToken: @Sendable () async throws -> String
  let applyToken: @Sendable (String, HTTPRequest) -> HTTPRequest

  /// A policy.
  ///
  /// - Parameters:
  ///   - refreshStatusCodes: The statuses that tell that the token is refused. Default 401.
  ///   - appliesTo: Which requests the policy concerns. Default all.
  ///   - failureCooldown: How long a failed refresh is not tried again. Default 1 s, doubled up to 30 s.
  ///   - currentToken: The token at present; nil when there is none, which makes a request that requires one refresh
  ///     first. Called for each request. What it throws ends the request.
  ///   - refreshToken: Gets a new token and stores it where `currentToken` finds it. What it throws ends the requests
  ///     that wait for it.
  ///   - applyToken: Puts a token into a request. Default `Authorization: Bearer`. Every `Authorization` field was removed
  ///     before. Changing the origin of its URL is an error.
  public init(
    refreshStatusCodes: Set<Int> = [401],
    appliesTo: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true },
    failureCooldown: RefreshFailureCooldown = .exponentialBackoff(),
    currentToken: @escaping @Sendable () async throws -> String?,
    refreshToken: @escaping @Sendable () async throws -> String,
    applyToken: @escaping @Sendable (_ token: String, _ request: HTTPRequest) -> HTTPRequest = { token, request in
      var request = request
      request.headers.update(.authorization(bearerToken: token))
      return request
    }
  ) {
    self.refreshStatusCodes = refreshStatusCodes
    self.appliesTo = appliesTo
    self.failureCooldown = failureCooldown
    self.currentToken = currentToken
    self.refreshToken = refreshToken
    self.applyToken = applyToken
  }

  /// The request with the token and without any other authorization.
  func applying(_ token: String, to request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.headers.remove("Authorization")
    return applyToken(token, request)
  }
}
