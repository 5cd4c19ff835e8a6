internal import Glibc
internal import LinnetBytes

/// Ends a connection of a server of this module; thrown through the functions of its thread.
public struct ConnectionEnd: Error, Sendable, Hashable {
  /// How the connection ends.
  public let ending: ConnectionEnding

  /// An end of this kind: a script that throws it decides what is recorded.
  public init(_ ending: ConnectionEnding) { self.ending = ending }

  static func violation(_ text: String) -> ConnectionEnd { ConnectionEnd(.violation(text)) }
}

/// Blocking reads and writes on a socket that somebody else closes.
struct BlockingSocket {
  let descriptor: CInt

  init(_ descriptor: CInt) {
    self.descriptor = descriptor
    var on: CInt = 1
    // Fails for a Unix socket, which has no delay to switch off.
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Waits for bytes.
  ///
  /// - Returns: How many came; 0 when the client closed its side.
  func receive(into room: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int {
    while true {
      let count = recv(descriptor, room.baseAddress, room.count, 0)
      if count >= 0 { return count }
      if errno != EINTR { throw Self.end(errno) }
    }
  }

  /// Sends all bytes, however long the client takes to read them.
  func send(_ bytes: UnsafeRawBufferPointer) throws(ConnectionEnd) {
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

  /// Takes the bytes that are there.
  ///
  /// - Returns: How many; 0 when the client closed its side, nil when there are none now.
  func receiveAvailable(into room: UnsafeMutableRawBufferPointer) throws(ConnectionEnd) -> Int? {
    while true {
      let count = recv(descriptor, room.baseAddress, room.count, CInt(MSG_DONTWAIT))
      if count >= 0 { return count }
      if errno == EAGAIN { return nil }
      if errno != EINTR { throw Self.end(errno) }
    }
  }

  /// Sends what the socket takes now.
  ///
  /// - Returns: How many bytes; 0 when it takes none.
  func sendAvailable(_ bytes: UnsafeRawBufferPointer) throws(ConnectionEnd) -> Int {
    while true {
      let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
      if count >= 0 { return count }
      if errno == EAGAIN { return 0 }
      if errno != EINTR { throw Self.end(errno) }
    }
  }

  /// Sends from the front of a buffer what the socket takes now.
  func sendAvailable(_ output: inout WriteBuffer) throws(ConnectionEnd) {
    while !output.isEmpty {
      let sent = try output.withFirstSegment { (bytes) throws(ConnectionEnd) in try sendAvailable(bytes) }
      if sent == 0 { return }
    }
  }

  /// Whether a read would not block now.
  var isReadable: Bool {
    var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&interest, 1, 0) > 0
  }

  func finishSending() { shutdown(descriptor, CInt(SHUT_WR)) }

  private static func end(_ number: CInt) -> ConnectionEnd {
    ConnectionEnd(number == ECONNRESET || number == EPIPE ? .peerReset : .failed(number))
  }
}
