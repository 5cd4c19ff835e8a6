internal import LinnetBytes

/// The calls that are under way, so that they can be cancelled from outside.
///
/// A call enters before its task exists and attaches the task afterwards. A cancellation that comes in between is
/// remembered in the entry and reaches the task when it is attached, so no call slips through, and nothing has to be
/// kept about calls and tags of the past.
package final class RequestRegistry: Sendable {
  /// A call in the registry.
  package struct Ticket: Sendable, Hashable {
    fileprivate let number: UInt64
  }

  private struct Entry: Sendable {
    let tag: CancellationTag?
    var isCancelled = false
    var cancel: (@Sendable () -> Void)?
  }

  private struct State: Sendable {
    var nextNumber: UInt64 = 0
    var entries: [UInt64: Entry] = [:]
    var isShutDown = false
  }

  private let state = Lock(State())

  package init() {}

  /// Enters a call; nil after ``shutDown()``.
  package func enter(tag: CancellationTag?) -> Ticket? {
    state.withLock { state in
      guard !state.isShutDown else { return nil }
      let number = state.nextNumber
      state.nextNumber &+= 1
      state.entries[number] = Entry(tag: tag)
      return Ticket(number: number)
    }
  }

  /// Tells how the call is cancelled. `cancel` is called at once when the call was cancelled since it entered; nothing
  /// happens when it left already.
  package func attach(_ ticket: Ticket, cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      guard var entry = state.entries[ticket.number] else { return false }
      entry.cancel = cancel
      state.entries[ticket.number] = entry
      return entry.isCancelled
    }
    if isCancelled { cancel() }
  }

  /// The call ended.
  package func leave(_ ticket: Ticket) {
    state.withLock { state in _ = state.entries.removeValue(forKey: ticket.number) }
  }

  /// Cancels all calls that entered so far.
  package func cancelAll() { cancel { _ in true } }

  /// Cancels the calls that entered with this tag so far.
  package func cancelAll(matching tag: CancellationTag) { cancel { $0.tag == tag } }

  /// Cancels all calls and lets no further one enter.
  package func shutDown() {
    state.withLock { $0.isShutDown = true }
    cancelAll()
  }

  /// For tests: the number of calls that are under way.
  package var count: Int { state.withLock { $0.entries.count } }

  private func cancel(where matches: (Entry) -> Bool) {
    let actions: [@Sendable () -> Void] = state.withLock { state in
      var actions: [@Sendable () -> Void] = []
      for (number, entry) in state.entries where matches(entry) {
        state.entries[number]?.isCancelled = true
        if let cancel = entry.cancel { actions.append(cancel) }
      }
      return actions
    }
    for action in actions { action() }
  }
}
