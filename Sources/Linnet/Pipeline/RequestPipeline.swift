internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

/// The order in which a call passes through its stages, in one place:
///
/// retry → prepare (build, interceptors, admission) → session token → redirects → cache → signers → execution policies →
/// circuit breaker → coalescing → exchange; then response interceptors, status check and decoding, inside the attempt.
///
/// Retry is outermost, so interceptors and signers run anew for each attempt. The cache is inside redirects, so that each
/// response is stored under its own URL, and above the signers, because signed requests are never cached.
final class RequestPipeline: Sendable {
  /// What a call ends with.
  struct Outcome<Value: Sendable>: Sendable {
    let value: Value
    let response: Response
  }

  let settings: NetworkSettings
  let clock: any PolicyClock
  private let preparation: RequestPreparation
  private let signers: SignerStage
  private let exchange: ExchangeStage
  private let evaluation: ResponseEvaluation

  init(
    settings: NetworkSettings, transport: any HTTPTransport, clientHeaders: ClientHeaders, clock: any PolicyClock,
    trust: TrustOverrides
  ) {
    self.settings = settings
    self.clock = clock
    preparation = RequestPreparation(settings: settings, clientHeaders: clientHeaders)
    signers = SignerStage(settings: settings)
    exchange = ExchangeStage(transport: transport, bodyBuffering: settings.bodyBuffering, trust: trust)
    evaluation = ResponseEvaluation(settings: settings)
  }

  /// Performs a call to its end.
  ///
  /// - Parameter decode: Makes the value of an accepted response; nil for calls that want the response itself.
  func run<Value: Sendable>(
    _ blueprint: RequestBlueprint, decode: @escaping @Sendable (Data, Response) throws -> Value
  ) async throws(NetworkError) -> Outcome<Value> {
    let start = clock.now
    let call = CallContext(
      isSigned: !settings.signers.isEmpty || !blueprint.requestSigners.isEmpty,
      sessionAuthentication: blueprint.sessionAuthentication,
      cachePolicy: blueprint.cachePolicyOverride ?? settings.cachePolicy,
      allowsInsecureHTTP: settings.allowsInsecureHTTP, clock: clock)
    do throws(NetworkError) {
      return try await attempt(blueprint, call, start: start, decode: decode)
    } catch {
      blueprint.logger.log(error: error)
      throw error
    }
  }

  private func attempt<Value: Sendable>(
    _ blueprint: RequestBlueprint, _ parent: CallContext, start: ContinuousClock.Instant,
    decode: @Sendable (Data, Response) throws -> Value
  ) async throws(NetworkError) -> Outcome<Value> {
    guard !Task.isCancelled else { throw .cancelled }
    let prepared = try await preparation.prepare(blueprint, call: parent)
    var call = parent
    call.sendsSessionCredentials = prepared.isOwnOrigin
    call.isSigned = !signers.signers(for: blueprint, isOwnOrigin: prepared.isOwnOrigin).isEmpty
    var response = try await signed(prepared.request, call, blueprint)
    response.attempts = call.retryIndex + 1
    response.elapsed = start.duration(to: clock.now)
    let accepted = try await evaluation.accept(response, request: prepared.request, blueprint: blueprint)
    return Outcome(value: try await evaluation.decode(accepted, by: decode), response: accepted)
  }

  private func signed(
    _ request: HTTPRequest, _ call: CallContext, _ blueprint: RequestBlueprint
  ) async throws(NetworkError) -> Response {
    guard call.isSigned else { return try await exchanged(request, call, blueprint) }
    let signers = signers.signers(for: blueprint, isOwnOrigin: call.sendsSessionCredentials)
    return try await self.signers.execute(request, signers: signers) { request throws(NetworkError) in
      try await self.exchanged(request, call, blueprint)
    }
  }

  private func exchanged(
    _ request: HTTPRequest, _ call: CallContext, _ blueprint: RequestBlueprint
  ) async throws(NetworkError) -> Response {
    blueprint.logger.log(request: request)
    return try await exchange.execute(request, call: call)
  }
}
