internal import Glibc
internal import LinnetBytes

/// Forwards bytes between a client, with or without TLS, and another server on this machine, until both sides are done.
///
/// One thread does both directions, because the TLS of a connection belongs to one: nothing blocks but the wait for either
/// side. A side that does not read stops only its own direction.
struct ProxyTunnel {
  let client: ServerStream
  let upstream: BlockingSocket
  let core: ServerCore

  /// A direction is not read from while so many of its bytes wait.
  private static let backlogLimit = 256 << 10

  /// - Parameter first: What the client has sent already.
  func run(first: [UInt8]) throws(ConnectionEnd) {
    var toUpstream = WriteBuffer()
    toUpstream.append(bytes: first)
    var toClient = WriteBuffer()
    // Whether a side has said its last, and whether the other was told so.
    var (clientIsDone, upstreamIsDone) = (false, false)
    var (upstreamWasTold, clientWasTold) = (false, false)
    while true {
      try upstream.sendAvailable(&toUpstream)
      try client.sendAvailable(&toClient)
      if clientIsDone && !upstreamWasTold && toUpstream.isEmpty {
        upstream.finishSending()
        upstreamWasTold = true
      }
      if upstreamIsDone && !clientWasTold && toClient.isEmpty && !client.hasUnsentOutput {
        try client.finishSending()
        clientWasTold = true
      }
      if upstreamWasTold && clientWasTold { return }
      let clientSends = !toClient.isEmpty || client.hasUnsentOutput
      var interests = [
        Self.interest(
          client.descriptor, reads: !clientIsDone && toUpstream.count < Self.backlogLimit, sends: clientSends),
        Self.interest(
          upstream.descriptor, reads: !upstreamIsDone && toClient.count < Self.backlogLimit, sends: !toUpstream.isEmpty),
      ]
      guard poll(&interests, 2, -1) >= 0 || errno == EINTR else { throw ConnectionEnd(.failed(errno)) }
      if core.isStopping { throw ConnectionEnd(.stopped) }
      if interests[0].revents & Int16(POLLIN) != 0 {
        clientIsDone = try !client.receiveAvailable { toUpstream.append(bytes: $0) }
      } else if clientIsDone && interests[0].revents & Int16(POLLHUP | POLLERR) != 0 {
        // It will never read again what the other side says.
        throw ConnectionEnd(.peerClosed)
      }
      if interests[1].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 && !upstreamIsDone {
        upstreamIsDone = try receiveFromUpstream(into: &toClient)
      } else if upstreamIsDone && interests[1].revents & Int16(POLLHUP | POLLERR) != 0 {
        // Nobody takes what the client still sends.
        toUpstream.removeAll()
        clientIsDone = true
      }
    }
  }

  /// - Returns: Whether the other side has ended; a reset is passed on as one.
  private func receiveFromUpstream(into buffer: inout WriteBuffer) throws(ConnectionEnd) -> Bool {
    do throws(ConnectionEnd) {
      guard let bytes = try upstream.receiveAvailable(upTo: 64 << 10) else { return false }
      buffer.append(bytes: bytes)
      return bytes.isEmpty
    } catch {
      guard error.ending == .peerReset else { throw error }
      throw ConnectionEnd(.serverReset)
    }
  }

  private static func interest(_ descriptor: CInt, reads: Bool, sends: Bool) -> pollfd {
    pollfd(fd: descriptor, events: Int16((reads ? POLLIN : 0) | (sends ? POLLOUT : 0)), revents: 0)
  }
}
