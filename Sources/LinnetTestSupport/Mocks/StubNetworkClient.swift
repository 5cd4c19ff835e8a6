public import FoundationEssentials
public import Linnet
internal import LinnetBytes
internal import LinnetIO

/// A `NetworkClient` that answers with values, for tests of what stands above the client.
///
/// ```swift
/// let stub = StubNetworkClient()
/// stub.register(User(name: "a"), for: GetUser(id: 1))
/// stub.registerFailure(.cancelled, for: StubRequestKey(method: .get, path: "/feed"))
/// let model = UserModel(client: stub)
/// ```
///
/// Nothing is encoded, sent or decoded: the value that is registered is the response. Use ``MockTransport`` to run the
/// client's own code as well.
public final class StubNetworkClient: NetworkClient, UploadNetworkClient {
  /// What is registered for a key.
  private struct Stub: Sendable {
    var outcome: Result<any Sendable, NetworkError>
    var behavior: StubBehavior
  }

  private struct State: Sendable {
    var stubs: [StubRequestKey: Stub] = [:]
    var received: [StubRequestKey] = []
  }

  private let state = Observed(State())
  private let fallback: (any NetworkClient)?
  private let uploadFallback: (any UploadNetworkClient)?
  private let clock: any Clock<Duration>

  /// A stub with nothing registered.
  ///
  /// - Parameters:
  ///   - fallback: Performs requests for which nothing is registered. Default nil: they fail.
  ///   - uploadFallback: Performs uploads for which nothing is registered. Default nil: they fail.
  ///   - clock: The clock of ``StubBehavior/delayed(seconds:)``; give a ``TestClock`` and no test waits for a delay.
  public init(
    fallback: (any NetworkClient)? = nil, uploadFallback: (any UploadNetworkClient)? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.fallback = fallback
    self.uploadFallback = uploadFallback
    self.clock = clock
  }

  // MARK: Registering

  /// Registers the response for a method and a path, in place of what was registered before.
  ///
  /// - Parameters:
  ///   - value: The response, of the type of the endpoint's `APIResponse`; a request with another one fails, naming both.
  ///   - key: The method and the path.
  ///   - behavior: When it is given. Default ``StubBehavior/immediate``.
  public func register<Value: Sendable>(
    _ value: Value, for key: StubRequestKey, behavior: StubBehavior = .immediate
  ) {
    register(Stub(outcome: .success(value), behavior: behavior), key)
  }

  /// Registers the response for the method and path of an endpoint, in place of what was registered before.
  public func register<Request: Endpoint>(
    _ value: Request.APIResponse, for request: Request, behavior: StubBehavior = .immediate
  ) {
    register(value, for: StubRequestKey(request), behavior: behavior)
  }

  /// Registers an error for a method and a path, in place of what was registered before.
  public func registerFailure(
    _ error: NetworkError, for key: StubRequestKey, behavior: StubBehavior = .immediate
  ) {
    register(Stub(outcome: .failure(error), behavior: behavior), key)
  }

  /// Registers an error for the method and path of an endpoint.
  public func registerFailure(
    _ error: NetworkError, for request: some Endpoint, behavior: StubBehavior = .immediate
  ) {
    registerFailure(error, for: StubRequestKey(request), behavior: behavior)
  }

  /// Registers an answer with a status that is not accepted, in place of what was registered before: requests fail with
  /// `NetworkError.statusCode`.
  ///
  /// - Parameters:
  ///   - status: The status code, 100 to 999; with any other, requests fail with a `configuration` error that names it.
  ///   - body: The body of the response in the error. Default: empty, as in errors of a client that does not capture
  ///     failure payloads.
  ///   - key: The method and the path.
  ///   - behavior: When it is given. Default ``StubBehavior/immediate``.
  public func registerFailure(
    status: Int, body: Data = Data(), for key: StubRequestKey, behavior: StubBehavior = .immediate
  ) {
    guard let head = HTTPStatus(code: status).map({ ResponseHead(status: $0) }) else {
      let reason = "the stub for \(key) has the status \(status), which is not in 100...999"
      return registerFailure(.configuration(reason: .invalidRequest(reason)), for: key, behavior: behavior)
    }
    let response = Response(statusCode: status, data: body, request: nil, response: head)
    registerFailure(.statusCode(response), for: key, behavior: behavior)
  }

