/// A list of events in the exact order in which they happened, filled from any thread.
///
/// ```swift
/// let recorder = EventRecorder<String>()
/// client.onRetry = { recorder.record("retry \($0)") }
/// // …
/// #expect(try await recorder.waitForCount(2) == ["retry 1", "retry 2"])
/// ```
public final class EventRecorder<Event: Sendable>: Sendable {
  private let recorded = Observed<[Event]>([])

  /// An empty recorder.
  public init() {}

  /// Appends an event.
  public func record(_ event: Event) { recorded.mutate { $0.append(event) } }

  /// All events so far.
  public var events: [Event] { recorded.value }

  /// Takes all events out, so that the next phase of a test starts with none.
  public func takeAll() -> [Event] {
    recorded.mutate { events in
      defer { events.removeAll() }
      return events
    }
  }

  /// Waits until there are at least `count` events, and returns all of them.
  ///
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func waitForCount(_ count: Int, within limit: Duration = .seconds(30)) async throws -> [Event] {
    try await wait(for: "\(count) events", within: limit) { $0.count >= count }
  }

  /// Waits until the events so far fulfil `condition`, and returns them.
  ///
  /// - Throws: ``WaitTimeout`` after `limit`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func wait(
    for expectation: String, within limit: Duration = .seconds(30),
    until condition: @escaping @Sendable ([Event]) -> Bool
  ) async throws -> [Event] {
    try await recorded.wait(for: expectation, within: limit, describe: { "\($0)" }, until: condition)
  }
}
