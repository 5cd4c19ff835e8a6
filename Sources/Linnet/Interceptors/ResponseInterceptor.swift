public import LinnetHTTP

/// Looks at a response, or changes it, before its status is checked and its body decoded.
///
/// The endpoint's interceptors run before the client's: around the request they nest like the skins of an onion.
public protocol ResponseInterceptor: Sendable {
  /// The response to go on with in the place of `response`. Its status is checked and its body decoded.
  ///
  /// - Throws: Anything; a ``NetworkError`` reaches the caller as it is, another error as ``NetworkError/underlying(_:_:)``.
  func adapt(_ response: Response, request: HTTPRequest) async throws -> Response
}
