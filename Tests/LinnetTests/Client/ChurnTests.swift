import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetHTTP
import LinnetTestRandom
import LinnetTestSupport
import Testing

/// Thousands of calls through every policy at once, against servers that fail, while everything is cancelled at random.
@Suite("Churn of typed calls", .timeLimit(.minutes(3)))
struct ChurnTests {
  private static var workers: Int { 48 }
  private static var callsPerWorker: Int { 60 }

  @Test("each call ends exactly once with an answer of its own, events balance, and nothing is left")
  func churn() async throws {
    let descriptors = try await DescriptorCount.baseline()
    let observer = RecordingObserver()
    let ends = EventRecorder<ChurnCall.End>()
    let foreign = try ScriptedServer.start(.handler { ChurnServer.answer(foreign: $0) })
    let away = foreign.url()
    let server = try ScriptedServer.start(.handler { ChurnServer.answer($0, away: away) })
    let client = DefaultNetworkClient(configuration: .churn(.test(server.url()), observer: observer))
    for _ in 0..<2 { client.addMiddleware(Middleware(pathMatcher: .glob("/items/**"))) }

    let disturbance = Task { await Self.disturb(client) }
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.workers {
        group.addTask {
          var generator = SeededGenerator(seed: UInt64(worker) + 1)
          for number in 0..<Self.callsPerWorker {
            let call = ChurnCall(
              caller: worker % 4, id: .random(in: 0..<6, using: &generator), number: worker * 1000 + number)
            await call.run(with: client, ends, &generator)
          }
        }
      }
    }
    let count = Self.workers * Self.callsPerWorker
    let ended = try await ends.waitForCount(count)
    disturbance.cancel()
    await disturbance.value

    #expect(ended.count == count)
    #expect(Set(ended.map(\.number)).count == count, "every call ends once")
    #expect(ended.filter { $0.kind == .wrong }.isEmpty, "no caller got another's answer")
    let kinds = Dictionary(grouping: ended, by: \.kind).mapValues(\.count)
    #expect(kinds[.value, default: 0] > count / 10, "\(kinds)")
    #expect(kinds[.cancelled, default: 0] > count / 50, "\(kinds)")
    #expect(kinds[.failed, default: 0] > 0, "\(kinds)")
    #expect(client.registry.count == 0)
    #expect(foreign.snapshot.requests.count > 0)
    #expect(
      foreign.snapshot.requests.allSatisfy { $0.headers["Authorization"] == nil && $0.headers["X-Caller"] == nil })

    let seen = try await observer.events.wait(for: "an end of each call") { $0.filter(\.isTerminal).count == count }
    try Self.expectBalance(seen, count: count)

    await client.shutdown()
    server.stop()
    foreign.stop()
    try await DescriptorCount.returned(to: descriptors)
  }

  /// Cancels, changes headers and middleware, until it is cancelled itself.
  private static func disturb(_ client: DefaultNetworkClient) async {
    var generator = SeededGenerator(seed: 99)
    while !Task.isCancelled {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: await client.cancelAll()
      case 1..<8:
        await client.cancelAll(matching: CancellationTag(rawValue: "tag\(Int.random(in: 0..<3, using: &generator))"))
      case 8..<14: client.updateHeaders(["X-Noise": "\(Int.random(in: 0..<3, using: &generator))"])
      default:
        let added = client.addMiddleware(Middleware())
        try? await Task.sleep(for: .milliseconds(1))
        client.removeMiddleware(added)
      }
      try? await Task.sleep(for: .milliseconds(3))
    }
  }

  private static func expectBalance(_ events: [NetworkEvent], count: Int) throws {
    var ended: Set<UUID> = []
    var isInOrder = true
    for event in events {
      if case .cacheRevalidation = event { continue }
      if ended.contains(event.requestID) { isInOrder = false }
      if event.isTerminal { ended.insert(event.requestID) }
    }
    #expect(isInOrder, "nothing follows the end of a call")
    #expect(ended.count == count, "every call has one end")
    #expect(events.contains { if case .retryScheduled = $0 { true } else { false } })
  }
}

/// One call of the churn.
private struct ChurnCall {
  struct End: Sendable {
    enum Kind: Sendable { case value, wrong, failed, cancelled }
    let number: Int
    let kind: Kind
  }

  let caller: Int
  let id: Int
  let number: Int

  private var endpoint: EndpointBuilder<Item> {
    let endpoint =
      number.isMultiple(of: 5)
      ? EndpointBuilder<Item>.post("/items/\(id)").body(["number": number]) : .get("/items/\(id)")
    return endpoint.authentication(number.isMultiple(of: 3) ? .required : .optional)
      .header("X-Caller", value: "\(caller)")
  }

