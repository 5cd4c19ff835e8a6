package import FoundationEssentials
internal import LinnetBytes
package import LinnetHTTP

/// The values behind a ``NetworkConfiguration``. The configuration is opaque, so that settings can be added and
/// rearranged without breaking anybody; the pipeline reads them here.
package struct NetworkSettings: Sendable {
  package var baseURL: URL
  package var timeout: TimeInterval
  package var cachePolicy: RequestCachePolicy
  package var priority = RequestPriority.normal
  package var acceptableStatusCodes = Set(200..<300)
  package var bodyBuffering = ResponseBodyBufferingPolicy.default
  package var streamingLineByteLimit = 1 << 20
  package var allowsInsecureHTTP = false
  package var trustPolicy = TrustPolicy.systemDefault
  package var userAgentProvider: (@Sendable () -> String?)?
  package var acceptLanguageProvider: (@Sendable () -> String?)?

  package var redirectPolicy: any RedirectPolicy = DefaultRedirectPolicy()

  package var retryPolicy: (any RetryPolicy)?
  package var coalescing = RequestCoalescingPolicy.disabled
  package var circuitBreaker: CircuitBreakerPolicy?
  package var idempotency = IdempotencyKeyPolicy.disabled
  package var executionPolicies: [any RequestExecutionPolicy] = []

  package var refreshToken: RefreshTokenPolicy?

  package var requestInterceptors: [any RequestInterceptor] = []
  package var signers: [any RequestSigner] = []
  package var responseInterceptors: [any ResponseInterceptor] = []
  package var decodingInterceptors: [any DecodingInterceptor] = []

  package var eventObservers: [any NetworkEventObserving] = []
  package var eventDelivery: EventDeliveryPolicy

  package var responseCachePolicy = ResponseCachePolicy.disabled
  package var responseCache: (any ResponseCache)?
  package var sensitiveHeaderNames: Set<String> = []
  package var capturesFailurePayload = false

  package var defaultHeaders = HTTPHeaders()
  package var queryItems: [URLQueryItem] = []
  package var bodyParameters: [String: AnyEncodable] = [:]
  package var bodyParameterPrecedence = ParameterPrecedence.configuration
  /// Nil: those of a transport that has some, or else a jar of the client's own.
  package var cookies: CookieHandling?
  package var activityIndicator: (any RequestActivityIndicator)?
  /// Nil: the engine's defaults with a connect timeout of 10 s.
  package var engine: HTTPClientConfiguration?

  package init(
    baseURL: URL, timeout: TimeInterval, cachePolicy: RequestCachePolicy, eventDelivery: EventDeliveryPolicy
  ) {
    self.eventDelivery = eventDelivery
    self.baseURL = baseURL
    self.timeout = timeout
    self.cachePolicy = cachePolicy
  }
}

extension NetworkSettings {
  /// Settings that contradict each other, in words; debug builds write them when a client is made.
  package var contradictions: [String] {
    guard let retryPolicy, !idempotency.methods.isEmpty else { return [] }
    let expected = retryPolicy.idempotencyPolicy.idempotencyHeaderName
    guard expected.asciiLowercased != idempotency.headerName.asciiLowercased else { return [] }
    return [
      """
      the idempotency policy sends \(idempotency.headerName) and the retry policy looks for \(expected): requests with \
      a key are not retried
      """
    ]
  }
}
