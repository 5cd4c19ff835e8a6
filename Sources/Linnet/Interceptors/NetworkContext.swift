/// What requests have in common with the work that makes them, bound to a task and its children.
///
/// ```swift
/// try await NetworkContext.$current.withValue(NetworkContext(traceID: job.id)) {
///   try await client.request(GetUser(id: 42))
/// }
/// ```
///
/// ``CorrelationIDInterceptor`` and ``TraceContextInterceptor`` send it.
public struct NetworkContext: Sendable, Hashable {
  /// The context of the current task; empty outside of ``$current``'s `withValue`.
  @TaskLocal public static var current = NetworkContext()

  /// The trace that the work belongs to.
  public var traceID: String?
  /// The chain of requests that the work belongs to.
  public var correlationID: String?
  /// Further values for interceptors of the application; the library itself reads `traceparent` and `tracestate`, see
  /// ``TraceContextInterceptor``.
  public var baggage: [String: String]

  /// A context; every part may be left out.
  public init(traceID: String? = nil, correlationID: String? = nil, baggage: [String: String] = [:]) {
    self.traceID = traceID
    self.correlationID = correlationID
    self.baggage = baggage
  }
}
