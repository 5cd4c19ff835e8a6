package import LinnetHTTP

/// Gives requests the session's token, and replays one whose token was refused with a fresh one.
package struct SessionAuthStage: Sendable {
  private let policy: RefreshTokenPolicy?
  private let coordinator: RefreshTokenCoordinator?

  /// A stage without a policy: requests that require a token fail.
  package init() {
    policy = nil
    coordinator = nil
  }

  package init(policy: RefreshTokenPolicy, coordinator: RefreshTokenCoordinator) {
    self.policy = policy
    self.coordinator = coordinator
  }

  /// Sends the request as the endpoint's session authentication asks.
  ///
  /// - Throws: ``NetworkConfigurationFailureReason/invalidRequest(_:)`` when a token is required and cannot be had; the
  ///   error of the refresh; what `next` throws.
  package func execute(
    _ request: HTTPRequest, call: CallContext, next: NextStage
  ) async throws(NetworkError) -> Response {
    guard call.sessionAuthentication != .anonymous else { return try await next(request) }
    let isRequired = call.sessionAuthentication == .required
    guard let policy, let coordinator else {
      guard !isRequired else { throw .missingToken("the client has no RefreshTokenPolicy") }
      return try await next(request)
    }
    guard call.sendsSessionCredentials, policy.appliesTo(request) else {
      guard !isRequired else {
        throw .missingToken(
          call.sendsSessionCredentials
            ? "its RefreshTokenPolicy does not apply to it"
            : "a token is not sent to another origin than the base URL's")
      }
      return try await next(request)
    }
    var credential = try await coordinator.currentCredential()
    if credential.token == nil, isRequired {
      guard !coordinator.isInsideRefresh else { throw .missingToken("it is part of the refresh that gets the token") }
      let token = try await coordinator.token(replacing: credential)
      credential = RefreshTokenCoordinator.Credential(token: token, generation: credential.generation)
    }
    let response = try await next(credential.token.map { policy.applying($0, to: request) } ?? request)
    guard policy.refreshStatusCodes.contains(response.statusCode), !coordinator.isInsideRefresh,
      request.body?.isReplayable ?? true, response.answers(request)
    else { return response }
    return try await next(policy.applying(try await coordinator.token(replacing: credential), to: request))
  }
}

extension NetworkError {
  fileprivate static func missingToken(_ reason: String) -> NetworkError {
    .configuration(reason: .invalidRequest("the endpoint requires session authentication: \(reason)"))
  }
}

extension Response {
  /// Whether it is of the request's own origin. After a redirect elsewhere it is not, and says nothing about a token
  /// that was not sent there.
  fileprivate func answers(_ request: HTTPRequest) -> Bool {
    guard let sent = self.request, let answered = try? sent.parsedURL(), let asked = try? request.parsedURL() else {
      return true
    }
    return answered.isSameOrigin(as: asked)
  }
}
