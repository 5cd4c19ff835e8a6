import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

/// The policies of the packs in a whole client, in front of a server on the loopback interface.
@Suite struct PoliciesOverTheWireTests {
  private struct Create: APIDefinition {
    typealias APIResponse = Item
    var parameters: Item? = Item(id: 2, name: "b")
    var method: HTTPMethod { .post }
    var path: String { "/items" }
    var sessionAuthentication: SessionAuthentication { .anonymous }
  }

  private struct Mine: APIDefinition {
    typealias APIResponse = Item
    var method: HTTPMethod { .get }
    var path: String { "/mine" }
    var sessionAuthentication: SessionAuthentication { .required }
  }

  private static func quick(_ retries: Int = 3) -> ExponentialBackoffRetryPolicy {
    ExponentialBackoffRetryPolicy(maxRetries: retries, retryDelay: 0)
  }

  private static func withClient<R>(
    _ script: ServerScript, resilience: ResiliencePack = ResiliencePack(), auth: AuthPack = AuthPack(),
    observer: RecordingObserver? = nil, _ body: (ClientFixture) async throws -> R
  ) async throws -> R {
    let server = try ScriptedServer.start(script)
    defer { server.stop() }
    let client = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL.test(server.url("/api")), resilience: resilience, auth: auth,
        observability: ObservabilityPack(eventObservers: observer.map { [$0] } ?? []),
        transport: TransportPack(allowsInsecureHTTP: true)))
    let result: Result<R, any Error>
    do {
      result = .success(try await body(ClientFixture(server: server, client: client)))
    } catch {
      result = .failure(error)
    }
    await client.shutdown()
    return try result.get()
  }

  /// Made anew for each test: a script remembers what it answered.
  private static var failures: ServerScript {
    .responses([.json("{}", status: 503), .json("{}", status: 429), .item])
  }

  private func outcome<Value>(_ body: () async throws(NetworkError) -> Value) async -> Result<Value, NetworkError> {
    do throws(NetworkError) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }

  @Test("a safe request is repeated until it succeeds, and its events tell the story once")
  func retry() async throws {
    let observer = RecordingObserver()
    try await Self.withClient(
      Self.failures, resilience: ResiliencePack(retry: Self.quick()),
      observer: observer
    ) { fixture in
      let item = try await fixture.client.request(GetItem())
      #expect(item == Item(id: 1, name: "a"))
      #expect(fixture.server.snapshot.requestCount == 3)
    }
    let events = try await observer.events.wait(for: "the end") { $0.contains(where: \.isTerminal) }
    let story = events.map { event in
      switch event {
      case .requestStart(_, let method, _, let index): "start \(method) \(index)"
      case .requestAdapted(_, _, _, let index): "adapted \(index)"
      case .responseReceived(_, let status, _): "received \(status)"
      case .retryScheduled(_, let index, _, let reason): "retry \(index) \(reason)"
      case .requestFinished(_, let status, _): "finished \(status)"
      case .requestFailed(_, _, let message): "failed \(message)"
      case .cacheRevalidation: "revalidation"
      }
    }
    #expect(
      story == [
        "start GET 0", "adapted 0", "received 503", "retry 0 http.status.503", "start GET 1", "adapted 1",
        "received 429",
        "retry 1 http.status.429", "start GET 2", "adapted 2", "received 200", "finished 200",
      ])
    #expect(Set(events.map(\.requestID)).count == 1)
  }

  @Test("an unsafe request is not repeated without a key")
  func unsafe() async throws {
    try await Self.withClient(Self.failures, resilience: ResiliencePack(retry: Self.quick())) { fixture in
      let result = await outcome { () async throws(NetworkError) in try await fixture.client.request(Create()) }
      #expect(result.failureCategory == "http.status.503")
      #expect(fixture.server.snapshot.requestCount == 1)
    }
  }

  @Test("with a key it is repeated, and every attempt has the same key")
  func idempotencyKey() async throws {
    let pack = ResiliencePack(retry: Self.quick(), idempotency: .automaticForUnsafeMethods())
    try await Self.withClient(Self.failures, resilience: pack) { fixture in
      let item = try await fixture.client.request(Create())
      #expect(item == Item(id: 1, name: "a"))
      let requests = try await fixture.server.waitForRequests(3)
      let keys = Set(requests.map { $0.headers["Idempotency-Key"] })
      #expect(keys.count == 1)
      #expect(UUID(uuidString: keys.first.flatMap(\.self) ?? "") != nil)
      for request in requests {
        let body = try JSONDecoder().decode(Item.self, from: Data(request.body.bytes ?? []))
        #expect(body == Item(id: 2, name: "b"))
      }
    }
  }

  @Test("an endpoint's policy wins over the client's")
  func override() async throws {
    struct Impatient: APIDefinition {
      typealias APIResponse = Item
      var method: HTTPMethod { .get }
      var path: String { "/items" }
      var sessionAuthentication: SessionAuthentication { .anonymous }
      var retryPolicyOverride: (any RetryPolicy)? { .never }
    }
    try await Self.withClient(Self.failures, resilience: ResiliencePack(retry: Self.quick())) { fixture in
      let result = await outcome { () async throws(NetworkError) in try await fixture.client.request(Impatient()) }
      #expect(result.failureCategory == "http.status.503")
    }
  }

  @Test("refused tokens of parallel requests make one refresh, and each request is sent once more")
  func refresh() async throws {
    let service = TokenService()
    let script = ServerScript.handler { request in
      request.headers["Authorization"] == "Bearer t1" ? .item : .json("{}", status: 401)
    }
    try await Self.withClient(script, auth: AuthPack(refreshToken: service.policy())) { fixture in
      try await withThrowingTaskGroup(of: Item.self) { group in
        for _ in 0..<30 { group.addTask { try await fixture.client.request(Mine()) } }
        for try await item in group { #expect(item.id == 1) }
      }
      #expect(await service.refreshCount == 1)
      let requests = try await fixture.server.waitForRequests(31)
      #expect(requests.count { $0.headers["Authorization"] == "Bearer t1" } == 30)
    }
  }

  @Test("a request that requires a token fails before the network without a policy")
  func required() async throws {
    try await Self.withClient(.handler { _ in .item }) { fixture in
      let result = await outcome { () async throws(NetworkError) in try await fixture.client.request(Mine()) }
      #expect(result.failureCategory == "configuration.invalid_request")
      #expect(fixture.server.snapshot.requestCount == 0)
    }
  }

  @Test("equal requests share one exchange, and cancelling a tag removes only its own")
  func coalescing() async throws {
    let gate = Gate()
    try await Self.withClient(
      .handler { _ in .item.waiting(for: gate) }, resilience: ResiliencePack(coalescing: .getOnly)
    ) { fixture in
      let client = fixture.client
      let tagged = start { () async throws(NetworkError) in try await client.request(GetItem(), tag: "gone") }
      _ = try await fixture.server.waitForHeads(1)
      let others = (0..<5).map { _ in start { () async throws(NetworkError) in try await client.request(GetItem()) } }
      await client.cancelAll(matching: "gone")
      // It was the first, and whether the others joined in time or not, they get their answer.
      #expect(await tagged.value.failureCategory == "cancelled")
      gate.open()
      for other in others { #expect(await other.value.value?.id == 1) }
    }
  }

  @Test("a server that keeps failing is left alone")
  func breaker() async throws {
    let pack = ResiliencePack(circuitBreaker: CircuitBreakerPolicy(failureThreshold: 3))
    try await Self.withClient(.handler { _ in .json("{}", status: 500) }, resilience: pack) { fixture in
      for _ in 0..<3 {
        let result = await outcome { () async throws(NetworkError) in try await fixture.client.request(GetItem()) }
        #expect(result.failureCategory == "http.status.500")
      }
      let result = await outcome { () async throws(NetworkError) in try await fixture.client.request(GetItem()) }
      guard case .failure(let error) = result else {
        Issue.record("the breaker let it pass")
        return
      }
      #expect(error.circuitBreakerOpenError?.host == "127.0.0.1")
      #expect(fixture.server.snapshot.requestCount == 3)
    }
  }

  @Test("execution policies see what is sent, and a limit that two clients share holds for both")
  func executionPolicies() async throws {
    let gate = Gate()
    let seen = EventRecorder<String>()
    let limit = ConcurrencyLimitExecutionPolicy(maxConcurrent: 2)
    let watch = AnyRequestExecutionPolicy { input, _, next in
      seen.record(input.request.method.rawValue)
      return try await next.execute()
    }
    let pack = ResiliencePack(customExecutionPolicies: [limit, watch])
    try await Self.withClient(.handler { _ in .item.waiting(for: gate) }, resilience: pack) { fixture in
      let second = DefaultNetworkClient(
        configuration: .advanced(
          baseURL: URL.test(fixture.server.url("/api")), resilience: pack,
          transport: TransportPack(allowsInsecureHTTP: true)))
      let first = fixture.client
      let tasks = (0..<6).map { number in
        start { () async throws(NetworkError) in try await (number % 2 == 0 ? first : second).request(GetItem()) }
      }
      try await eventually("four wait") { limit.waitingCount == 4 }
      #expect(seen.events == ["GET", "GET"])
      gate.open()
      for task in tasks { #expect(await task.value.value?.id == 1) }
      #expect(seen.events.count == 6)
      await second.shutdown()
    }
  }

  @Test("a call that is cancelled, one that fails and one that cannot be built end once each")
  func oneEnd() async throws {
    struct Broken: APIDefinition {
      typealias APIResponse = Item
      var method: HTTPMethod { .get }
      var path: String { "/a?b#c" }
      var sessionAuthentication: SessionAuthentication { .anonymous }
    }
    let observer = RecordingObserver()
    let gate = Gate()
    try await Self.withClient(
      .handler { $0.method == "GET" ? .item.waiting(for: gate) : .json("{}", status: 404) },
      observer: observer
    ) { fixture in
      let client = fixture.client
      let cancelled = start { () async throws(NetworkError) in try await client.request(GetItem()) }
      _ = try await fixture.server.waitForHeads(1)
      cancelled.cancel()
      #expect(await cancelled.value.failureCategory == "cancelled")
      gate.open()
      _ = await outcome { () async throws(NetworkError) in try await client.request(Create()) }
      _ = await outcome { () async throws(NetworkError) in try await client.request(Broken()) }
    }
    let events = try await observer.events.wait(for: "three ends") { $0.count(where: \.isTerminal) >= 3 }
    let messages = events.compactMap { event in
      if case .requestFailed(_, _, let message) = event { message } else { nil }
    }
    #expect(messages == ["cancelled", "http.status.404", "configuration.invalid_request"])
    #expect(Set(events.filter(\.isTerminal).map(\.requestID)).count == 3)
  }

  @Test("the examples of the configuration compile and make a client")
  func examples() async {
    let service = TokenService()
    let tuned = NetworkConfiguration.advanced(
      baseURL: URL.test("https://api.example.com"),
      resilience: ResiliencePack(retry: ExponentialBackoffRetryPolicy(), coalescing: .getOnly))
    let refreshPolicy = RefreshTokenPolicy(
      currentToken: { try await service.currentAccessToken() },
      refreshToken: { try await service.refreshAccessToken() }
    )
    let client = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL.test("https://api.example.com"),
        resilience: ResiliencePack(
          circuitBreaker: CircuitBreakerPolicy(failureThreshold: 3)
        ),
        auth: AuthPack(refreshToken: refreshPolicy)
      )
    )
    await DefaultNetworkClient(configuration: tuned).shutdown()
    await client.shutdown()
  }
}

extension TokenService {
  fileprivate func currentAccessToken() throws -> String? { token }
  fileprivate func refreshAccessToken() async throws -> String { try await refresh() }
}
