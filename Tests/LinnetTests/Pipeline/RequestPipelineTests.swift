import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("The pipeline's order")
struct RequestPipelineTests {
  /// What happened, in order.
  private final class Trace: Sendable {
    private let steps = Lock<[String]>([])
    func note(_ step: String) { steps.withLock { $0.append(step) } }
    func take() -> [String] {
      steps.withLock { steps in
        defer { steps = [] }
        return steps
      }
    }
  }

  private struct TracingPolicy: RequestExecutionPolicy {
    let trace: Trace
    func execute(
      input: RequestExecutionInput, context: RequestExecutionContext, next: RequestExecutionNext
    ) async throws -> Response {
      trace.note("policy")
      return try await next.execute()
    }
  }

  private struct TracingDecoding: DecodingInterceptor {
    let trace: Trace
    func willDecode(data: Data, response: Response) async throws -> Data {
      trace.note("willDecode")
      return data
    }
    func didDecode<Value: Sendable>(_ value: Value, response: Response) async throws -> Value {
      trace.note("didDecode")
      return value
    }
  }

  private struct TracingObserver: NetworkEventObserving {
    let events = EventRecorder<NetworkEvent>()
    func handle(_ event: NetworkEvent) async { events.record(event) }
  }

  private let trace = Trace()
  private let mock = MockTransport.item

  private func client(
    retry: (any RetryPolicy)? = nil, tokens: RefreshTokenPolicy? = nil, cache: CachePack = CachePack(),
    breaker: CircuitBreakerPolicy? = nil, isSigned: Bool = true,
    observers: [any NetworkEventObserving] = []
  ) -> DefaultNetworkClient {
    let client = DefaultNetworkClient.mocked(mock) { [trace] in
      .advanced(
        baseURL: $0,
        resilience: ResiliencePack(
          retry: retry, circuitBreaker: breaker, idempotency: .automaticForUnsafeMethods(),
          customExecutionPolicies: [TracingPolicy(trace: trace)]),
        auth: AuthPack(
          refreshToken: tokens, additionalRequestInterceptors: [RequestChange { _ in trace.note("client request") }],
          additionalSigners: isSigned ? [HeaderSigner(headers: [:]) { _, _ in trace.note("client signer") }] : [],
          additionalResponseInterceptors: [ResponseChange { _ in trace.note("client response") }],
          additionalDecodingInterceptors: [TracingDecoding(trace: trace)]),
        observability: ObservabilityPack(eventObservers: observers), cache: cache)
    }
    client.addMiddleware(
      Middleware(
        preRequest: { [trace] _ in trace.note("middleware") },
        postResponse: { [trace] _ in
          trace.note("middleware after")
          return .next
        }))
    return client
  }

  private func endpoint(_ base: EndpointBuilder<Item>, isSigned: Bool = true) -> HookedEndpoint {
    HookedEndpoint(
      base: base, requestInterceptors: [RequestChange { [trace] _ in trace.note("endpoint request") }],
      requestSigners: isSigned ? [HeaderSigner(headers: [:]) { [trace] _, _ in trace.note("endpoint signer") }] : [],
      responseInterceptors: [ResponseChange { [trace] _ in trace.note("endpoint response") }])
  }

  private var tokens: RefreshTokenPolicy {
    RefreshTokenPolicy(
      currentToken: { [trace] in
        trace.note("token")
        return "old"
      },
      refreshToken: { [trace] in
        trace.note("refresh")
        return "new"
      })
  }

