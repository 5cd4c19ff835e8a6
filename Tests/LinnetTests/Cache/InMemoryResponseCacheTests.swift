import FoundationEssentials
import Linnet
import Testing

@Suite struct InMemoryResponseCacheTests {
  private func key(_ path: String, _ headers: HTTPHeaders = [:]) -> ResponseCacheKey {
    ResponseCacheKey(method: "GET", url: "https://h\(path)", headers: headers)
  }

  private func response(_ count: Int) -> CachedResponse { CachedResponse(data: Data(count: count)) }

  @Test("what was stored is found until it is replaced or invalidated")
  func storing() async {
    let cache = InMemoryResponseCache()
    await cache.set(key("/a"), response(1))
    #expect(await cache.get(key("/a"))?.data.count == 1)
    await cache.set(key("/a"), response(2))
    #expect(await cache.get(key("/a"))?.data.count == 2)
    #expect(await cache.count == 1)
    await cache.invalidate(key("/a"))
    #expect(await cache.get(key("/a")) == nil)
    #expect(await cache.byteCount == 0)
  }

  @Test("the cost is body, headers, Vary values and key, and the oldest use goes first")
  func eviction() async {
    // A key of "/a" is GET and https://h/a: 14 bytes.
    let cache = InMemoryResponseCache(maxBytes: 3 * 114)
    for path in ["/a", "/b", "/c"] { await cache.set(key(path), response(100)) }
    #expect(await cache.byteCount == 342)
    _ = await cache.get(key("/a"))
    await cache.set(key("/d"), response(100))
    #expect(await cache.get(key("/b")) == nil)
    #expect(await cache.get(key("/a")) != nil)
    let rich = CachedResponse(data: Data(), headers: ["ETag": "\"1\""], varyHeaders: ["x-a": "12", "x-b": nil])
    let other = InMemoryResponseCache()
    await other.set(key("/a"), rich)
    #expect(await other.byteCount == 14 + 7 + 5 + 3)
  }

  @Test("a response that is too large alone is not stored, and the outdated one under its key goes")
  func tooLarge() async {
    let cache = InMemoryResponseCache(maxBytes: 200)
    await cache.set(key("/a"), response(100))
    await cache.set(key("/a"), response(1000))
    #expect(await cache.get(key("/a")) == nil)
    #expect(await cache.count == 0)
  }

  @Test("the number of responses is bounded, too")
  func entries() async {
    let cache = InMemoryResponseCache(maxEntries: 3)
    for index in 0..<10 { await cache.set(key("/\(index)"), response(0)) }
    #expect(await cache.count == 3)
    #expect(await cache.get(key("/9")) != nil)
    #expect(await cache.get(key("/6")) == nil)
  }

  @Test("a URL is forgotten with all its variants, and others stay", arguments: ["https://h/a", "HTTPS://H:443/a#x"])
  func targetURI(url: String) async {
    let cache = InMemoryResponseCache()
    await cache.set(key("/a"), response(1))
    await cache.set(key("/a", ["Accept-Language": "de"]), response(1))
    await cache.set(key("/a?q"), response(1))
    await cache.invalidateTargetURI(url)
    #expect(await cache.count == 1)
    #expect(await cache.get(key("/a?q")) != nil)
    await cache.set(key("/a"), response(1))
    #expect(await cache.get(key("/a")) != nil)
  }

  @Test("everything can be forgotten at once")
  func removeAll() async {
    let cache = InMemoryResponseCache()
    for index in 0..<10 { await cache.set(key("/\(index)"), response(5)) }
    await cache.removeAll()
    #expect(await cache.count == 0)
    #expect(await cache.byteCount == 0)
    await cache.set(key("/1"), response(5))
    await cache.invalidateTargetURI("https://h/1")
    #expect(await cache.count == 0)
  }

  @Test("a store of one's own forgets the plain GET of a URL without further code")
  func defaultImplementation() async {
    let store = PlainStore()
    await store.invalidateTargetURI("https://H/a")
    #expect(await store.invalidated == [key("/a")])
  }
}

private actor PlainStore: ResponseCache {
  var invalidated: [ResponseCacheKey] = []

  func get(_ key: ResponseCacheKey) -> CachedResponse? { nil }
  func set(_ key: ResponseCacheKey, _ response: CachedResponse) {}
  func invalidate(_ key: ResponseCacheKey) { invalidated.append(key) }
}
