public import LinnetHTTP

/// What a ``Middleware`` wants to happen after it has seen a response or an error.
public enum MiddlewareDecision: Sendable, Hashable {
  /// Go on: the next middleware, then the caller.
  case next
  /// Send the request again, with all middleware from the start.
  case retryRequest
}

/// A pair of functions around the requests whose path matches: the form of interceptor that people know from SmartNet.
///
/// ```swift
/// Middleware(
///   pathMatcher: .contains("/"),
///   preRequest: { request in
///     request.headers.update("Authorization", "Bearer \(await session.token)")
///   },
///   postResponse: { outcome in
///     guard case .success(let response) = outcome, response.statusCode == 401 else { return .next }
///     await session.refresh()
///     return .retryRequest
///   })
/// ```
///
/// Middleware for every path (``PathMatcher/isGlobal``) runs before that for certain paths, each in the order in which
/// it was added; this holds before the request and after the response. It runs in every attempt, after interceptors and
/// the session's token and before redirects, the cache and signers.
public struct Middleware: Sendable {
  /// What came of a request: a response with any status, or the error in place of one.
  public typealias Outcome = Result<Response, NetworkError>

  /// Which requests it is for.
  public let pathMatcher: PathMatcher

  let preRequest: @Sendable (inout HTTPRequest) async throws -> Void
  let postResponse: @Sendable (Outcome) async throws -> MiddlewareDecision

  /// A middleware.
  ///
  /// - Parameters:
  ///   - pathMatcher: Which requests it is for. Default: all.
  ///   - preRequest: Changes the request. It has the session's token by then, so changing the origin of its URL is an
  ///     error; a ``RequestInterceptor`` may. When it throws, nothing is sent and the error reaches the caller. Default:
  ///     changes nothing.
  ///   - postResponse: Looks at what came of it. When it throws, the error replaces the response. The first
  ///     ``MiddlewareDecision/retryRequest`` counts, and later middleware does not see that response; once the resends
  ///     are used up (one for each attempt, whatever the retry policy), or when the body cannot be sent again, it is
  ///     ignored. Default: ``MiddlewareDecision/next``.
  public init(
    pathMatcher: PathMatcher = .contains("/"),
    preRequest: @escaping @Sendable (_ request: inout HTTPRequest) async throws -> Void = { _ in },
    postResponse: @escaping @Sendable (_ outcome: Outcome) async throws -> MiddlewareDecision = { _ in .next }
  ) {
    self.pathMatcher = pathMatcher
    self.preRequest = preRequest
    self.postResponse = postResponse
  }

  func applies(to request: HTTPRequest) -> Bool {
    guard !pathMatcher.isGlobal else { return true }
    guard let url = try? request.parsedURL() else { return false }
    return pathMatcher.matches(url.path)
  }
}
