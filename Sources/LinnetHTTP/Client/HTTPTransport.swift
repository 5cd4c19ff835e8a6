public import LinnetHTTPTypes

/// What answers requests: an ``HTTPClient`` over the network, or something that stands in for it.
///
/// Code that takes `any HTTPTransport` can be given a scripted answer, a recorded cassette, or a client that is not
/// configured yet. A type of one's own makes responses with `HTTPResponse.init(status:headers:url:body:)` and fails with
/// `TransportError.init(code:phase:sent:reason:)`:
///
/// ```swift
/// struct AlwaysOK: HTTPTransport {
///   func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
///     HTTPResponse(status: .ok, url: try request.admittedURL())
///   }
/// }
/// ```
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns its response as soon as the head is there.
  ///
  /// An HTTP error such as 404 is a response, not an error. Whoever implements it keeps the rules of
  /// ``HTTPClient/send(_:)``: a cancelled task ends soon with `cancelled`; a URL that is none fails with `invalidURL`
  /// before anything is sent; and what reading the request's body throws ends the request.
  ///
  /// - Throws: `TransportError`; its phase and `sent` tell what a retry may rely on.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}

extension HTTPClient: HTTPTransport {}

extension HTTPRequest {
  /// The URL, parsed, of a request that may be sent: what a transport asks for first. It refuses what an ``HTTPClient``
  /// refuses before it looks for a connection.
  ///
  /// - Throws: `TransportError` with the phase `request` and nothing sent: `invalidURL`, `unsupportedScheme`, and
  ///   `invalidRequest` for header fields that must not be sent and for CONNECT.
  public func admittedURL() throws(TransportError) -> HTTPURL {
    let url: HTTPURL
    do throws(HTTPURLError) {
      url = try parsedURL()
    } catch {
      throw TransportError(TransportFailure(error), context: TransportError.Context(method: method))
    }
    do throws(TransportFailure) {
      try url.admitForSending()
      _ = try PreparedRequest(self, url: url, configuration: HTTPClientConfiguration(), proxies: nil)
    } catch {
      throw TransportError(error, context: TransportError.Context(method: method, url: url.redactedDescription))
    }
    return url
  }
}

extension HTTPURL {
  /// Refuses what `send` cannot connect to.
  func admitForSending() throws(TransportFailure) {
    guard scheme == .http || scheme == .https else {
      throw TransportFailure(
        code: .unsupportedScheme, phase: .request,
        reason: "\(scheme.rawValue) URLs are not requested with send: use http or https")
    }
    do throws(HTTPURLError) {
      _ = try connectablePort()
    } catch {
      throw TransportFailure(error)
    }
  }
}
