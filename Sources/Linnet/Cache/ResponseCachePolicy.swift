package import LinnetPolicies

/// When a client answers from its ``ResponseCache``.
///
/// A policy has an effect together with a cache, ``CachePack/init(responseCachePolicy:responseCache:sensitiveHeaderNames:captureFailurePayload:)``.
/// All policies but ``disabled`` and ``networkOnly`` share the rules of storing: only GET, whole responses with the
/// statuses 200, 203, 204, 300, 301, 308, 404, 405, 410, 414 and 501, never with `no-store`, `private` or `Vary: *`, and
/// after a request with `Authorization` only when the response has `public`, `must-revalidate` or `s-maxage`.
/// `no-cache` is stored and validated before each use. A successful request with an unsafe method removes what is stored
/// for its URL.
///
/// Times are counted in the calendar's time, so that they mean the same after a restart. Negative ones count as zero,
/// and the longest is 2³¹ seconds, 68 years (RFC 9111 §1.2.2).
///
/// Signed requests never use the cache.
public indirect enum ResponseCachePolicy: Sendable, Hashable {
  /// The cache is not touched. The default.
  case disabled
  /// Every request goes to the server; nothing is read, written or removed.
  case networkOnly
  /// A stored response is used without asking until `maxAge` after it was stored, and validated afterwards.
  case cacheFirst(maxAge: Duration)
  /// As ``cacheFirst(maxAge:)``; for `staleWindow` after that a stored response is still used at once, and validated in
  /// the background.
  case staleWhileRevalidate(maxAge: Duration, staleWindow: Duration)
  /// What the server says about its responses limits `wrapping` (RFC 9111).
  ///
  /// `max-age`, `Expires` or else a tenth of the time since `Last-Modified`, at most a day, can shorten `maxAge` but not
  /// extend it, counted from the age that a response arrives with (`Age`, `Date`). A repeated or malformed `max-age`
  /// makes a response stale. `must-revalidate` forbids stale use; `stale-while-revalidate` and `stale-if-error` allow it
  /// for as long as they say. `max-age`, `min-fresh`, `max-stale` and `only-if-cached` of requests are followed.
  /// `s-maxage` is ignored: this is a private cache.
  case rfc9111Compliant(wrapping: ResponseCachePolicy)
  /// As ``rfc9111Compliant(wrapping:)``, but the server alone decides how long a response is fresh. One about which it
  /// says nothing, neither directly nor by `Last-Modified`, is fresh for `defaultTTL`; nil, the default, is not at all.
  case serverDirected(defaultTTL: Duration? = nil)

  /// The rules of the policy; nil when it does not use the cache.
  package var rules: CachePolicy? {
    switch self {
    case .disabled, .networkOnly: return nil
    case .cacheFirst(let maxAge): return CachePolicy(window: maxAge)
    case .staleWhileRevalidate(let maxAge, let staleWindow):
      return CachePolicy(window: maxAge, staleWindow: staleWindow)
    case .rfc9111Compliant(let wrapped):
      var rules = wrapped.rules
      rules?.honoursDirectives = true
      return rules
    case .serverDirected(let lifetime):
      return CachePolicy(window: nil, honoursDirectives: true, defaultLifetime: lifetime)
    }
  }
}
