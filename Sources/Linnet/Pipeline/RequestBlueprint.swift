internal import FoundationEssentials
internal import LinnetHTTP

/// A call without the types of its parameters and its response: what the pipeline needs to make each attempt's request.
final class RequestBlueprint: Sendable {
  /// Where the request goes.
  enum Target: Sendable {
    /// Below the base URL.
    case path(String)
    /// A whole URL.
    case absolute(String)
    /// A request that was made by hand.
    case request(HTTPRequest)
  }

  /// What is made for each attempt anew.
  struct Outline: Sendable {
    /// Where the attempt goes.
    let target: Target
    let headers: HTTPHeaders
  }

  let method: HTTPMethod
  let sessionAuthentication: SessionAuthentication
  let logger: any NetworkLogger
  let requestInterceptors: [any RequestInterceptor]
  let requestSigners: [any RequestSigner]
  let responseInterceptors: [any ResponseInterceptor]
  let acceptableStatusCodes: Set<Int>?
  let timeoutOverride: Double?
  let cachePolicyOverride: RequestCachePolicy?
  let priorityOverride: RequestPriority?
  let retryPolicyOverride: (any RetryPolicy)?
  /// Whether ``DecodingInterceptor``s have a say: the response is decoded.
  let isDecoded: Bool
  /// Makes URL and headers of an attempt.
  let outline: @Sendable () -> Outline
  /// Makes query or body of an attempt, with the client's own parameters merged in unless they are nil.
  let payload: @Sendable (ClientParameters?) async throws(NetworkError) -> RequestPayload

  /// A blueprint of an endpoint. URL, headers and payload are made for each attempt anew, the rest once for the call.
  init<E: Endpoint>(
    _ endpoint: E,
    payload: @escaping @Sendable (ClientParameters?) async throws(NetworkError) -> RequestPayload
  ) {
    method = endpoint.method
    sessionAuthentication = endpoint.sessionAuthentication
    logger = endpoint.logger
    requestInterceptors = endpoint.requestInterceptors
    requestSigners = endpoint.requestSigners
    responseInterceptors = endpoint.responseInterceptors
    acceptableStatusCodes = endpoint.acceptableStatusCodes
    timeoutOverride = endpoint.timeoutOverride
    cachePolicyOverride = endpoint.cachePolicyOverride
    priorityOverride = endpoint.priorityOverride
    retryPolicyOverride = endpoint.retryPolicyOverride
    isDecoded = true
    outline = {
      Outline(
        target: endpoint.absoluteURL.map { .absolute($0.absoluteString) } ?? .path(endpoint.path),
        headers: endpoint.headers)
    }
    self.payload = payload
  }

  /// A blueprint of a request that was made by hand.
  init(
    _ request: HTTPRequest, sessionAuthentication: SessionAuthentication, acceptableStatusCodes: Set<Int>?
  ) {
    method = request.method
    self.sessionAuthentication = sessionAuthentication
    logger = SilentNetworkLogger()
    requestInterceptors = []
    requestSigners = []
    responseInterceptors = []
    self.acceptableStatusCodes = acceptableStatusCodes
    timeoutOverride = nil
    cachePolicyOverride = nil
    priorityOverride = nil
    retryPolicyOverride = nil
    isDecoded = false
    outline = { Outline(target: .request(request), headers: request.headers) }
    let payload: RequestPayload = request.body.map { .body($0, contentType: nil) } ?? .none
    self.payload = { _ in payload }
  }
}

/// What an endpoint's parameters became.
enum RequestPayload: Sendable {
  case none
  /// A percent-encoded query, without the question mark.
  case query(String)
  /// A body, with the content type that is attached to it; nil for one that the request's headers name.
  case body(HTTPRequestBody, contentType: String?)
}

/// The body parameters that a client adds to those of its endpoints.
struct ClientParameters: Sendable {
  let values: [String: AnyEncodable]
  let precedence: ParameterPrecedence
}
