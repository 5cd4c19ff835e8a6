public import LinnetHTTP

/// Decides whether a redirection is followed.
///
/// The client proposes a request made by the rules of RFC 9110 §15.4: 301 and 302 turn POST into GET, 303 everything but
/// HEAD, 307 and 308 repeat method and body. A proposal for another origin has neither the headers of the caller's request
/// nor credentials nor a client certificate, so a policy that returns it as it is leaks nothing; one that adds some from
/// `originalRequest` does so knowingly. What was dropped does not come back on later hops. Nor does a request that a policy
/// makes anew get what the engine adds by itself: default headers of the application, its client certificate, entries of
/// netrc. A policy that wants those sets the header, `options.tls` or `options.netrc`.
///
/// Whatever a policy returns is admitted like every other URL before anything is resolved or sent: HTTPS unless the
/// client allows HTTP, no user name, no traversal. A target that is not admitted fails the call with
/// ``NetworkError/configuration(reason:)``.
public protocol RedirectPolicy: Sendable {
  /// The request to go on with, usually `request`, perhaps changed; nil to follow no further.
  ///
  /// - Parameters:
  ///   - request: The proposal.
  ///   - response: The redirection; its ``Response/request`` is the request that it answers.
  ///   - originalRequest: The request before the first redirection of the call.
  func redirect(request: HTTPRequest, response: Response, originalRequest: HTTPRequest) -> HTTPRequest?

  /// What the caller gets when a redirection is not followed. Default ``RedirectRefusal/deliversResponse``.
  var refusal: RedirectRefusal { get }
}

extension RedirectPolicy {
  /// ``RedirectRefusal/deliversResponse``.
  public var refusal: RedirectRefusal { .deliversResponse }
}

/// What the caller gets when a policy does not follow a redirection.
public enum RedirectRefusal: Sendable, Hashable, CaseIterable {
  /// The redirection itself, like any other response: a ``NetworkError/statusCode(_:)`` unless its status is accepted.
  case deliversResponse
  /// ``NetworkError/underlying(_:_:)`` with the domain `Redirect`.
  case throwsError
}
