internal import LinnetBytes

/// The pause before the next dial, for a peer that said that it has too much to do.
///
/// For ``PoolMachine`` only. Not random: the dials of one pool are few, and what spreads the load of many clients is that
/// each of them heard the peer at another time.
struct DialBackoff: Sendable {
  /// When the next dial may start; nil when one may start now. Stays set until ``pass(now:)`` is told a later time, so
  /// that whoever tells it also starts the dials that were held back.
  private(set) var until: Instant?
  /// How long the latest pause is; nil when the peer has recovered.
  private var interval: Duration?
  /// Signs of overload so far. A connection keeps the number at its start: one with the current number was established
  /// after the latest sign.
  private(set) var signs: UInt64 = 0

  /// The peer is overloaded: a pause, twice as long as the one before. What comes within a pause belongs to the sign that
  /// began it: a server tells all its connections at once.
  mutating func extend(limits: PoolLimits, now: Instant) {
    signs &+= 1
    if let until, now < until { return }
    let longest = max(.zero, limits.maximumBackoff)
    var next = min(longest, max(.zero, limits.firstBackoff))
    if let interval { next = interval > longest - interval ? longest : interval + interval }
    interval = next
    until = now.advanced(by: next)
  }

  /// Ends the pause when its time has come. The next sign still doubles it.
  mutating func pass(now: Instant) {
    if let end = until, end <= now { until = nil }
  }

  /// The peer served a stream on a connection that was established after so many signs; if that includes the latest,
  /// it has recovered.
  mutating func served(signsBefore: UInt64) {
    guard interval != nil, signsBefore == signs else { return }
    interval = nil
    until = nil
  }
}
