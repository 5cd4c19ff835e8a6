/// What is done about failures and load. Everything is off unless given: what may be repeated depends on the server.
public struct ResiliencePack: Sendable {
  /// Whether and how failed requests are repeated. Default never.
  public let retry: (any RetryPolicy)?
  /// Whether equal requests that run at the same time share one exchange. Default
  /// ``RequestCoalescingPolicy/disabled``.
  public let coalescing: RequestCoalescingPolicy?
  /// Whether a server that keeps failing is left alone for a while. Default never.
  public let circuitBreaker: CircuitBreakerPolicy?
  /// Whether requests that change something get a key by which the server recognises a repeat. Default
  /// ``IdempotencyKeyPolicy/disabled``.
  public let idempotency: IdempotencyKeyPolicy?
  /// How bodies are collected, and how large they may become. Default ``ResponseBodyBufferingPolicy/default``.
  public let bodyBuffering: ResponseBodyBufferingPolicy?
  /// Policies of the application around each exchange, the first outermost; they replace the configuration's, which are
  /// none.
  public let customExecutionPolicies: [any RequestExecutionPolicy]?

  /// A pack of the given settings.
  public init(
    retry: (any RetryPolicy)? = nil, coalescing: RequestCoalescingPolicy? = nil,
    circuitBreaker: CircuitBreakerPolicy? = nil, idempotency: IdempotencyKeyPolicy? = nil,
    bodyBuffering: ResponseBodyBufferingPolicy? = nil, customExecutionPolicies: [any RequestExecutionPolicy]? = nil
  ) {
    self.retry = retry
    self.coalescing = coalescing
    self.circuitBreaker = circuitBreaker
    self.idempotency = idempotency
    self.bodyBuffering = bodyBuffering
    self.customExecutionPolicies = customExecutionPolicies
  }

  func apply(to settings: inout NetworkSettings) {
    if let retry { settings.retryPolicy = retry }
    if let coalescing { settings.coalescing = coalescing }
    if let circuitBreaker { settings.circuitBreaker = circuitBreaker }
    if let idempotency { settings.idempotency = idempotency }
    if let bodyBuffering { settings.bodyBuffering = bodyBuffering }
    if let customExecutionPolicies { settings.executionPolicies = customExecutionPolicies }
  }
}
