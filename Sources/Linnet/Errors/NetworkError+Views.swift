internal import LinnetHTTP

extension NetworkError {
  /// The domain of ``errorCode``: `linnet`.
  public static var errorDomain: String { "linnet" }
  /// The key of ``errorCode`` in ``errorUserInfo``.
  public static var errorCodeUserInfoKey: String { "linnet.errorCode" }
  /// The key of the response's status code in ``errorUserInfo``.
  public static var statusCodeUserInfoKey: String { "linnet.statusCode" }
  /// The key of the request's URL in ``errorUserInfo``.
  public static var urlUserInfoKey: String { "linnet.url" }

  /// The kind of the error as a number with a name.
  public var code: NetworkErrorCode {
    switch self {
    case .configuration(.invalidBaseURL): .configurationInvalidBaseURL
    case .configuration(.invalidRequest): .configurationInvalidRequest
    case .configuration(.offline): .configurationOffline
    case .statusCode: .statusCode
    case .decoding(.responseBody, _, _): .decoding
    case .decoding(.streamFrame, let error, _): error.ownCode == .streamFrameTooLarge ? .streamFrameTooLarge : .decoding
    case .underlying(let error, _): error.ownCode ?? .underlying
    case .reachability: .reachability
    case .trustEvaluationFailed: .trustEvaluationFailed
    case .cancelled: .cancelled
    case .timeout: .timeout
    }
  }

  /// The stable number of the error's kind in the domain ``errorDomain``; see ``NetworkErrorCode``.
  public var errorCode: Int { code.rawValue }

  /// Facts for crash reporters that know no enums: the error code, the status code of the response, and the request's
  /// URL with its secrets redacted; the latter two only when they are known.
  public var errorUserInfo: [String: any Sendable] {
    var facts: [String: any Sendable] = [Self.errorCodeUserInfoKey: errorCode]
    if let response { facts[Self.statusCodeUserInfoKey] = response.statusCode }
    if let url = response?.request?.url ?? transport?.url { facts[Self.urlUserInfoKey] = Redaction.url(url) }
    return facts
  }

  /// The rough kind of the error.
  public var category: NetworkErrorCategory {
    switch self {
    case .configuration: .configuration
    case .statusCode: .statusCode
    case .decoding: .decoding
    case .underlying: .transport
    case .reachability: .reachability
    case .trustEvaluationFailed: .trust
    case .timeout: .timeout
    case .cancelled: .cancellation
    }
  }

  /// Whether the same request may succeed when it is sent again: true for the statuses 408, 425, 429 and 5xx, for
  /// unreachable servers, timeouts and failures of the transport, except for those that would only happen again, such
  /// as a body above its limit. It says nothing about whether a resend is safe; that is the retry policy's business.
  public var isRetriableHint: Bool {
    switch self {
    case .statusCode(let response):
      return [408, 425, 429].contains(response.statusCode) || 500...599 ~= response.statusCode
    case .reachability, .timeout: return true
    case .underlying(let error, _):
      guard let ownCode = error.ownCode else { return true }
      return ownCode == .underlying && !(error.transport.map { Self.recurring.contains($0.code) } ?? false)
    case .configuration, .decoding, .trustEvaluationFailed, .cancelled: return false
    }
  }

  private static let recurring: Set<TransportError.Code> = [
    .requestBodyFailed, .bodyNotReplayable, .bodyAlreadyConsumed, .decodingFailed, .http2NotNegotiated,
  ]

  /// Whether a user can make sense of the error. False for a cancellation, which is no failure, and for mistakes of the
  /// program: an invalid base URL or request.
  public var isUserVisible: Bool {
    switch self {
    case .configuration(.invalidBaseURL), .configuration(.invalidRequest), .cancelled: false
    case .configuration(.offline), .statusCode, .decoding, .underlying, .reachability, .trustEvaluationFailed, .timeout:
      true
    }
  }

