internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

/// The order in which a call passes through its stages, in one place:
///
/// retry → prepare (build, interceptors, admission) → session token → middleware → redirects → cookies and credentials of
/// the hop → cache → signers → execution policies → circuit breaker → coalescing → exchange; then response interceptors, status check and decoding,
/// inside the attempt.
///
/// Retry is outermost, so interceptors and signers run anew for each attempt. The cache is inside redirects, so that each
/// response is stored under its own URL, and above the signers, because signed requests are never cached. Cookies, and the
/// credentials that the engine would use, are known above the cache, which must not serve one user what another got. The
/// breaker is inside retry and sees every attempt and hop.
///
/// Each method is one step down; what a stage goes on with is the next of them.
final class RequestPipeline: Sendable {
  /// What a call ends with.
  struct Outcome<Value: Sendable>: Sendable {
    let value: Value
    let response: Response
  }

  /// What the steps of one attempt share.
  private final class Attempt: Sendable {
    let call: CallContext
    let blueprint: RequestBlueprint
    /// Where the request may go.
    let url: HTTPURL
    let signers: [any RequestSigner]
    let events: RequestEvents

    init(
      _ call: CallContext, _ blueprint: RequestBlueprint, url: HTTPURL, signers: [any RequestSigner],
      events: RequestEvents
    ) {
      self.call = call
      self.blueprint = blueprint
      self.url = url
      self.signers = signers
      self.events = events
    }
  }

  let settings: NetworkSettings
  private let clock: any PolicyClock
  private let hub: NetworkEventHub
  private let middleware: ClientMiddleware
  private let ids = RequestIDs()
  private let cacheActivity = CacheActivity()
  private let tokens: RefreshTokenCoordinator?

  private let preparation: RequestPreparation
  private let sessionAuth: SessionAuthStage
  private let redirects: RedirectStage
  private let cookies: CookieStage
  private let engineCredentials: EngineCredentialStage
  private let cache: CacheStage
  private let signing: SignerStage
  private let policies: ExecutionPolicyStage
  private let breaker: CircuitBreakerStage?
  private let coalescing: CoalescingStage?
  private let exchange: ExchangeStage
  private let evaluation: ResponseEvaluation

  /// - Parameter engine: The settings of the engine; those of a transport that was given are not known.
  init(
    settings: NetworkSettings, engine: HTTPClientConfiguration, transport: any HTTPTransport,
    clientHeaders: ClientHeaders, middleware: ClientMiddleware, clock: any PolicyClock
  ) {
    self.settings = settings
    self.clock = clock
    self.middleware = middleware
    let hub = NetworkEventHub(observers: settings.eventObservers, policy: settings.eventDelivery)
    self.hub = hub
    let tokens = settings.refreshToken.map { RefreshTokenCoordinator(policy: $0, clock: clock) }
    self.tokens = tokens

    let httpClient = transport as? HTTPClient
    let sessionHeaders = (httpClient?.configuration ?? engine).ownDefaultHeaders
    let foreignTLS = httpClient?.configuration.tls.withoutClientIdentity
    preparation = RequestPreparation(
      settings: settings, clientHeaders: clientHeaders, sessionHeaders: sessionHeaders,
      addsSessionHeaders: httpClient != nil, foreignTLS: foreignTLS)
    sessionAuth =
      if let policy = settings.refreshToken, let tokens {
        SessionAuthStage(policy: policy, coordinator: tokens)
      } else {
        SessionAuthStage()
      }
    redirects = RedirectStage(
      policy: settings.redirectPolicy, sessionHeaderNames: sessionHeaders.map(\.name), foreignTLS: foreignTLS)
    let cookies = CookieStage(settings.cookies, engine: httpClient)
    self.cookies = cookies
    engineCredentials = EngineCredentialStage(engine: httpClient)
    cache = CacheStage(
      policy: settings.responseCachePolicy, cache: settings.responseCache,
      keys: CacheKeyRules(sensitiveHeaderNames: settings.sensitiveHeaderNames),
      way: Self.way(of: httpClient, settings), activity: cacheActivity
    ) { id, state in
      hub.publish(.cacheRevalidation(originalID: id, state: state))
    }
    signing = SignerStage(clientSigners: settings.signers)
    policies = ExecutionPolicyStage(
      policies: settings.executionPolicies, eventObservers: settings.eventObservers)
    breaker = settings.circuitBreaker.map { CircuitBreakerStage(policy: $0) }
    coalescing =
      settings.coalescing.isEnabled ? CoalescingStage(policy: settings.coalescing, refresh: tokens) : nil
    exchange = ExchangeStage(
      transport: transport, bodyBuffering: settings.bodyBuffering, cookies: cookies,
      trust: TrustOverrides(settings.trustPolicy, tls: httpClient?.configuration.tls ?? engine.tls) {
        StandardError.writeLine($0)
      })
    evaluation = ResponseEvaluation(settings: settings)
    #if DEBUG
      for contradiction in settings.contradictions { StandardError.writeLine("linnet: warning: \(contradiction)") }
    #endif
  }

