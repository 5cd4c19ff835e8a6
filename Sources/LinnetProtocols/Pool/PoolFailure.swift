/// Why a waiter got no connection.
package enum PoolFailure: Error, Sendable, Hashable {
  /// What kept a waiter in the queue.
  package enum Bound: Sendable, Hashable {
    /// ``PoolLimits/maximumConnections``, or nothing but time when fewer are in use.
    case connections
    /// ``PoolLimits/maximumMultiplexedConnections``: every stream of so many connections is in use.
    case multiplexedConnections
    /// The peer is overloaded, and no dial may start yet.
    case backoff
  }

  /// The waiter's deadline passed in the queue.
  ///
  /// - inUse: connections that carry requests; those that count in `limit`. Less than `limit` means that the waiter hoped
  ///   for a dial that is slow or held back, and not for another request to end.
  /// - limit: how many connections `bound` allows; ``PoolLimits/maximumConnections`` for a back-off.
  /// - bound: which limit that is.
  /// - position: place in the queue at that moment; 1 is the next to be served.
  /// - waited: time since it was enqueued.
  case waitTimedOut(inUse: Int, limit: Int, bound: Bound = .connections, position: Int, waited: Duration)
  /// This dial, begun when the waiter already queued, failed; the owner knows its error.
  case connectFailed(PoolMachine.ConnectionID)
  /// ``PoolLimits/maximumWaiters`` requests queue already.
  case queueFull
  /// The pool was shut down.
  case shutDown
}
