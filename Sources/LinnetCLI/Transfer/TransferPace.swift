/// How long to wait so that no more than a number of bytes a second pass (`--limit-rate`). Pure: it is told the time.
///
/// Each byte takes its share of a second. Time in which nothing passed is not saved up beyond a short burst, so a stall
/// is not followed by a flood.
package struct TransferPace: Sendable {
  /// The unused time that may be caught up with: what the granularity of timers and reads loses.
  package static let burst: Duration = .milliseconds(100)
  /// A day: what is longer is not told apart, and cannot overflow.
  private static let longest = 86_400.0

  private let bytesPerSecond: UInt64
  private var paidUntil: Duration?

  package init(bytesPerSecond: UInt64) { self.bytesPerSecond = max(1, bytesPerSecond) }

  /// How many bytes should pass at once: a tenth of a second's worth, so that the rate is even and a stall is not feigned.
  package var pieceBytes: Int { Int(clamping: min(max(1, bytesPerSecond / 10), 64 << 10)) }

  /// Counts bytes that pass now.
  ///
  /// - Parameter now: The time since any fixed moment.
  /// - Returns: How long to wait before the next bytes.
  package mutating func take(_ count: Int, at now: Duration) -> Duration {
    let cost = Duration.seconds(min(Double(max(0, count)) / Double(bytesPerSecond), Self.longest))
    let earliest = now - Self.burst
    let paid = max(paidUntil ?? now, earliest) + cost
    paidUntil = paid
    return max(.zero, paid - now)
  }
}
