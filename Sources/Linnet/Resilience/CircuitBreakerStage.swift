internal import LinnetBytes
package import LinnetHTTP
internal import LinnetPolicies

/// Asks the breaker of the request's server before an exchange, and tells it the outcome.
package final class CircuitBreakerStage: Sendable {
  /// The rest of the pipeline, which is told where to note that the exchange was shared.
  package typealias Next = @Sendable (HTTPRequest, OutcomeShare?) async throws(NetworkError) -> Response

  private let policy: CircuitBreakerPolicy
  private let table: Lock<CircuitBreakerTable<Origin>>

  package init(policy: CircuitBreakerPolicy) {
    self.policy = policy
    table = Lock(CircuitBreakerTable(limits: CircuitBreakerMachine.Limits(policy)))
  }

  /// Runs the exchange unless the breaker is open.
  ///
  /// - Throws: ``CircuitBreakerOpenError`` as ``NetworkError/underlying(_:_:)``; otherwise what `next` throws.
  package func execute(_ request: HTTPRequest, call: CallContext, next: Next) async throws(NetworkError) -> Response {
    // A URL without an origin is refused below; there is nothing to count.
    guard let url = try? request.parsedURL() else { return try await next(request, nil) }
    let origin = url.origin
    let now = call.clock.instant
    switch table.withLock({ $0.requestArrived(for: origin, now: now) }) {
    case .rejected(let retryAfter):
      throw NetworkError(openError(request, url, CircuitBreakerOpenError(host: origin.host, retryAfter: retryAfter)))
    case .admitted(let permit):
      return try await exchange(request, permit, origin, call, next)
    }
  }

  private func exchange(
    _ request: HTTPRequest, _ permit: CircuitBreakerMachine.Permit, _ origin: Origin, _ call: CallContext, _ next: Next
  ) async throws(NetworkError) -> Response {
    let share = OutcomeShare()
    var outcome = CircuitBreakerMachine.Outcome.unknown
    defer {
      let now = call.clock.instant
      // What another caller of the same exchange counted is not counted again, but the permit is given back.
      let told = share.isCountedElsewhere ? .unknown : outcome
      table.withLock { $0.exchangeEnded(permit, for: origin, told, now: now) }
    }
    do throws(NetworkError) {
      let response = try await next(request, share)
      outcome = Self.outcome(of: response.statusCode)
      return response
    } catch {
      outcome = self.outcome(of: error)
      throw error
    }
  }

  private static func outcome(of status: Int) -> CircuitBreakerMachine.Outcome {
    switch status {
    case 500...: .failure
    case 400..<500: .rejection
    default: .success
    }
  }

  private func outcome(of error: NetworkError) -> CircuitBreakerMachine.Outcome {
    switch error {
    case .statusCode(let response): Self.outcome(of: response.statusCode)
    case .timeout, .reachability: .failure
    case .trustEvaluationFailed: policy.countsTransportSecurityFailures ? .failure : .unknown
    case .configuration, .decoding, .cancelled: .unknown
    case .underlying(let underlying, _): underlying.transport.map(outcome(of:)) ?? .unknown
    }
  }

  /// The request's own faults and the client's own limits say nothing about the server.
  private func outcome(of error: TransportError) -> CircuitBreakerMachine.Outcome {
    if error.code == .tlsHandshakeFailed || error.code == .certificateRejected {
      return policy.countsTransportSecurityFailures ? .failure : .unknown
    }
    switch error.phase {
    case .request, .pool, .decode: return .unknown
    case .resolve, .connect, .proxy, .tls, .send, .head, .body:
      return error.code == .cancelled || error.code == .requestBodyFailed || error.code == .systemError
        ? .unknown : .failure
    }
  }

  private func openError(_ request: HTTPRequest, _ url: HTTPURL, _ error: CircuitBreakerOpenError) -> TransportError {
    TransportError(
      code: .circuitBreakerOpen, phase: .request, sent: .nothing, reason: error.description, method: request.method,
      url: url, underlying: error)
  }
}

/// Whether the outcome of an exchange that several callers share was counted: the first caller's counts, so that one
/// failure is one failure.
package final class OutcomeShare: Sendable {
  private let countedElsewhere = Lock(false)

  package init() {}

  var isCountedElsewhere: Bool { countedElsewhere.withLock { $0 } }

  func countElsewhere() { countedElsewhere.withLock { $0 = true } }
}

extension CircuitBreakerMachine.Limits {
  init(_ policy: CircuitBreakerPolicy) {
    self.init(
      failureThreshold: policy.failureThreshold, windowSize: policy.windowSize, resetAfter: policy.resetAfter,
      maximumResetAfter: policy.maxResetAfter, probesToClose: policy.numberOfProbesRequiredToClose)
  }
}
