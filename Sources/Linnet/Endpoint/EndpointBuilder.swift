public import FoundationEssentials
public import LinnetHTTP

/// An endpoint that is put together where it is used: for requests that are made once, or whose parts are only known at
/// run time. Endpoints of a catalogue are better structs with `@APIDefinition`.
///
/// ```swift
/// let user = try await client.request(
///   EndpointBuilder<User>
///     .get("/users/preview")
///     .query(["expand": "team"])
///     .authentication(.optional)
/// )
/// ```
///
/// Every modifier returns a changed copy.
public struct EndpointBuilder<Response: Decodable & Sendable>: APIDefinition {
  /// What the response is decoded into.
  public typealias APIResponse = Response
  /// Any encodable value.
  public typealias Parameter = AnyEncodable

  /// The request method.
  public let method: HTTPMethod
  /// The path below the client's base URL.
  public let path: String
  /// What the endpoint has to do with the session's token.
  public private(set) var sessionAuthentication: SessionAuthentication
  /// The value that is encoded into query or body; nil for none.
  public private(set) var parameters: AnyEncodable?
  /// The headers.
  public private(set) var headers: HTTPHeaders
  /// The statuses that are not errors; nil is the client's set.
  public private(set) var acceptableStatusCodes: Set<Int>?
  /// A whole URL in the place of base URL and path.
  public private(set) var absoluteURL: URL?
  /// The longest silence of the server in seconds; nil is the client's.
  public private(set) var timeoutOverride: TimeInterval?
  /// How the response cache is used; nil is the client's.
  public private(set) var cachePolicyOverride: RequestCachePolicy?
  /// How urgent the request is; nil is the client's.
  public private(set) var priorityOverride: RequestPriority?
  /// Whether and how the request is retried; nil is the client's policy.
  public private(set) var retryPolicyOverride: (any RetryPolicy)?
  private var chosenTransport: TransportPolicy<Response>?

  /// How parameters are encoded and the response is decoded: what was chosen, or else parameters in the query for GET
  /// and HEAD and as JSON for every other method, and the response as its type asks.
  public var transport: TransportPolicy<Response> {
    chosenTransport ?? (method.prefersQueryParameters ? .query() : .json())
  }

  /// An endpoint of its parts.
  ///
  /// - Parameters:
  ///   - method: The request method.
  ///   - path: The path below the client's base URL.
  ///   - authentication: What it has to do with the session's token. Default ``SessionAuthentication/anonymous``.
  ///   - parameters: The value that is encoded into query or body. Default none.
  ///   - headers: The headers. Default the library's.
  ///   - acceptableStatusCodes: The statuses that are not errors; nil, the default, is the client's set.
  ///   - transport: How parameters are encoded and the response is decoded; nil, the default, goes by the method.
  public init(
    method: HTTPMethod, path: String, authentication: SessionAuthentication = .anonymous,
    parameters: AnyEncodable? = nil, headers: HTTPHeaders = .default, acceptableStatusCodes: Set<Int>? = nil,
    transport: TransportPolicy<Response>? = nil
  ) {
    self.method = method
    self.path = path
    sessionAuthentication = authentication
    self.parameters = parameters
    self.headers = headers
    self.acceptableStatusCodes = acceptableStatusCodes
    chosenTransport = transport
  }

  /// A GET request.
  public static func get(_ path: String) -> EndpointBuilder { EndpointBuilder(method: .get, path: path) }
  /// A POST request.
  public static func post(_ path: String) -> EndpointBuilder { EndpointBuilder(method: .post, path: path) }
  /// A PUT request.
  public static func put(_ path: String) -> EndpointBuilder { EndpointBuilder(method: .put, path: path) }
  /// A PATCH request.
  public static func patch(_ path: String) -> EndpointBuilder { EndpointBuilder(method: .patch, path: path) }
  /// A DELETE request.
  public static func delete(_ path: String) -> EndpointBuilder { EndpointBuilder(method: .delete, path: path) }
  /// A HEAD request. It has no body to decode, so the response type should be ``EmptyResponse``.
  public static func head(_ path: String) -> EndpointBuilder { EndpointBuilder(method: .head, path: path) }
  /// An OPTIONS request.
  public static func options(_ path: String) -> EndpointBuilder { EndpointBuilder(method: .options, path: path) }

  // MARK: Parameters

  /// Parameters in the query. They replace parameters that were given before.
  public func query(_ parameters: some Encodable & Sendable, encoder: URLQueryEncoder = URLQueryEncoder())
    -> EndpointBuilder
  {
    encoding(AnyEncodable(parameters), .query(encoder, rootKey: nil))
  }

