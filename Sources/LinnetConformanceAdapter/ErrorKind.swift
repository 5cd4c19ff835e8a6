import LinnetHTTP

extension TransportError {
  /// The adapter protocol's word for what went wrong.
  var adapterKind: String {
    switch code {
    case _ where code.isTimeout: "timeout"
    case .hostNotFound, .resolutionFailed, .connectionRefused, .networkUnreachable, .connectFailed: "connect"
    case .proxyNotFound, .proxyConnectFailed, .proxyRefused, .proxyAuthenticationRequired: "connect"
    case .invalidProxyResponse: "protocol"
    case .tlsHandshakeFailed, .certificateRejected, .publicKeyNotPinned, .trustRootsUnavailable: "tls"
    case .truncated: "truncated"
    case .connectionLost: phase == .body ? "truncated" : "protocol"
    case .streamReset: phase == .body ? "truncated" : "protocol"
    case .emptyReply, .staleConnection, .invalidResponse, .responseHeadTooLarge, .decodingFailed: "protocol"
    case .http2NotNegotiated, .streamRefused, .protocolViolation: "protocol"
    case .bodyTooLarge, .decompressionLimit: "too_large"
    case .tooManyRedirects, .redirectLoop, .redirectRefused, .invalidRedirect, .bodyNotReplayable: "redirect"
    case .unsupportedScheme: "unsupported"
    default: "other"
    }
  }
}
