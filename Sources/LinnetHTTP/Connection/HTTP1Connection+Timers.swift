internal import LinnetBytes
internal import LinnetIO

/// Deadlines of the exchange in flight, on one lazily armed timer of the shard.
///
/// A keep-alive connection moves its deadline with every request; the timer is only armed when it would fire later than
/// needed, and when it fires early it looks again. So a request costs no timer operation in the steady state.
extension HTTP1Core {
  enum DeadlineKind {
    case total
    case head
    case idle
    case continueWait
    case rest
  }

  /// The earliest deadline of the exchange.
  func nextDeadline() -> (at: Instant, kind: DeadlineKind)? {
    guard let exchange else { return nil }
    var earliest: (at: Instant, kind: DeadlineKind) = (exchange.totalDeadline, .total)
    if let continueDeadline = exchange.continueDeadline, continueDeadline < earliest.at {
      earliest = (continueDeadline, .continueWait)
    }
    if let restDeadline = exchange.restDeadline, restDeadline < earliest.at {
      earliest = (restDeadline, .rest)
    }
    if let idle = exchange.timeouts.idle, isPeerDue(exchange) {
      let at = exchange.lastProgress.advanced(by: idle)
      if at < earliest.at { earliest = (at, .idle) }
    }
    if let head = exchange.timeouts.responseHead, !exchange.isHeadReceived, let sent = exchange.requestSentAt {
      let at = sent.advanced(by: head)
      if at < earliest.at { earliest = (at, .head) }
    }
    return earliest.at == .distantFuture ? nil : earliest
  }

  /// Whether it is the peer's turn to move bytes: time in which our own side is slow does not count as silence.
  private func isPeerDue(_ exchange: ActiveExchange) -> Bool {
    if !output.isEmpty || hasPendingCiphertext { return true }
    return exchange.isHeadReceived && !exchange.isPaused
  }

  func timeoutFailure(_ kind: DeadlineKind) -> TransportFailure? {
    guard let exchange else { return nil }
    let failure: TransportFailure
    switch kind {
    case .continueWait, .rest:
      return nil
    case .total:
      failure = TransportFailure(
        code: .totalTimeout, phase: phase,
        reason: "the request took longer than its total timeout\(Self.text(exchange.timeouts.total))")
    case .head:
      failure = TransportFailure(
        code: .headTimeout, phase: .head,
        reason: "no response head came within its timeout\(Self.text(exchange.timeouts.responseHead))")
    case .idle:
      failure = TransportFailure(
        code: .idleTimeout, phase: phase,
        reason: "no bytes moved for longer than the idle timeout\(Self.text(exchange.timeouts.idle))")
    }
    return failure.with(sent: sentState)
  }

  private static func text(_ duration: Duration?) -> String { duration.map { " of \($0.shortText)" } ?? "" }
}

extension HTTP1Connection: TimerReceiver {
  nonisolated func armTimer(_ core: inout HTTP1Core, now: Instant) {
    guard let deadline = core.nextDeadline()?.at else { return }
    if core.timer != nil && core.timerAt <= deadline { return }
    if let timer = core.timer { shard.cancel(timer) }
    core.timerAt = deadline
    core.timer = shard.schedule(self, at: deadline)
  }

  nonisolated func timerFired(_ timer: ShardTimer, now: Instant) {
    withCore { core, effects, _ in
      guard core.timer == timer else { return }
      core.timer = nil
      if let (at, kind) = core.nextDeadline(), at <= now, kind == .idle || kind == .head {
        core.catchUp(now: now, effects: &effects)
      }
      guard let (at, kind) = core.nextDeadline(), at <= now else { return }
      if kind == .continueWait {
        core.exchange?.continueDeadline = nil
        if let waiter = core.exchange?.channel.append(.continueExpired) { effects.wakes.append(waiter) }
      } else if kind == .rest {
        core.close(effects: &effects)
      } else if let failure = core.timeoutFailure(kind) {
        core.fail(failure, effects: &effects)
      }
    }
  }
}