  /// The ways that the cache has to tell apart; nothing is computed without one.
  private static func way(of client: HTTPClient?, _ settings: NetworkSettings) -> EngineWay {
    guard let client, settings.responseCache != nil else { return EngineWay() }
    return EngineWay(client.configuration, trustPolicy: settings.trustPolicy)
  }

  /// Cancels what runs on behalf of calls that ended: validations of cached responses.
  func cancelBackgroundWork() { cacheActivity.cancelAll() }

  /// Ends background work and the shared refresh of the session's token.
  func shutDown() async {
    cancelBackgroundWork()
    await tokens?.shutDown()
  }

  /// Performs a call to its end.
  ///
  /// - Parameter decoder: Makes the value of an accepted response.
  func run<Value: Sendable>(
    _ blueprint: RequestBlueprint, decoder: AnyResponseDecoder<Value>
  ) async throws(NetworkError) -> Outcome<Value> {
    var value: Value?
    let response = try await run(blueprint) { (accepted: Response) async throws(NetworkError) in
      value = try await evaluation.decode(accepted, blueprint: blueprint, by: decoder)
    }
    guard let value else { throw .cancelled }
    return Outcome(value: value, response: response)
  }

  /// The part that knows nothing of the value's type, and so is compiled once.
  ///
  /// - Parameter receive: Called for each response that is accepted; the call succeeds when it returns.
  private func run(
    _ blueprint: RequestBlueprint, receive: (Response) async throws(NetworkError) -> Void
  ) async throws(NetworkError) -> Response {
    let start = clock.now
    let call = CallContext(
      requestID: ids.next(), sessionAuthentication: blueprint.sessionAuthentication,
      cachePolicy: blueprint.cachePolicyOverride ?? settings.cachePolicy,
      allowsInsecureHTTP: settings.allowsInsecureHTTP, clock: clock)
    let events = hub.events(of: call.requestID)
    let key = settings.idempotency.makeKey(for: blueprint.method, requestID: call.requestID)
    do throws(NetworkError) {
      let response: Response
      if let policy = blueprint.retryPolicyOverride ?? settings.retryPolicy {
        response = try await RetryStage(policy: policy).execute(call: call, events: events) {
          (call, record: inout AttemptRecord) async throws(NetworkError) -> Response in
          try await perform(blueprint, call, key, events, start: start, record: &record, receive: receive)
        }
      } else {
        var record = AttemptRecord()
        response = try await perform(blueprint, call, key, events, start: start, record: &record, receive: receive)
      }
      events.finished(response)
      return response
    } catch {
      events.failed(error)
      blueprint.logger.log(error: error)
      throw error
    }
  }

  /// One attempt.
  private func perform(
    _ blueprint: RequestBlueprint, _ call: CallContext, _ idempotencyKey: String?, _ events: RequestEvents,
    start: ContinuousClock.Instant, record: inout AttemptRecord,
    receive: (Response) async throws(NetworkError) -> Void
  ) async throws(NetworkError) -> Response {
    guard !Task.isCancelled else { throw .cancelled }
    do throws(NetworkError) {
      let prepared = try await preparation.prepare(
        blueprint, call: call, idempotencyKey: idempotencyKey, events: events, record: &record)
      let response = try await response(to: prepared, call, blueprint, events, start: start)
      let accepted = try await evaluation.accept(response, request: prepared.request, blueprint: blueprint)
      try await receive(accepted)
      return accepted
    } catch {
      throw error.afterRetries(call.retryIndex, elapsed: start.duration(to: clock.now))
    }
  }

  private func response(
    to prepared: RequestPreparation.Prepared, _ parent: CallContext, _ blueprint: RequestBlueprint,
    _ events: RequestEvents, start: ContinuousClock.Instant
  ) async throws(NetworkError) -> Response {
    let signers = signing.signers(for: blueprint, isOwnOrigin: prepared.isOwnOrigin)
    var call = parent
    call.sendsSessionCredentials = prepared.isOwnOrigin
    call.isSigned = !signers.isEmpty
    let attempt = Attempt(call, blueprint, url: prepared.url, signers: signers, events: events)
    var response = try await authenticated(prepared.request, attempt)
    response.attempts = call.retryIndex + 1
    response.elapsed = start.duration(to: clock.now)
    return response
  }

