public import LinnetHTTP

// Every error becomes a NetworkError here and nowhere else.

extension NetworkError {
  /// The error of the raw client as the typed client reports it; ``transport`` keeps it.
  public init(_ error: TransportError) {
    let code = Self.code(of: error.code)
    let underlying = SendableUnderlyingError(error, code: code)
    self =
      switch code {
      case .cancelled: .cancelled
      case .timeout: .timeout(reason: Self.timeoutReasons[error.code] ?? .requestTimeout, underlying: underlying)
      case .reachability:
        .reachability(Self.reachabilityReasons[error.code] ?? .networkConnectionLost, underlying, nil)
      case .trustEvaluationFailed: .trustEvaluationFailed(.systemTrustEvaluationFailed(reason: underlying))
      case .configurationInvalidRequest: .configuration(reason: .invalidRequest(ErrorLine.request(of: error)))
      default: .underlying(underlying, nil)
      }
  }

  /// Any error as the typed client reports it, as ``init(_:)`` for errors of the raw client: for transports and
  /// middleware of the application.
  public static func mapTransportError(_ error: any Error) -> NetworkError { map(error) }

  /// A `NetworkError` stays as it is, a cancellation in any form is ``cancelled``, a `TransportError` becomes its case,
  /// and everything else is ``underlying(_:_:)`` under the name of its type.
  package static func map(_ error: any Error) -> NetworkError {
    switch error {
    case let error as NetworkError: error
    case is CancellationError: .cancelled
    case let error as TransportError: NetworkError(error)
    case let error as SendableUnderlyingError: .underlying(error, nil)
    default: .underlying(SendableUnderlyingError(error), nil)
    }
  }

  /// The kind of error that a failure of the transport is. Codes that are not in the table are ``NetworkErrorCode/underlying``.
  package static func code(of transport: TransportError.Code) -> NetworkErrorCode {
    codes[transport] ?? .underlying
  }

  private static let codes: [TransportError.Code: NetworkErrorCode] = [
    .cancelled: .cancelled, .clientShutDown: .cancelled,

    .invalidURL: .configurationInvalidRequest, .unsupportedScheme: .configurationInvalidRequest,
    .invalidRequest: .configurationInvalidRequest, .invalidConfiguration: .configurationInvalidRequest,
    .invalidClientIdentity: .configurationInvalidRequest,
    .requestBodyFailed: .underlying, .bodyNotReplayable: .underlying,

    .poolTimeout: .timeout, .poolQueueFull: .underlying,
    .hostNotFound: .reachability, .resolutionFailed: .reachability,
    .connectionRefused: .reachability, .networkUnreachable: .reachability, .connectFailed: .underlying,
    .connectTimeout: .timeout,
    .tlsHandshakeFailed: .underlying, .certificateRejected: .trustEvaluationFailed,
    .trustRootsUnavailable: .trustEvaluationFailed, .publicKeyNotPinned: .trustEvaluationFailed,

    .tooManyRedirects: .underlying, .redirectLoop: .underlying, .redirectRefused: .underlying,
    .invalidRedirect: .underlying,
    .proxyNotFound: .reachability, .proxyConnectFailed: .underlying, .proxyAuthenticationRequired: .underlying,
    .proxyRefused: .underlying, .invalidProxyResponse: .underlying,

    .connectionLost: .reachability, .staleConnection: .reachability, .emptyReply: .reachability,
    .truncated: .reachability,
    // A stream is to its request what a connection is: to a caller it makes no difference which of them was lost.
    .streamReset: .reachability, .streamRefused: .reachability,
    .invalidResponse: .nonHTTPResponse, .responseHeadTooLarge: .nonHTTPResponse, .protocolViolation: .nonHTTPResponse,
    .http2NotNegotiated: .underlying,
    .headTimeout: .timeout, .idleTimeout: .timeout, .totalTimeout: .timeout,

    .bodyTooLarge: .responseBodyLimitExceeded, .decompressionLimit: .responseBodyLimitExceeded,
    .decodingFailed: .underlying, .bodyAlreadyConsumed: .underlying, .systemError: .underlying,
  ]

  private static let timeoutReasons: [TransportError.Code: TimeoutReason] = [
    .connectTimeout: .connectionTimeout, .totalTimeout: .resourceTimeout, .headTimeout: .requestTimeout,
    .idleTimeout: .requestTimeout, .poolTimeout: .requestTimeout,
  ]

  private static let reachabilityReasons: [TransportError.Code: ReachabilityReason] = [
    .hostNotFound: .cannotFindHost, .proxyNotFound: .cannotFindHost, .resolutionFailed: .dnsLookupFailed,
    .connectionRefused: .connectionRefused,
    .networkUnreachable: .notConnectedToInternet,
    .connectionLost: .networkConnectionLost, .staleConnection: .networkConnectionLost,
    .emptyReply: .networkConnectionLost, .truncated: .networkConnectionLost,
    .streamReset: .networkConnectionLost, .streamRefused: .networkConnectionLost,
  ]
}
