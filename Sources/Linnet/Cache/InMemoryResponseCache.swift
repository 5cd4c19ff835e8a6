internal import FoundationEssentials
internal import LinnetHTTP

/// A ``ResponseCache`` in memory, bounded by bytes and by number; the responses that were not used for the longest time
/// go first.
///
/// It holds one response for each key. What was stored is gone with the process.
public actor InMemoryResponseCache: ResponseCache {
  private var table: LRUTable<ResponseCacheKey, CachedResponse>
  private var keysByURL: [String: Set<ResponseCacheKey>] = [:]

  /// An empty cache.
  ///
  /// - Parameters:
  ///   - maxBytes: The largest sum of bodies, headers, `Vary` values and keys. Default 5 MiB. A response that is larger
  ///     alone is not stored, and what was stored under its key is dropped because it is outdated. 0 or less stores
  ///     nothing.
  ///   - maxEntries: The largest number of responses, so that many tiny ones do not take much more memory than their
  ///     bytes. Default 4,096.
  public init(maxBytes: Int = 5 * 1024 * 1024, maxEntries: Int = 4096) {
    table = LRUTable(costLimit: maxBytes, countLimit: maxEntries)
  }

  /// The response stored under a key, which becomes the most recently used.
  public func get(_ key: ResponseCacheKey) -> CachedResponse? { table.value(for: key) }

  /// Stores a response and drops others until the limits hold.
  public func set(_ key: ResponseCacheKey, _ response: CachedResponse) {
    keysByURL[key.url, default: []].insert(key)
    for dropped in table.insert(response, for: key, cost: Self.cost(of: response, key: key)) { forget(dropped) }
  }

  /// Forgets what is stored under a key.
  public func invalidate(_ key: ResponseCacheKey) {
    table.remove(key)
    forget(key)
  }

  /// Forgets every response whose key has this URL.
  public func invalidateTargetURI(_ url: String) async {
    // `async` like the protocol's default: otherwise a call from asynchronous code would prefer that.
    for key in keysByURL.removeValue(forKey: ResponseCacheKey.normalised(url)) ?? [] { table.remove(key) }
  }

  /// Forgets everything, as at a log-out.
  public func removeAll() {
    for key in table.keysByRecency { table.remove(key) }
    keysByURL.removeAll()
  }

  /// The number of responses.
  public var count: Int { table.count }
  /// The bytes that count against the limit.
  public var byteCount: Int { table.cost }

  private func forget(_ key: ResponseCacheKey) {
    keysByURL[key.url]?.remove(key)
    if keysByURL[key.url]?.isEmpty == true { keysByURL[key.url] = nil }
  }

  private static func cost(of response: CachedResponse, key: ResponseCacheKey) -> Int {
    let headers = response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    let vary = response.varyHeaders.reduce(0) { $0 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0) }
    return response.data.count + headers + vary + key.byteCount
  }
}
