internal import Glibc

/// Ends a connection; thrown through the functions of its thread.
struct ConnectionEnd: Error {
  let ending: ConnectionEnding

  init(_ ending: ConnectionEnding) { self.ending = ending }

  static func violation(_ text: String) -> ConnectionEnd { ConnectionEnd(.violation(text)) }
}

/// The bytes of one accepted connection: blocking reads and writes, and waits that notice when the client goes away.
///
/// Used by the thread of its connection only.
final class ServerStream {
  private let descriptor: CInt
  private(set) var receivedBytes: UInt64 = 0
  private(set) var sentBytes: UInt64 = 0

  /// `POLLRDHUP` of Linux, which the Glibc module does not export.
  private static let peerClosedEvent: Int16 = 0x2000

  init(descriptor: CInt) {
    self.descriptor = descriptor
    var on: CInt = 1
    // Fails for a Unix socket, which has no delay to switch off.
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Waits for bytes.
  ///
  /// - Returns: How many came; 0 when the client closed its side.
  func receive(into room: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int {
    let count = try receiveRaw(into: room)
    receivedBytes &+= UInt64(count)
    return count
  }

  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionEnd) {
    try sendRaw(bytes)
    sentBytes &+= UInt64(bytes.count)
  }

  func send(_ bytes: some Collection<UInt8>) throws(ConnectionEnd) {
    let contiguous = Array(bytes)
    var failure: ConnectionEnd?
    contiguous.withUnsafeBytes { buffer in
      do throws(ConnectionEnd) { try send(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  // MARK: Closing

  /// Tells the client that nothing more comes, and goes on receiving.
  func finishSending() {
    shutdown(descriptor, CInt(SHUT_WR))
  }

  /// Reads and drops everything until the client closes.
  func discardUntilClosed() throws(ConnectionEnd) {
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      var outcome: Result<Int, ConnectionEnd> = .success(0)
      room.withUnsafeMutableBytes { buffer in
        do throws(ConnectionEnd) { outcome = .success(try receive(into: buffer)) } catch { outcome = .failure(error) }
      }
      if try outcome.get() == 0 { return }
    }
  }

  // MARK: Waiting

  /// Waits until the gate is open.
  func wait(for gate: Gate) throws(ConnectionEnd) {
    guard !gate.isOpen else { return }
    let wake: (read: CInt, write: CInt)
    do throws(ScriptedServerError) { wake = try Pipe.open() } catch { throw ConnectionEnd(.failed(error.errno)) }
    // Removed first: after that the gate no longer writes to the number.
    defer {
      gate.removeWakeDescriptor(wake.write)
      close(wake.write)
      close(wake.read)
    }
    guard gate.addWakeDescriptor(wake.write) else { return }
    try waitForWake(wake.read, milliseconds: -1)
  }

  /// Lets time pass.
  func pause(_ duration: Duration) throws(ConnectionEnd) {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    try waitForWake(-1, milliseconds: CInt(clamping: max(0, milliseconds)))
  }

  /// Waits until the client closes, without reading.
  func stall() throws(ConnectionEnd) {
    try waitForWake(-1, milliseconds: -1)
  }

  /// Returns when `wake` is readable or the time is over, and throws when the client closed.
  private func waitForWake(_ wake: CInt, milliseconds: CInt) throws(ConnectionEnd) {
    var interests = [
      pollfd(fd: descriptor, events: Self.peerClosedEvent, revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&interests, 2, milliseconds)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw ConnectionEnd(.failed(errno)) }
      if interests[0].revents != 0 {
        // All that the client sent before its FIN is here; reading it tells FIN from RST and finds a close_notify.
        try discardUntilClosed()
        throw ConnectionEnd(.peerClosed)
      }
      return
    }
  }

  // MARK: The socket

  private func receiveRaw(into room: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int {
    while true {
      let count = recv(descriptor, room.baseAddress, room.count, 0)
      if count >= 0 { return count }
      if errno != EINTR { throw Self.end(errno) }
    }
  }

  private func sendRaw(_ bytes: UnsafeRawBufferPointer) throws(ConnectionEnd) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.send(descriptor, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if errno != EINTR {
        throw Self.end(errno)
      }
    }
  }

  private static func end(_ number: CInt) -> ConnectionEnd {
    ConnectionEnd(number == ECONNRESET || number == EPIPE ? .peerReset : .failed(number))
  }
}
