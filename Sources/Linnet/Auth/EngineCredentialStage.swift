internal import LinnetHTTP

/// Finds out with which credentials the engine would send a hop, and has it use these: those of its settings and of netrc
/// are put on below the cache and the sharing of exchanges, which have to tell users apart.
///
/// The choice is the engine's. It is only made earlier, so that whoever makes a key of the request sees it in
/// `HTTPRequestOptions.credentials`.
struct EngineCredentialStage: Sendable {
  private let engine: HTTPClient?

  /// - Parameter engine: The transport, if it is one that has credentials.
  init(engine: HTTPClient?) { self.engine = engine }

  /// Whether the engine may put credentials on the request. The usual request pays for no more than this.
  func mayAddCredentials(to request: HTTPRequest) -> Bool {
    guard let engine, let url = try? request.parsedURL() else { return false }
    return engine.mayAddCredentials(to: request, url)
  }

  /// The request with its credentials.
  ///
  /// - Throws: What the engine would throw.
  func resolve(_ request: HTTPRequest) async throws(NetworkError) -> HTTPRequest {
    guard let engine, let url = try? request.parsedURL() else { return request }
    var request = request
    do throws(TransportError) {
      try await engine.resolveCredentials(of: &request, url)
    } catch {
      throw NetworkError(error)
    }
    // A file that changes before the request is sent must not add what nobody above has seen.
    if request.options.credentials == nil { request.options.netrc = .off }
    return request
  }
}
