import LinnetHTTPTypes
import LinnetPolicies
import Testing

private let start = WallTime(sinceEpoch: .seconds(1_800_000_000))

private func after(_ seconds: Int) -> WallTime { WallTime(sinceEpoch: start.sinceEpoch + .seconds(seconds)) }

private func entry(_ headers: HTTPHeaders, age: Int = 0, requiresValidation: Bool = false) -> CachePolicy.Entry {
  CachePolicy.Entry(
    headers: headers, storedAt: start, initialAge: .seconds(age), requiresValidation: requiresValidation)
}

@Suite struct CachePolicyUseTests {
  @Test(
    "without the adapter only the caller's windows count, from the local storing",
    arguments: [
      (0, CachePolicy.Use.serve), (59, .serve), (60, .serveWhileRevalidating), (89, .serveWhileRevalidating),
      (90, .validate), (100_000, .validate),
    ])
  func windows(seconds: Int, expected: CachePolicy.Use) {
    let policy = CachePolicy(window: .seconds(60), staleWindow: .seconds(30))
    let use = policy.use(
      of: entry(["Cache-Control": "max-age=5, must-revalidate"], age: 1000), for: [:], now: after(seconds))
    #expect(use == expected)
    let first = CachePolicy(window: .seconds(60)).use(of: entry([:]), for: [:], now: after(seconds))
    #expect(first == (seconds < 60 ? .serve : .validate))
  }

  @Test(
    "no-cache of either side demands validation, Pragma only where there is no Cache-Control",
    arguments: [
      ([:], ["Cache-Control": "no-cache"], true), ([:], ["Pragma": "no-cache"], true),
      ([:], ["Pragma": "no-cache", "Cache-Control": "max-age=50"], false), ([:], ["Pragma": "x"], false),
      (["Cache-Control": "no-cache"], [:], true), (["Cache-Control": "no-cache=\"X-A\""], [:], true),
    ] as [(HTTPHeaders, HTTPHeaders, Bool)])
  func demands(response: HTTPHeaders, request: HTTPHeaders, validates: Bool) {
    for honours in [false, true] {
      let policy = CachePolicy(window: .seconds(60), staleWindow: .seconds(60), honoursDirectives: honours)
      #expect(policy.use(of: entry(response), for: request, now: after(1)) == (validates ? .validate : .serve))
    }
  }

  @Test("an entry marked for validation is validated however fresh; one with no-store is of no use")
  func markedEntries() {
    let policy = CachePolicy(window: .seconds(60))
    #expect(policy.use(of: entry([:], requiresValidation: true), for: [:], now: start) == .validate)
    #expect(policy.use(of: entry(["Cache-Control": "no-store"]), for: [:], now: start) == .fetch)
  }

  @Test("an entry that was stored before the clock was put back is validated")
  func entryFromTheFuture() {
    let policy = CachePolicy(window: .seconds(60), staleWindow: .seconds(60))
    #expect(policy.use(of: entry([:]), for: [:], now: after(-1)) == .validate)
  }

