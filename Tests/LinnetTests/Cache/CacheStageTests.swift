import FoundationEssentials
import Linnet
import LinnetBytes
import Testing

@Suite struct CacheStageTests {
  private let minute = ResponseCachePolicy.cacheFirst(maxAge: .seconds(60))

  @Test("a fresh response is the answer without the network, with its Age, until maxAge has passed")
  func freshHit() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, ["ETag": "\"1\"", "Connection": "close"], body: "one") }
    #expect(try await fixture.get().headers["Age"] == nil)
    fixture.clock.advance(59.5)
    let hit = try await fixture.get()
    #expect(fixture.origin.count == 1)
    #expect((hit.text, hit.statusCode, hit.headers["Age"]) == ("one", 200, "59"))
    #expect(hit.headers["Connection"] == nil)
    #expect(hit.request?.url == "https://h/a")
    fixture.clock.advance(0.5)
    _ = try await fixture.get()
    #expect(fixture.origin.count == 2)
  }

  @Test(
    "disabled and networkOnly neither read, write nor remove", arguments: [ResponseCachePolicy.disabled, .networkOnly])
  func withoutCache(policy: ResponseCachePolicy) async throws {
    let fixture = CacheFixture(policy) { _ in .canned(200, [:], body: "new") }
    let key = ResponseCacheKey(method: "GET", url: "https://h/a")
    await fixture.cache.set(key, CachedResponse(data: Data("old".utf8), storedAt: fixture.clock.wallTime))
    #expect(try await fixture.get().text == "new")
    _ = try await fixture.send(.post("https://h/a"))
    #expect(await fixture.cache.get(key)?.data == Data("old".utf8))
  }

  @Test("a stale response is validated with both validators, and 304 makes it fresh again with merged headers")
  func validation() async throws {
    let fixture = CacheFixture(minute) { _ in
      .canned(200, ["ETag": "W/\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "X-A": "1"], body: "one")
    }
    _ = try await fixture.get()
    fixture.clock.advance(60)
    fixture.origin.answers { _ in .canned(304, ["X-A": "2", "ETag": "W/\"1\""]) }
    let confirmed = try await fixture.get()
    let sent = try #require(fixture.origin.requests.last)
    #expect(sent.headers["If-None-Match"] == "W/\"1\"")
    #expect(sent.headers["If-Modified-Since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect((confirmed.statusCode, confirmed.text, confirmed.headers["X-A"]) == (200, "one", "2"))
    #expect(confirmed.request?.headers["If-None-Match"] == nil)
    fixture.clock.advance(59)
    #expect(try await fixture.get().headers["X-A"] == "2")
    #expect(fixture.origin.count == 2)
  }

  @Test("CACHE-01: max-age of a 304 refreshes the stored response")
  func refreshedLifetime() async throws {
    let fixture = CacheFixture(.serverDirected()) { request in
      request.headers["If-None-Match"] == "\"1\""
        ? .canned(304, ["Cache-Control": "max-age=60"])
        : .canned(200, ["Cache-Control": "max-age=1", "ETag": "\"1\""], body: "one")
    }
    _ = try await fixture.get()
    fixture.clock.advance(2)
    _ = try await fixture.get()
    fixture.clock.advance(50)
    #expect(try await fixture.get().text == "one")
    #expect(fixture.origin.count == 2)
  }

  @Test("a stale response without validators is fetched anew and replaced; so is one that has changed")
  func replacement() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, [:], body: "one") }
    _ = try await fixture.get()
    fixture.clock.advance(60)
    fixture.origin.answers { _ in .canned(200, ["ETag": "\"2\""], body: "two") }
    #expect(try await fixture.get().text == "two")
    #expect(fixture.origin.requests.last?.headers.isEmpty == true)
    fixture.clock.advance(60)
    fixture.origin.answers { _ in .canned(200, ["ETag": "\"3\""], body: "three") }
    #expect(try await fixture.get().text == "three")
    fixture.clock.advance(59)
    #expect(try await fixture.get().text == "three")
    #expect(fixture.origin.count == 3)
  }

  @Test("a 304 for another representation is not believed: the request goes out again without conditions")
  func wrongETag() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, ["ETag": "\"1\""], body: "one") }
    _ = try await fixture.get()
    fixture.clock.advance(60)
    fixture.origin.answers { request in
      request.headers.contains("If-None-Match")
        ? .canned(304, ["ETag": "\"2\""]) : .canned(200, ["ETag": "\"2\""], body: "two")
    }
    #expect(try await fixture.get().text == "two")
    #expect(try await fixture.get().text == "two")
    #expect(fixture.origin.count == 3)
  }

  @Test("a 304 with another Vary renews only the time; the same names in another order and case do not count as other")
  func varyOfNotModified() async throws {
    let fixture = CacheFixture(minute) { _ in
      .canned(200, ["ETag": "\"1\"", "Vary": "X-A, X-B", "X-C": "old"], body: "one")
    }
    _ = try await fixture.get("/a", ["X-A": "1"])
    fixture.clock.advance(60)
    fixture.origin.answers { _ in .canned(304, ["Vary": "X-Z", "X-C": "new"]) }
    #expect(try await fixture.get("/a", ["X-A": "1"]).headers["X-C"] == "old")
    fixture.clock.advance(59)
    #expect(try await fixture.get("/a", ["X-A": "1"]).headers["X-C"] == "old")
    #expect(fixture.origin.count == 2)
    fixture.clock.advance(1)
    fixture.origin.answers { _ in .canned(304, ["Vary": "x-b,x-a", "X-C": "new"]) }
    #expect(try await fixture.get("/a", ["X-A": "1"]).headers["X-C"] == "new")
  }

  @Test("a 304 that forbids storing is the last answer from that entry")
  func notModifiedForbidsStoring() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, ["ETag": "\"1\""], body: "one") }
    _ = try await fixture.get()
    fixture.clock.advance(60)
    fixture.origin.answers { _ in .canned(304, ["Cache-Control": "no-store"]) }
    #expect(try await fixture.get().text == "one")
    fixture.origin.answers { _ in .canned(200, [:], body: "two") }
    #expect(try await fixture.get().text == "two")
    #expect(fixture.origin.requests.last?.headers["If-None-Match"] == nil)
  }

  @Test("a 304 that nobody asked for is an error of the cache, not an empty answer")
  func unaskedNotModified() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(304, [:]) }
    let error = await #expect(throws: NetworkError.self) { try await fixture.get() }
    #expect(error?.origin == "ResponseCache 304")
  }

  @Test("the caller's own conditions and ranges pass by the cache, and the caller gets the 304")
  func ownConditions() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, ["ETag": "\"1\""], body: "one") }
    _ = try await fixture.get()
    fixture.origin.answers { _ in .canned(304, ["ETag": "\"1\""]) }
    #expect(try await fixture.get("/a", ["If-None-Match": "\"1\""]).statusCode == 304)
    fixture.origin.answers { _ in .canned(206, [:], body: "o") }
    #expect(try await fixture.get("/a", ["Range": "bytes=0-0"]).statusCode == 206)
    #expect(fixture.origin.count == 3)
    #expect(try await fixture.get().text == "one")
  }

  @Test("no-cache is stored and validated before every use")
  func noCache() async throws {
    let fixture = CacheFixture(minute) { request in
      request.headers.contains("If-None-Match")
        ? .canned(304, [:]) : .canned(200, ["Cache-Control": "no-cache", "ETag": "\"1\""], body: "one")
    }
    for count in 1...3 {
      #expect(try await fixture.get().text == "one")
      #expect(fixture.origin.count == count)
    }
  }

  @Test("no-store and private remove what is stored", arguments: ["no-store", "private", "private=\"Set-Cookie\""])
  func forbidden(directive: String) async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, [:], body: "one") }
    _ = try await fixture.get()
    fixture.origin.answers { _ in .canned(200, ["Cache-Control": directive], body: "two") }
    _ = try await fixture.get("/a", [:], .reloadIgnoringLocalCacheData)
    fixture.origin.answers { _ in .canned(200, [:], body: "three") }
    #expect(try await fixture.get().text == "three")
  }

  @Test("other users, languages and tenants have entries of their own, and secrets are not in the store")
  func separation() async throws {
    let cache = RecordingCache()
    let fixture = CacheFixture(minute, cache: cache, sensitiveHeaderNames: ["X-Tenant-Token"]) { request in
      .canned(
        200, ["Cache-Control": "public", "Vary": "X-Tenant-Token, Authorization"],
        body: request.headers["Authorization"] ?? request.headers["X-Tenant-Token"] ?? "none")
    }
    for (name, value) in [("Authorization", "secret-a"), ("Authorization", "secret-b"), ("X-Tenant-Token", "secret-c")]
    {
      for _ in 0..<2 { #expect(try await fixture.get("/a", [name: value]).text == value) }
    }
    #expect(fixture.origin.count == 3)
    let stored = await cache.entries
    #expect(stored.count == 3)
    for (key, response) in stored {
      let texts = key.headers.values + response.varyHeaders.values.compactMap(\.self) + [key.url]
      #expect(texts.allSatisfy { !$0.contains("secret") })
    }
  }

  @Test("Vary on a header that is no part of the key: another value is another response")
  func vary() async throws {
    let fixture = CacheFixture(minute) { request in
      .canned(200, ["Vary": "Accept-Encoding"], body: request.headers["Accept-Encoding"] ?? "none")
    }
    #expect(try await fixture.get("/a", ["Accept-Encoding": "gzip, br"]).text == "gzip, br")
    #expect(try await fixture.get("/a", ["Accept-Encoding": "br;q=1.0,gzip"]).text == "gzip, br")
    #expect(try await fixture.get("/a", ["Accept-Encoding": "gzip"]).text == "gzip")
    #expect(fixture.origin.count == 2)
  }

  @Test("trace headers do not spoil the hits")
  func traceHeaders() async throws {
    let fixture = CacheFixture(minute) { _ in .canned(200, [:], body: "one") }
    for index in 0..<3 { _ = try await fixture.get("/a", ["traceparent": "\(index)", "X-Correlation-ID": "\(index)"]) }
    #expect(fixture.origin.count == 1)
  }
}