  /// Parameters as a JSON body. They replace parameters that were given before.
  public func body(_ parameters: some Encodable & Sendable, encoder: JSONEncoder = JSONCoding.encoder())
    -> EndpointBuilder
  {
    encoding(AnyEncodable(parameters), .json(encoder))
  }

  /// Parameters as a form in the body. They replace parameters that were given before.
  public func formBody(_ parameters: some Encodable & Sendable, encoder: URLQueryEncoder = URLQueryEncoder())
    -> EndpointBuilder
  {
    encoding(AnyEncodable(parameters), .formURLEncoded(encoder, rootKey: nil))
  }

  /// Bytes as the body. They replace parameters that were given before.
  public func rawBody(_ data: Data, contentType: String) -> EndpointBuilder {
    encoding(AnyEncodable(data), .data(contentType: contentType))
  }

  /// Text as the body, in UTF-8. It replaces parameters that were given before.
  public func textBody(_ text: String, contentType: String = ContentType.textPlain.rawValue) -> EndpointBuilder {
    encoding(AnyEncodable(text), .text(contentType: contentType))
  }

  private func encoding(_ parameters: AnyEncodable, _ policy: RequestEncodingPolicy) -> EndpointBuilder {
    modified {
      let transport = transport
      $0.parameters = parameters
      $0.chosenTransport = TransportPolicy(
        requestEncoding: policy, responseDecoding: transport.responseDecoding,
        responseDecoder: transport.responseDecoder)
    }
  }

  // MARK: Everything else

  /// Replaces one header.
  public func header(_ name: String, value: String) -> EndpointBuilder {
    modified { $0.headers.update(name, value) }
  }

  /// Replaces all headers.
  public func headers(_ headers: HTTPHeaders) -> EndpointBuilder { modified { $0.headers = headers } }

  /// Sets how parameters are encoded and the response is decoded.
  public func transport(_ transport: TransportPolicy<Response>) -> EndpointBuilder {
    modified { $0.chosenTransport = transport }
  }

  /// Sets the statuses that are not errors; nil is the client's set.
  public func acceptableStatusCodes(_ codes: Set<Int>?) -> EndpointBuilder {
    modified { $0.acceptableStatusCodes = codes }
  }

  /// Sets what the endpoint has to do with the session's token.
  public func authentication(_ authentication: SessionAuthentication) -> EndpointBuilder {
    modified { $0.sessionAuthentication = authentication }
  }

  /// Requests a whole URL in the place of base URL and path. It passes the same admission; when its origin is not the
  /// base URL's, neither the client's own headers nor the session's token are sent.
  public func absoluteURL(_ url: URL) -> EndpointBuilder { modified { $0.absoluteURL = url } }

  /// Sets the longest silence of the server in seconds.
  public func timeout(_ seconds: TimeInterval) -> EndpointBuilder { modified { $0.timeoutOverride = seconds } }

  /// Sets whether and how the request is retried, in the place of the client's policy.
  public func retry(_ policy: any RetryPolicy) -> EndpointBuilder { modified { $0.retryPolicyOverride = policy } }

  /// Sets how the response cache is used.
  public func cachePolicy(_ policy: RequestCachePolicy) -> EndpointBuilder {
    modified { $0.cachePolicyOverride = policy }
  }

  /// Sets how urgent the request is.
  public func priority(_ priority: RequestPriority) -> EndpointBuilder {
    modified { $0.priorityOverride = priority }
  }

  /// The same request with another response type, decoded as that type asks. Parameters and their encoding are kept.
  public func decoding<T: Decodable & Sendable>(_ type: T.Type) -> EndpointBuilder<T> {
    var other = EndpointBuilder<T>(
      method: method, path: path, authentication: sessionAuthentication, parameters: parameters, headers: headers,
      acceptableStatusCodes: acceptableStatusCodes)
    other.absoluteURL = absoluteURL
    other.timeoutOverride = timeoutOverride
    other.cachePolicyOverride = cachePolicyOverride
    other.priorityOverride = priorityOverride
    other.retryPolicyOverride = retryPolicyOverride
    if let chosenTransport {
      let response = TransportPolicy<T>.json()
      let transport = TransportPolicy<T>(
        requestEncoding: chosenTransport.requestEncoding, responseDecoding: response.responseDecoding,
        responseDecoder: response.responseDecoder)
      other.chosenTransport = chosenTransport.requestContentType.map { transport.contentType($0) } ?? transport
    }
    return other
  }

  private func modified(_ change: (inout EndpointBuilder) -> Void) -> EndpointBuilder {
    var copy = self
    change(&copy)
    return copy
  }
}