  @Test(
    "with the adapter the server shortens the window and never extends it",
    arguments: [
      ("max-age=10", 0, 9, CachePolicy.Use.serve), ("max-age=10", 0, 10, .validate), ("max-age=1000", 0, 59, .serve),
      ("max-age=1000", 0, 60, .validate), ("max-age=10", 5, 4, .serve), ("max-age=10", 5, 5, .validate),
      ("max-age=x", 0, 0, .validate), ("max-age=9, max-age=9", 0, 0, .validate), ("", 0, 59, .serve),
      ("", 0, 60, .validate), ("", 1000, 59, .serve), ("must-revalidate, max-age=10", 0, 9, .serve),
      ("s-maxage=1", 0, 30, .serve), ("max-age=0", 0, 0, .validate),
      ("max-age=10, stale-while-revalidate=20", 0, 10, .serveWhileRevalidating),
      ("max-age=10, stale-while-revalidate=20", 0, 29, .serveWhileRevalidating),
      ("max-age=10, stale-while-revalidate=20", 0, 30, .validate),
      ("max-age=10, stale-while-revalidate=20, must-revalidate", 0, 10, .validate),
      ("max-age=10, stale-while-revalidate=x", 0, 10, .validate),
      ("max-age=1000, stale-while-revalidate=20", 0, 79, .serveWhileRevalidating),
      ("max-age=1000, stale-while-revalidate=20", 0, 80, .validate),
    ])
  func directives(cacheControl: String, age: Int, seconds: Int, expected: CachePolicy.Use) {
    let policy = CachePolicy(window: .seconds(60), honoursDirectives: true)
    #expect(
      policy.use(of: entry(["Cache-Control": cacheControl], age: age), for: [:], now: after(seconds)) == expected)
  }

  @Test("the stale windows of the policy and of the server: the longer one counts")
  func staleWindows() {
    let policy = CachePolicy(window: .seconds(60), staleWindow: .seconds(15), honoursDirectives: true)
    let short = entry(["Cache-Control": "max-age=10, stale-while-revalidate=5"])
    #expect(policy.use(of: short, for: [:], now: after(24)) == .serveWhileRevalidating)
    #expect(policy.use(of: short, for: [:], now: after(25)) == .validate)
    let denied = entry(["Cache-Control": "max-age=10, must-revalidate"])
    #expect(policy.use(of: denied, for: [:], now: after(10)) == .validate)
  }

  @Test(
    "directives of the request narrow what may be used, and max-stale widens it",
    arguments: [
      ("max-age=5", 5, CachePolicy.Use.serve), ("max-age=5", 6, .validate), ("max-age=x", 0, .validate),
      ("min-fresh=5", 5, .serve), ("min-fresh=5", 6, .validate), ("min-fresh=x", 0, .validate),
      ("max-stale", 5000, .serve), ("max-stale=5", 15, .serve), ("max-stale=5", 16, .validate),
      ("max-stale=x", 15, .validate), ("max-stale=5, max-age=12", 12, .serve),
      ("max-stale=5, max-age=12", 13, .validate),
    ])
  func requestDirectives(cacheControl: String, seconds: Int, expected: CachePolicy.Use) {
    let policy = CachePolicy(window: nil, honoursDirectives: true)
    let stored = entry(["Cache-Control": "max-age=10"])
    #expect(policy.use(of: stored, for: ["Cache-Control": cacheControl], now: after(seconds)) == expected)
    let plain = CachePolicy(window: .seconds(10))
    #expect(
      plain.use(of: stored, for: ["Cache-Control": cacheControl], now: after(seconds))
        == (seconds < 10 ? .serve : .validate), "without the adapter they do not count")
  }

  @Test("must-revalidate beats max-stale")
  func mustRevalidate() {
    let policy = CachePolicy(window: nil, honoursDirectives: true)
    let stored = entry(["Cache-Control": "max-age=10, must-revalidate"])
    #expect(policy.use(of: stored, for: ["Cache-Control": "max-stale"], now: after(11)) == .validate)
  }

  @Test("a server that says nothing gets the default lifetime, or none")
  func defaultLifetime() {
    let none = CachePolicy(window: nil, honoursDirectives: true)
    #expect(none.use(of: entry([:]), for: [:], now: start) == .validate)
    let minute = CachePolicy(window: nil, honoursDirectives: true, defaultLifetime: .seconds(60))
    #expect(minute.use(of: entry([:]), for: [:], now: after(59)) == .serve)
    #expect(minute.use(of: entry([:], age: 59), for: [:], now: after(1)) == .validate)
    #expect(minute.use(of: entry(["Cache-Control": "max-age=100"]), for: [:], now: after(99)) == .serve)
    #expect(minute.use(of: entry(["Cache-Control": "max-age=1"]), for: [:], now: after(1)) == .validate)
  }

  @Test("windows beyond all bounds neither trap nor come around")
  func extremeWindows() {
    let policy = CachePolicy(
      window: .seconds(Int64.max), staleWindow: .seconds(Int64.max), honoursDirectives: true,
      defaultLifetime: .seconds(Int64.max))
    #expect(policy.use(of: entry([:]), for: [:], now: after(1_000_000)) == .serve)
    #expect(policy.use(of: entry([:]), for: [:], now: WallTime(.latest)) != .serve)
    let negative = CachePolicy(window: .seconds(Int64.min), staleWindow: .seconds(Int64.min))
    #expect(negative.use(of: entry([:]), for: [:], now: start) == .validate)
  }

  @Test(
    "stale-if-error of either side allows staleness after a failure, and only with the adapter",
    arguments: [
      ("max-age=10, stale-if-error=20", "", 30, true), ("max-age=10, stale-if-error=20", "", 31, false),
      ("max-age=10", "stale-if-error=20", 30, true), ("max-age=10", "", 11, false),
      ("max-age=10, stale-if-error=20, must-revalidate", "", 11, false),
      ("max-age=10, stale-if-error=20, no-cache", "", 11, false),
      ("max-age=10, stale-if-error=20", "no-cache", 11, false), ("max-age=10, stale-if-error=x", "", 11, false),
    ])
  func errors(response: String, request: String, seconds: Int, expected: Bool) {
    let stored = entry(["Cache-Control": response])
    let fields: HTTPHeaders = ["Cache-Control": request]
    let policy = CachePolicy(window: .seconds(60), honoursDirectives: true)
    #expect(policy.mayUseOnError(stored, for: fields, now: after(seconds)) == expected)
    #expect(!CachePolicy(window: .seconds(60)).mayUseOnError(stored, for: fields, now: after(seconds)))
  }
}

