public import LinnetHTTPTypes

extension TransportError {
  /// An error made by hand: for transports of one's own, mocks and tests. Its ``attempts`` are 0, so its description
  /// names no elapsed time.
  ///
  /// - Parameters:
  ///   - code: The kind of failure.
  ///   - phase: The part of the exchange in which it happened.
  ///   - sent: How much of the request may have reached a server; `nothing` tells a retry that it is safe.
  ///   - reason: The cause in words, as it stands inside a sentence, without secrets.
  ///   - method: The method of the request, when known.
  ///   - url: The URL of the request, when known; its user name and password are masked.
  ///   - underlying: The error that caused this one, if any.
  public init(
    code: Code, phase: Phase, sent: SentState, reason: String, method: HTTPMethod? = nil, url: HTTPURL? = nil,
    underlying: (any Error)? = nil
  ) {
    self.init(
      TransportFailure(code: code, phase: phase, reason: reason, sent: sent, underlying: underlying),
      context: Context(method: method, url: url?.redactedDescription))
  }

  /// The same error with the method and URL of a request, unless it names others.
  package func attributed(to request: HTTPRequest, _ url: HTTPURL) -> TransportError {
    TransportError(
      failure,
      context: Context(
        method: method ?? request.method, url: self.url ?? url.redactedDescription, attempts: attempts,
        elapsed: elapsed, history: history))
  }

  /// The same error as the end of a call that was tried `retries` times before.
  ///
  /// - Parameter elapsed: The time since the call began.
  package func afterRetries(_ retries: Int, elapsed: Duration) -> TransportError {
    TransportError(
      failure,
      context: Context(
        method: method, url: url, attempts: max(1, attempts) + retries, elapsed: elapsed, history: history))
  }
}
