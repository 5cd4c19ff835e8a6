package import LinnetHTTP

/// Puts the application's policies around an exchange; the first of the list is the outermost.
package struct ExecutionPolicyStage: Sendable {
  private let policies: [any RequestExecutionPolicy]
  private let eventObservers: [any NetworkEventObserving]

  package init(policies: [any RequestExecutionPolicy], eventObservers: [any NetworkEventObserving]) {
    self.policies = policies
    self.eventObservers = eventObservers
  }

  /// Whether the stage does nothing.
  package var isEmpty: Bool { policies.isEmpty }

  package func execute(
    _ request: HTTPRequest, call: CallContext, next: @escaping NextStage
  ) async throws(NetworkError) -> Response {
    try await execute(policies[...], request, call, next)
  }

  private func execute(
    _ policies: ArraySlice<any RequestExecutionPolicy>, _ request: HTTPRequest, _ call: CallContext,
    _ next: @escaping NextStage
  ) async throws(NetworkError) -> Response {
    guard let policy = policies.first else { return try await next(request) }
    do {
      return try await policy.execute(
        input: RequestExecutionInput(request: request, requestID: call.requestID, retryIndex: call.retryIndex),
        context: RequestExecutionContext(
          requestID: call.requestID, retryIndex: call.retryIndex, eventObservers: eventObservers),
        next: RequestExecutionNext { try await execute(policies.dropFirst(), request, call, next) })
    } catch {
      throw .ofUserCode(error)
    }
  }
}
