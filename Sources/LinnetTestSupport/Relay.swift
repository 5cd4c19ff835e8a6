internal import Glibc

/// Forwards bytes between a client and another server on this machine, until a test freezes it.
///
/// Each direction has a thread of its own, so that a side which does not read never stops the other direction.
struct Relay {
  let client: BlockingSocket
  private let upstream: BlockingSocket

  /// Connects to 127.0.0.1.
  init(client: BlockingSocket, port: UInt16) throws(ConnectionEnd) {
    self.client = client
    upstream = try BlockingSocket.loopback(port: port)
  }

  /// Forwards in both directions until the client closes or the gate opens.
  ///
  /// - Parameters:
  ///   - first: What the client has sent already.
  ///   - gate: Opened, it stops the forwarding while both connections stay open.
  func run(first: [UInt8], frozenBy gate: Gate) throws(ConnectionEnd) {
    defer { close(upstream.descriptor) }
    let (client, upstream) = (client, upstream)
    let thread: PosixThread
    do throws(TestSupportError) {
      thread = try PosixThread.start(stackBytes: 256 << 10) {
        _ = try? Self.forward(from: upstream, to: client, frozenBy: gate)
      }
    } catch {
      throw ConnectionEnd(.failed(error.errno))
    }
    // The other direction waits for the upstream server or for a client that does not read; both end with this.
    defer {
      shutdown(upstream.descriptor, CInt(SHUT_RDWR))
      thread.join()
    }
    try upstream.send(first)
    let isFrozen = try Self.forward(from: client, to: upstream, frozenBy: gate)
    // A client that only finished sending still gets what the other side says, from the thread; the connection is over
    // when both directions are. Of a frozen one it is all the same which direction ends.
    try Self.waitUntilClosed(client, events: isFrozen ? ServerStream.peerClosedEvent : 0)
  }

  /// - Returns: Whether it ended because the gate opened, and not with the end of the source.
  private static func forward(
    from source: BlockingSocket, to target: BlockingSocket, frozenBy gate: Gate
  ) throws(ConnectionEnd) -> Bool {
    let wake: (read: CInt, write: CInt)
    do throws(TestSupportError) { wake = try Pipe.open() } catch { throw ConnectionEnd(.failed(error.errno)) }
    defer {
      gate.removeWakeDescriptor(wake.write)
      close(wake.write)
      close(wake.read)
    }
    guard gate.addWakeDescriptor(wake.write) else { return true }
    var room = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      var interests = [
        pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&interests, 2, -1) < 0 && errno != EINTR { throw ConnectionEnd(.failed(errno)) }
      if interests[1].revents != 0 { return true }
      if interests[0].revents == 0 { continue }
      var outcome: Result<Int, ConnectionEnd> = .success(0)
      room.withUnsafeMutableBytes { buffer in
        do throws(ConnectionEnd) { outcome = .success(try source.receive(into: buffer)) } catch {
          outcome = .failure(error)
        }
      }
      let count = try outcome.get()
      if count == 0 {
        target.finishSending()
        return false
      }
      try target.send(Array(room[..<count]))
    }
  }

  /// Waits for a reset or for the end of both directions.
  private static func waitUntilClosed(_ socket: BlockingSocket, events: Int16) throws(ConnectionEnd) {
    var interest = pollfd(fd: socket.descriptor, events: events, revents: 0)
    while poll(&interest, 1, -1) < 0 {
      if errno != EINTR { throw ConnectionEnd(.failed(errno)) }
    }
  }
}