@Suite struct CacheStageRequestPolicyTests {
  private func fixture() async throws -> CacheFixture {
    let fixture = CacheFixture(.cacheFirst(maxAge: .seconds(60))) { request in
      request.headers.contains("If-None-Match") ? .canned(304, [:]) : .canned(200, ["ETag": "\"1\""], body: "new")
    }
    await fixture.cache.set(
      ResponseCacheKey(method: "GET", url: "https://h/a"),
      CachedResponse(data: Data("old".utf8), headers: ["ETag": "\"1\""], storedAt: fixture.clock.wallTime))
    return fixture
  }

  @Test("reloading ignores what is stored and replaces it")
  func reload() async throws {
    let fixture = try await fixture()
    #expect(try await fixture.get("/a", [:], .reloadIgnoringLocalCacheData).text == "new")
    #expect(fixture.origin.requests.last?.headers.isEmpty == true)
    #expect(try await fixture.get().text == "new")
    #expect(fixture.origin.count == 1)
  }

  @Test("reloading with revalidation asks also about a fresh response")
  func revalidate() async throws {
    let fixture = try await fixture()
    #expect(try await fixture.get("/a", [:], .reloadRevalidatingCacheData).text == "old")
    #expect(fixture.origin.count == 1)
  }

  @Test("a stored response of any age is used when that was asked for; without one the server is asked, or not")
  func anyAge() async throws {
    let fixture = try await fixture()
    fixture.clock.advance(1_000_000)
    #expect(try await fixture.get("/a", [:], .returnCacheDataElseLoad).text == "old")
    #expect(try await fixture.get("/a", [:], .returnCacheDataDontLoad).text == "old")
    #expect(fixture.origin.count == 0)
    #expect(try await fixture.get("/b", [:], .returnCacheDataElseLoad).text == "new")
    let error = await #expect(throws: NetworkError.self) { try await fixture.get("/c", [:], .returnCacheDataDontLoad) }
    #expect(error?.origin == "ResponseCache 504")
    #expect(fixture.origin.count == 1)
  }

