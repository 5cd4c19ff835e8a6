public import FoundationEssentials
public import LinnetHTTP

/// Wraps one exchange with a server: to observe it, to delay it, to limit how many run, or to answer in its place.
///
/// A policy cannot change the request; that is what a ``RequestInterceptor`` is for. What it returns goes on as the
/// response of the exchange. A policy runs for each attempt and each replay, and not for an answer from the cache.
///
/// ```swift
/// struct Stopwatch: RequestExecutionPolicy {
///   func execute(
///     input: RequestExecutionInput, context: RequestExecutionContext, next: RequestExecutionNext
///   ) async throws -> Response {
///     let start = ContinuousClock.now
///     let response = try await next.execute()
///     print(input.request.url, ContinuousClock.now - start)
///     return response
///   }
/// }
/// ```
public protocol RequestExecutionPolicy: Sendable {
  /// Runs the exchange, or does without.
  ///
  /// - Parameters:
  ///   - input: The request as it will be sent.
  ///   - context: What belongs to the call.
  ///   - next: The rest: the policies further in, circuit breaker, coalescing, transport. It may be run any number of
  ///     times. A policy that does not run it bypasses all of them.
  /// - Throws: Anything; a ``NetworkError`` reaches the caller as it is, another error as ``NetworkError/underlying(_:_:)``.
  func execute(
    input: RequestExecutionInput, context: RequestExecutionContext, next: RequestExecutionNext
  ) async throws -> Response
}

/// What a ``RequestExecutionPolicy`` runs.
public struct RequestExecutionInput: Sendable {
  /// The request as it will be sent: after interceptors, tokens and signatures.
  public let request: HTTPRequest
  /// The id of the call, the same for all its attempts and events.
  public let requestID: UUID
  /// 0 for the first attempt.
  public let retryIndex: Int

  /// An input made by hand, for tests of policies.
  public init(request: HTTPRequest, requestID: UUID, retryIndex: Int) {
    self.request = request
    self.requestID = requestID
    self.retryIndex = retryIndex
  }
}

/// What belongs to the call that a ``RequestExecutionPolicy`` runs for.
public struct RequestExecutionContext: Sendable {
  /// The id of the call, the same for all its attempts and events.
  public let requestID: UUID
  /// 0 for the first attempt.
  public let retryIndex: Int
  /// The client's observers.
  public let eventObservers: [any NetworkEventObserving]

  /// A context made by hand, for tests of policies.
  public init(requestID: UUID, retryIndex: Int, eventObservers: [any NetworkEventObserving] = []) {
    self.requestID = requestID
    self.retryIndex = retryIndex
    self.eventObservers = eventObservers
  }
}

/// The rest of the exchange that a ``RequestExecutionPolicy`` wraps.
public struct RequestExecutionNext: Sendable {
  private let body: @Sendable () async throws -> Response

  /// A rest made by hand, for tests of policies.
  public init(_ body: @escaping @Sendable () async throws -> Response) { self.body = body }

  /// Runs the rest, with the request of the call.
  ///
  /// - Throws: ``NetworkError``; a cancelled task gives ``NetworkError/cancelled``.
  public func execute() async throws(NetworkError) -> Response {
    do {
      return try await body()
    } catch {
      throw NetworkError.map(error)
    }
  }
}

/// A ``RequestExecutionPolicy`` whose type does not matter: one that wraps another, or a closure.
public struct AnyRequestExecutionPolicy: RequestExecutionPolicy {
  private let body:
    @Sendable (RequestExecutionInput, RequestExecutionContext, RequestExecutionNext) async throws -> Response

  /// Wraps a policy.
  public init(_ policy: some RequestExecutionPolicy) {
    body = { input, context, next in try await policy.execute(input: input, context: context, next: next) }
  }

  /// Makes a policy of a closure.
  public init(
    _ execute:
      @escaping @Sendable (RequestExecutionInput, RequestExecutionContext, RequestExecutionNext) async throws ->
      Response
  ) {
    body = execute
  }

  /// Runs the wrapped policy or closure.
  ///
  /// - Throws: What it throws.
  public func execute(
    input: RequestExecutionInput, context: RequestExecutionContext, next: RequestExecutionNext
  ) async throws -> Response {
    try await body(input, context, next)
  }
}
