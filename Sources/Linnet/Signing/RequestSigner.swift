public import FoundationEssentials
public import LinnetHTTP

/// Signs the request as it will be sent, after interceptors and tokens.
///
/// The client's signers run before the endpoint's, and each sees the headers that the earlier ones added. A signed
/// request is not cached, not coalesced, and its redirects are not followed: a signature covers one exchange.
public protocol RequestSigner: Sendable {
  /// The headers that make up the signature. They replace headers of the same name.
  ///
  /// - Parameters:
  ///   - request: The request as it will be sent.
  ///   - body: The body exactly as it will be sent.
  /// - Throws: Anything; the request is not sent then.
  func signatureHeaders(for request: HTTPRequest, body: RequestBody) async throws -> HTTPHeaders
}

/// The body that a ``RequestSigner`` covers.
public enum RequestBody: Sendable {
  /// There is no body.
  case none
  /// The body in memory.
  case data(Data)
  /// A private copy of the file that is sent; what is hashed is what is sent. It is removed after the call.
  case file(URL)
}
