internal import LinnetBytes

/// Lets only so many exchanges run at the same time; the others wait in the order in which they came.
///
/// The value is the limit: clients that are given the same one share it. A caller that is cancelled while it waits
/// leaves the queue at once and fails with ``NetworkError/cancelled``.
///
/// The pool of connections has limits of its own; this one is for what a server allows, whatever carries the requests.
public struct ConcurrencyLimitExecutionPolicy: RequestExecutionPolicy {
  /// How many exchanges run at the same time; at least 1.
  public let maxConcurrent: Int
  private let permits: PermitQueue

  /// A limit. Less than 1 counts as 1.
  public init(maxConcurrent: Int) {
    self.maxConcurrent = max(1, maxConcurrent)
    permits = PermitQueue(count: max(1, maxConcurrent))
  }

  /// Waits for its turn, then runs the exchange.
  ///
  /// - Throws: What the exchange throws; ``NetworkError/cancelled`` when the task is cancelled while it waits.
  public func execute(
    input: RequestExecutionInput, context: RequestExecutionContext, next: RequestExecutionNext
  ) async throws -> Response {
    guard await permits.acquire() else { throw NetworkError.cancelled }
    defer { permits.release() }
    return try await next.execute()
  }

  /// How many wait at the moment.
  package var waitingCount: Int { permits.waitingCount }
}
