internal import LinnetBytes
package import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// What a client would send first for a request, for a dry run: it passes through the same stages, but for the transport.
///
/// Credentials that are sent on a challenge only are not there: nobody asks.
package struct RequestPreview: Sendable {
  /// The head, with cookies and credentials; in absolute form when a proxy forwards it.
  package let head: RequestHead
  /// The proxy that it goes through, without credentials; nil for none.
  package let proxy: String?
  /// Whether the proxy is asked for a tunnel.
  package let isTunnel: Bool

  /// - Throws: Whatever `HTTPClient.send(_:)` throws before it looks for a connection.
  package init(of request: HTTPRequest, configuration: HTTPClientConfiguration) async throws(TransportError) {
    let environment = EngineEnvironment()
    let url: HTTPURL
    do throws(HTTPURLError) {
      url = try request.parsedURL()
    } catch {
      throw TransportError(TransportFailure(error), context: TransportError.Context(method: request.method))
    }
    let securities = SecurityRegistry(configuration.tls, environment: environment)
    let last = PreviewStage(
      proxies: ProxyRegistry(configuration, variables: environment.variables, securities: securities),
      configuration: configuration)
    let stages = CookieStage(
      configuration: configuration, environment: environment,
      next: ChallengeAuthStage(configuration: configuration, environment: environment, next: last))
    let exchange = Exchange(
      method: request.method, url: url, start: environment.clock.now, clock: environment.clock)
    _ = try await stages.send(HopRequest(request, url: url), exchange)
    guard let prepared = last.prepared.withLock({ $0 }) else {
      throw TransportError(code: .invalidRequest, phase: .request, sent: .nothing, reason: "nothing would be sent")
    }
    head = prepared.head
    proxy = prepared.proxy.map { "\($0.server.proxy)" }
    isTunnel = prepared.proxy?.isTunnel ?? false
  }
}

/// Keeps the request in place of sending it.
private struct PreviewStage: ExchangeStage {
  let proxies: ProxyRegistry
  let configuration: HTTPClientConfiguration
  let prepared = Lock<PreparedRequest?>(nil)

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    do throws(TransportFailure) {
      try hop.url.admitForSending()
      var request = try PreparedRequest(
        hop.request, url: hop.url, configuration: configuration, proxies: proxies)
      try request.authorize()
      let result = request
      prepared.withLock { $0 = result }
    } catch {
      throw exchange.error(error)
    }
    return HTTPResponse(status: .noContent, url: hop.url)
  }
}
