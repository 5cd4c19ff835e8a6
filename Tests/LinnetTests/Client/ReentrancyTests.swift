import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Hooks of the application that call the client which calls them.
@Suite("Hooks that use their own client", .timeLimit(.minutes(1)))
struct ReentrancyTests {
  /// The client, for hooks that are made before it.
  private actor Holder {
    private(set) weak var client: DefaultNetworkClient?
    func set(_ client: DefaultNetworkClient) { self.client = client }
  }

  private static func inner(_ holder: Holder) async {
    _ = await failure { () throws(NetworkError) in
      try await holder.client?.request(GetItem(id: 99))
    }
  }

  private struct Cache: ResponseCache {
    let store = InMemoryResponseCache()
    let hook: @Sendable () async -> Void

    func get(_ key: ResponseCacheKey) async -> CachedResponse? {
      if !key.url.hasSuffix("/99") { await hook() }
      return await store.get(key)
    }
    func set(_ key: ResponseCacheKey, _ response: CachedResponse) async {
      if !key.url.hasSuffix("/99") { await hook() }
      await store.set(key, response)
    }
    func invalidate(_ key: ResponseCacheKey) async { await store.invalidate(key) }
    func invalidateTargetURI(_ url: String) async { await store.invalidateTargetURI(url) }
  }

  private struct Observer: NetworkEventObserving {
    let hook: @Sendable () async -> Void
    func handle(_ event: NetworkEvent) async {
      if case .requestStart(_, _, let url, _) = event, !url.hasSuffix("/99") { await hook() }
    }
  }

  @Test("interceptors, signers, tokens, policies, caches and observers can send requests with the client they serve")
  func everywhere() async throws {
    let holder = Holder()
    let count = EventRecorder<String>()
    let hook: @Sendable (String) async -> Void = { place in
      count.record(place)
      await Self.inner(holder)
    }
    let isInner: @Sendable (HTTPRequest) -> Bool = { $0.url.hasSuffix("/99") }
    let mock = MockTransport { request in
      let isAccepted = isInner(request) || request.headers["Authorization"] == "Bearer new"
      return try await MockResponse.text(#"{"id":1,"name":"a"}"#, statusCode: isAccepted ? 200 : 401).response(
        to: request)
    }
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(
        baseURL: $0,
        resilience: ResiliencePack(
          retry: ImmediateRetryPolicy(), coalescing: .getOnly, circuitBreaker: CircuitBreakerPolicy(),
          customExecutionPolicies: [
            AnyRequestExecutionPolicy { input, _, next in
              if !isInner(input.request) { await hook("policy") }
              return try await next.execute()
            }
          ]),
        auth: AuthPack(
          refreshToken: RefreshTokenPolicy(
            currentToken: {
              await hook("token")
              return "old"
            },
            refreshToken: {
              await hook("refresh")
              return "new"
            }),
          additionalRequestInterceptors: [RequestChange { if !isInner($0) { await hook("request") } }],
          additionalResponseInterceptors: [
            ResponseChange { if !($0.request.map(isInner) ?? true) { await hook("response") } }
          ]),
        observability: ObservabilityPack(eventObservers: [Observer { await hook("observer") }]),
        cache: CachePack(
          responseCachePolicy: .cacheFirst(maxAge: .seconds(1)), responseCache: Cache { await hook("cache") }))
    }
    await holder.set(client)
    client.addMiddleware(
      Middleware(
        preRequest: { if !isInner($0) { await hook("before") } },
        postResponse: { outcome in
          if case .success(let response) = outcome, !(response.request.map(isInner) ?? true) { await hook("after") }
          return .next
        }))
    let endpoint = EndpointBuilder<Item>.get("/items/1").authentication(.required)
    #expect(try await client.request(endpoint) == Item())
    let places = Set(try await count.wait(for: "the observer") { $0.contains("observer") })
    #expect(
      places == [
        "policy", "token", "refresh", "request", "response", "observer", "cache", "before", "after",
      ])
  }

  @Test("an interceptor may cancel everything, and its own call ends as cancelled")
  func cancelAll() async throws {
    let holder = Holder()
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(
        baseURL: $0,
        auth: AuthPack(additionalRequestInterceptors: [RequestChange { _ in await holder.client?.cancelAll() }]))
    }
    await holder.set(client)
    #expect(await failure { () throws(NetworkError) in try await client.request(GetItem()) }.isCancelled)
    #expect(mock.capturedRequestsInOrder.isEmpty)
    #expect(client.registry.count == 0)
  }

  @Test("a refresh may shut its client down: everybody who waits ends as cancelled")
  func shutdownDuringRefresh() async throws {
    let holder = Holder()
    let client = DefaultNetworkClient.mocked(MockTransport.item) {
      .advanced(
        baseURL: $0,
        auth: AuthPack(
          refreshToken: RefreshTokenPolicy(
            currentToken: { nil },
            refreshToken: {
              await holder.client?.shutdown()
              return "late"
            })))
    }
    await holder.set(client)
    let endpoint = EndpointBuilder<Item>.get("/a").authentication(.required)
    let calls = (0..<20).map { _ in
      Task { await failure { () throws(NetworkError) in try await client.request(endpoint) } }
    }
    for call in calls { #expect(await call.value.isCancelled) }
    #expect(client.registry.count == 0)
  }

  @Test("dropping the last reference ends calls that wait for a refresh, a wait, a shared exchange or a permit")
  func dropped() async throws {
    let gate = Gate()
    defer { gate.open() }
    let outcomes = EventRecorder<Bool>()
    let mock = MockTransport()
    mock.mockResponse = MockResponse.text("{}").waiting(for: gate)
    let refreshing = EventRecorder<Bool>()
    var client: DefaultNetworkClient? = .mocked(mock) {
      .advanced(
        baseURL: $0,
        resilience: ResiliencePack(
          coalescing: .getOnly, customExecutionPolicies: [ConcurrencyLimitExecutionPolicy(maxConcurrent: 3)]),
        auth: AuthPack(
          refreshToken: RefreshTokenPolicy(
            currentToken: { nil },
            refreshToken: {
              refreshing.record(true)
              do { try await Task.sleep(for: .seconds(3600)) } catch { refreshing.record(false) }
              throw CancellationError()
            })))
    }
    let authenticated = EndpointBuilder<Item>.get("/a").authentication(.required)
    for id in 0..<5 {
      for _ in 0..<2 {
        client?.request(GetItem(id: id)) { result in
          if case .failure(.cancelled) = result { outcomes.record(true) } else { outcomes.record(false) }
        }
      }
    }
    client?.request(authenticated) { result in
      if case .failure(.cancelled) = result { outcomes.record(true) } else { outcomes.record(false) }
    }
    try await refreshing.waitForCount(1)
    client = nil
    #expect(try await outcomes.waitForCount(11) == Array(repeating: true, count: 11))
    #expect(try await refreshing.waitForCount(2).last == false)
  }
}