@Suite struct CachePolicyStorageTests {
  private let policy = CachePolicy(window: .seconds(60))

  private func storage(
    _ response: HTTPHeaders = [:], status: Int = 200, method: HTTPMethod = .get, request: HTTPHeaders = [:]
  ) -> CachePolicy.Storage {
    policy.storage(status: status, response: response, method: method, request: request)
  }

  @Test("of all statuses these are stored", arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
  func storableStatuses(status: Int) {
    #expect(storage(status: status) == .store(requiresValidation: false))
  }

  @Test("every other status is not stored, and removes nothing")
  func otherStatuses() {
    let stored: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    for status in 100...599 where !stored.contains(status) {
      #expect(storage(["Cache-Control": "no-store"], status: status) == .skip, "\(status)")
    }
  }

  @Test("only GET is stored", arguments: [HTTPMethod.head, .post, .put, .patch, .delete, .options, .trace])
  func otherMethods(method: HTTPMethod) { #expect(storage(method: method) == .skip) }

  @Test(
    "directives of the response decide",
    arguments: [
      ("", CachePolicy.Storage.store(requiresValidation: false)), ("no-store", .remove), ("NO-STORE", .remove),
      ("private", .remove), ("private=\"Set-Cookie, Authorization\"", .remove), ("max-age=60, no-store", .remove),
      ("foo=\"no-store\"", .store(requiresValidation: false)), ("no-cache", .store(requiresValidation: true)),
      ("no-cache=\"Set-Cookie\"", .store(requiresValidation: true)), ("no-cache, no-store", .remove),
      ("max-age=0", .store(requiresValidation: false)), ("must-understand, no-store", .remove),
    ])
  func directives(value: String, expected: CachePolicy.Storage) {
    #expect(storage(["Cache-Control": value]) == expected)
  }

  @Test(
    "after a request with Authorization the response needs the server's permission",
    arguments: [
      ("", false), ("max-age=60", false), ("public", true), ("must-revalidate", true), ("s-maxage=5", true),
      ("proxy-revalidate", false), ("x=\"public\"", false),
    ])
  func authorization(value: String, isStored: Bool) {
    let found = storage(["Cache-Control": value], request: ["Authorization": "Bearer t"])
    #expect(found == (isStored ? .store(requiresValidation: false) : .remove))
  }

  @Test("Vary: * is not stored, also inside a list; no-store of the request stores and removes nothing")
  func varyAndRequest() {
    #expect(storage(["Vary": "*"]) == .remove)
    #expect(storage(["Vary": "Accept, *"]) == .remove)
    #expect(storage(["Vary": "Accept"]) == .store(requiresValidation: false))
    #expect(storage(request: ["Cache-Control": "no-store"]) == .skip)
  }

  @Test("a store that is for one user may be told to take private responses")
  func storingPrivate() {
    var policy = policy
    policy.storesPrivate = true
    #expect(
      policy.storage(status: 200, response: ["Cache-Control": "private"], method: .get, request: [:])
        == .store(requiresValidation: false))
  }
}

@Suite struct CacheInvalidationTests {
  @Test(
    "an answer of 2xx or 3xx to a method that is not known to be safe invalidates",
    arguments: [
      ("POST", 200, true), ("PUT", 204, true), ("PATCH", 302, true), ("DELETE", 399, true), ("PURGE", 200, true),
      ("get", 200, true), ("POST", 400, false), ("DELETE", 500, false), ("GET", 200, false), ("HEAD", 200, false),
      ("OPTIONS", 200, false), ("TRACE", 200, false),
    ])
  func methods(method: String, status: Int, expected: Bool) throws {
    let method = try #require(HTTPMethod(rawValue: method))
    #expect(CachePolicy.invalidates(method: method, status: status) == expected)
  }

  @Test("the target goes, and what Location and Content-Location name within the origin")
  func targets() throws {
    let target = try HTTPURL("https://h/items?x=1#top")
    func texts(_ headers: HTTPHeaders) -> [String] {
      CachePolicy.invalidatedTargets(of: target, response: headers).map(\.description)
    }
    #expect(texts([:]) == ["https://h/items?x=1"])
    #expect(texts(["Location": "/items/7#a"]) == ["https://h/items?x=1", "https://h/items/7"])
    #expect(texts(["Content-Location": "https://h:443/b"]) == ["https://h/items?x=1", "https://h/b"])
    #expect(texts(["Location": "https://other/", "Content-Location": "http://h/"]) == ["https://h/items?x=1"])
    #expect(texts(["Location": "https://h:8443/"]) == ["https://h/items?x=1"])
    #expect(texts(["Location": "", "Content-Location": "ftp://h/"]) == ["https://h/items?x=1"])
  }
}
