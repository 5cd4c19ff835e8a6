public import FoundationEssentials

/// How requests are sent. `nil` keeps the configuration's value, which is given at each property.
public struct TransportPack: Sendable {
  /// The longest silence of the server in seconds: from the last byte of the request to the response's head, and between
  /// bytes of the body. It is not a limit for the whole request, so a large body that moves well is never cut. Must be
  /// greater than zero, else requests fail with ``NetworkConfigurationFailureReason/invalidRequest(_:)``; infinity means
  /// no limit. Connecting has a limit of its own, 10 s or this value if that is less. Default 60 s.
  public let timeout: TimeInterval?
  /// How the response cache is used by endpoints that do not say. Default
  /// ``RequestCachePolicy/useProtocolCachePolicy`` when a ``CachePack`` names a policy, which is then followed, and
  /// ``RequestCachePolicy/reloadIgnoringLocalCacheData`` otherwise.
  public let cachePolicy: RequestCachePolicy?
  /// How urgent the requests of endpoints are that do not say. Default ``RequestPriority/normal``.
  public let requestPriority: RequestPriority?
  /// Whether metered mobile links may be used. It has no effect on Linux, which does not tell a program which interface
  /// carries a connection; it is kept so that shared configurations compile.
  public let allowsCellularAccess: Bool?
  /// Whether expensive links may be used; as ``allowsCellularAccess``, without effect on Linux.
  public let allowsExpensiveNetworkAccess: Bool?
  /// Whether links in low-data mode may be used; as ``allowsCellularAccess``, without effect on Linux.
  public let allowsConstrainedNetworkAccess: Bool?
  /// Which redirections are followed, and with what. Default ``DefaultRedirectPolicy``.
  public let redirectPolicy: (any RedirectPolicy)?
  /// The longest line of a line-delimited stream in bytes, at least 1; smaller values count as 1. Default 1 MiB.
  /// Streams are to come; the requests of this client have no lines, and ``ResponseBodyBufferingPolicy`` limits them.
  public let streamingLineByteLimit: Int?
  /// Whether `http` URLs are admitted. Default false, also for loopback addresses: nothing else protects a program on
  /// Linux from sending its tokens in the clear.
  public let allowsInsecureHTTP: Bool?
  /// Whose certificates are accepted. Default ``TrustPolicy/systemDefault``.
  public let trustPolicy: TrustPolicy?
  /// The statuses that are not errors, for endpoints that do not say. Default 200 to 299.
  public let acceptableStatusCodes: Set<Int>?
  /// Makes the `User-Agent` of each request that has no other; nil from the closure sends none. Default
  /// ``HTTPHeader/defaultUserAgent``.
  public let userAgentProvider: (@Sendable () -> String?)?
  /// Makes the `Accept-Language` of each request that has no other; nil from the closure sends none. Default
  /// ``HTTPHeader/defaultAcceptLanguage``.
  public let acceptLanguageProvider: (@Sendable () -> String?)?

  /// A pack of the given settings.
  public init(
    timeout: TimeInterval? = nil, cachePolicy: RequestCachePolicy? = nil, requestPriority: RequestPriority? = nil,
    allowsCellularAccess: Bool? = nil, allowsExpensiveNetworkAccess: Bool? = nil,
    allowsConstrainedNetworkAccess: Bool? = nil, redirectPolicy: (any RedirectPolicy)? = nil,
    streamingLineByteLimit: Int? = nil, allowsInsecureHTTP: Bool? = nil,
    trustPolicy: TrustPolicy? = nil, acceptableStatusCodes: Set<Int>? = nil,
    userAgentProvider: (@Sendable () -> String?)? = nil, acceptLanguageProvider: (@Sendable () -> String?)? = nil
  ) {
    self.timeout = timeout
    self.cachePolicy = cachePolicy
    self.requestPriority = requestPriority
    self.allowsCellularAccess = allowsCellularAccess
    self.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
    self.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
    self.redirectPolicy = redirectPolicy
    self.streamingLineByteLimit = streamingLineByteLimit
    self.allowsInsecureHTTP = allowsInsecureHTTP
    self.trustPolicy = trustPolicy
    self.acceptableStatusCodes = acceptableStatusCodes
    self.userAgentProvider = userAgentProvider
    self.acceptLanguageProvider = acceptLanguageProvider
  }

  func apply(to settings: inout NetworkSettings) {
    if let timeout { settings.timeout = timeout }
    if let cachePolicy { settings.cachePolicy = cachePolicy }
    if let requestPriority { settings.priority = requestPriority }
    if let redirectPolicy { settings.redirectPolicy = redirectPolicy }
    if let streamingLineByteLimit { settings.streamingLineByteLimit = max(1, streamingLineByteLimit) }
    if let allowsInsecureHTTP { settings.allowsInsecureHTTP = allowsInsecureHTTP }
    if let trustPolicy { settings.trustPolicy = trustPolicy }
    if let acceptableStatusCodes { settings.acceptableStatusCodes = acceptableStatusCodes }
    if let userAgentProvider { settings.userAgentProvider = userAgentProvider }
    if let acceptLanguageProvider { settings.acceptLanguageProvider = acceptLanguageProvider }
  }
}
