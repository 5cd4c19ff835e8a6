public import LinnetHTTPTypes

/// What the client does with redirections (301, 302, 303, 307, 308; RFC 9110 §15.4).
///
/// ```swift
/// var request = HTTPRequest.get("https://example.com/")
/// request.options.redirects = .manual          // the 302 itself
/// request.options.redirects = .following { redirect in
///   redirect.request.url.hasPrefix("https://example.com/") ? .follow : .deliver
/// }
/// ```
public struct HTTPRedirectPolicy: Sendable {
  /// Whether redirections are followed at all. When not, a redirection is a response like any other.
  public var isFollowing: Bool
  /// How many are followed in a row; one more fails with `tooManyRedirects`. Default 20, as OkHttp and browsers.
  public var maximumHops = 20
  /// Whether 301 repeats a POST as it was. Default false: it becomes a GET without the body, as in every browser.
  public var keepsPostOnMovedPermanently = false
  /// The same for 302.
  public var keepsPostOnFound = false
  /// The same for 303, which asks for a GET (RFC 9110 §15.4.4); as curl's `--post303`, for servers that mean something else.
  public var keepsPostOnSeeOther = false
  /// Whether the next request says in `Referer` which URL redirected, without its userinfo and fragment, in the place of a
  /// `Referer` that the request had. URLs of `https` are told to their own origin only (RFC 9110 §10.1.3). Default false; as
  /// curl's `--referer ";auto"`.
  public var sendsReferer = false
  /// Whether `http` may follow `https`. Default false: such a redirection fails with `redirectRefused`.
  public var allowsHTTPSDowngrade = false
  /// Whether another origin may get a method that is not safe (RFC 9110 §9.2.1), and its body. Default false: such a
  /// redirection fails with `redirectRefused`.
  public var allowsUnsafeMethodsAcrossOrigins = false
  /// Whether another origin gets the credentials and all headers of the request. Default false; as curl's
  /// `--location-trusted`.
  public var sendsCredentialsAcrossOrigins = false
  /// More names, in any case, of headers that never go to another origin. Without them it gets only headers that are known
  /// to be harmless, such as `Accept` and `Range`.
  public var additionalSensitiveHeaders: Set<String> = []
  /// Decides about each redirection that the rules above allow. Default: all are followed.
  public var decide: (@Sendable (HTTPRedirect) async throws -> HTTPRedirectDecision)?

  private init(isFollowing: Bool) { self.isFollowing = isFollowing }

  /// Redirections are followed by the safe rules. The default.
  public static let follow = HTTPRedirectPolicy(isFollowing: true)

  /// Redirections are not followed.
  public static let manual = HTTPRedirectPolicy(isFollowing: false)

  /// Redirections that the rules allow are followed if the closure says so. It runs in the task that called `send`, never
  /// on an I/O shard; what it throws fails the request with `redirectRefused` and is its `underlying`.
  public static func following(
    _ decide: @escaping @Sendable (HTTPRedirect) async throws -> HTTPRedirectDecision
  ) -> HTTPRedirectPolicy {
    var policy = follow
    policy.decide = decide
    return policy
  }
}

/// A redirection that waits for a decision.
public struct HTTPRedirect: Sendable {
  /// The head of the redirection.
  public let response: ResponseHead
  /// The URL that redirects.
  public let from: HTTPURL
  /// The request that would be sent next; for another origin without what must not go there.
  public let request: HTTPRequest
  /// The redirections that were followed before this one.
  public let history: [HTTPRedirectHop]
}

/// What becomes of a redirection.
public enum HTTPRedirectDecision: Sendable {
  /// ``HTTPRedirect/request`` is sent.
  case follow
  /// This request is sent in its place. What it carries is up to the caller. What the client adds by itself goes to no
  /// other origin: default headers that are not known to be harmless, the client certificate, netrc's entry for all others.
  /// A scheme other than http and https is refused.
  case followInstead(HTTPRequest)
  /// The redirection itself is the response.
  case deliver
  /// The request fails with `redirectRefused`.
  case refuse(reason: String)
}

/// A redirection that was followed.
public struct HTTPRedirectHop: Sendable, Hashable {
  /// Its status.
  public let status: HTTPStatus
  /// The URL that redirected.
  public let from: HTTPURL
  /// The URL that was requested next.
  public let to: HTTPURL
  /// The method of the next request.
  public let method: HTTPMethod

  /// A redirection, for responses made by hand.
  public init(status: HTTPStatus, from: HTTPURL, to: HTTPURL, method: HTTPMethod) {
    self.status = status
    self.from = from
    self.to = to
    self.method = method
  }
}
