/// What is kept of responses.
public struct CachePack: Sendable {
  /// When the response cache is used. It needs a ``responseCache`` to have an effect, and then requests follow it unless
  /// ``TransportPack/cachePolicy`` says otherwise. Default ``ResponseCachePolicy/disabled``.
  public let responseCachePolicy: ResponseCachePolicy?
  /// Where responses are stored, such as an ``InMemoryResponseCache``. Default none.
  public let responseCache: (any ResponseCache)?
  /// Names of further headers that carry credentials, such as `X-Tenant-Token`. Their values never stand in cache keys,
  /// and they are not taken to another origin.
  public let sensitiveHeaderNames: Set<String>
  /// Whether errors carry the body of the response that caused them. Default false: bodies hold personal data, and
  /// errors end up in logs.
  public let captureFailurePayload: Bool?

  /// A pack of the given settings.
  public init(
    responseCachePolicy: ResponseCachePolicy? = nil, responseCache: (any ResponseCache)? = nil,
    sensitiveHeaderNames: Set<String> = [], captureFailurePayload: Bool? = nil
  ) {
    self.responseCachePolicy = responseCachePolicy
    self.responseCache = responseCache
    self.sensitiveHeaderNames = sensitiveHeaderNames
    self.captureFailurePayload = captureFailurePayload
  }

  func apply(to settings: inout NetworkSettings) {
    if let responseCachePolicy {
      settings.responseCachePolicy = responseCachePolicy
      // The default of `advanced` ignores what is stored: who names a policy wants it followed.
      settings.cachePolicy = .useProtocolCachePolicy
    }
    if let responseCache { settings.responseCache = responseCache }
    settings.sensitiveHeaderNames.formUnion(sensitiveHeaderNames)
    if let captureFailurePayload { settings.capturesFailurePayload = captureFailurePayload }
  }
}
