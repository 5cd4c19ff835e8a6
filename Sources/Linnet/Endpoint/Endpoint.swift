public import FoundationEssentials
public import LinnetHTTP

/// One operation of a server, with everything that is particular to it. Conform to ``APIDefinition``, or to
/// ``MultipartAPIDefinition`` for forms with files, rather than to this protocol.
public protocol Endpoint: Sendable {
  /// What the response's body is decoded into.
  associatedtype APIResponse: Decodable & Sendable

  /// The request method.
  var method: HTTPMethod { get }
  /// The path below the client's base URL, without query or fragment; a leading slash changes nothing. Percent escapes
  /// are kept. See ``EndpointPathEncoding`` for values that go into a segment.
  var path: String { get }
  /// What the endpoint has to do with the session's token.
  var sessionAuthentication: SessionAuthentication { get }

  /// A whole URL that is requested in the place of base URL and path; nil by default. It passes the same admission, and
  /// when its origin is not the base URL's, neither the client's own headers nor the session's token are sent.
  var absoluteURL: URL? { get }
  /// Headers of the request. Default ``HTTPHeaders/default``, the library's.
  var headers: HTTPHeaders { get }
  /// Who logs the request. Default: nothing is written.
  var logger: any NetworkLogger { get }
  /// Interceptors that run after the client's. Default none.
  var requestInterceptors: [any RequestInterceptor] { get }
  /// Signers that run after the client's. Default none.
  var requestSigners: [any RequestSigner] { get }
  /// Interceptors that run before the client's. Default none.
  var responseInterceptors: [any ResponseInterceptor] { get }
  /// The statuses that are not errors; nil, the default, is the client's set.
  var acceptableStatusCodes: Set<Int>? { get }
  /// How parameters are encoded and the response decoded.
  var transport: TransportPolicy<APIResponse> { get }

  /// The longest silence of the server in seconds; nil, the default, is the client's.
  var timeoutOverride: TimeInterval? { get }
  /// How the response cache is used; nil, the default, is the client's.
  var cachePolicyOverride: RequestCachePolicy? { get }
  /// How urgent the request is; nil, the default, is the client's.
  var priorityOverride: RequestPriority? { get }
  /// Whether and how the request is retried; nil, the default, is the client's policy.
  var retryPolicyOverride: (any RetryPolicy)? { get }
  /// Whether metered mobile links may be used; nil, the default, is the client's. Linux does not tell a program which
  /// interface carries a connection, so this has no effect; it is kept so that shared endpoints compile.
  var allowsCellularAccessOverride: Bool? { get }
  /// Whether expensive links may be used; as ``allowsCellularAccessOverride``, without effect on Linux.
  var allowsExpensiveNetworkAccessOverride: Bool? { get }
  /// Whether links in low-data mode may be used; as ``allowsCellularAccessOverride``, without effect on Linux.
  var allowsConstrainedNetworkAccessOverride: Bool? { get }
}

extension Endpoint {
  /// Nil.
  public var absoluteURL: URL? { nil }
  /// ``HTTPHeaders/default``.
  public var headers: HTTPHeaders { .default }
  /// A logger that writes nothing.
  public var logger: any NetworkLogger { SilentNetworkLogger() }
  /// None.
  public var requestInterceptors: [any RequestInterceptor] { [] }
  /// None.
  public var requestSigners: [any RequestSigner] { [] }
  /// None.
  public var responseInterceptors: [any ResponseInterceptor] { [] }
  /// Nil.
  public var acceptableStatusCodes: Set<Int>? { nil }
  /// Nil.
  public var timeoutOverride: TimeInterval? { nil }
  /// Nil.
  public var cachePolicyOverride: RequestCachePolicy? { nil }
  /// Nil.
  public var priorityOverride: RequestPriority? { nil }
  /// Nil.
  public var retryPolicyOverride: (any RetryPolicy)? { nil }
  /// Nil.
  public var allowsCellularAccessOverride: Bool? { nil }
  /// Nil.
  public var allowsExpensiveNetworkAccessOverride: Bool? { nil }
  /// Nil.
  public var allowsConstrainedNetworkAccessOverride: Bool? { nil }
}
