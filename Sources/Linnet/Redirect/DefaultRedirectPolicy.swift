public import LinnetHTTP
internal import LinnetProtocols

/// Follows redirections that give nothing away.
///
/// - A target that is not HTTP, and HTTP after HTTPS, is refused.
/// - Another origin, that is another scheme, host or port, gets no request with a method that is not known to be safe
///   (GET, HEAD, OPTIONS, TRACE): a body meant for one server is not handed to another.
/// - Another origin gets neither the headers of the caller's request nor any that carry credentials.
/// - Within an origin everything is kept; 307 and 308 send the body again.
///
/// The two switches weaken this. Give them to a client of its own, for a server that needs them.
public struct DefaultRedirectPolicy: RedirectPolicy, Hashable {
  /// More headers with credentials, in any case, that never go to another origin. The usual ones are known: `Authorization`,
  /// `Cookie`, `Proxy-Authorization`, and the `X-` names for keys and for access, refresh, session and CSRF tokens.
  public let additionalSensitiveHeaders: Set<String>
  /// Whether HTTP may follow HTTPS; false unless asked. The client has to allow HTTP as well, with
  /// `TransportPack(allowsInsecureHTTP: true)`. Headers are dropped also then: HTTP is another origin.
  public let allowsHTTPSDowngrade: Bool
  /// Whether another origin may get unsafe methods and their bodies; false unless asked.
  public let allowsCrossOriginUnsafeMethodRedirects: Bool
  /// What the caller gets when a redirection is refused. Default ``RedirectRefusal/deliversResponse``.
  public let refusal: RedirectRefusal

  /// A policy; without arguments the safe one.
  public init(
    additionalSensitiveHeaders: Set<String> = [], allowsHTTPSDowngrade: Bool = false,
    allowsCrossOriginUnsafeMethodRedirects: Bool = false, refusal: RedirectRefusal = .deliversResponse
  ) {
    self.additionalSensitiveHeaders = additionalSensitiveHeaders
    self.allowsHTTPSDowngrade = allowsHTTPSDowngrade
    self.allowsCrossOriginUnsafeMethodRedirects = allowsCrossOriginUnsafeMethodRedirects
    self.refusal = refusal
  }

  /// `request` with what may go along, or nil when it is refused.
  public func redirect(request: HTTPRequest, response: Response, originalRequest: HTTPRequest) -> HTTPRequest? {
    let current = response.request ?? originalRequest
    guard let from = try? current.parsedURL(), let target = try? request.parsedURL(),
      target.scheme == .http || target.scheme == .https
    else { return nil }
    if from.isSecure && !target.isSecure && !allowsHTTPSDowngrade { return nil }
    if target.isSameOrigin(as: from) { return request }
    guard request.method.isSafe || allowsCrossOriginUnsafeMethodRedirects else { return nil }
    var stripped = request
    stripped.headers = RedirectRules.crossOriginFields(
      request.headers, original: originalRequest.headers, additional: Array(additionalSensitiveHeaders),
      keepsBody: request.body != nil)
    return stripped
  }
}
