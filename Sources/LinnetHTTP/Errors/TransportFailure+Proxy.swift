internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

extension TransportFailure {
  /// What went wrong in the talk with a proxy.
  init(_ error: ProxyHandshakeError, proxy: ProxyServer) {
    let code: TransportError.Code
    var phase = TransportError.Phase.proxy
    switch error {
    case .http(let error) where error.side == .local:
      // What we would have sent: the headers of the proxy's settings.
      self.init(
        code: .invalidConfiguration, phase: .request,
        reason: "the request to \(proxy.name) cannot be sent: \(error.description)")
      return
    case .emptyReply, .truncatedReply, .http, .switchedProtocols, .wrongVersion, .methodNotOffered, .invalidAddressType,
      .notReusable:
      code = .invalidProxyResponse
    case .authenticationRequired, .noAcceptableMethod, .authenticationFailed:
      code = .proxyAuthenticationRequired
    case .refused:
      code = .proxyRefused
    case .unsendableName:
      code = .invalidRequest
      phase = .request
    case .unsendableCredentials:
      code = .invalidConfiguration
      phase = .request
    }
    self.init(code: code, phase: phase, reason: error.description.naming(proxy))
  }

  /// The answer of a proxy that does not connect to the origin.
  init(_ refusal: ProxyRefusal, proxy: ProxyServer, origin: Origin) {
    self.init(
      refusal.head, body: refusal.body, proxy: proxy,
      reason: "\(proxy.name) does not connect to \(origin.authority): \(refusal.head.status)")
  }

  /// A proxy's answer that is an error, also to a request that it was to forward.
  init(_ head: ResponseHead, body: ByteChunk, proxy: ProxyServer, reason: String) {
    // Some say 401, which only an origin should: in an answer to CONNECT it can be meant for nobody else.
    if head.status.code == 407 || head.status.code == 401 {
      let complaint = proxy.proxy.credentials == nil ? "asks for credentials" : "does not accept the credentials"
      self.init(
        code: .proxyAuthenticationRequired, phase: .proxy, reason: "\(proxy.name) \(complaint): \(head.status)")
    } else {
      self.init(code: .proxyRefused, phase: .proxy, reason: reason)
    }
    proxyResponse = TransportError.ProxyResponse(head: head, body: body)
  }

  /// The same failure, of a connection to the proxy and not to the origin.
  func naming(_ proxy: ProxyServer) -> TransportFailure {
    var copy = self
    copy.reason = "\(proxy.name): \(reason)"
    return copy
  }
}

extension String {
  /// The text with the proxy's whole name where it says `the proxy` in the beginning, else behind the name.
  fileprivate func naming(_ proxy: ProxyServer) -> String {
    let general = "the proxy"
    guard utf8.starts(with: general.utf8) else { return "\(proxy.name): \(self)" }
    return proxy.name + String(decoding: utf8.dropFirst(general.utf8.count), as: UTF8.self)
  }
}
