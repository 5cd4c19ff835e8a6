internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

/// The last stage: sends the request as it is and collects the response's body within the limit.
struct ExchangeStage: Sendable {
  let transport: any HTTPTransport
  let bodyBuffering: ResponseBodyBufferingPolicy
  let trust: TrustOverrides

  func execute(_ request: HTTPRequest, call: CallContext) async throws(NetworkError) -> Response {
    // A stage above may have waited; what was cancelled meanwhile must not reach the network.
    guard !Task.isCancelled else { throw .cancelled }
    var sent = request
    trust.apply(to: &sent)
    do throws(TransportError) {
      let response = try await transport.send(sent)
      let body = try await response.collect(upTo: bodyBuffering.collectionCap)
      var result = Response(
        statusCode: response.status.code, data: Data(body), request: sent, response: response.head)
      result.connection = response.connection
      result.timings = response.timings
      try checkCollected(result)
      return result
    } catch let error as TransportError {
      throw NetworkError(error)
    }
  }

  private func checkCollected(_ response: Response) throws(NetworkError) {
    if case .buffered = bodyBuffering { try ResponseBodyLimit(policy: bodyBuffering).check(response.data, of: response) }
  }
}
