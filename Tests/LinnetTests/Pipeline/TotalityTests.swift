import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// Numbers and structures that make careless arithmetic trap, from the application and from the server.
@Suite("Nothing traps", .timeLimit(.minutes(1)))
struct TotalityTests {
  private static let numbers: [Double] = [
    .nan, .infinity, -.infinity, 0, -1, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e18, 1e30, 0.5,
  ]

  @Test("a timeout of any value is a limit, no limit, or an error before anything is sent", arguments: numbers)
  func timeout(seconds: Double) async throws {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(baseURL: $0, transport: TransportPack(timeout: seconds))
    }
    let endpoints = [EndpointBuilder<Item>.get("/a"), EndpointBuilder<Item>.get("/a").timeout(seconds)]
    for endpoint in endpoints {
      let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
      #expect((error == nil) == (seconds > 0), "\(String(describing: error))")
    }
    #expect(mock.capturedRequestsInOrder.count == (seconds > 0 ? 2 : 0))
  }

  @Test("retry policies of any numbers repeat a bounded number of times", arguments: numbers)
  func retries(number: Double) async throws {
    let mock = MockTransport()
    mock.setMockResponse(statusCode: 503)
    let policies: [any RetryPolicy] = [
      ExponentialBackoffRetryPolicy(
        maxRetries: 3, retryDelay: 0, maxRetryAfterDelay: number, maxDelay: 0, jitterRatio: number),
      ExponentialBackoffRetryPolicy(maxRetries: 3, retryDelay: number, maxRetryAfterDelay: 0, maxDelay: 0),
      LinearRetryPolicy(maxRetries: 3, retryDelay: number, maxRetryAfterDelay: 0, maxDelay: 0),
      ImmediateRetryPolicy(maxRetries: 3),
    ]
    for policy in policies {
      for index in [0, 1, 62, 63, 64, 1000, .max, -1, .min] {
        let delay = policy.retryDelay(for: index)
        #expect(delay >= 0, "\(policy) \(index) \(delay)")
      }
      let client = DefaultNetworkClient.mocked(mock)
      let before = mock.capturedRequestsInOrder.count
      let error = await failure { () throws(NetworkError) in
        try await client.request(EndpointBuilder<Item>.get("/a").retry(policy))
      }
      #expect(error?.httpStatusCode == 503)
      #expect(mock.capturedRequestsInOrder.count == before + 4)
    }
  }

  @Test(
    "a Retry-After of any text is a wait that can be cancelled, or none",
    arguments: [
      "0", "-1", "99999999999999999999999999", "9223372036854775807", "18446744073709551616", "1e400", "NaN", "",
      "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 31 Dec 99999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT",
    ])
  func retryAfter(text: String) async throws {
    let mock = MockTransport()
    mock.mockResponse = .http(statusCode: 503, headers: ["Retry-After": text])
    let observer = RecordingObserver()
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(
        baseURL: $0,
        resilience: ResiliencePack(
          retry: ExponentialBackoffRetryPolicy(
            maxRetries: .max, retryDelay: 1e300, maxRetryAfterDelay: nil, maxDelay: .infinity)),
        observability: ObservabilityPack(eventObservers: [observer]))
    }
    let call = Task { await failure { () throws(NetworkError) in try await client.request(GetItem()) } }
    try await observer.events.wait(for: "a repeat that is announced") { events in
      events.contains { if case .retryScheduled = $0 { true } else { false } }
    }
    call.cancel()
    #expect(await call.value.isCancelled)
  }

  @Test("limits of any value hold", arguments: [Int.min, -1, 0, 1, .max])
  func limits(number: Int) async throws {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(
        baseURL: $0,
        resilience: ResiliencePack(
          retry: ImmediateRetryPolicy(maxRetries: 0), coalescing: .getOnly,
          circuitBreaker: CircuitBreakerPolicy(
            failureThreshold: number, windowSize: min(number, 1000), resetAfter: .seconds(number),
            maxResetAfter: .seconds(number), numberOfProbesRequiredToClose: number),
          bodyBuffering: .streaming(maxBytes: number),
          customExecutionPolicies: [ConcurrencyLimitExecutionPolicy(maxConcurrent: number)]),
        observability: ObservabilityPack(
          eventDeliveryPolicy: EventDeliveryPolicy(
            maxBufferedEventsPerPartition: number, maxBufferedEventsPerConsumer: number)),
        cache: CachePack(
          responseCachePolicy: .staleWhileRevalidate(maxAge: .seconds(number), staleWindow: .seconds(number)),
          responseCache: InMemoryResponseCache(maxBytes: number, maxEntries: number)))
    }
    for _ in 0..<3 {
      let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
      #expect((error == nil) == (number == .max), "\(String(describing: error))")
    }
    mock.setMockResponse(statusCode: 500)
    for _ in 0..<20 {
      _ = await failure { () throws(NetworkError) in try await client.request(GetItem(id: 2)) }
    }
  }

  @Test(
    "a refresh cooldown of any length", arguments: [Duration.zero, .seconds(-1), .seconds(Int64.max), .seconds(1e20)])
  func cooldown(base: Duration) async throws {
    struct Down: Error {}
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(
        baseURL: $0,
        auth: AuthPack(
          refreshToken: RefreshTokenPolicy(
            failureCooldown: .exponentialBackoff(base: base, max: base), currentToken: { nil },
            refreshToken: { throw Down() })))
    }
    for _ in 0..<70 {
      let endpoint = EndpointBuilder<Item>.get("/a").authentication(.required)
      #expect(await failure { () throws(NetworkError) in try await client.request(endpoint) } != nil)
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("statuses at the edges are statuses", arguments: [100, 199, 299, 300, 418, 599, 600, 999])
  func statuses(status: Int) async throws {
    let mock = MockTransport()
    mock.setMockResponse(statusCode: status)
    let client = DefaultNetworkClient.mocked(mock)
    let endpoint = EndpointBuilder<Data>.get("/a").acceptableStatusCodes([200, -1, .max])
    let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
    #expect(error?.httpStatusCode == status)
    #expect(error?.errorDescription(in: .korean).isEmpty == false)
    #expect(error?.errorDescription(in: .english).isEmpty == false)
  }

  private static let nests = [
    String(repeating: "[", count: 200_000),
    String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000),
    String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
    String(repeating: #"{"error":"#, count: 100_000), String(repeating: #"{"errors":[{"error":"#, count: 40_000),
    String(repeating: #"{"next":"#, count: 100_000) + "1" + String(repeating: "}", count: 100_000),
    String(repeating: #"{"next":"#, count: 500) + "1" + String(repeating: "}", count: 500),
    String(repeating: #"{"error":"#, count: 500) + "1" + String(repeating: "}", count: 500),
    "1" + String(repeating: "0", count: 100_000), "1e999999999999", #"{"id":1e400,"name":"a"}"#,
    #"{"id":-0.0,"name":"a"}"#,
    #"{"id":"# + String(repeating: "9", count: 400) + #","name":"a"}"#, "\u{0}", "{\"\u{0}\":",
    #"{"id":1,"name":"\ud800"}"#,
  ]

  @Test("JSON of a hostile server is a value or an error, in every place that reads it", arguments: nests)
  func json(text: String) async throws {
    let mock = MockTransport()
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(baseURL: $0, cache: CachePack(captureFailurePayload: true))
    }
    for status in [200, 500] {
      mock.setMockResponse(statusCode: status, data: Data(text.utf8))
      let error = await failure { () throws(NetworkError) in
        try await client.request(EndpointBuilder<Chain>.get("/a"))
      }
      _ = error?.serverMessage
      _ = error.map { "\($0)" }
      let other = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
      _ = other?.serverMessage
      _ = other.map { "\($0)" }
      #expect(error != nil)
    }
  }

  /// A type that nests as deeply as the server likes.
  private final class Chain: Decodable, Sendable {
    let next: Chain
  }

  @Test("ten thousand random texts make no error line of two lines, and none that shows a secret")
  func lines() {
    var generator = SeededGenerator(seed: 1)
    let pieces = [
      "?", "=", "&", "@", "://", "https", "#", "sekret", "\"", "<", ">", "\r\n", "\u{2028}", "\u{85}", " ", "%", "é",
      "token",
      "Bearer sekret",
    ]
    for _ in 0..<10_000 {
      let text = (0..<12).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      let error = NetworkError.configuration(reason: .invalidRequest(text))
      #expect(!"\(error)".unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x85 || $0.value == 0x2028 })
    }
  }
}
