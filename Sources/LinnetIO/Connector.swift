package import LinnetBytes
package import LinnetProtocols

/// A connection that was just made. Its descriptor is registered nowhere.
package struct ConnectedSocket: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  package let peer: SocketAddress
  /// The other addresses that were tried: those that failed, with the cause, and those that were given up.
  package let failedAttempts: [ConnectAttempt]

  init(_ descriptor: consuming OwnedDescriptor, peer: SocketAddress, failedAttempts: [ConnectAttempt]) {
    self.descriptor = descriptor
    self.peer = peer
    self.failedAttempts = failedAttempts
  }

  package var raw: CInt { descriptor.raw }

  package consuming func takeDescriptor() -> OwnedDescriptor { descriptor }
}

/// Makes connections: races the addresses of a host (RFC 8305) with real sockets.
package enum Connector {
  /// Connects to the first address that answers.
  ///
  /// Cancelling the task or passing the deadline returns at once. In every case each socket but the winner's is
  /// deregistered and closed before this returns.
  ///
  /// - Throws: ``ConnectError`` with every address tried and its cause.
  package static func connect(
    to addresses: [SocketAddress], on shard: IOShard, deadline: Instant, options: SocketOptions = SocketOptions(),
    limits: HappyEyeballsMachine.Limits = HappyEyeballsMachine.Limits()
  ) async throws(ConnectError) -> ConnectedSocket {
    guard !addresses.isEmpty else { throw ConnectError(reason: .noAddresses, attempts: []) }
    let race = ConnectRace(addresses, on: shard, deadline: deadline, options: options, limits: limits)
    race.start()
    let ending = await race.ending.wait {
      race.stop(.cancelled)
      // Only the first ending counts: when the race was decided before, this one is dropped.
      return .cancelled
    }
    return try race.result(ending)
  }
}
