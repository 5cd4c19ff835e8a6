public import LinnetHTTP

/// Sends `traceparent` and `tracestate` (W3C Trace Context), so that the server's trace continues the caller's.
///
/// A valid `traceparent` that the request has is kept. Otherwise the trace of the current ``NetworkContext`` is
/// continued: its baggage's `traceparent`, or its ``NetworkContext/traceID`` when that is 32 hexadecimal digits. When
/// there is none either, a new trace is begun. Each attempt has a parent of its own.
public struct TraceContextInterceptor: RequestInterceptor {
  private let generateWhenMissing: Bool
  private let sampled: Bool
  private let tracestate: String?

  /// An interceptor.
  ///
  /// - Parameters:
  ///   - generateWhenMissing: Whether to begin a trace when there is none to continue. Default true.
  ///   - sampled: Whether traces that are begun, or continued from a bare trace identifier, are recorded. Default true.
  ///   - tracestate: The `tracestate` to send when neither the request nor the context's baggage has one. Default none.
  public init(generateWhenMissing: Bool = true, sampled: Bool = true, tracestate: String? = nil) {
    self.generateWhenMissing = generateWhenMissing
    self.sampled = sampled
    self.tracestate = tracestate
  }

  /// Adds the headers. A `traceparent` that cannot be parsed is replaced, and its `tracestate` dropped (§4.3).
  public func adapt(_ request: HTTPRequest) async throws -> HTTPRequest {
    let present = request.headers.value(for: "traceparent")
    if let present, W3CTraceContext(traceparent: present) != nil { return request }
    let context = NetworkContext.current
    guard let trace = continuedTrace(of: context) ?? (generateWhenMissing ? .generated(sampled: sampled) : nil) else {
      return request
    }
    var request = request
    if present != nil { request.headers.remove("tracestate") }
    request.headers.update("traceparent", trace.traceparent)
    request.headers.addIfAbsent("tracestate", context.baggage["tracestate"] ?? tracestate)
    return request
  }

  private func continuedTrace(of context: NetworkContext) -> W3CTraceContext? {
    if let caller = context.baggage["traceparent"].flatMap(W3CTraceContext.init(traceparent:)) { return caller.child() }
    guard let traceID = context.traceID else { return nil }
    return W3CTraceContext(
      traceID: traceID.lowercased(), parentID: W3CTraceContext.generated().parentID, sampled: sampled)
  }
}