  @Test("Each step has its place; response interceptors run from the inside out")
  func order() async throws {
    _ = try await client(tokens: tokens).request(endpoint(.get("/a").authentication(.optional)))
    #expect(
      trace.take() == [
        "client request", "endpoint request", "token", "middleware", "client signer", "endpoint signer", "policy",
        "middleware after", "endpoint response", "client response", "willDecode", "didDecode",
      ])
  }

  @Test("Each attempt repeats everything from the interceptors on, with one idempotency key and one request id")
  func retry() async throws {
    mock.setScriptedResponses([.http(statusCode: 503)])
    let observer = TracingObserver()
    let client = client(retry: ExponentialBackoffRetryPolicy(retryDelay: 0), isSigned: false, observers: [observer])
    let (_, response) = try await client.requestWithResponse(endpoint(.post("/a").body(Item()), isSigned: false))
    #expect(response.attempts == 2)
    let attempt = ["client request", "endpoint request", "middleware", "policy", "middleware after"]
    let after = ["endpoint response", "client response"]
    #expect(trace.take() == attempt + after + attempt + after + ["willDecode", "didDecode"])
    let keys = mock.capturedRequestsInOrder.map { $0.headers["Idempotency-Key"] }
    #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    let events = try await observer.events.waitForCount(8)
    #expect(
      events.map(\.name) == [
        "start 0", "adapted 0", "received 503", "retry 0", "start 1", "adapted 1", "received 200", "finished 200",
      ])
    #expect(Set(events.map(\.id)).count == 1)
  }

  @Test("A refused token is refreshed, and the adapted request replayed once; signers run again")
  func refresh() async throws {
    mock.setScriptedResponses([.http(statusCode: 401)])
    _ = try await client(tokens: tokens).request(endpoint(.get("/a").authentication(.required)))
    let inner = ["middleware", "client signer", "endpoint signer", "policy", "middleware after"]
    #expect(
      trace.take() == ["client request", "endpoint request", "token"] + inner + ["refresh"] + inner + [
        "endpoint response", "client response", "willDecode", "didDecode",
      ])
    #expect(mock.capturedRequestsInOrder.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer new"])
  }

  @Test("An endpoint that requires a token fails before anything is sent when the client has no policy")
  func required() async {
    let client = client()
    let endpoint = EndpointBuilder<Item>.get("/a").authentication(.required)
    let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
    #expect(error?.errorCode == 1002)
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("A fresh answer of the cache runs nothing below the cache, and its status and body are still checked")
  func freshHit() async throws {
    let client = client(
      cache: CachePack(responseCachePolicy: .cacheFirst(maxAge: .seconds(60)), responseCache: InMemoryResponseCache()),
      isSigned: false)
    _ = try await client.request(endpoint(.get("/a"), isSigned: false))
    _ = trace.take()
    _ = try await client.request(endpoint(.get("/a"), isSigned: false))
    #expect(
      trace.take() == [
        "client request", "endpoint request", "middleware", "middleware after", "endpoint response", "client response",
        "willDecode", "didDecode",
      ])
    #expect(mock.capturedRequestsInOrder.count == 1)
  }

  @Test("An endpoint can pass the cache by")
  func reload() async throws {
    let client = client(
      cache: CachePack(responseCachePolicy: .cacheFirst(maxAge: .seconds(60)), responseCache: InMemoryResponseCache()),
      isSigned: false)
    for _ in 0..<2 {
      _ = try await client.request(EndpointBuilder<Item>.get("/a").cachePolicy(.reloadIgnoringLocalCacheData))
    }
    #expect(mock.capturedRequestsInOrder.count == 2)
  }

  @Test("An open breaker fails the request before the transport")
  func breaker() async throws {
    mock.setScriptedResponses([.http(statusCode: 500)])
    let client = client(breaker: CircuitBreakerPolicy(failureThreshold: 1))
    _ = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    #expect("\(String(describing: error))".contains("api.example.com"))
    #expect(mock.capturedRequestsInOrder.count == 1)
  }

  @Test("A redirect to another origin loses the caller's headers; one that is insecure is not followed")
  func redirects() async throws {
    mock.setScriptedResponses([.http(statusCode: 302, headers: ["Location": "https://other.example.net/b"])])
    let client = client(tokens: tokens, isSigned: false)
    client.updateHeaders(["X-Client": "c"])
    let (_, response) = try await client.requestWithResponse(
      EndpointBuilder<Item>.get("/a").authentication(.optional))
    #expect(mock.capturedRequest?.url == "https://other.example.net/b")
    #expect(mock.capturedRequest?.headers["Authorization"] == nil && mock.capturedRequest?.headers["X-Client"] == nil)
    #expect(response.redirects.count == 1)
    mock.setScriptedResponses([.http(statusCode: 302, headers: ["Location": "http://api.example.com/b"])])
    let error = await failure { () throws(NetworkError) in try await client.request(EndpointBuilder<Item>.get("/a")) }
    #expect(error != nil)
    #expect(mock.capturedRequestsInOrder.count == 3)
  }

  @Test("A response interceptor decides about status and body")
  func responseInterceptor() async throws {
    mock.setScriptedResponses([.http(statusCode: 500), .text(#"{"id":1,"name":"a"}"#)])
    let repair = ResponseChange {
      $0.statusCode = 200
      $0.data = Data(#"{"id":9,"name":"z"}"#.utf8)
    }
    let item = try await client().request(HookedEndpoint(responseInterceptors: [repair]))
    #expect(item == Item(id: 9, name: "z"))
    let spoil = ResponseChange { $0.statusCode = 418 }
    let client = client()
    let error = await failure { () throws(NetworkError) in
      try await client.request(HookedEndpoint(responseInterceptors: [spoil]))
    }
    #expect(error?.response?.statusCode == 418)
  }

  @Test("A response that is not decoded passes no decoding interceptor")
  func undecoded() async throws {
    _ = try await client(isSigned: false).perform(.get("https://api.example.com/a"))
    #expect(
      trace.take() == ["client request", "middleware", "policy", "middleware after", "client response"])
  }

  @Test("URL, headers and parameters of an endpoint are made anew for each attempt")
  func freshAttempts() async throws {
    struct Counting: APIDefinition {
      typealias APIResponse = Item
      let count = Lock(0)
      var method: HTTPMethod { .get }
      var path: String { "/a" }
      var sessionAuthentication: SessionAuthentication { .anonymous }
      var headers: HTTPHeaders {
        let number = count.withLock { count in
          count += 1
          return count
        }
        return ["X-Count": "\(number)"]
      }
    }
    mock.setScriptedResponses([.http(statusCode: 503)])
    _ = try await client(retry: ExponentialBackoffRetryPolicy(retryDelay: 0)).request(Counting())
    #expect(mock.capturedRequestsInOrder.map { $0.headers["X-Count"] } == ["1", "2"])
  }

  @Test("What user code throws becomes a NetworkError, and nothing is sent after an interceptor has failed")
  func foreignErrors() async throws {
    struct Own: Error {}
    let client = client()
    let failing = HookedEndpoint(requestInterceptors: [RequestChange { _ in throw Own() }])
    let error = await failure { () throws(NetworkError) in try await client.request(failing) }
    guard case .underlying? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let offline = HookedEndpoint(requestInterceptors: [
      RequestChange { _ in throw NetworkError.configuration(reason: .offline("x")) }
    ])
    #expect(await failure { () throws(NetworkError) in try await client.request(offline) }?.errorCode == 1003)
    let cancelled = HookedEndpoint(requestInterceptors: [RequestChange { _ in throw CancellationError() }])
    #expect(await failure { () throws(NetworkError) in try await client.request(cancelled) }.isCancelled)
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("A failed call ends in exactly one event")
  func failedEvent() async throws {
    mock.setScriptedResponses([.http(statusCode: 404)])
    let observer = TracingObserver()
    let client = client(observers: [observer])
    _ = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    let events = try await observer.events.waitForCount(4)
    #expect(events.map(\.name) == ["start 0", "adapted 0", "received 404", "failed 3001"])
  }
}

extension NetworkEvent {
  fileprivate var name: String {
    switch self {
    case .requestStart(_, _, _, let index): "start \(index)"
    case .requestAdapted(_, _, _, let index): "adapted \(index)"
    case .responseReceived(_, let status, _): "received \(status)"
    case .retryScheduled(_, let index, _, _): "retry \(index)"
    case .requestFinished(_, let status, _): "finished \(status)"
    case .requestFailed(_, let code, _): "failed \(code)"
    case .cacheRevalidation: "revalidation"
    }
  }

  fileprivate var id: UUID {
    switch self {
    case .requestStart(let id, _, _, _), .requestAdapted(let id, _, _, _), .responseReceived(let id, _, _),
      .retryScheduled(let id, _, _, _), .requestFinished(let id, _, _), .requestFailed(let id, _, _),
      .cacheRevalidation(let id, _):
      id
    }
  }
}