  private var tag: CancellationTag? {
    number.isMultiple(of: 2) ? CancellationTag(rawValue: "tag\(number % 3)") : nil
  }

  private func end(_ result: Result<Item, NetworkError>) -> End {
    let kind: End.Kind =
      switch result {
      case .success(let item): item.id == id && ["\(caller)", "foreign"].contains(item.name) ? .value : .wrong
      case .failure(.cancelled): .cancelled
      case .failure: .failed
      }
    return End(number: number, kind: kind)
  }

  func run(
    with client: DefaultNetworkClient, _ ends: EventRecorder<End>, _ generator: inout SeededGenerator
  ) async {
    let (endpoint, tag) = (endpoint, tag)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0:
      let handle = client.request(endpoint, tag: tag) { ends.record(end($0)) }
      if Bool.random(using: &generator) {
        for _ in 0..<Int.random(in: 0..<40, using: &generator) { await Task.yield() }
        handle.cancel()
      }
    case 1:
      let task = Task {
        ends.record(end(await Self.result { () throws(NetworkError) in try await client.request(endpoint, tag: tag) }))
      }
      for _ in 0..<Int.random(in: 0..<40, using: &generator) { await Task.yield() }
      task.cancel()
      await task.value
    default:
      ends.record(end(await Self.result { () throws(NetworkError) in try await client.request(endpoint, tag: tag) }))
    }
  }

  private static func result(_ body: () async throws(NetworkError) -> Item) async -> Result<Item, NetworkError> {
    do throws(NetworkError) { return .success(try await body()) } catch { return .failure(error) }
  }
}

/// What the servers of the churn do: one token is good for a while, and every eleventh answer or so is no good.
private enum ChurnServer {
  private static let position = Lock(0)

  static func answer(_ request: RecordedRequest, away: String) -> ServerResponse {
    let number = position.withLock { position in
      position += 1
      return position
    }
    let id = request.path.split(separator: "/").last ?? ""
    let item = ServerResponse.json(#"{"id":\#(id),"name":"\#(request.headers["X-Caller"] ?? "nobody")"}"#)
    switch number % 23 {
    case 0: return ServerResponse(503).adding("Retry-After", "0")
    case 1: return ServerResponse(401)
    case 2 where request.method == "GET": return .redirect(302, to: "/items/\(id)")
    case 3 where request.method == "GET": return .redirect(302, to: "\(away)items/\(id)")
    case 4: return .raw([.reset])
    case 5: return .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{").closing(.abrupt)
    case 6: return .raw([.pause(.milliseconds(20)), .close])
    case 7: return item.chunked()
    case 8: return item.closing(.lingering)
    case 9: return ServerResponse(404)
    default: return item
    }
  }

  static func answer(foreign request: RecordedRequest) -> ServerResponse {
    .json(#"{"id":\#(request.path.split(separator: "/").last ?? ""),"name":"foreign"}"#)
  }
}

extension NetworkConfiguration {
  /// Every policy at once.
  fileprivate static func churn(_ url: URL, observer: RecordingObserver) -> NetworkConfiguration {
    let tokens = Lock(0)
    return .local(
      url,
      resilience: ResiliencePack(
        retry: ImmediateRetryPolicy(maxRetries: 2), coalescing: .getOnly,
        circuitBreaker: CircuitBreakerPolicy(failureThreshold: 1000, windowSize: 1000),
        idempotency: .automaticForUnsafeMethods(),
        customExecutionPolicies: [ConcurrencyLimitExecutionPolicy(maxConcurrent: 16)]),
      auth: AuthPack(
        refreshToken: RefreshTokenPolicy(
          failureCooldown: .disabled, currentToken: { tokens.withLock { $0 == 0 ? nil : "t\($0)" } },
          refreshToken: {
            await Task.yield()
            return tokens.withLock { number in
              number += 1
              return "t\(number)"
            }
          }),
        additionalRequestInterceptors: [RequestChange { _ in await Task.yield() }]),
      observability: ObservabilityPack(
        eventObservers: [observer],
        eventDeliveryPolicy: EventDeliveryPolicy(
          maxBufferedEventsPerPartition: 1 << 20, maxBufferedEventsPerConsumer: 1 << 20)),
      cache: CachePack(
        responseCachePolicy: .staleWhileRevalidate(maxAge: .milliseconds(5), staleWindow: .milliseconds(20)),
        responseCache: InMemoryResponseCache(maxBytes: 2000)))
  }
}
