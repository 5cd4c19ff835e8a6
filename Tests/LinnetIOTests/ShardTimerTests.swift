import LinnetBytes
import LinnetIO
import Testing

@Suite struct ShardTimerTests {
  @Test("Timers fire in the order of their deadlines, whatever the order of scheduling")
  func order() async {
    let clock = ManualClock()
    let shard = IOShard(label: "test.timers", clock: clock)
    let fired = Mailbox<Int>()
    var generator = SystemRandomNumberGenerator()
    for name in (1...100).shuffled(using: &generator) {
      _ = shard.schedule(
        TimerRecorder(name, shared: fired), at: clock.now.advanced(by: .milliseconds(name)))
    }
    clock.advance(by: .milliseconds(100), shard)
    for name in 1...100 { #expect(await fired.next() == name) }
    #expect(shard.timerCount == 0)
    await shard.shutDown()
  }

  @Test("A timer never fires early, and the next one waits for its own deadline")
  func neverEarly() async {
    let clock = ManualClock()
    let shard = IOShard(label: "test.timers", clock: clock)
    let first = TimerRecorder()
    let second = TimerRecorder()
    let start = clock.now
    let early = shard.schedule(first, at: start.advanced(by: .seconds(10)))
    _ = shard.schedule(second, at: start.advanced(by: .seconds(20)))
    clock.advance(by: .nanoseconds(9_999_999_999), shard)
    await Task(executorPreference: shard) {}.value
    #expect(first.mailbox.pending.isEmpty)
    clock.advance(by: .nanoseconds(1), shard)
    let (_, timer, now) = await first.mailbox.next()
    #expect(timer == early)
    #expect(now == start.advanced(by: .seconds(10)))
    #expect(second.mailbox.pending.isEmpty)
    await shard.shutDown()
  }

  @Test("A cancelled timer does not fire, and its name is not valid for a later one")
  func cancelled() async {
    let clock = ManualClock()
    let shard = IOShard(label: "test.timers", clock: clock)
    let cancelled = TimerRecorder()
    let kept = TimerRecorder()
    let old = shard.schedule(cancelled, at: clock.now.advanced(by: .seconds(1)))
    shard.cancel(old)
    let new = shard.schedule(kept, at: clock.now.advanced(by: .seconds(1)))
    #expect(old != new)
    shard.cancel(old)
    clock.advance(by: .seconds(1), shard)
    #expect(await kept.mailbox.next().timer == new)
    #expect(cancelled.mailbox.pending.isEmpty)
    await shard.shutDown()
  }

  @Test("100,000 timers that are cancelled leave nothing behind")
  func cancelledTimersLeave() async {
    let shard = IOShard(label: "test.timers")
    let receiver = TimerRecorder()
    let deadline = shard.now.advanced(by: .seconds(60))
    for _ in 0..<100_000 { shard.cancel(shard.schedule(receiver, at: deadline)) }
    #expect(shard.timerCount == 0)
    await shard.shutDown()
  }

  @Test("Real time: an idle shard wakes for a timer, also for one that is earlier than the one it waits for")
  func realTime() async {
    let shard = ShardGroup.shared.next()
    let late = TimerRecorder()
    let soon = TimerRecorder()
    let far = shard.schedule(late, at: shard.now.advanced(by: .seconds(30)))
    await Task(executorPreference: shard) {}.value
    let deadline = shard.now.advanced(by: .milliseconds(5))
    _ = shard.schedule(soon, at: deadline)
    #expect(await soon.mailbox.next().now >= deadline)
    #expect(late.mailbox.pending.isEmpty)
    shard.cancel(far)
  }

  @Test("A receiver may schedule and cancel timers while it is told")
  func reentrant() async {
    final class Chain: TimerReceiver {
      let shard: IOShard
      let done = Mailbox<Int>()
      private let left = Lock(50)
      init(_ shard: IOShard) { self.shard = shard }
      func timerFired(_ timer: ShardTimer, now: Instant) {
        shard.cancel(timer)
        let left = left.withLock { left in
          left -= 1
          return left
        }
        if left == 0 { done.post(left) } else { _ = shard.schedule(self, at: now) }
      }
    }
    let chain = Chain(ShardGroup.shared.next())
    _ = chain.shard.schedule(chain, at: chain.shard.now)
    #expect(await chain.done.next() == 0)
  }
}
