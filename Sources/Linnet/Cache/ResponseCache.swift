/// A store of responses. ``InMemoryResponseCache`` is one; an application can bring its own.
///
/// The client decides what is stored and whether it is still good; a store keeps what it is given, or forgets it. One
/// store may serve several clients at a time.
public protocol ResponseCache: Sendable {
  /// The response stored under a key, or nil.
  func get(_ key: ResponseCacheKey) async -> CachedResponse?
  /// Stores a response in place of what is stored under the key. A store may drop it, and others, to keep its limits.
  func set(_ key: ResponseCacheKey, _ response: CachedResponse) async
  /// Forgets what is stored under a key.
  func invalidate(_ key: ResponseCacheKey) async
  /// Forgets every response whose key has this URL, whatever the headers in the key: the resource has changed.
  ///
  /// - Parameter url: A URL in the form of ``ResponseCacheKey/url``.
  func invalidateTargetURI(_ url: String) async
}

extension ResponseCache {
  /// Forgets the response to a GET without headers. A store that keeps responses to requests with headers has to
  /// implement this itself.
  public func invalidateTargetURI(_ url: String) async {
    await invalidate(ResponseCacheKey(method: "GET", url: url))
  }
}
