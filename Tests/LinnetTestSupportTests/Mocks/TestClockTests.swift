import FoundationEssentials
import LinnetTestSupport
import Testing

@Suite("TestClock", .timeLimit(.minutes(1)))
struct TestClockTests {
  @Test("it stands still until it is moved, and the calendar moves with it")
  func standing() {
    let clock = TestClock(wallTime: Date(timeIntervalSince1970: 100))
    let start = clock.now
    #expect(clock.now == start)
    clock.advance(by: .milliseconds(1500))
    #expect(start.duration(to: clock.now) == .milliseconds(1500))
    #expect(clock.wallTime == Date(timeIntervalSince1970: 101.5))
  }

  @Test("sleepers wake when their deadline is reached, not before, each at its own")
  func sleepers() async throws {
    let clock = TestClock()
    let woken = EventRecorder<Int>()
    for seconds in [3, 1, 2] {
      Task {
        try await clock.sleep(for: .seconds(seconds))
        woken.record(seconds)
      }
    }
    try await clock.waitForSleepers(3)
    for seconds in 1...3 {
      clock.advance(by: .seconds(1))
      #expect(try await woken.waitForCount(seconds) == Array(1...seconds))
    }
  }

  @Test("a deadline in the past is reached at once, and a cancelled sleeper wakes with an error")
  func edges() async throws {
    let clock = TestClock()
    try await clock.sleep(until: clock.now, tolerance: nil)
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }
}
