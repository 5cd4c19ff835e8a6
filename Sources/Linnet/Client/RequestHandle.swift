/// A request that was started with a completion closure.
///
/// Dropping it changes nothing; the request goes on.
public struct RequestHandle: Sendable {
  private let action: @Sendable () -> Void

  init(_ cancel: @escaping @Sendable () -> Void) { action = cancel }

  /// Cancels the request: its completion is called with ``NetworkError/cancelled`` unless it ended before. Harmless when
  /// called again or afterwards.
  public func cancel() { action() }
}
