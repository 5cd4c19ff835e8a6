import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("NetworkConfiguration")
struct NetworkConfigurationTests {
  private let safe = NetworkConfiguration.safeDefaults(baseURL: .test("https://api.example.com")).settings
  private let advanced = NetworkConfiguration.advanced(baseURL: .test("https://api.example.com")).settings

  @Test("The two factories differ in timeout, cache use and event delivery, and in nothing else")
  func differences() {
    #expect(safe.timeout == 30)
    #expect(advanced.timeout == 60)
    #expect(safe.cachePolicy == .useProtocolCachePolicy)
    #expect(advanced.cachePolicy == .reloadIgnoringLocalCacheData)
    #expect(
      safe.eventDelivery == EventDeliveryPolicy(maxBufferedEventsPerPartition: 256, maxBufferedEventsPerConsumer: 256))
    #expect(
      advanced.eventDelivery
        == EventDeliveryPolicy(maxBufferedEventsPerPartition: 512, maxBufferedEventsPerConsumer: 512))
  }

  @Test("Both have the secure defaults", arguments: [true, false])
  func defaults(isSafe: Bool) {
    let settings = isSafe ? safe : advanced
    #expect(settings.priority == .normal)
    #expect(settings.acceptableStatusCodes == Set(200..<300))
    #expect(settings.bodyBuffering == .streaming(maxBytes: 5 * 1024 * 1024))
    #expect(settings.streamingLineByteLimit == 1024 * 1024)
    #expect(!settings.allowsInsecureHTTP)
    #expect(settings.trustPolicy == .systemDefault)
    #expect(settings.redirectPolicy is DefaultRedirectPolicy)
    #expect(settings.retryPolicy == nil)
    #expect(!settings.coalescing.isEnabled)
    #expect(settings.circuitBreaker == nil)
    #expect(settings.idempotency.methods.isEmpty)
    #expect(settings.executionPolicies.isEmpty)
    #expect(settings.refreshToken == nil)
    #expect(settings.responseCachePolicy == .disabled)
    #expect(settings.responseCache == nil)
    #expect(!settings.capturesFailurePayload)
    #expect(settings.eventObservers.isEmpty && settings.requestInterceptors.isEmpty && settings.signers.isEmpty)
    #expect(settings.defaultHeaders.isEmpty && settings.queryItems.isEmpty && settings.bodyParameters.isEmpty)
  }

  @Test("A pack changes what it names and keeps the rest")
  func packs() {
    let settings = NetworkConfiguration.advanced(
      baseURL: .test("https://api.example.com"),
      resilience: ResiliencePack(
        retry: ExponentialBackoffRetryPolicy(), coalescing: .getOnly, circuitBreaker: CircuitBreakerPolicy(),
        idempotency: .automaticForUnsafeMethods(), bodyBuffering: .buffered(maxBytes: nil), customExecutionPolicies: []),
      cache: CachePack(
        responseCachePolicy: .cacheFirst(maxAge: .seconds(60)), responseCache: InMemoryResponseCache(),
        sensitiveHeaderNames: ["X-Tenant-Token"], captureFailurePayload: true),
      transport: TransportPack(
        timeout: 5, cachePolicy: .returnCacheDataElseLoad, requestPriority: .background, allowsCellularAccess: false,
        allowsExpensiveNetworkAccess: false, allowsConstrainedNetworkAccess: false, streamingLineByteLimit: 0,
        allowsInsecureHTTP: true, acceptableStatusCodes: [200])
    ).settings
    #expect(settings.retryPolicy?.maxRetries == 3)
    #expect(settings.coalescing.isEnabled)
    #expect(settings.circuitBreaker != nil)
    #expect(settings.idempotency.methods.contains(.post))
    #expect(settings.bodyBuffering == .buffered(maxBytes: nil))
    #expect(settings.responseCachePolicy == .cacheFirst(maxAge: .seconds(60)))
    #expect(settings.responseCache != nil)
    #expect(settings.sensitiveHeaderNames == ["X-Tenant-Token"])
    #expect(settings.capturesFailurePayload)
    #expect(settings.timeout == 5)
    #expect(settings.cachePolicy == .returnCacheDataElseLoad)
    #expect(settings.priority == .background)
    #expect(settings.streamingLineByteLimit == 1)
    #expect(settings.allowsInsecureHTTP)
    #expect(settings.acceptableStatusCodes == [200])
    #expect(settings.trustPolicy == .systemDefault)
  }

  @Test("Policies that name different headers for the idempotency key are reported")
  func contradictions() {
    func contradictions(_ idempotency: IdempotencyKeyPolicy) -> [String] {
      NetworkConfiguration.advanced(
        baseURL: .test("https://a.example"),
        resilience: ResiliencePack(retry: ExponentialBackoffRetryPolicy(), idempotency: idempotency)
      ).settings.contradictions
    }
    #expect(contradictions(.disabled).isEmpty)
    #expect(contradictions(.automaticForUnsafeMethods(headerName: "idempotency-key")).isEmpty)
    #expect(contradictions(.automaticForUnsafeMethods(headerName: "X-Key")).count == 1)
  }

  @Test("The engine connects within 10 s and is silent for at most the configured time")
  func engineTimeouts() {
    let engine = NetworkConfiguration.safeDefaults(baseURL: .test("https://a.example")).makeHTTPClientConfiguration()
    #expect(engine.timeouts.connect == .seconds(10))
    #expect(engine.timeouts.idle == .seconds(30))
    #expect(engine.timeouts.responseHead == .seconds(30))
    #expect(engine.timeouts.total == nil)
  }

  @Test("Engine settings are kept but for the limits of silence; infinity is none")
  func ownEngine() {
    var own = HTTPClientConfiguration()
    own.timeouts.connect = .seconds(3)
    own.timeouts.total = .seconds(99)
    own.pool.maximumConnectionsPerOrigin = 2
    own.connectTarget = .unixSocket("/run/x.sock")
    let engine = NetworkConfiguration.advanced(
      baseURL: .test("https://a.example"), transport: TransportPack(timeout: .infinity)
    ).engine(own).makeHTTPClientConfiguration()
    #expect(engine.timeouts.connect == .seconds(3))
    #expect(engine.timeouts.total == .seconds(99))
    #expect(engine.timeouts.idle == nil)
    #expect(engine.pool.maximumConnectionsPerOrigin == 2)
    #expect(engine.connectTarget == .unixSocket("/run/x.sock"))
  }

  @Test("A client connects through the Unix socket of its engine settings")
  func unixSocket() async throws {
    let folder = try TemporaryDirectory()
    var options = ScriptedServer.Options()
    options.address = .unix(path: folder.path + "/s")
    let server = try ScriptedServer.start(.handler { _ in .item }, options: options)
    defer { server.stop() }
    var engine = HTTPClientConfiguration()
    engine.connectTarget = .unixSocket(folder.path + "/s")
    let client = DefaultNetworkClient(configuration: .local(.test("http://localhost/api")).engine(engine))
    let item = try await client.request(GetItem())
    #expect(item == Item())
    await client.shutdown()
  }

  private static func options(_ timeout: TimeInterval?, override: TimeInterval?) async throws -> HTTPRequestOptions {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(baseURL: $0, transport: TransportPack(timeout: timeout))
    }
    var endpoint = EndpointBuilder<Item>.get("/a")
    if let override { endpoint = endpoint.timeout(override) }
    _ = try await client.request(endpoint)
    return try #require(mock.capturedRequest).options
  }

  @Test("The endpoint's timeout wins over the client's, in both directions; connecting never takes longer than it")
  func timeouts() async throws {
    let inherited = try await Self.options(nil, override: nil)
    #expect(inherited.timeouts.idle == .after(.seconds(60)))
    #expect(inherited.timeouts.connect == .inherited)
    let shorter = try await Self.options(30, override: 2)
    #expect(shorter.timeouts.idle == .after(.seconds(2)))
    #expect(shorter.timeouts.responseHead == .after(.seconds(2)))
    #expect(shorter.timeouts.connect == .after(.seconds(2)))
    #expect(try await Self.options(1, override: 20).timeouts.idle == .after(.seconds(20)))
    #expect(try await Self.options(1, override: .infinity).timeouts.idle == .unlimited)
    #expect(try await Self.options(1, override: 1e300).timeouts.idle == .unlimited)
  }

  @Test(
    "A timeout that is no time fails the request before anything is sent",
    arguments: [0, -1, Double.nan, -Double.infinity])
  func badTimeout(seconds: Double) async {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock)
    let endpoint = EndpointBuilder<Item>.get("/a").timeout(seconds)
    let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
    guard case .configuration(.invalidRequest)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test(
    "Priority is told to the server, unless the endpoint has a field of its own",
    arguments: [(RequestPriority.background, "u=5"), (.normal, nil), (.userInitiated, "u=1")]
      as [(RequestPriority, String?)])
  func priority(priority: RequestPriority, field: String?) async throws {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock)
    _ = try await client.request(EndpointBuilder<Item>.get("/a").priority(priority))
    #expect(mock.capturedRequest?.headers["Priority"] == field)
    _ = try await client.request(EndpointBuilder<Item>.get("/a").priority(priority).header("priority", value: "u=0"))
    #expect(mock.capturedRequest?.headers["Priority"] == "u=0")
  }

  @Test("Global query items follow the endpoint's, and both are kept")
  func queryItems() async throws {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(baseURL: $0).queryItems([
        URLQueryItem(name: "v", value: "1+&"), URLQueryItem(name: "flag", value: nil),
        URLQueryItem(name: "a", value: "2"),
      ])
    }
    _ = try await client.request(EndpointBuilder<Item>.get("/x").query(["a": "1"]))
    #expect(mock.capturedRequest?.url == "https://api.example.com/v1/x?a=1&v=1%2B%26&flag&a=2")
    _ = try await client.request(EndpointBuilder<Item>.post("/x").body(Item()))
    #expect(mock.capturedRequest?.url == "https://api.example.com/v1/x?v=1%2B%26&flag&a=2")
  }
}
