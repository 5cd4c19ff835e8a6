import Linnet
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Interceptors: middleware")
struct MiddlewareStageTests {
  private struct Refused: Error {}

  /// What the rest of the pipeline was given, and its answers one after the other; the last is repeated.
  private final class Pipeline: Sendable {
    let requests = EventRecorder<HTTPRequest>()
    private let answers: Lock<[Middleware.Outcome]>

    init(_ answers: Middleware.Outcome...) { self.answers = Lock(answers) }

    static func statuses(_ statuses: Int...) -> Pipeline {
      let pipeline = Pipeline()
      pipeline.answers.withLock { $0 = statuses.map { .success(ErrorSamples.response($0)) } }
      return pipeline
    }

    @Sendable func next(_ request: HTTPRequest) async throws(NetworkError) -> Response {
      requests.record(request)
      let answer = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
      return try answer.get()
    }
  }

  private func execute(
    _ middleware: [Middleware], _ pipeline: Pipeline, request: HTTPRequest = .get("https://a.test/api/users/1?q=/x"),
    maximumResends: Int = 1
  ) async throws(NetworkError) -> Response {
    try await MiddlewareStage(middleware, maximumResends: maximumResends)
      .execute(request, call: CallContext()) { request throws(NetworkError) in try await pipeline.next(request) }
  }

  private func recording(_ name: String, _ matcher: PathMatcher, _ order: EventRecorder<String>) -> Middleware {
    Middleware(
      pathMatcher: matcher,
      preRequest: { request in
        order.record("\(name) before")
        request.headers.add("X-Seen", name)
      },
      postResponse: { _ in
        order.record("\(name) after")
        return .next
      })
  }

  @Test("middleware for all paths runs first, then the matching ones, each in its order, before and after")
  func order() async throws {
    let order = EventRecorder<String>()
    let pipeline = Pipeline.statuses(200)
    _ = try await execute(
      [
        recording("path 1", .contains("users"), order), recording("all 1", .contains("/"), order),
        recording("other", .contains("posts"), order), recording("path 2", .glob("/api/**"), order),
        recording("all 2", .contains("/"), order),
      ], pipeline)
    #expect(
      order.events == [
        "all 1 before", "all 2 before", "path 1 before", "path 2 before", "all 1 after", "all 2 after", "path 1 after",
        "path 2 after",
      ])
    #expect(pipeline.requests.events[0].headers.values(for: "X-Seen") == ["all 1", "all 2", "path 1", "path 2"])
  }

  @Test("a middleware that throws before the request stops it")
  func throwingBefore() async {
    let pipeline = Pipeline.statuses(200)
    let middleware = Middleware(preRequest: { _ in throw Refused() })
    let error = await #expect(throws: NetworkError.self) { _ = try await execute([middleware], pipeline) }
    #expect(error?.underlyingError?.domain.hasSuffix("Refused") == true)
    #expect(pipeline.requests.events.isEmpty)
  }

  @Test("a middleware that throws afterwards replaces the response")
  func throwingAfter() async {
    let pipeline = Pipeline.statuses(200)
    let middleware = Middleware(postResponse: { _ in throw NetworkError.configuration(reason: .offline("no")) })
    let error = await #expect(throws: NetworkError.self) { _ = try await execute([middleware], pipeline) }
    #expect(error?.isOffline == true)
    #expect(pipeline.requests.events.count == 1)
  }

  @Test("a resend runs all middleware again from the request as it came")
  func resend() async throws {
    let pipeline = Pipeline.statuses(401, 200)
    let token = Lock("old")
    let middleware = Middleware(
      preRequest: { request in request.headers.add("X-Token", token.withLock { $0 }) },
      postResponse: { outcome in
        guard case .success(let response) = outcome, response.statusCode == 401 else { return .next }
        token.withLock { $0 = "new" }
        return .retryRequest
      })
    let response = try await execute([middleware], pipeline)
    #expect(response.statusCode == 200)
    #expect(pipeline.requests.events.map { $0.headers.values(for: "X-Token") } == [["old"], ["new"]])
  }

  @Test("resends have a budget; when it is used up, the last answer counts", arguments: [0, 1, 3])
  func budget(_ maximum: Int) async throws {
    let pipeline = Pipeline.statuses(503)
    let middleware = Middleware(postResponse: { _ in .retryRequest })
    let response = try await execute([middleware], pipeline, maximumResends: maximum)
    #expect(response.statusCode == 503)
    #expect(pipeline.requests.events.count == maximum + 1)
  }

  @Test("an error can be answered with a resend, too, and is thrown when the budget is used up")
  func errors() async throws {
    let refused = NetworkError(ErrorSamples.transport(.connectionRefused))
    let middleware = Middleware(postResponse: { outcome in
      if case .failure = outcome { .retryRequest } else { .next }
    })
    let recovering = Pipeline(.failure(refused), .success(ErrorSamples.response(200)))
    #expect(try await execute([middleware], recovering).statusCode == 200)
    let failing = Pipeline(.failure(refused))
    let error = await #expect(throws: NetworkError.self) { _ = try await execute([middleware], failing) }
    #expect(error?.stableCategory == "reachability.connection_refused")
    #expect(failing.requests.events.count == 2)
  }

  @Test("the first that asks for a resend is the last that sees the response")
  func first() async throws {
    let order = EventRecorder<String>()
    let asking = Middleware(postResponse: { _ in .retryRequest })
    _ = try await execute([asking, recording("late", .contains("/"), order)], .statuses(500), maximumResends: 0)
    #expect(order.events == ["late before"])
  }

  @Test("a body that can be sent once is not sent again")
  func oneShot() async throws {
    let stream = AsyncStream<ByteChunk> { $0.finish() }
    let request = HTTPRequest.post("https://a.test/", body: .oneShot(stream))
    let pipeline = Pipeline.statuses(503)
    let middleware = Middleware(
      preRequest: { request in _ = try await request.body?.collect(upTo: 10) },
      postResponse: { _ in .retryRequest })
    _ = try await execute([middleware], pipeline, request: request)
    #expect(pipeline.requests.events.count == 1)
  }

  @Test("a cancelled task is not sent again")
  func cancellation() async throws {
    let pipeline = Pipeline.statuses(503)
    let middleware = Middleware(postResponse: { _ in
      withUnsafeCurrentTask { $0?.cancel() }
      return .retryRequest
    })
    let error = await Task { () -> NetworkError? in
      do throws(NetworkError) {
        _ = try await execute([middleware], pipeline)
        return nil
      } catch { return error }
    }.value
    #expect(error?.isCancellation == true)
    #expect(pipeline.requests.events.count == 1)
  }
}
