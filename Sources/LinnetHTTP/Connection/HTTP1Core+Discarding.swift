internal import LinnetBytes
internal import LinnetProtocols

/// What becomes of a response that nobody wants any more.
extension HTTP1Core {
  mutating func abandon(_ id: ExchangeID, isCancelled: Bool, now: Instant, effects: inout Effects) {
    guard exchange?.id == id else { return }
    if !isCancelled, drain(id, upTo: Self.discardLimit, now: now, effects: &effects) { return }
    fail(.cancelled, effects: &effects)
  }

  /// Reads what is left of a response that nobody wants, so that the connection can be used again. When that turns out to be
  /// more than `limit`, the exchange ends for its consumer, and up to ``discardLimit`` is read without him.
  ///
  /// - Returns: Whether that is done. False: the connection cannot be kept, or more is known to be left than `limit`.
  mutating func drain(_ id: ExchangeID, upTo limit: Int, now: Instant, effects: inout Effects) -> Bool {
    guard let current = exchange, current.id == id, current.isRequestComplete, current.sendFailure == nil,
      current.isHeadReceived, !closesAfterExchange, machine.mayBeReusable,
      machine.remainingBodyBytes.map({ $0 <= UInt64(clamping: limit) }) ?? true
    else { return false }
    exchange?.discardBudget = limit
    exchange?.unawaitedBudget = max(0, Self.discardLimit - limit)
    hurry(id, within: ResponseChannel.restPatience, now: now)
    exchange?.isPaused = false
    exchange?.lastProgress = now
    receive(now: now, effects: &effects)
    return true
  }

  /// Gives the rest of a response so much time. Its exchange fails then, and the connection is closed.
  mutating func hurry(_ id: ExchangeID, within patience: Duration, now: Instant) {
    guard let current = exchange, current.id == id else { return }
    exchange?.restDeadline = min(current.restDeadline ?? .distantFuture, now.advanced(by: patience))
  }

  /// Throws a part of the body away. Returns false when the connection was closed.
  mutating func discard(_ chunk: ByteChunk, _ budget: Int, _ effects: inout Effects) -> Bool {
    var budget = budget
    if chunk.count > budget, let current = exchange, current.unawaitedBudget > 0 {
      // Too much to be waited for; the connection may still be kept.
      budget += current.unawaitedBudget
      exchange?.unawaitedBudget = 0
      effects.ended = (current.channel, .failed(.bodyDropped))
    }
    guard chunk.count <= budget else {
      close(effects: &effects)
      return false
    }
    exchange?.discardBudget = budget - chunk.count
    return true
  }
}
