internal import LinnetBytes

/// A wait that did not come true in time; its description says what was awaited and what was seen instead.
public struct WaitTimeout: Error, Sendable, CustomStringConvertible {
  /// What was awaited, in words.
  public let expectation: String
  /// How long the wait lasted.
  public let limit: Duration
  /// The state at the end of the wait, in words.
  public let observed: String

  /// One line for a test's log.
  public var description: String { "waited \(limit) for \(expectation); seen: \(observed)" }
}

/// A value behind a lock whose changes can be awaited: the base of every waiting function of this module.
///
/// Threads change it with ``mutate(_:)``; tasks wait for a condition on it. A waiter is resumed by the change that makes
/// its condition true, so nothing polls and nothing sleeps; the time limit only turns a hang into a readable failure.
final class Observed<Value: Sendable>: Sendable {
  private enum Outcome: Sendable {
    case satisfied(Value)
    case expired(Value)
    case cancelled
  }

  private struct Waiter: Sendable {
    let id: UInt64
    let condition: @Sendable (Value) -> Bool
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private struct State: Sendable {
    var value: Value
    var waiters: [Waiter] = []
    var nextID: UInt64 = 0
  }

  private let state: Lock<State>

  init(_ value: Value) { state = Lock(State(value: value)) }

  var value: Value { state.withLock { $0.value } }

  func read<R>(_ body: (Value) -> R) -> R { state.withLock { body($0.value) } }

  /// Changes the value, then resumes the waiters whose condition the change made true.
  @discardableResult
  func mutate<R>(_ body: (inout Value) -> R) -> R {
    var resumed: [(Waiter, Value)] = []
    let result = state.withLock { state in
      let result = body(&state.value)
      if !state.waiters.isEmpty {
        let value = state.value
        state.waiters.removeAll { waiter in
          guard waiter.condition(value) else { return false }
          resumed.append((waiter, value))
          return true
        }
      }
      return result
    }
    for (waiter, value) in resumed { waiter.continuation.resume(returning: .satisfied(value)) }
    return result
  }

  /// Waits until `condition` holds and returns the value that made it hold.
  ///
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  func wait(
    for expectation: @autoclosure () -> String, within limit: Duration, describe: (Value) -> String,
    until condition: @escaping @Sendable (Value) -> Bool
  ) async throws -> Value {
    let id = state.withLock { state in
      state.nextID &+= 1
      return state.nextID
    }
    let timer = Task { [self] in
      try await Task.sleep(for: limit)
      finish(id) { .expired($0) }
    }
    defer { timer.cancel() }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        register(Waiter(id: id, condition: condition, continuation: continuation))
        // A cancellation before the registration found nothing to finish.
        if Task.isCancelled { finish(id) { _ in .cancelled } }
      }
    } onCancel: {
      finish(id) { _ in .cancelled }
    }
    switch outcome {
    case .satisfied(let value): return value
    case .expired(let value):
      throw WaitTimeout(expectation: expectation(), limit: limit, observed: describe(value))
    case .cancelled: throw CancellationError()
    }
  }

  private func register(_ waiter: Waiter) {
    let satisfied: Value? = state.withLock { state in
      if waiter.condition(state.value) { return state.value }
      state.waiters.append(waiter)
      return nil
    }
    if let satisfied { waiter.continuation.resume(returning: .satisfied(satisfied)) }
  }

  private func finish(_ id: UInt64, with outcome: (Value) -> Outcome) {
    let finished: (Waiter, Value)? = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      return (state.waiters.remove(at: index), state.value)
    }
    if let (waiter, value) = finished { waiter.continuation.resume(returning: outcome(value)) }
  }
}
