package import LinnetBytes

/// Runs `body` and returns at once when the deadline passes or the task is cancelled; then `body` is cancelled too, and
/// what it still does is not waited for.
///
/// `body` runs in a task of its own: use it where waiting is the rule (name look-ups, handshakes), not on a hot path.
package nonisolated(nonsending) func withDeadline<R: Sendable, E: Error>(
  _ deadline: Instant, on shard: IOShard, timedOut: E, cancelled: E,
  _ body: @escaping @Sendable () async throws(E) -> R
) async throws(E) -> R {
  let outcome = OneShot<Result<R, E>>()
  let task = Task {
    do throws(E) { outcome.fulfil(.success(try await body())) } catch { outcome.fulfil(.failure(error)) }
  }
  let alarm = DeadlineAlarm {
    outcome.fulfil(.failure(timedOut))
    task.cancel()
  }
  let timer = deadline == .distantFuture ? nil : shard.schedule(alarm, at: deadline)
  let result = await outcome.wait {
    task.cancel()
    return .failure(cancelled)
  }
  if let timer { shard.cancel(timer) }
  return try result.get()
}

private final class DeadlineAlarm: TimerReceiver {
  private let ring: @Sendable () -> Void

  init(_ ring: @escaping @Sendable () -> Void) { self.ring = ring }

  func timerFired(_ timer: ShardTimer, now: Instant) { ring() }
}