  @Test("without a cache, and for other methods and signed requests, not loading fails and sends nothing")
  func dontLoad() async throws {
    let bare = CacheOrigin { _ in .canned(200, [:]) }
    let call = CallContext(cachePolicy: .returnCacheDataDontLoad)
    let error = await #expect(throws: NetworkError.self) {
      try await CacheStage().execute(.get("https://h/"), call: call, next: bare.next)
    }
    #expect(error?.origin == "ResponseCache 504")
    let fixture = try await fixture()
    for (request, isSigned) in [(HTTPRequest.post("https://h/a"), false), (.get("https://h/a"), true)] {
      await #expect(throws: NetworkError.self) {
        try await fixture.send(request, cachePolicy: .returnCacheDataDontLoad, isSigned: isSigned)
      }
    }
    #expect(bare.count + fixture.origin.count == 0)
  }

  @Test("only-if-cached is followed with the adapter: a fresh response or 504")
  func onlyIfCached() async throws {
    let fixture = CacheFixture(.serverDirected()) { _ in
      .canned(200, ["Cache-Control": "max-age=60", "ETag": "\"1\""], body: "one")
    }
    _ = try await fixture.get()
    #expect(try await fixture.get("/a", ["Cache-Control": "only-if-cached"]).text == "one")
    fixture.clock.advance(60)
    for path in ["/a", "/b"] {
      let error = await #expect(throws: NetworkError.self) {
        try await fixture.get(path, ["Cache-Control": "only-if-cached"])
      }
      #expect(error?.origin == "ResponseCache 504")
    }
    #expect(fixture.origin.count == 1)
  }

  @Test("no-store of a request neither stores nor removes; no-cache validates and renews the entry of all")
  func requestDirectives() async throws {
    let fixture = try await fixture()
    _ = try await fixture.get("/b", ["Cache-Control": "no-store"])
    _ = try await fixture.get("/b")
    #expect(fixture.origin.count == 2)
    #expect(try await fixture.get("/a", ["Cache-Control": "no-cache"]).text == "old")
    #expect(fixture.origin.count == 3)
    #expect(fixture.origin.requests.last?.headers["If-None-Match"] == "\"1\"")
  }

  @Test("a signed request is told not to be stored, and is neither read nor written")
  func signed() async throws {
    let fixture = try await fixture()
    let signed = HTTPRequest.get("https://h/a", headers: ["Cache-Control": "max-age=5"])
    #expect(try await fixture.send(signed, isSigned: true).text == "new")
    #expect(fixture.origin.requests.last?.headers["Cache-Control"] == "max-age=5, no-store")
    #expect(try await fixture.get().text == "old")
    let own = HTTPRequest.get("https://h/a", headers: ["Cache-Control": "no-store"])
    _ = try await fixture.send(own, isSigned: true)
    #expect(fixture.origin.requests.last?.headers["Cache-Control"] == "no-store")
  }

  @Test("a cancelled task gets no hit")
  func cancelled() async throws {
    let fixture = try await fixture()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await fixture.get()
    }
    await #expect(throws: NetworkError.self) { try await task.value }
    #expect(fixture.origin.count == 0)
  }
}

/// A store whose content a test can look at.
actor RecordingCache: ResponseCache {
  var entries: [ResponseCacheKey: CachedResponse] = [:]

  func get(_ key: ResponseCacheKey) -> CachedResponse? { entries[key] }
  func set(_ key: ResponseCacheKey, _ response: CachedResponse) { entries[key] = response }
  func invalidate(_ key: ResponseCacheKey) { entries[key] = nil }
  func invalidateTargetURI(_ url: String) { entries = entries.filter { $0.key.url != url } }
}
