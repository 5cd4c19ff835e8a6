/// Something that shows that requests are under way: a spinner, a line of dots, a counter.
///
/// Set it with ``NetworkConfiguration/activityIndicator(_:)``. Calls come from any task, also at the same time, and should
/// return soon: the request waits for them. Every ``start()`` is followed by exactly one ``stop()``.
public protocol RequestActivityIndicator: Sendable {
  /// A call began.
  func start()
  /// A call ended: with a value, an error, or by cancellation.
  func stop()
}
