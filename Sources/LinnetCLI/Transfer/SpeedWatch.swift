/// Notices a transfer that is too slow (`--speed-limit`, `--speed-time`). Pure: it is told the time and the bytes.
///
/// A transfer is too slow when every window of a second was below the limit for the whole of the given time. One second
/// that reaches the limit starts the time anew.
package struct SpeedWatch: Sendable {
  private let bytesPerSecond: UInt64
  private let allowed: Duration
  private var windowStart: Duration
  private var windowBytes: UInt64 = 0
  /// When the transfer was last fast enough.
  private var fastUntil: Duration
  private let window: Duration

  /// - Parameter start: The time since any fixed moment.
  package init(bytesPerSecond: UInt64, allowed: Duration, start: Duration) {
    self.bytesPerSecond = bytesPerSecond
    self.allowed = allowed
    windowStart = start
    fastUntil = start
    window = min(.seconds(1), allowed)
  }

  /// When to look again.
  package var nextLook: Duration { windowStart + window }

  /// Looks at the bytes that have passed since the start, in both directions.
  ///
  /// - Returns: Whether the transfer has been too slow for too long.
  package mutating func isTooSlow(total: UInt64, at now: Duration) -> Bool {
    let elapsed = now - windowStart
    guard elapsed >= window else { return false }
    let passed = total >= windowBytes ? total - windowBytes : 0
    if Double(passed) / elapsed.inSeconds >= Double(bytesPerSecond) { fastUntil = now }
    windowStart = now
    windowBytes = total
    return now - fastUntil >= allowed
  }
}
