internal import LinnetHTTP
internal import LinnetIO

/// The wait of a request for a mock's answer. It ends as that for a server's does: with the answer, with a timeout that
/// the request names, or because the task was cancelled.
struct HeadWait {
  private enum Outcome: Sendable {
    case answered
    case timedOut(Limit)
    case cancelled
    case failed(any Error)
  }

  private struct Limit: Sendable {
    let duration: Duration
    let code: TransportError.Code
  }

  let request: HTTPRequest
  let url: HTTPURL
  let clock: any Clock<Duration>

  /// Waits until `gate` is open.
  ///
  /// - Throws: Why the wait ended otherwise.
  func untilOpen(_ gate: Gate) async throws(TransportError) {
    if let error = failure(await end(opening: gate)) { throw error }
  }

  /// Waits for an answer that never comes.
  ///
  /// - Returns: Why the wait ended.
  func forever() async -> TransportError { failure(await end(opening: nil)) ?? cancellation }

  private func end(opening gate: Gate?) async -> Outcome {
    let outcome = OneShot<Outcome>()
    let opening = gate.map { gate in
      Task {
        do {
          try await gate.opened()
          outcome.fulfil(.answered)
        } catch {
          outcome.fulfil(.failed(error))
        }
      }
    }
    let timer = shortestTimeout.map { limit in
      Task { [clock] in
        // It throws when it is cancelled below, and then nobody waits any more.
        guard (try? await clock.sleep(for: limit.duration)) != nil else { return }
        outcome.fulfil(.timedOut(limit))
      }
    }
    defer {
      opening?.cancel()
      timer?.cancel()
    }
    return await outcome.wait { .cancelled }
  }

  private func failure(_ outcome: Outcome) -> TransportError? {
    switch outcome {
    case .answered: nil
    case .cancelled: cancellation
    case .timedOut(let limit): error(limit.code, sent: .all, "the mock gave no answer within \(limit.duration)")
    case .failed(let cause): error(.headTimeout, sent: .all, "the mock's gate did not open", cause)
    }
  }

  /// As a client's, which does not know how far its connection had come.
  private var cancellation: TransportError { error(.cancelled, sent: .maybe, "the task was cancelled") }

  /// The shorter one of the limits that the request itself sets.
  private var shortestTimeout: Limit? {
    var limits: [Limit] = []
    if case .after(let duration) = request.options.timeouts.responseHead {
      limits.append(Limit(duration: duration, code: .headTimeout))
    }
    if case .after(let duration) = request.options.timeouts.total {
      limits.append(Limit(duration: duration, code: .totalTimeout))
    }
    return limits.min { $0.duration < $1.duration }
  }

  private func error(
    _ code: TransportError.Code, sent: TransportError.SentState, _ reason: String, _ underlying: (any Error)? = nil
  ) -> TransportError {
    TransportError(
      code: code, phase: .head, sent: sent, reason: reason, method: request.method, url: url, underlying: underlying)
  }
}
