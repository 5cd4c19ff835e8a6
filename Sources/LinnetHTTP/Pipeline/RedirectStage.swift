internal import LinnetHTTPTypes
internal import LinnetProtocols

/// Follows redirections. Each hop passes through every stage below.
struct RedirectStage<Next: ExchangeStage>: ExchangeStage {
  let configuration: HTTPClientConfiguration
  let next: Next

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    try await next.send(hop, exchange)
  }
}
