package import LinnetHTTP
internal import LinnetPolicies

/// What an attempt tells the retry loop, also when it fails.
package struct AttemptRecord: Sendable {
  /// The request of the attempt, as soon as it is prepared: by it the loop judges whether a repeat is harmless.
  package var request: HTTPRequest?

  package init() {}
}

/// The loop around the attempts of one call.
///
/// Everything that belongs to an attempt is inside the closure: building the request, interceptors, the exchange, the
/// check of the status and decoding; so each attempt is signed and dated anew.
package struct RetryStage: Sendable {
  private let policy: (any RetryPolicy)?

  /// - Parameter policy: The endpoint's policy or the client's; nil tries once.
  package init(policy: (any RetryPolicy)?) { self.policy = policy }

  /// Runs attempts until one succeeds or the failure is final.
  ///
  /// - Parameters:
  ///   - call: The call; its `retryIndex` is set for each attempt.
  ///   - events: Where a repeat is announced, before its wait.
  ///   - attempt: One attempt. It sets the record's request when it has one.
  /// - Throws: The error of the last attempt, unchanged; `cancelled` when the task is cancelled while it waits.
  package func execute<Value>(
    call: CallContext, events: RequestEvents,
    attempt: (CallContext, inout AttemptRecord) async throws(NetworkError) -> Value
  ) async throws(NetworkError) -> Value {
    var call = call
    var machine = policy.map { RetryMachine(limits: RetryMachine.Limits($0)) }
    while true {
      var record = AttemptRecord()
      let failure: NetworkError
      do throws(NetworkError) {
        return try await attempt(call, &record)
      } catch {
        failure = error
      }
      guard let policy, case .wait(let seconds) = machine?.attemptFailed(failure, record, policy: policy) else {
        throw failure
      }
      events.retryScheduled(retryIndex: call.retryIndex, delay: seconds, reason: failure)
      call.retryIndex += 1
      try await wait(seconds, clock: call.clock)
    }
  }

  private func wait(_ seconds: Double, clock: any PolicyClock) async throws(NetworkError) {
    guard !Task.isCancelled else { throw .cancelled }
    guard seconds > 0 else { return }
    do {
      try await clock.sleep(until: clock.now.advanced(by: Duration(clampingSeconds: seconds)))
    } catch {
      throw .cancelled
    }
  }
}

extension RetryMachine.Limits {
  init(_ policy: any RetryPolicy) {
    self.init(
      maximumRetries: min(policy.maxRetries, policy.maxTotalRetries), maximumRequestedWait: policy.maxRetryAfterDelay)
  }
}

extension RetryMachine {
  /// Asks the policy, and decides.
  fileprivate mutating func attemptFailed(
    _ error: NetworkError, _ record: AttemptRecord, policy: any RetryPolicy
  ) -> Decision {
    guard hasRetriesLeft, let cause = Cause(error, request: record.request) else { return .end }
    let vote: Vote =
      switch policy.shouldRetry(
        error: error, retryIndex: retryIndex, request: record.request, response: error.response?.response)
      {
      case .noRetry: .end
      case .retry: .repeat
      case .retryAfter(let seconds): .repeatAfter(seconds)
      }
    guard vote != .end else { return .end }
    return attemptFailed(
      cause, repeatability: Repeatability(of: record.request, under: policy.idempotencyPolicy), vote: vote,
      backoff: policy.retryDelay(for: retryIndex))
  }
}

extension RetryMachine.Cause {
  /// Nil for what is never repeated.
  init?(_ error: NetworkError, request: HTTPRequest?) {
    if let open = error.circuitBreakerOpenError {
      self = .breakerOpen(retryAfter: open.retryAfter.seconds)
      return
    }
    switch error {
    case .configuration, .decoding, .trustEvaluationFailed, .cancelled: return nil
    case .statusCode, .underlying, .reachability, .timeout:
      self = .transient(isUnsent: error.isProvenUnsent(of: request))
    }
  }
}

extension RetryMachine.Repeatability {
  init(of request: HTTPRequest?, under policy: RetryIdempotencyPolicy) {
    if let body = request?.body, !body.isReplayable {
      self = .impossible
    } else {
      self = policy.allowsRetry(for: request) ? .harmless : .harmful
    }
  }
}

extension NetworkError {
  /// Whether no byte of `request` reached the network.
  ///
  /// The error may be of another exchange of the same attempt, after a redirect; then the request itself was sent, and
  /// nothing is proven about it.
  func isProvenUnsent(of request: HTTPRequest?) -> Bool {
    guard let transport, transport.sent == .nothing else { return false }
    guard let request, let url = transport.url else { return true }
    guard let sent = try? HTTPURL(request.url), let failed = try? HTTPURL(url) else { return false }
    return transport.method.map { $0 == request.method } ?? true
      && sent.removingUserinfo() == failed.removingUserinfo()
  }
}
