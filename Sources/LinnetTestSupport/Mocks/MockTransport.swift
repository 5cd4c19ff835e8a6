public import FoundationEssentials
internal import LinnetBytes
public import LinnetHTTP

/// A transport without a network: it answers as a test tells it and keeps the requests that it got.
///
/// It takes the place of an `HTTPClient` under everything that is built on one, with the same rules: a request that
/// cannot be sent is refused with the same error, a body is read once and collected with the same limit, a cancelled
/// task ends with `cancelled`.
///
/// ```swift
/// let mock = MockTransport()
/// try mock.setMockJSON(User(name: "a"))
/// let client = DefaultNetworkClient(configuration: configuration, transport: mock)
/// let user = try await client.request(GetUser(id: 1))
/// #expect(mock.capturedRequest?.url == "https://api.example.com/users/1")
/// ```
///
/// Each request gets the first of: the next scripted response; what the handler makes of it; ``mockError``;
/// ``mockResponse``. With none of these it fails with `invalidConfiguration`, naming the request.
public final class MockTransport: HTTPTransport {
  /// Makes the response to a request, whose body is in memory. A `TransportError` that it throws is that of the request;
  /// a `CancellationError` becomes `cancelled`, and any other error `invalidConfiguration` with it as the underlying one.
  public typealias Handler = @Sendable (HTTPRequest) async throws -> HTTPResponse

  private struct State: Sendable {
    var scripted = RingDeque<MockResponse>()
    var handler: Handler?
    var error: TransportError?
    var response: MockResponse?
    var captured: [HTTPRequest] = []
  }

  /// What answers one request.
  private enum Source: Sendable {
    case response(MockResponse)
    case handler(Handler)
    case nothing(requestsBefore: Int)
  }

  private let state = Observed(State())
  private let maximumBodyBytes: Int
  private let clock: any Clock<Duration>

  /// A mock without an answer.
  ///
  /// - Parameters:
  ///   - maximumBodyBytes: The largest request body that is kept. A larger one fails the request with `bodyTooLarge`.
  ///     Default 64 MiB.
  ///   - clock: The clock by which a request that waits for its answer is timed out; give a ``TestClock`` and no test
  ///     waits for a timeout.
  public init(maximumBodyBytes: Int = 64 << 20, clock: any Clock<Duration> = ContinuousClock()) {
    self.maximumBodyBytes = maximumBodyBytes
    self.clock = clock
  }

  /// A mock that answers with what `handler` makes of each request.
  public convenience init(_ handler: @escaping Handler) {
    self.init()
    setHandler(handler)
  }

  // MARK: Answers

  /// The answer to every request for which nothing else is scripted; nil, at first, for none.
  public var mockResponse: MockResponse? {
    get { state.read { $0.response } }
    set { state.mutate { $0.response = newValue } }
  }

  /// The error of every request for which nothing is scripted; it wins over ``mockResponse``. Nil at first.
  public var mockError: TransportError? {
    get { state.read { $0.error } }
    set { state.mutate { $0.error = newValue } }
  }

  /// Sets ``mockResponse`` to a response with this status and body.
  public func setMockResponse(statusCode: Int, data: Data = Data()) {
    mockResponse = .http(statusCode: statusCode, data: data)
  }

  /// Sets ``mockResponse`` to a value as JSON.
  ///
  /// - Throws: What encoding the value throws; then nothing is changed.
  public func setMockJSON<Value: Encodable>(_ value: Value, statusCode: Int = 200) throws {
    mockResponse = try .json(value, statusCode: statusCode)
  }

  /// Replaces the responses that wait to be given out, one for each request, in this order.
  public func setScriptedResponses(_ responses: [MockResponse]) {
    state.mutate { state in
      state.scripted = RingDeque()
      for response in responses { state.scripted.append(response) }
    }
  }

  /// Adds a response behind those that wait to be given out.
  public func enqueueScriptedResponse(_ response: MockResponse) { state.mutate { $0.scripted.append(response) } }

  /// How many scripted responses were not given out yet.
  public var scriptedResponseCount: Int { state.read { $0.scripted.count } }

  /// Sets what makes the responses when none is scripted; nil for none. It runs in the task of the request.
  public func setHandler(_ handler: Handler?) { state.mutate { $0.handler = handler } }

  // MARK: Requests

  /// The last request.
  public var capturedRequest: HTTPRequest? { state.read { $0.captured.last } }

  /// Every request so far, as it was given to the transport, in order; the body of each is in memory
  /// (`request.body?.bytesInMemory`). Requests that were refused before they would be sent are not among them, nor are
  /// header fields that an `HTTPClient` adds.
  public var capturedRequestsInOrder: [HTTPRequest] { state.read { $0.captured } }

  /// Waits until there were at least `count` requests, and returns all of them.
  ///
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func waitForRequests(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [HTTPRequest] {
    try await state.wait(
      for: "\(count) requests", within: limit,
      describe: { state in state.captured.map { "\($0.method.rawValue) \($0.url)" }.joined(separator: ", ") },
      until: { $0.captured.count >= count }
    ).captured
  }

  // MARK: HTTPTransport

  /// Keeps the request and gives its answer.
  ///
  /// - Throws: The error that is scripted; what an `HTTPClient` throws for a request that cannot be sent, for a body that
  ///   cannot be read and for a cancelled task; `invalidConfiguration` when there is no answer.
  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let url = try request.admittedURL()
    if Task.isCancelled {
      throw TransportError(
        code: .cancelled, phase: .request, sent: .nothing, reason: "the task was cancelled", method: request.method,
        url: url)
    }
    var captured = request
    if let body = request.body {
      do throws(TransportError) {
        captured.body = .chunk(try await body.collect(upTo: maximumBodyBytes))
      } catch {
        throw error.attributed(to: request, url)
      }
    }
    switch capture(captured) {
    case .response(let response):
      return try await response.response(to: captured, clock: clock)
    case .handler(let handler):
      return try await Self.run(handler, captured, url)
    case .nothing(let requestsBefore):
      throw TransportError(
        code: .invalidConfiguration, phase: .request, sent: .nothing,
        reason: "the mock has no answer to this request (\(requestsBefore) came before it)", method: request.method,
        url: url)
    }
  }

  private static func run(
    _ handler: Handler, _ request: HTTPRequest, _ url: HTTPURL
  ) async throws(TransportError) -> HTTPResponse {
    do {
      return try await handler(request).answering(request)
    } catch let error as TransportError {
      throw error
    } catch is CancellationError {
      throw TransportError(
        code: .cancelled, phase: .head, sent: .maybe, reason: "the task was cancelled", method: request.method, url: url
      )
    } catch {
      throw TransportError(
        code: .invalidConfiguration, phase: .request, sent: .nothing, reason: "the mock's handler failed",
        method: request.method, url: url, underlying: error)
    }
  }

  private func capture(_ request: HTTPRequest) -> Source {
    state.mutate { state in
      defer { state.captured.append(request) }
      if let scripted = state.scripted.popFirst() { return .response(scripted) }
      if let handler = state.handler { return .handler(handler) }
      if let error = state.error { return .response(.failure(error)) }
      if let response = state.response { return .response(response) }
      return .nothing(requestsBefore: state.captured.count)
    }
  }
}
