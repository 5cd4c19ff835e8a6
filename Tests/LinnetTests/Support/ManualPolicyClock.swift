import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetTestSupport

/// A clock of policies that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualPolicyClock()
/// // … start something that waits …
/// #expect(try await clock.sleeps.waitForCount(1) == [.seconds(2)])
/// clock.advance(by: .seconds(2))
/// ```
final class ManualPolicyClock: PolicyClock {
  private struct Sleeper {
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now: ContinuousClock.Instant
    var wallTime: Date
    var sleepers: [Int: Sleeper] = [:]
    var nextID = 0
  }

  /// Every sleep that was asked for, as soon as it waits.
  let sleeps = EventRecorder<Duration>()
  private let state: Lock<State>
  private let movesItself: Bool

  /// - Parameter movesItself: Whether a sleep moves the clock to its end and returns at once.
  init(wallTime: Date = Date(timeIntervalSince1970: 784_111_777), movesItself: Bool = false) {
    state = Lock(State(now: .now, wallTime: wallTime))
    self.movesItself = movesItself
  }

  var now: ContinuousClock.Instant { state.withLock { $0.now } }
  var wallTime: Date { state.withLock { $0.wallTime } }
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      state.wallTime += duration.seconds
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume(returning: true) }
  }

  func sleep(until deadline: ContinuousClock.Instant) async throws {
    try Task.checkCancellation()
    let wait = now.duration(to: deadline)
    if movesItself {
      sleeps.record(wait)
      advance(by: wait)
      return
    }
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { $0.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation) }
        sleeps.record(wait)
        // A cancellation, or a move of the clock, before this found nobody.
        advance(by: .zero)
        if Task.isCancelled { wake(id) }
      }
    } onCancel: {
      wake(id)
    }
    if !isOver { throw CancellationError() }
  }

  private func wake(_ id: Int) {
    let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
    sleeper?.continuation.resume(returning: false)
  }
}
