package import FoundationEssentials
package import LinnetHTTP

/// What every stage of the pipeline knows about the call it works for.
package struct CallContext: Sendable {
  /// The same for all attempts of a call, also in its events.
  package let requestID: UUID
  /// 0 for the first attempt.
  package var retryIndex: Int
  /// A signer covers the request: it is not cached, not coalesced, and its redirects are not followed.
  package var isSigned: Bool
  /// What the endpoint asks of the session's token.
  package let sessionAuthentication: SessionAuthentication
  /// False when the request goes to another origin than the client's base URL: neither the client's own headers nor its
  /// token go there.
  package var sendsSessionCredentials: Bool
  /// The endpoint's use of the response cache, or the client's.
  package let cachePolicy: RequestCachePolicy
  /// Whether `http` URLs are admitted.
  package let allowsInsecureHTTP: Bool
  /// The clock of waits, windows and dates.
  package let clock: any PolicyClock

  package init(
    requestID: UUID = UUID(), retryIndex: Int = 0, isSigned: Bool = false,
    sessionAuthentication: SessionAuthentication = .anonymous, sendsSessionCredentials: Bool = true,
    cachePolicy: RequestCachePolicy = .useProtocolCachePolicy, allowsInsecureHTTP: Bool = false,
    clock: any PolicyClock = SystemPolicyClock()
  ) {
    self.requestID = requestID
    self.retryIndex = retryIndex
    self.isSigned = isSigned
    self.sessionAuthentication = sessionAuthentication
    self.sendsSessionCredentials = sendsSessionCredentials
    self.cachePolicy = cachePolicy
    self.allowsInsecureHTTP = allowsInsecureHTTP
    self.clock = clock
  }
}

/// The rest of the pipeline below a stage.
package typealias NextStage = @Sendable (HTTPRequest) async throws(NetworkError) -> Response
