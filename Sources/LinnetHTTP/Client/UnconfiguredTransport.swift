/// A transport that sends nothing and fails at once, naming what was not configured.
///
/// It is the default value for a client that an application sets up later, so that a forgotten set-up is a readable
/// error of the first request instead of an optional in every caller or a trap:
///
/// ```swift
/// var transport: any HTTPTransport = UnconfiguredTransport(missing: "Backend.configure(baseURL:)")
/// ```
public struct UnconfiguredTransport: HTTPTransport {
  /// What has to be done before requests can be sent, as it stands in the error.
  public let missing: String

  /// - Parameter missing: What has to be done or set, such as the name of a function or a setting.
  public init(missing: String = "a transport") { self.missing = missing }

  /// Fails.
  ///
  /// - Throws: `TransportError` with the code `invalidConfiguration`, the phase `request`, nothing sent; never anything
  ///   else, also for a request that is wrong by itself and in a cancelled task.
  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    throw TransportError(
      code: .invalidConfiguration, phase: .request, sent: .nothing,
      reason: "the client is not configured: \(missing) is missing", method: request.method,
      url: try? request.parsedURL())
  }
}
