internal import LinnetHTTPTypes
struct ProxySelector: Sendable {
  let configuration: ProxyConfiguration
  init(_ configuration: ProxyConfiguration, variables: [String: String]) { self.configuration = configuration }
  func proxy(for url: HTTPURL) throws(TransportFailure) -> HTTPProxy? { configuration.proxy }
}
