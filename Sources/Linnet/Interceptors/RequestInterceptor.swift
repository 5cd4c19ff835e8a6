public import LinnetHTTP

/// Changes a request before it is sent: adds headers, rewrites the URL, replaces the body.
///
/// The client's interceptors run before the endpoint's, in the order of their lists, for every attempt anew. The result
/// is admitted again: an interceptor cannot lead a request to an insecure or malformed URL.
public protocol RequestInterceptor: Sendable {
  /// The request to send in the place of `request`.
  ///
  /// - Throws: Anything; a ``NetworkError`` reaches the caller as it is, another error as ``NetworkError/underlying(_:_:)``.
  ///   Nothing is sent then.
  func adapt(_ request: HTTPRequest) async throws -> HTTPRequest
}
