public import LinnetHTTP

/// Why a typed request failed. Every entry point of ``DefaultNetworkClient`` throws it and nothing else.
///
/// `switch` over the cases to react, or ask the views: ``category``, ``code``, ``isRetriableHint``, ``transport``,
/// ``serverMessage``. ``description`` is one line for logs without secrets, ``errorDescription`` a sentence for users.
public indirect enum NetworkError: Error, Sendable {
  // Indirect, because a response is some hundred bytes and every stage of the pipeline has room for an error.

  /// The request could not be built, or must not be sent as it stands. Nothing was sent.
  case configuration(reason: NetworkConfigurationFailureReason)
  /// The server answered with a status that the endpoint does not accept. The response has no body unless the client
  /// captures failure payloads.
  case statusCode(Response)
  /// The response could not be decoded. ``SendableUnderlyingError/decoding`` tells where and why.
  case decoding(stage: DecodingStage, underlying: SendableUnderlyingError, response: Response?)
  /// Any other failure: of the transport, of an interceptor, a policy or a signer.
  case underlying(SendableUnderlyingError, Response?)
  /// The server could not be reached, or the connection was lost.
  case reachability(ReachabilityReason, SendableUnderlyingError, Response?)
  /// The server's certificate or key was refused. Nothing of the request was sent.
  case trustEvaluationFailed(TrustFailureReason)
  /// The task, the tag or the client was cancelled, or the client was shut down.
  case cancelled
  /// A time limit passed.
  case timeout(reason: TimeoutReason, underlying: SendableUnderlyingError?)
}

extension NetworkError {
  /// The response that belongs to the error, if there was one.
  public var response: Response? {
    switch self {
    case .statusCode(let response): response
    case .decoding(_, _, let response), .underlying(_, let response), .reachability(_, _, let response): response
    case .configuration, .trustEvaluationFailed, .cancelled, .timeout: nil
    }
  }

  /// The error below, if there is one.
  public var underlyingError: SendableUnderlyingError? {
    switch self {
    case .decoding(_, let error, _), .underlying(let error, _), .reachability(_, let error, _): error
    case .trustEvaluationFailed(.systemTrustEvaluationFailed(let error)): error
    case .timeout(_, let error): error
    case .configuration, .statusCode, .trustEvaluationFailed, .cancelled: nil
    }
  }

  /// What the transport knows about the failure: phase, addresses that were tried, how much of the request was sent,
  /// attempts and elapsed time. Nil when the failure is not the transport's.
  public var transport: TransportError? { underlyingError?.transport }

  /// Where and why decoding failed; nil for other errors.
  public var decodingDetail: DecodingFailure? { underlyingError?.decoding }

  /// The same error without anything that a server or a caller put into bodies: the response's and the request's
  /// body, a user name and password in the request's URL, and the decoder's own words.
  public func redactingFailurePayload() -> NetworkError {
    switch self {
    case .statusCode(let response):
      .statusCode(response.redactingData())
    case .decoding(let stage, let error, let response):
      .decoding(stage: stage, underlying: error.redactingPayload(), response: response?.redactingData())
    case .underlying(let error, let response):
      .underlying(error.redactingPayload(), response?.redactingData())
    case .reachability(let reason, let error, let response):
      .reachability(reason, error, response?.redactingData())
    case .configuration, .trustEvaluationFailed, .cancelled, .timeout:
      self
    }
  }

  /// The same error as the end of a call that was tried `retries` times before: a transport error knows its own attempt
  /// only.
  func afterRetries(_ retries: Int, elapsed: Duration) -> NetworkError {
    guard retries > 0, transport != nil else { return self }
    func counted(_ error: SendableUnderlyingError) -> SendableUnderlyingError {
      error.afterRetries(retries, elapsed: elapsed)
    }
    return switch self {
    case .underlying(let error, let response): .underlying(counted(error), response)
    case .reachability(let reason, let error, let response): .reachability(reason, counted(error), response)
    case .timeout(let reason, let error): .timeout(reason: reason, underlying: error.map(counted))
    case .trustEvaluationFailed(.systemTrustEvaluationFailed(let error)):
      .trustEvaluationFailed(.systemTrustEvaluationFailed(reason: counted(error)))
    case .configuration, .statusCode, .decoding, .trustEvaluationFailed, .cancelled: self
    }
  }
}
