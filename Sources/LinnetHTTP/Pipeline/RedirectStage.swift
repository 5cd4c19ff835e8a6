internal import LinnetHTTPTypes
internal import LinnetProtocols

/// Follows redirections. Each hop passes through every stage below.
///
/// Of a response that is none, only the status is looked at: the usual exchange costs nothing here.
struct RedirectStage<Next: ExchangeStage>: ExchangeStage {
  let configuration: SharedConfiguration
  let next: Next

  /// As much of a redirection's body is read before the next request to the same origin, which can use the connection
  /// then: such bodies are a line of text for browsers that follow nothing.
  private static var drainedBytes: Int { 4 << 10 }

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    let response = try await next.send(hop, exchange)
    guard RedirectRules.isRedirection(response.status.code) else { return response }
    return try await follow(response, hop, exchange)
  }

  /// Follows the redirections that begin with `first`. Apart from ``send(_:_:)``, whose frame every request has.
  @inline(never)
  private func follow(
    _ first: HTTPResponse, _ start: HopRequest, _ exchange: Exchange
  ) async throws(TransportError) -> HTTPResponse {
    let policy = start.request.options.redirects ?? configuration.value.redirects
    guard policy.isFollowing else { return first }
    let rules = RedirectHopRules(policy: policy, configuration: configuration.value)
    let onEvent = start.request.options.onEvent
    var exchange = exchange
    var response = first
    var hop = start
    var trail = RedirectTrail(limit: policy.maximumHops)
    trail.visit(method: hop.request.method, url: hop.url, headers: hop.request.headers)
    while true {
      do throws(TransportFailure) {
        guard let following = try await following(response, hop, rules, &trail, history: exchange.history) else {
          response.history = exchange.history
          return response
        }
        let step = HTTPRedirectHop(
          status: response.status, from: hop.url.removingUserinfo(), to: following.url.removingUserinfo(),
          method: following.request.method)
        onEvent?(.redirected(response.head, step))
        // Another origin has another connection.
        if following.url.isSameOrigin(as: response.url) {
          await response.discardBody(reading: Self.drainedBytes)
        } else {
          response.body.reader.discard()
        }
        exchange.history.append(step)
        hop = following
      } catch {
        response.body.reader.discard()
        exchange.peer = response.connection.peerAddress
        throw exchange.error(error)
      }
      exchange.method = hop.request.method
      exchange.url = hop.url
      response = try await next.send(hop, exchange)
    }
  }

  /// The request to go on with; nil when the response is the answer.
  @inline(never)
  private func following(
    _ response: HTTPResponse, _ hop: HopRequest, _ rules: RedirectHopRules, _ trail: inout RedirectTrail,
    history: [HTTPRedirectHop]
  ) async throws(TransportFailure) -> HopRequest? {
    guard var following = try rules.proposal(after: response, hop) else { return nil }
    if let decide = rules.policy.decide {
      let redirect = HTTPRedirect(
        response: response.head, from: hop.url, request: following.request, history: history)
      guard let chosen = try await decision(decide, redirect, following, after: hop, rules) else { return nil }
      following = chosen
    }
    do throws(RedirectProblem) {
      // Here and not before: who decides may deliver the response, or go on with another request.
      if following.request.body?.isReplayable == false {
        throw .bodyNotReplayable(status: response.status.code)
      }
      try trail.follow(
        method: following.request.method, url: following.url, headers: following.request.headers,
        after: response.headers)
    } catch {
      throw TransportFailure(error)
    }
    if Task.isCancelled { throw .cancelled.at(.head).with(sent: .all) }
    return following
  }

  /// Asks the caller's code. It runs in the task and on the executor of the caller of `send`.
  @inline(never)
  private func decision(
    _ decide: @Sendable (HTTPRedirect) async throws -> HTTPRedirectDecision, _ redirect: HTTPRedirect,
    _ proposed: HopRequest, after hop: HopRequest, _ rules: RedirectHopRules
  ) async throws(TransportFailure) -> HopRequest? {
    let decision: HTTPRedirectDecision
    do {
      decision = try await decide(redirect)
    } catch {
      if Task.isCancelled { throw .cancelled.at(.head).with(sent: .all) }
      throw TransportFailure(
        code: .redirectRefused, phase: .head, reason: "the redirect policy failed", sent: .all, underlying: error)
    }
    switch decision {
    case .follow: return proposed
    case .deliver: return nil
    case .refuse(let reason):
      throw TransportFailure(
        code: .redirectRefused, phase: .head, reason: "the redirect policy refuses: \(reason)", sent: .all)
    case .followInstead(let request):
      do throws(HTTPURLError) {
        let url = try request.parsedURL()
        guard url.scheme == .http || url.scheme == .https else {
          throw HTTPURLError.unsupportedScheme(url.scheme.rawValue)
        }
        return rules.replacement(request, url: url, after: hop)
      } catch .unsupportedScheme(let scheme) {
        throw TransportFailure(RedirectProblem.unsupportedScheme(scheme))
      } catch {
        throw TransportFailure(RedirectProblem.invalidLocation(error))
      }
    }
  }
}
