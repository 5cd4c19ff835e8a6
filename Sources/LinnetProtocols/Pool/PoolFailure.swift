/// Why a waiter got no connection.
package enum PoolFailure: Error, Sendable, Hashable {
  /// The waiter's deadline passed in the queue.
  ///
  /// - inUse: connections that carry requests. Less than `limit` means that the waiter hoped for a dial that is slow,
  ///   and not for another request to end.
  /// - limit: ``PoolLimits/maximumConnections``.
  /// - position: place in the queue at that moment; 1 is the next to be served.
  /// - waited: time since it was enqueued.
  case waitTimedOut(inUse: Int, limit: Int, position: Int, waited: Duration)
  /// This dial, begun when the waiter already queued, failed; the owner knows its error.
  case connectFailed(PoolMachine.ConnectionID)
  /// ``PoolLimits/maximumWaiters`` requests queue already.
  case queueFull
  /// The pool was shut down.
  case shutDown
}
