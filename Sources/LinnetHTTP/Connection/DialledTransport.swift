internal import LinnetBytes
internal import LinnetIO

/// A connection that is being made: its transport, and how the task that makes it waits for the socket.
///
/// It ends with ``finish()`` in every case, also after a failure: the socket must leave the shard before it is closed.
struct DialledTransport: ~Copyable {
  var transport: ByteTransport
  /// The address that it is connected to, for errors.
  let peer: String
  let deadline: Instant
  private let waiter: ReadinessWaiter
  private let slot: Slot
  let shard: IOShard

  init(
    _ descriptor: consuming OwnedDescriptor, peer: String, deadline: Instant, on shard: IOShard
  ) throws(TransportFailure) {
    let waiter = ReadinessWaiter(shard: shard)
    do throws(SystemError) {
      slot = try shard.register(descriptor.raw, receiver: waiter)
    } catch {
      throw TransportFailure(registering: error)
    }
    transport = ByteTransport(descriptor)
    self.waiter = waiter
    self.peer = peer
    self.deadline = deadline
    self.shard = shard
  }

  /// Waits for whichever direction the transport waits for: for room while there is output, else for bytes.
  ///
  /// - Parameters:
  ///   - hasOutput: The caller has some, beside what the transport has.
  ///   - limit: When to give up, if before ``deadline``.
  /// - Returns: Whether a receive is due.
  mutating func wait(
    hasOutput: Bool = false, until limit: Instant = .distantFuture
  ) async throws(ReadinessWaitError) -> Bool {
    let deadline = min(limit, deadline)
    if (hasOutput || transport.hasPendingOutput) && !transport.isWritable {
      try await waiter.waitWritable(deadline: deadline)
      transport.isWritable = true
      return false
    }
    if !transport.isReadable {
      try await waiter.waitReadable(deadline: deadline)
      transport.isReadable = true
      // The end came with the bytes and is not told again: reading goes on until it is met.
      if waiter.hasPeerClosed { transport.isPeerClosed = true }
    }
    return true
  }

  /// Takes the socket off the shard.
  consuming func finish() -> ByteTransport {
    shard.deregister(slot)
    return transport
  }
}
