internal import Glibc

/// A door that a test opens: what makes a server wait for an event instead of for a time.
///
/// A script step or a response that has a gate stops there until ``open()`` is called; a test can wait for a gate too
/// (for instance one that the script opens when it gets somewhere).
///
/// ```swift
/// let gate = Gate()
/// let server = try ScriptedServer.start(.handler { _ in ServerResponse.text("late").waiting(for: gate) })
/// // … start the request, check that it is pending …
/// gate.open()
/// ```
public final class Gate: Sendable {
  private struct State: Sendable {
    var isOpen: Bool
    /// Write ends of the pipes of blocked server threads. They are closed only after they were removed from here.
    var wakeDescriptors: [CInt] = []
  }

  private let state: Observed<State>

  /// A gate that is closed unless `isOpen` says otherwise.
  public init(isOpen: Bool = false) { state = Observed(State(isOpen: isOpen)) }

  /// Whether whoever comes now passes.
  public var isOpen: Bool { state.read { $0.isOpen } }

  /// Lets everybody who waits pass, and everybody who comes later.
  public func open() {
    state.mutate { state in
      state.isOpen = true
      var byte: UInt8 = 1
      for descriptor in state.wakeDescriptors { _ = write(descriptor, &byte, 1) }
    }
  }

  /// Makes whoever comes from now on wait again.
  public func close() { state.mutate { $0.isOpen = false } }

  /// Waits until the gate is open.
  ///
  /// - Parameter limit: How long to wait at most; only a guard against hanging tests.
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  public func opened(within limit: Duration = .seconds(30)) async throws {
    _ = try await state.wait(for: "the gate to open", within: limit, describe: { $0.isOpen ? "open" : "closed" }) {
      $0.isOpen
    }
  }

  /// Registers a descriptor that gets one byte when the gate opens.
  ///
  /// - Returns: False when the gate is open already and nothing was registered.
  func addWakeDescriptor(_ descriptor: CInt) -> Bool {
    state.mutate { state in
      if state.isOpen { return false }
      state.wakeDescriptors.append(descriptor)
      return true
    }
  }

  func removeWakeDescriptor(_ descriptor: CInt) {
    state.mutate { state in state.wakeDescriptors.removeAll { $0 == descriptor } }
  }
}
