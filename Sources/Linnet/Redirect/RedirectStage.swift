internal import FoundationEssentials
package import LinnetHTTP
internal import LinnetProtocols

/// Follows redirections: asks the rules for a proposal and the policy for a decision, admits the URL of every hop before
/// it is resolved, and lets nothing of the caller's reach another origin.
///
/// A signed request is never redirected, because a signature covers one exchange; nor is one whose own options say
/// `.manual`. What else `HTTPRequestOptions.redirects` says is for the raw client.
package struct RedirectStage: Sendable {
  private let policy: any RedirectPolicy
  private let sessionHeaderNames: [String]
  private let foreignTLS: TLSConfiguration?

  /// - Parameters:
  ///   - policy: Decides about each hop.
  ///   - sessionHeaderNames: Names of headers that the transport adds to every request on behalf of the application. They
  ///     are left out from the first hop to another origin on.
  ///   - foreignTLS: The TLS settings from the first hop to another origin on: those of the transport without its client
  ///     certificate. Nil when it has none.
  package init(
    policy: any RedirectPolicy = DefaultRedirectPolicy(), sessionHeaderNames: [String] = [],
    foreignTLS: TLSConfiguration? = nil
  ) {
    self.policy = policy
    self.sessionHeaderNames = sessionHeaderNames
    self.foreignTLS = foreignTLS
  }

  package func execute(
    _ request: HTTPRequest, call: CallContext, next: NextStage
  ) async throws(NetworkError) -> Response {
    var response = try await next(request)
    guard !call.isSigned else { return response }
    response.redirects = []
    if response.request == nil { response.request = request }
    guard RedirectRules.isRedirection(response.statusCode), request.mayBeRedirected else { return response }
    return try await follow(response, request, call, next)
  }

  /// Follows the redirections that begin with `first`. Apart from ``execute(_:call:next:)``, whose frame every call has.
  @inline(never)
  private func follow(
    _ first: Response, _ request: HTTPRequest, _ call: CallContext, _ next: NextStage
  ) async throws(NetworkError) -> Response {
    guard let start = try? request.parsedURL() else { return first }
    var response = first
    var hop = Hop(request: request, url: start, isForeign: !call.sendsSessionCredentials)
    var trail = RedirectTrail()
    var history: [RedirectHop] = []
    trail.visit(method: request.method, url: start, headers: request.headers)
    while hop.request.mayBeRedirected,
      let following = try self.following(hop, response, original: request, call: call)
    {
      do throws(RedirectProblem) {
        if following.request.body?.isReplayable == false { throw .bodyNotReplayable(status: response.statusCode) }
        try trail.follow(
          method: following.request.method, url: following.url, headers: following.request.headers,
          after: response.headers)
      } catch {
        throw Self.failure(error, response)
      }
      if Task.isCancelled { throw .cancelled }
      history.append(
        RedirectHop(
          statusCode: response.statusCode, from: hop.url, to: following.url, method: following.request.method))
      hop = following
      response = try await next(hop.request)
      response.redirects = history
      if response.request == nil { response.request = hop.request }
    }
    return response
  }

  /// A request on its way, and its URL.
  private struct Hop {
    var request: HTTPRequest
    var url: HTTPURL
    /// It is not, or no longer, on the way from the base URL's origin to the same: what the transport would add on behalf
    /// of the application does not go there.
    var isForeign: Bool
    /// A server led to its origin, or to another one on the way.
    var isLedHere = false
  }

  /// The hop to go on with; nil when the response is the answer.
  private func following(
    _ hop: Hop, _ response: Response, original: HTTPRequest, call: CallContext
  ) throws(NetworkError) -> Hop? {
    let proposal: RedirectRules.Proposal?
    do throws(RedirectProblem) {
      proposal = try RedirectRules.proposal(
        status: response.statusCode, headers: response.headers, method: hop.request.method, url: hop.url)
    } catch .unsupportedScheme(let scheme) {
      return try refused(response, .unsupportedScheme(scheme))
    } catch {
      throw Self.failure(error, response)
    }
    guard let proposal else { return nil }
    let proposed = request(for: proposal, after: hop, original: original)
    // What the stages below put on belongs to that hop. A policy that goes on with it would send it elsewhere, and again.
    var seen = response
    seen.request = hop.request
    guard let chosen = policy.redirect(request: proposed, response: seen, originalRequest: original) else {
      return try refused(response, .refused(url: proposal.url.redactedDescription))
    }
    let url = try admitted(chosen, call)
    let isLedHere = hop.isLedHere || !url.isSameOrigin(as: hop.url)
    var next = Hop(request: chosen, url: url, isForeign: hop.isForeign || isLedHere, isLedHere: isLedHere)
    restrain(&next)
    return next
  }

  /// Keeps the transport from adding what was not given for this hop. A policy may have made the request anew; what it
  /// has put on it is meant for where it goes.
  private func restrain(_ hop: inout Hop) {
    if hop.isLedHere && hop.request.options.netrc == nil { hop.request.options.netrc = .off }
    guard hop.isForeign else { return }
    let omitted = Set(hop.request.options.omittedDefaultHeaders)
    let more = sessionHeaderNames.filter { !omitted.contains($0) }
    if !more.isEmpty { hop.request.options.omittedDefaultHeaders += more }
    if hop.request.options.tls == nil { hop.request.options.tls = foreignTLS }
  }

  /// The request that is proposed to the policy. It is made from the last one, which has lost what did not belong to an
  /// earlier origin already.
  private func request(for proposal: RedirectRules.Proposal, after hop: Hop, original: HTTPRequest) -> HTTPRequest {
    var request = HTTPRequest(
      method: proposal.method, url: proposal.url, headers: hop.request.headers, body: hop.request.body,
      options: hop.request.options)
    if !proposal.keepsBody {
      request.body = nil
      request.options.expectsContinue = false
      request.headers = RedirectRules.droppingBodyFields(request.headers)
    }
    guard !proposal.url.isSameOrigin(as: hop.url) else { return request }
    request.headers = RedirectRules.crossOriginFields(
      request.headers, original: original.headers, additional: [], keepsBody: request.body != nil)
    // It says where that origin is found.
    request.options.connectTarget = nil
    // To the engine each hop is a request of its own: it does not know that another origin lies on the way.
    request.options.credentials = nil
    request.options.netrc = .off
    request.options.dropClientIdentity(orUse: foreignTLS)
    return request
  }

  /// Admission knows no fragments, which stay here and are never sent.
  private func admitted(_ request: HTTPRequest, _ call: CallContext) throws(NetworkError) -> HTTPURL {
    guard let url = try? request.parsedURL() else {
      throw .configuration(reason: .invalidBaseURL("a redirect policy returned a request without an absolute URL"))
    }
    _ = try URLAdmission(allowsInsecure: call.allowsInsecureHTTP).admit(url.removingFragment())
    return url
  }

  private func refused(_ response: Response, _ problem: RedirectProblem) throws(NetworkError) -> Hop? {
    switch policy.refusal {
    case .deliversResponse: return nil
    case .throwsError: throw Self.failure(problem, response)
    }
  }

  /// What cannot be admitted is a fault of the URL; the rest is a failure under way.
  private static func failure(_ problem: RedirectProblem, _ response: Response) -> NetworkError {
    if case .invalidLocation = problem { return .configuration(reason: .invalidBaseURL(problem.description)) }
    return .underlying(
      SendableUnderlyingError(domain: "Redirect", code: problem.code, message: problem.description),
      response.redactingData())
  }
}

extension HTTPRequest {
  fileprivate var mayBeRedirected: Bool { options.redirects?.isFollowing ?? true }
}
