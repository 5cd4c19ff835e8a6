import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite struct CoalescingStageTests {
  /// A server that answers when its gate opens, and counts what reaches it.
  private final class SlowServer: Sendable {
    let gate: Gate
    let requests = EventRecorder<HTTPRequest>()
    let cancellations = EventRecorder<Int>()

    init(isOpen: Bool = false) { gate = Gate(isOpen: isOpen) }

    func answer(_ request: HTTPRequest) async throws(NetworkError) -> Response {
      requests.record(request)
      do {
        try await gate.opened()
        return try .made(200, "body", for: request)
      } catch {
        cancellations.record(1)
        throw NetworkError.map(error)
      }
    }
  }

  private func send(
    _ stage: CoalescingStage, _ request: HTTPRequest, _ server: SlowServer, isSigned: Bool = false
  ) -> Task<Result<Response, NetworkError>, Never> {
    start { () async throws(NetworkError) in
      try await stage.execute(request, call: CallContext(isSigned: isSigned)) { request throws(NetworkError) in
        try await server.answer(request)
      }
    }
  }

  private let request = HTTPRequest.get("https://a.test/x?y=1", headers: ["Accept": "a", "X-B": "b"])

  @Test("equal requests share one exchange, and each caller gets the response to its own request")
  func shares() async throws {
    let stage = CoalescingStage(policy: .getOnly, refresh: nil)
    let server = SlowServer()
    var other = request
    other.headers = ["x-b": "b", "accept": "a", "User-Agent": "me", "Date": "now"]
    let tasks = (0..<10).map { send(stage, $0 == 9 ? other : request, server) }
    try await eventually("all wait") { stage.waitingCount == 10 }
    server.gate.open()
    for task in tasks { #expect(await task.value.value?.data == Data("body".utf8)) }
    #expect(await tasks[9].value.value?.request?.headers["User-Agent"] == "me")
    #expect(server.requests.events.count == 1)
    // Nothing is kept: the next request is sent.
    _ = await send(stage, request, server).value
    #expect(server.requests.events.count == 2)
    #expect(stage.exchangeCount == 0)
  }

  private static func variant(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
    var request = HTTPRequest.get("https://a.test/x?y=1", headers: ["Accept": "a", "X-B": "b"])
    change(&request)
    return request
  }

  @Test(
    "different requests do not share",
    arguments: [
      variant { $0.url = "https://a.test/x?y=2" }, variant { $0.url = "https://b.test/x?y=1" },
      variant { $0.headers["Authorization"] = "Bearer 1" }, variant { $0.headers["Accept"] = "b" },
      variant { $0.headers["X-C"] = "c" }, variant { $0.body = .text("x") }, variant { $0.method = .head },
      variant { $0.options.timeouts.idle = .after(.seconds(1)) },
    ])
  func differs(other: HTTPRequest) async throws {
    let policy = RequestCoalescingPolicy(methods: [.get, .head])
    let stage = CoalescingStage(policy: policy, refresh: nil)
    let server = SlowServer()
    let tasks = [send(stage, request, server), send(stage, other, server)]
    try await server.requests.waitForCount(2)
    server.gate.open()
    for task in tasks { #expect(await task.value.value != nil) }
  }

  @Test("unshared are other methods, signed requests, bodies that are not in memory, and everything when disabled")
  func unshared() async throws {
    let stream = HTTPRequestBody.stream { AsyncStream<ByteChunk> { $0.finish() } }
    let all = RequestCoalescingPolicy(methods: [.get, .post])
    for (policy, request, isSigned) in [
      (RequestCoalescingPolicy.getOnly, HTTPRequest.post("https://a.test/"), false), (.getOnly, request, true),
      (all, .post("https://a.test/", body: stream), false), (.disabled, request, false),
    ] {
      let stage = CoalescingStage(policy: policy, refresh: nil)
      let server = SlowServer()
      let tasks = (0..<2).map { _ in send(stage, request, server, isSigned: isSigned) }
      try await server.requests.waitForCount(2)
      server.gate.open()
      for task in tasks { #expect(await task.value.value != nil) }
    }
  }

  @Test("bodies in memory are compared by their bytes")
  func bodies() async throws {
    let stage = CoalescingStage(policy: RequestCoalescingPolicy(methods: [.post]), refresh: nil)
    let server = SlowServer()
    let tasks = ["a", "a", "b"].map { send(stage, .post("https://a.test/", body: .text($0)), server) }
    try await eventually("all wait") { stage.waitingCount == 3 }
    server.gate.open()
    for task in tasks { _ = await task.value }
    #expect(server.requests.events.count == 2)
  }

  @Test("a caller that is cancelled leaves at once, also the one that came first, and disturbs nobody")
  func leaver() async throws {
    let stage = CoalescingStage(policy: .getOnly, refresh: nil)
    let server = SlowServer()
    let first = send(stage, request, server)
    try await server.requests.waitForCount(1)
    let others = (0..<3).map { _ in send(stage, request, server) }
    try await eventually("all wait") { stage.waitingCount == 4 }
    first.cancel()
    others[0].cancel()
    #expect(await first.value.failureCategory == "cancelled")
    #expect(await others[0].value.failureCategory == "cancelled")
    server.gate.open()
    #expect(await others[1].value.value != nil)
    #expect(await others[2].value.value != nil)
    #expect(server.requests.events.count == 1)
    #expect(server.cancellations.events.isEmpty)
  }

  @Test("the last caller that leaves cancels the exchange, and whoever comes then starts anew")
  func lastLeaver() async throws {
    let stage = CoalescingStage(policy: .getOnly, refresh: nil)
    let server = SlowServer()
    let tasks = (0..<3).map { _ in send(stage, request, server) }
    try await eventually("all wait") { stage.waitingCount == 3 }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await task.value.failureCategory == "cancelled") }
    try await server.cancellations.waitForCount(1)
    #expect(stage.exchangeCount == 0)
    server.gate.open()
    #expect(await send(stage, request, server).value.value?.statusCode == 200)
    #expect(server.requests.events.count == 2)
  }

  @Test("a task that is cancelled already sends nothing")
  func cancelledBefore() async throws {
    let stage = CoalescingStage(policy: .getOnly, refresh: nil)
    let server = SlowServer(isOpen: true)
    let gate = Gate()
    let task = Task { [request] in
      do { try await gate.opened() } catch {}
      return await send(stage, request, server).value
    }
    task.cancel()
    _ = await task.value
    let cancelled = start { [request] () async throws(NetworkError) in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await stage.execute(request, call: CallContext()) { request throws(NetworkError) in
        try await server.answer(request)
      }
    }
    #expect(await cancelled.value.failureCategory == "cancelled")
    #expect(server.requests.events.count == 1)
  }

  @Test("callers that come and go at random all end, and nothing is left")
  func churn() async throws {
    let stage = CoalescingStage(policy: .getOnly, refresh: nil)
    let server = SlowServer(isOpen: true)
    let tasks = (0..<500).map { number in
      let task = send(stage, .get("https://a.test/\(number % 3)"), server)
      if number % 2 == 0 { task.cancel() }
      return task
    }
    for (number, task) in tasks.enumerated() {
      let result = await task.value
      #expect(result.value != nil || number % 2 == 0)
    }
    #expect(stage.waitingCount == 0 && stage.exchangeCount == 0)
  }

  @Test("while a token is refreshed nobody shares")
  func refreshLane() async throws {
    let service = TokenService(isOpen: false)
    let coordinator = RefreshTokenCoordinator(policy: service.policy())
    let stage = CoalescingStage(policy: .getOnly, refresh: coordinator)
    let refresh = start { () async throws(NetworkError) in
      try await coordinator.token(replacing: .init(token: "t0", generation: 0))
    }
    try await service.refreshes.waitForCount(1)
    let server = SlowServer()
    let tasks = (0..<3).map { _ in send(stage, request, server) }
    try await server.requests.waitForCount(3)
    server.gate.open()
    service.gate.open()
    for task in tasks { #expect(await task.value.value != nil) }
    #expect(await refresh.value.value == "t1")
  }
}
