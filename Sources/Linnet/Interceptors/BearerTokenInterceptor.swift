public import LinnetHTTP

/// Sends `Authorization: Bearer …` with a provider's token. A request that has an `Authorization` already keeps it, and
/// nothing is added when there is no token.
///
/// It never refreshes: a session whose tokens run out wants `RefreshTokenPolicy`.
public struct BearerTokenInterceptor: RequestInterceptor {
  private let token: @Sendable () async throws -> String?

  /// An interceptor with a provider's token.
  public init(tokenProvider: any TokenProvider) {
    token = { try await tokenProvider.currentToken() }
  }

  /// An interceptor with the token that a function gives.
  public init(token: @escaping @Sendable () async throws -> String?) { self.token = token }

  /// Adds the header.
  ///
  /// - Throws: What the provider throws. ``NetworkError/configuration(reason:)`` when the token is empty or has
  ///   characters that a header cannot have; the error does not quote it.
  public func adapt(_ request: HTTPRequest) async throws -> HTTPRequest {
    guard !request.headers.contains("Authorization"), let token = try await token() else { return request }
    var request = request
    request.headers.add(try HTTPHeader.validCredential("Authorization", "Bearer", token))
    return request
  }
}

extension HTTPHeader {
  /// A header `name: scheme token` whose value descriptions hide.
  static func validCredential(_ name: String, _ scheme: String, _ token: String) throws(NetworkError) -> HTTPHeader {
    let value = scheme.isEmpty ? token : "\(scheme) \(token)"
    let header = HTTPHeader(name: name, value: value, isSensitive: true)
    guard !token.isEmpty, (try? header.validate()) != nil else {
      throw NetworkError.configuration(
        reason: .invalidRequest("the token for \(name) is empty or has characters that a header cannot have"))
    }
    return header
  }
}
