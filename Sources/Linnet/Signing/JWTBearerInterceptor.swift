public import LinnetHTTP

/// Sends a token that is made for each request, such as a JSON Web Token with the request's target in it.
///
/// It is a signer and not an interceptor, so it runs after the session's token is applied and replaces it on purpose.
public struct JWTBearerInterceptor: RequestSigner {
  private let scheme: String
  private let headerName: String
  private let tokenProvider: @Sendable (HTTPRequest) async throws -> String

  /// A signer.
  ///
  /// - Parameters:
  ///   - scheme: What stands before the token; empty for nothing. Default `Bearer`.
  ///   - headerName: The header. Default `Authorization`.
  ///   - tokenProvider: Makes the token for the request as it will be sent. When it throws, nothing is sent.
  public init(
    scheme: String = "Bearer", headerName: String = "Authorization",
    tokenProvider: @escaping @Sendable (_ request: HTTPRequest) async throws -> String
  ) {
    self.scheme = scheme
    self.headerName = headerName
    self.tokenProvider = tokenProvider
  }

  /// The header with the token.
  ///
  /// - Throws: What the provider throws, and ``NetworkError/configuration(reason:)`` when the token is empty or has
  ///   characters that a header cannot have.
  public func signatureHeaders(for request: HTTPRequest, body: RequestBody) async throws -> HTTPHeaders {
    [try HTTPHeader.validCredential(headerName, scheme, try await tokenProvider(request))]
  }
}
