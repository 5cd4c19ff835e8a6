public import LinnetHTTP

/// One redirection that was followed.
public struct RedirectHop: Sendable, Hashable {
  /// The status of the redirection.
  public let statusCode: Int
  /// The URL that redirected.
  public let from: HTTPURL
  /// The URL that was requested next.
  public let to: HTTPURL
  /// The method of the next request.
  public let method: HTTPMethod

  /// A redirection, for responses made by hand.
  public init(statusCode: Int, from: HTTPURL, to: HTTPURL, method: HTTPMethod) {
    self.statusCode = statusCode
    self.from = from
    self.to = to
    self.method = method
  }
}
