internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetIO
internal import LinnetProtocols

/// Deadlines of the exchanges and of the connection's sign of life.
///
/// Each exchange has one entry in a heap: its earliest deadline when that was last looked at. Progress moves deadlines
/// back without touching the entry; an entry that comes up early is looked at again. So a chunk of a body costs nothing
/// here, and a thousand exchanges cost no scan.
extension HTTP2Core {
  private enum DeadlineKind {
    case total
    case head
    case idle
    case continueWait
  }

  private func nextDeadline(of exchange: HTTP2Exchange) -> (at: Instant, kind: DeadlineKind)? {
    var earliest: (at: Instant, kind: DeadlineKind) = (exchange.totalDeadline, .total)
    if let at = exchange.continueDeadline, at < earliest.at { earliest = (at, .continueWait) }
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

  /// Whether it is the peer's turn to move bytes of this exchange.
  private func isPeerDue(_ exchange: HTTP2Exchange) -> Bool {
    if exchange.requestSentAt == nil, session.unsentBytes(on: exchange.stream) > 0 || exchange.isRequestComplete {
      return true
    }
    return exchange.isHeadReceived && exchange.unconsumed == 0
  }

  /// Makes sure that the heap has an entry no later than the exchange's earliest deadline.
  mutating func rearm(_ stream: HTTP2StreamID) {
    guard let exchange = exchanges[stream], let next = nextDeadline(of: exchange) else { return }
    if let armed = exchange.deadline {
      if armed.at <= next.at { return }
      deadlines.cancel(armed.id)
    }
    exchange.deadline = (deadlines.insert(stream.rawValue, at: next.at), next.at)
  }

  /// When the connection must be looked at.
  func nextDeadline() -> Instant? {
    var earliest = deadlines.nextDeadline ?? .distantFuture
    if let keepAlive = keepAliveDeadline { earliest = min(earliest, keepAlive) }
    return earliest == .distantFuture ? nil : earliest
  }

  /// When a PING is due, or its answer is overdue.
  private var keepAliveDeadline: Instant? {
    if let pingSentAt { return pingSentAt.advanced(by: configuration.keepAliveTimeout) }
    guard !exchanges.isEmpty, let interval = keepAliveInterval else { return nil }
    return lastRead.advanced(by: interval)
  }

  /// Acts on everything that is due.
  mutating func timerFired(now: Instant, effects: inout Effects) {
    // A process that was stopped, or whose shard was busy, must not take its own silence for the peer's.
    if isAnythingDue(now: now) {
      transport?.isReadable = true
      transport?.isWritable = true
      progress(now: now, effects: &effects)
    }
    while transport != nil, let stream = deadlines.popExpired(now: now) {
      look(at: HTTP2StreamID(rawValue: stream), now: now, effects: &effects)
    }
    checkLiveness(now: now, effects: &effects)
    flush(now: now, effects: &effects)
  }

  /// Acts on an exchange whose entry came up.
  private mutating func look(at stream: HTTP2StreamID, now: Instant, effects: inout Effects) {
    guard let exchange = exchanges[stream] else { return }
    exchange.deadline = nil
    guard let next = nextDeadline(of: exchange) else { return }
    if next.at > now { return rearm(stream) }
    guard next.kind == .continueWait else { return timeOut(exchange, next.kind, now: now, effects: &effects) }
    exchange.continueDeadline = nil
    if let waiter = exchange.channel.append(.continueExpired) { effects.wakes.append(waiter) }
    rearm(stream)
  }

  private func isAnythingDue(now: Instant) -> Bool {
    guard let next = nextDeadline() else { return false }
    return next <= now
  }

  private mutating func timeOut(
    _ exchange: HTTP2Exchange, _ kind: DeadlineKind, now: Instant, effects: inout Effects
  ) {
    fail(exchange.stream, failure(kind, exchange), code: .cancel, effects: &effects)
    // Not one byte came on the whole connection while the request waited, or never more than its SETTINGS: it may be
    // dead. Until it shows a sign of life new requests go elsewhere.
    if lastRead <= exchange.startedAt || !hasResponded {
      isSuspect = true
      ping(now: now)
      tellStreamLimit(&effects)
    }
  }

  private func failure(_ kind: DeadlineKind, _ exchange: HTTP2Exchange) -> TransportFailure {
    let code: TransportError.Code
    let reason: String
    switch kind {
    case .total, .continueWait:
      code = .totalTimeout
      reason = "the request took longer than its total timeout\(Self.text(exchange.timeouts.total))"
    case .head:
      code = .headTimeout
      reason = "no response head came within its timeout\(Self.text(exchange.timeouts.responseHead))"
    case .idle:
      code = .idleTimeout
      reason = "no bytes moved for longer than the idle timeout\(Self.text(exchange.timeouts.idle))"
    }
    return TransportFailure(
      code: code, phase: kind == .head ? .head : phase(of: exchange), reason: reason, sent: sentState(of: exchange))
  }

  private static func text(_ duration: Duration?) -> String { duration.map { " of \($0.shortText)" } ?? "" }

  private mutating func checkLiveness(now: Instant, effects: inout Effects) {
    guard transport != nil, let deadline = keepAliveDeadline, deadline <= now else { return }
    guard let pingSentAt else {
      ping(now: now)
      return
    }
    // Something else came meanwhile: alive, if busy.
    if lastRead > pingSentAt {
      self.pingSentAt = nil
      return
    }
    failAll(
      TransportFailure(
        code: .connectionLost, phase: .head,
        reason: "the server gave no sign of life within \(configuration.keepAliveTimeout.shortText)"),
      effects: &effects)
  }
}
