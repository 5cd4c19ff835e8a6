import Linnet
import Testing

@Suite struct RetryConditionsTests {
  private static let error = SendableUnderlyingError(domain: "test", code: 1, message: "made for a test")

  @Test(
    "each failure fulfils one condition, and what is never repeated none",
    arguments: [
      (.timeout(reason: .requestTimeout, underlying: nil), .timeout),
      (.timeout(reason: .connectionTimeout, underlying: nil), .timeout),
      (.reachability(.networkConnectionLost, error, nil), .connectionLost),
      (.reachability(.dnsLookupFailed, error, nil), .dnsFailure),
      (.reachability(.cannotFindHost, error, nil), .dnsFailure),
      (.reachability(.connectionRefused, error, nil), .networkFailure),
      (.reachability(.notConnectedToInternet, error, nil), .networkFailure),
      (NetworkError(TransportError.made(.invalidResponse)), .networkFailure),
      (NetworkError(TransportError.made(.tlsHandshakeFailed, .tls)), .networkFailure),
      (NetworkError(TransportError.made(.staleConnection)), .connectionLost),
      (NetworkError(TransportError.made(.streamReset)), .connectionLost),
      (NetworkError(TransportError.made(.streamRefused)), .connectionLost),
      (NetworkError(TransportError.made(.protocolViolation)), .networkFailure),
      (NetworkError(TransportError.made(.http2NotNegotiated, .tls)), nil),
      (NetworkError(TransportError.made(.responseHeadTooLarge)), nil),
      (NetworkError(TransportError.made(.bodyTooLarge, .decode)), nil),
      (NetworkError(TransportError.made(.invalidURL, .request)), nil),
      (NetworkError(TransportError.made(.requestBodyFailed, .send)), nil),
      (NetworkError(TransportError.made(.certificateRejected, .tls)), nil),
      (NetworkError(TransportError.made(.clientShutDown)), nil),
      (.underlying(error, nil), nil), (.cancelled, nil), (.configuration(reason: .invalidRequest("")), nil),
      (.decoding(stage: .responseBody, underlying: error, response: nil), nil),
      (.trustEvaluationFailed(.missingServerTrust), nil),
    ] as [(NetworkError, RetryConditions?)])
  func errors(error: NetworkError, expected: RetryConditions?) {
    #expect(RetryConditions.condition(for: error) == expected, "\(error)")
    #expect(RetryConditions.all.contains(error) == (expected != nil))
    #expect(!RetryConditions.none.contains(error))
  }

  @Test(
    "statuses",
    arguments: [
      (408, .requestTimeout), (425, .tooEarly), (429, .rateLimited), (500, .serverError), (503, .serverError),
      (599, .serverError), (400, nil), (401, nil), (404, nil), (200, nil), (301, nil), (600, nil),
    ] as [(Int, RetryConditions?)])
  func statuses(status: Int, expected: RetryConditions?) throws {
    #expect(RetryConditions.condition(for: .statusCode(try .made(status))) == expected)
  }
}
