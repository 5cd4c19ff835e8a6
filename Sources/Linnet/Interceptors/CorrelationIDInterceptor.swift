public import LinnetHTTP

/// Sends the identifiers of the current ``NetworkContext``. A header that is there already is kept, and an identifier
/// that the context does not have is not sent.
public struct CorrelationIDInterceptor: RequestInterceptor {
  private let traceHeader: String
  private let correlationHeader: String

  /// An interceptor for two header names.
  ///
  /// - Parameters:
  ///   - traceHeader: The header for ``NetworkContext/traceID``. Default `X-Trace-ID`.
  ///   - correlationHeader: The header for ``NetworkContext/correlationID``. Default `X-Correlation-ID`.
  public init(traceHeader: String = "X-Trace-ID", correlationHeader: String = "X-Correlation-ID") {
    self.traceHeader = traceHeader
    self.correlationHeader = correlationHeader
  }

  /// Adds the headers.
  public func adapt(_ request: HTTPRequest) async throws -> HTTPRequest {
    let context = NetworkContext.current
    var request = request
    request.headers.addIfAbsent(traceHeader, context.traceID)
    request.headers.addIfAbsent(correlationHeader, context.correlationID)
    return request
  }
}
