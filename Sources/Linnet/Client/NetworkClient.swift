/// Something that performs typed requests. Code that only sends requests depends on this, so that a test can put a stub
/// in the place of ``DefaultNetworkClient``.
public protocol NetworkClient: Sendable {
  /// Performs the request that `request` describes and decodes its response.
  ///
  /// - Parameters:
  ///   - request: The endpoint with its inputs.
  ///   - tag: The tag under which the request can be cancelled; nil for none.
  /// - Throws: ``NetworkError``; a cancelled task or tag gives ``NetworkError/cancelled``.
  func request<T: APIDefinition>(_ request: T, tag: CancellationTag?) async throws(NetworkError) -> T.APIResponse
}

extension NetworkClient {
  /// Performs the request without a tag.
  ///
  /// - Throws: As ``request(_:tag:)``.
  public func request<T: APIDefinition>(_ request: T) async throws(NetworkError) -> T.APIResponse {
    try await self.request(request, tag: nil)
  }
}

/// Something that uploads multipart forms; independent of ``NetworkClient``, so that a stub can be one without the other.
public protocol UploadNetworkClient: Sendable {
  /// Uploads the form that `request` describes and decodes the response.
  ///
  /// - Parameters:
  ///   - request: The endpoint with its form.
  ///   - tag: The tag under which the upload can be cancelled; nil for none.
  /// - Throws: ``NetworkError``; a cancelled task or tag gives ``NetworkError/cancelled``.
  func upload<T: MultipartAPIDefinition>(_ request: T, tag: CancellationTag?) async throws(NetworkError)
    -> T.APIResponse
}

extension UploadNetworkClient {
  /// Uploads without a tag.
  ///
  /// - Throws: As ``upload(_:tag:)``.
  public func upload<T: MultipartAPIDefinition>(_ request: T) async throws(NetworkError) -> T.APIResponse {
    try await upload(request, tag: nil)
  }
}