  // MARK: Steps

  // A stage that has nothing to do for a call is left out, so that a plain call does not pay for what others use. That
  // includes memory: steps that are inlined would make one frame with the room for all of their stages.

  private func authenticated(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    guard attempt.call.sessionAuthentication != .anonymous else { return try await surrounded(request, attempt) }
    return try await sessionAuth.execute(request, call: attempt.call) { adapted throws(NetworkError) in
      try self.preparation.readmit(adapted, insteadOf: attempt.url, by: "the token policy")
      return try await self.surrounded(adapted, attempt)
    }
  }

  private func surrounded(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    attempt.events.adapted(request, retryIndex: attempt.call.retryIndex)
    let stage = middleware.stage
    guard !stage.isEmpty else { return try await redirected(request, attempt) }
    return try await stage.execute(request, call: attempt.call) { adapted throws(NetworkError) in
      try self.preparation.readmit(adapted, insteadOf: attempt.url, by: "middleware")
      return try await self.redirected(adapted, attempt)
    }
  }

  @inline(never)
  private func redirected(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    try await redirects.execute(request, call: attempt.call) { hop throws(NetworkError) in
      let mayAddCredentials = self.engineCredentials.mayAddCredentials(to: hop)
      var hop = hop
      // The caller, or a policy, may have taken the options of a request that was on its way already.
      hop.options.forgetHop()
      self.cookies.addCookies(to: &hop, mayBeChallenged: mayAddCredentials)
      if mayAddCredentials { return try await self.identified(hop, attempt) }
      return try await self.onItsWay(hop, attempt)
    }
  }

  @inline(never)
  private func identified(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    try await onItsWay(try await engineCredentials.resolve(request), attempt)
  }

  /// A hop as it is to be sent, but for its signature.
  private func onItsWay(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    if hasNothingBelowRedirects(attempt) { return try await exchanged(request, attempt) }
    return try await cached(request, attempt)
  }

  @inline(never)
  private func hasNothingBelowRedirects(_ attempt: Attempt) -> Bool {
    cache.isTransparent(for: attempt.call) && attempt.signers.isEmpty && policies.isEmpty && breaker == nil
      && coalescing == nil
  }

  @inline(never)
  private func cached(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    guard !cache.isTransparent(for: attempt.call) else { return try await signed(request, attempt) }
    return try await cache.execute(request, call: attempt.call) { fetched throws(NetworkError) in
      try await self.signed(fetched, attempt)
    }
  }

  @inline(never)
  private func signed(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    guard !attempt.signers.isEmpty else { return try await regulated(request, attempt) }
    return try await signing.execute(request, signers: attempt.signers) { signed throws(NetworkError) in
      try await self.regulated(signed, attempt)
    }
  }

  @inline(never)
  private func regulated(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    guard !policies.isEmpty else { return try await guarded(request, attempt) }
    return try await policies.execute(request, call: attempt.call) { request throws(NetworkError) in
      try await self.guarded(request, attempt)
    }
  }

  @inline(never)
  private func guarded(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    guard let breaker else { return try await shared(request, nil, attempt) }
    return try await breaker.execute(request, call: attempt.call) { request, share throws(NetworkError) in
      try await self.shared(request, share, attempt)
    }
  }

  @inline(never)
  private func shared(
    _ request: HTTPRequest, _ share: OutcomeShare?, _ attempt: Attempt
  ) async throws(NetworkError) -> Response {
    guard let coalescing else { return try await exchanged(request, attempt) }
    return try await coalescing.execute(request, call: attempt.call, share: share) { request throws(NetworkError) in
      try await self.exchanged(request, attempt)
    }
  }

  @inline(never)
  private func exchanged(_ request: HTTPRequest, _ attempt: Attempt) async throws(NetworkError) -> Response {
    attempt.blueprint.logger.log(request: request)
    let response = try await exchange.execute(request)
    attempt.events.responseReceived(response)
    return response
  }
}

extension HTTPClientConfiguration {
  /// The default headers that the application set, as opposed to the engine's own.
  fileprivate var ownDefaultHeaders: HTTPHeaders {
    let standard = Self.standardHeaders
    return HTTPHeaders(defaultHeaders.filter { standard.value(for: $0.name) != $0.value })
  }
}
