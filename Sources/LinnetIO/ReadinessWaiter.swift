package import LinnetBytes

package enum ReadinessWaitError: Error, Equatable, Sendable {
  case timedOut
  case cancelled
}

/// Lets an `async` function wait for a descriptor: for what happens before a connection proper exists, such as a proxy's
/// answer or a TLS handshake. One task at a time.
///
/// Register it as the receiver of the descriptor's slot. Readiness is remembered, because it is told only once: a wait
/// takes the remembered readiness and returns at once. So the pattern is: try the call; when it would block, wait; try
/// again.
package final class ReadinessWaiter: ReadinessReceiver, TimerReceiver {
  private typealias Signal = OneShot<ReadinessWaitError?>

  private struct State {
    var remembered: Readiness = []
    var interest: Readiness = []
    var deadline = Instant.distantFuture
    var signal: Signal?
  }

  private let shard: IOShard
  private let state = Lock(State())

  package init(shard: IOShard) { self.shard = shard }

  package func waitReadable(deadline: Instant) async throws(ReadinessWaitError) {
    try await wait(for: .readable, deadline: deadline)
  }

  package func waitWritable(deadline: Instant) async throws(ReadinessWaitError) {
    try await wait(for: .writable, deadline: deadline)
  }

  /// The peer finished sending or is gone. A receive that brings less than asked for does not tell then that the socket
  /// is drained: the end follows without another edge.
  package var hasPeerClosed: Bool { state.withLock { $0.remembered.contains(.peerClosed) } }

  private func wait(for interest: Readiness, deadline: Instant) async throws(ReadinessWaitError) {
    if Task.isCancelled { throw .cancelled }
    let signal = Signal()
    let mustWait = state.withLock { state in
      guard state.remembered.isDisjoint(with: interest) else { return false }
      state.interest = interest
      state.deadline = deadline
      state.signal = signal
      return true
    }
    var failure: ReadinessWaitError?
    if mustWait {
      let timer = deadline == .distantFuture ? nil : shard.schedule(self, at: deadline)
      failure = await signal.wait { .cancelled }
      if let timer { shard.cancel(timer) }
    }
    state.withLock { state in
      state.signal = nil
      // The caller tries its call only after this, so readiness that comes in between is not lost.
      if failure == nil { state.remembered.subtract(interest) }
    }
    if let failure { throw failure }
  }

  package func ready(_ readiness: Readiness) {
    let signal = state.withLock { state -> Signal? in
      state.remembered.formUnion(readiness)
      guard !state.remembered.isDisjoint(with: state.interest) else { return nil }
      return state.signal.take()
    }
    signal?.fulfil(nil)
  }

  package func timerFired(_ timer: ShardTimer, now: Instant) {
    // The call can be late and meet the next wait; that wait's deadline decides.
    let signal = state.withLock { $0.deadline <= now ? $0.signal.take() : nil }
    signal?.fulfil(.timedOut)
  }
}
