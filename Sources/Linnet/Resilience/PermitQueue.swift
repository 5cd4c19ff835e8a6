internal import LinnetBytes

/// A number of permits, given to those who want one in the order in which they came.
final class PermitQueue: Sendable {
  private enum Waiter {
    /// Has a place in the queue, and does not wait yet.
    case arrived
    case waiting(CheckedContinuation<Bool, Never>)
    /// Got a permit, or was cancelled (false), before it waited.
    case settled(Bool)
  }

  private struct State {
    var free: Int
    /// The numbers of those who came, in order; those of cancelled ones stay until they come to the front.
    var order = RingDeque<UInt64>()
    var waiters: [UInt64: Waiter] = [:]
    var nextNumber: UInt64 = 0
  }

  private let state: Lock<State>

  init(count: Int) { state = Lock(State(free: count)) }

  /// How many wait.
  var waitingCount: Int {
    state.withLock { state in
      state.waiters.values.reduce(0) { count, waiter in
        if case .waiting = waiter { count + 1 } else { count }
      }
    }
  }

  /// Waits for a permit.
  ///
  /// - Returns: False when the task was cancelled before it had one; then there is nothing to release.
  func acquire() async -> Bool {
    guard !Task.isCancelled else { return false }
    let number: UInt64? = state.withLock { state in
      // Nobody waits while a permit is free: `release` hands it on.
      if state.free > 0 {
        state.free -= 1
        return nil
      }
      state.nextNumber &+= 1
      state.waiters[state.nextNumber] = .arrived
      state.order.append(state.nextNumber)
      return state.nextNumber
    }
    guard let number else { return true }
    let isAcquired = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if let isAcquired = wait(number, continuation) { continuation.resume(returning: isAcquired) }
      }
    } onCancel: {
      cancel(number)
    }
    state.confirmHandOver()
    return isAcquired
  }

  /// Gives a permit back, to whoever came first.
  func release() {
    let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
      while let number = state.order.popFirst() {
        switch state.waiters[number] {
        case .arrived:
          state.waiters[number] = .settled(true)
          return nil
        case .waiting(let continuation):
          state.waiters[number] = nil
          return continuation
        case .settled, nil: continue
        }
      }
      state.free += 1
      return nil
    }
    next?.resume(returning: true)
  }

  /// The answer, when it is known already.
  private func wait(_ number: UInt64, _ continuation: CheckedContinuation<Bool, Never>) -> Bool? {
    state.withLock { state in
      if case .settled(let isAcquired) = state.waiters[number] {
        state.waiters[number] = nil
        return isAcquired
      }
      state.waiters[number] = .waiting(continuation)
      return nil
    }
  }

  private func cancel(_ number: UInt64) {
    let waiting: CheckedContinuation<Bool, Never>? = state.withLock { state in
      switch state.waiters[number] {
      case .arrived:
        state.waiters[number] = .settled(false)
        return nil
      case .waiting(let continuation):
        state.waiters[number] = nil
        return continuation
      // Whoever has a permit keeps it, and gives it back.
      case .settled, nil: return nil
      }
    }
    waiting?.resume(returning: false)
  }
}
