internal import LinnetBytes

/// A value that one task waits for and somebody else gives, in either order, from any thread.
///
/// It is "store, then start" in one place: the value is kept when it comes before the waiter, and the first of value and
/// cancellation wins.
package final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    /// *Exits:* waiting, full.
    case empty
    /// *Exits:* done.
    case waiting(CheckedContinuation<Value, Never>)
    /// *Exits:* done.
    case full(Value)
    case done
  }

  private let state = Lock(State.empty)

  package init() {}

  /// Gives the value. False when there is one already; then this one is dropped.
  @discardableResult
  package func fulfil(_ value: Value) -> Bool {
    let (isFirst, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Value, Never>?) in
      switch state {
      case .empty:
        state = .full(value)
        return (true, nil)
      case .waiting(let continuation):
        state = .done
        return (true, continuation)
      case .full, .done:
        return (false, nil)
      }
    }
    waiter?.resume(returning: value)
    return isFirst
  }

  /// Waits for the value. For one task, once.
  ///
  /// - Parameter valueWhenCancelled: Called at once when the task is cancelled; its result is the value unless one came
  ///   before.
  package func wait(valueWhenCancelled: @escaping @Sendable () -> Value) async -> Value {
    let value = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let present = state.withLock { state -> Value? in
          if case .full(let value) = state {
            state = .done
            return value
          }
          state = .waiting(continuation)
          return nil
        }
        if let present { continuation.resume(returning: present) }
      }
    } onCancel: {
      fulfil(valueWhenCancelled())
    }
    state.confirmHandOver()
    return value
  }
}