  /// Whether a response came that could not be decoded.
  public var isDecodingFailure: Bool { category == .decoding }
  /// Whether the call was cancelled.
  public var isCancellation: Bool { category == .cancellation }
  /// Whether a time limit passed.
  public var isTimeout: Bool { category == .timeout }

  /// Whether the device has no network.
  public var isOffline: Bool {
    switch self {
    case .configuration(.offline), .reachability(.notConnectedToInternet, _, _): true
    default: false
    }
  }

  /// The status of an answer that was not accepted; nil for every other error.
  public var httpStatusCode: Int? {
    if case .statusCode(let response) = self { response.statusCode } else { nil }
  }

  /// The number that Apple's Foundation has for the failure in its URL error domain, for dashboards and code that come
  /// from there: -1001 for timeouts, -1009 offline, -999 cancelled. Nil for what it has no number for.
  public var urlErrorCode: Int? {
    switch self {
    case .cancelled: -999
    case .timeout: -1001
    case .reachability(.cannotFindHost, _, _): -1003
    case .reachability(.connectionRefused, _, _): -1004
    case .reachability(.networkConnectionLost, _, _): -1005
    case .reachability(.dnsLookupFailed, _, _): -1006
    case .configuration(.offline), .reachability(.notConnectedToInternet, _, _): -1009
    case .configuration(.invalidBaseURL): -1000
    case .trustEvaluationFailed: -1202
    case .underlying(let error, _):
      switch error.ownCode {
      case .nonHTTPResponse: -1011
      case .responseBodyLimitExceeded: -1103
      default: error.transport.flatMap { Self.urlErrorCodes[$0.code] }
      }
    case .configuration(.invalidRequest), .statusCode, .decoding: nil
    }
  }

  private static let urlErrorCodes: [TransportError.Code: Int] = [
    .connectFailed: -1004, .proxyConnectFailed: -1004, .proxyRefused: -1004, .tlsHandshakeFailed: -1200,
    .tooManyRedirects: -1007, .redirectLoop: -1007, .invalidRedirect: -1010, .decodingFailed: -1016,
    .requestBodyFailed: -1021,
  ]

  /// The failure as a stable text without any data of the request, for events and metrics: `http.status.404`,
  /// `reachability.cannot_find_host`, `transport.4001`.
  package var stableCategory: String {
    switch self {
    case .configuration(.invalidBaseURL): "configuration.invalid_base_url"
    case .configuration(.invalidRequest): "configuration.invalid_request"
    case .configuration(.offline): "configuration.offline"
    case .statusCode(let response): "http.status.\(response.statusCode)"
    case .decoding(.responseBody, _, _): "decoding.response_body"
    case .decoding(.streamFrame, _, _): "decoding.stream_frame"
    case .underlying: "transport.\(errorCode)"
    case .reachability(let reason, _, _): "reachability.\(reason.stableName)"
    case .trustEvaluationFailed(let reason): "trust.\(reason.stableName)"
    case .timeout(.requestTimeout, _): "timeout.request"
    case .timeout(.resourceTimeout, _): "timeout.resource"
    case .timeout(.connectionTimeout, _): "timeout.connection"
    case .cancelled: "cancelled"
    }
  }
}

extension ReachabilityReason {
  fileprivate var stableName: String {
    switch self {
    case .notConnectedToInternet: "not_connected"
    case .dnsLookupFailed: "dns_lookup_failed"
    case .cannotFindHost: "cannot_find_host"
    case .connectionRefused: "connection_refused"
    case .networkConnectionLost: "connection_lost"
    }
  }
}

extension TrustFailureReason {
  fileprivate var stableName: String {
    switch self {
    case .unsupportedAuthenticationMethod: "unsupported_authentication_method"
    case .missingServerTrust: "missing_server_trust"
    case .systemTrustEvaluationFailed: "system_trust_evaluation_failed"
    case .hostNotPinned: "host_not_pinned"
    case .publicKeyExtractionFailed: "public_key_extraction_failed"
    case .pinMismatch: "pin_mismatch"
    case .custom: "custom"
    }
  }
}
