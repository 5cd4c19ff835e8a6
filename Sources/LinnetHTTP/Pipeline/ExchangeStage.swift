internal import LinnetHTTPTypes

/// One step on the way of a request: it may change the request, send it on to the next stage, look at the response, and
/// send again. A struct with a statically known next stage; it runs where its caller runs.
///
/// A stage that sends again after a response discards that response's body first.
protocol ExchangeStage: Sendable {
  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse
}
