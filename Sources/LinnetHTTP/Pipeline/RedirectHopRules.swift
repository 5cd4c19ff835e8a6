internal import LinnetHTTPTypes
internal import LinnetProtocols

/// What a redirection makes of a request: the rules of HTTP, and what may go along.
struct RedirectHopRules {
  let policy: HTTPRedirectPolicy
  let configuration: HTTPClientConfiguration

  /// The request that a response asks for; nil when it asks for none.
  func proposal(after response: HTTPResponse, _ hop: HopRequest) throws(TransportFailure) -> HopRequest? {
    do throws(RedirectProblem) {
      guard
        let proposal = try RedirectRules.proposal(
          status: response.status.code, headers: response.headers, method: hop.request.method, url: hop.url,
          keepsPost: policy.keepsPost(on: response.status.code))
      else { return nil }
      let hasBody = proposal.keepsBody && hop.request.body.map { !$0.isKnownEmpty } ?? false
      let refusal = RedirectRules.refusal(
        of: proposal, from: hop.url, hasBody: hasBody, allowsDowngrade: policy.allowsHTTPSDowngrade,
        allowsUnsafe: policy.allowsUnsafeMethodsAcrossOrigins)
      if let refusal { throw refusal }
      return request(for: proposal, after: hop)
    } catch {
      throw TransportFailure(error)
    }
  }

  private func request(for proposal: RedirectRules.Proposal, after hop: HopRequest) -> HopRequest {
    let isSameOrigin = proposal.url.isSameOrigin(as: hop.url)
    let keepsCredentials = isSameOrigin || policy.sendsCredentialsAcrossOrigins
    // The caller's user name and password stay with what they were given for. Those of a `Location` never count: who
    // answers does not choose as whom the next request is made.
    let bare = proposal.url.removingUserinfo()
    let url = keepsCredentials ? bare.inheritingUserinfo(of: hop.url) : bare
    var request = HTTPRequest(
      method: proposal.method, url: url, headers: hop.request.headers, body: hop.request.body,
      options: hop.request.options)
    if !proposal.keepsBody {
      request.body = nil
      request.options.expectsContinue = false
      request.headers = RedirectRules.droppingBodyFields(request.headers)
    }
    if !isSameOrigin { leave(hop.url, with: &request) }
    if policy.sendsReferer {
      request.headers.remove("Referer")
      if let referer = RedirectRules.referer(from: hop.url, to: url) { request.headers.add("Referer", referer) }
    }
    return HopRequest(
      request, url: url, isForeign: hop.isForeign || !keepsCredentials, isLedHere: hop.isLedHere || !isSameOrigin)
  }

  /// A request that the caller's code puts in the place of the proposed one. What it carries is meant for where it goes.
  /// What the client would add by itself was not given for that host, and follows the same rules as on any other hop.
  func replacement(_ request: HTTPRequest, url: HTTPURL, after hop: HopRequest) -> HopRequest {
    let isLedHere = hop.isLedHere || !url.isSameOrigin(as: hop.url)
    var request = request
    // Noted for the request that it replaces, whose options it may have.
    request.options.forgetHop()
    if isLedHere && !policy.sendsCredentialsAcrossOrigins {
      omitHarmfulDefaults(of: &request)
      if request.options.tls == nil { request.options.tls = configuration.tls.withoutClientIdentity }
    }
    return HopRequest(request, url: url, isLedHere: isLedHere)
  }

  /// Takes out of a request what was given for the origin that it leaves.
  private func leave(_ url: HTTPURL, with request: inout HTTPRequest) {
    request.options.forgetHop()
    // They say where that origin is found and how it is called, whatever else may go along.
    request.options.connectTarget = nil
    request.headers.remove("Host")
    guard !policy.sendsCredentialsAcrossOrigins else {
      omitDefaults(["Host"], of: &request)
      return
    }
    let additional = policy.additionalSensitiveHeaders
    request.headers = RedirectRules.harmlessFields(
      of: request.headers, additional: additional, keepsBody: request.body != nil)
    omitHarmfulDefaults(of: &request)
    request.options.credentials = nil
    request.options.dropClientIdentity(orUse: configuration.tls.withoutClientIdentity)
  }

  private func omitHarmfulDefaults(of request: inout HTTPRequest) {
    omitDefaults(
      RedirectRules.harmfulNames(
        in: configuration.defaultHeaders, additional: policy.additionalSensitiveHeaders, keepsBody: false),
      of: &request)
  }

  private func omitDefaults(_ names: [String], of request: inout HTTPRequest) {
    let omitted = Set(request.options.omittedDefaultHeaders)
    let more = names.filter { configuration.defaultHeaders.contains($0) && !omitted.contains($0) }
    if !more.isEmpty { request.options.omittedDefaultHeaders += more }
  }
}

extension HTTPRedirectPolicy {
  fileprivate func keepsPost(on status: Int) -> Bool {
    switch status {
    case 301: keepsPostOnMovedPermanently
    case 302: keepsPostOnFound
    default: keepsPostOnSeeOther
    }
  }
}