  /// Registers an answer with a status that is not accepted for the method and path of an endpoint.
  public func registerFailure(
    status: Int, body: Data = Data(), for request: some Endpoint, behavior: StubBehavior = .immediate
  ) {
    registerFailure(status: status, body: body, for: StubRequestKey(request), behavior: behavior)
  }

  private func register(_ stub: Stub, _ key: StubRequestKey) { state.mutate { $0.stubs[key] = stub } }

  // MARK: Requests

  /// The key of every request and upload so far, in order, whether something was registered for it or not.
  public var receivedKeys: [StubRequestKey] { state.read { $0.received } }

  /// Waits until there were at least `count` requests and uploads, and returns the keys of all.
  ///
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func waitForRequests(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [StubRequestKey] {
    try await state.wait(
      for: "\(count) requests", within: limit, describe: { "\($0.received)" }, until: { $0.received.count >= count }
    ).received
  }

  /// Gives the registered response, or asks the fallback.
  ///
  /// - Throws: The registered error; `cancelled` when the task is cancelled while it waits; a `configuration` error that
  ///   names the method, the path and what is registered when there is neither a registration nor a fallback.
  public func request<T: APIDefinition>(
    _ request: T, tag: CancellationTag?
  ) async throws(NetworkError) -> T.APIResponse {
    if let response = try await registered(request) { return response }
    guard let fallback else { throw missing(request) }
    return try await fallback.request(request, tag: tag)
  }

  /// Gives the registered response, or asks the upload fallback.
  ///
  /// - Throws: As ``request(_:tag:)``.
  public func upload<T: MultipartAPIDefinition>(
    _ request: T, tag: CancellationTag?
  ) async throws(NetworkError) -> T.APIResponse {
    if let response = try await registered(request) { return response }
    guard let uploadFallback else { throw missing(request) }
    return try await uploadFallback.upload(request, tag: tag)
  }

  private func registered<T: Endpoint>(_ request: T) async throws(NetworkError) -> T.APIResponse? {
    let key = StubRequestKey(request)
    let stub = state.mutate { state in
      state.received.append(key)
      return state.stubs[key]
    }
    guard let stub else { return nil }
    try await wait(stub.behavior)
    let value = try stub.outcome.get()
    guard let response = value as? T.APIResponse else {
      throw .configuration(
        reason: .invalidRequest("the stub for \(key) is a \(type(of: value)), not a \(T.APIResponse.self)"))
    }
    return response
  }

  private func wait(_ behavior: StubBehavior) async throws(NetworkError) {
    switch behavior {
    case .immediate: break
    case .never: await OneShot<Void>().wait(valueWhenCancelled: {})
    case .delayed(let seconds):
      do {
        try await clock.sleep(for: Self.delay(seconds))
      } catch is CancellationError {
        throw NetworkError.cancelled
      } catch {
        throw NetworkError.underlying(
          SendableUnderlyingError(
            domain: "LinnetTestSupport", code: 1, message: "the delay of a stub failed: \(error)"), nil)
      }
    }
    if Task.isCancelled { throw .cancelled }
  }

  /// Seconds that `Duration` can hold, whatever was given.
  private static func delay(_ seconds: Double) -> Duration {
    guard seconds.isFinite, seconds > 0 else { return .zero }
    return .seconds(min(seconds, 1_000_000_000))
  }

  private func missing(_ request: some Endpoint) -> NetworkError {
    let registered = state.read { $0.stubs.keys.map(\.description) }.sorted()
    let list = registered.isEmpty ? "nothing" : registered.joined(separator: ", ")
    return .configuration(
      reason: .invalidRequest("no stub is registered for \(StubRequestKey(request)); registered: \(list)"))
  }
}
