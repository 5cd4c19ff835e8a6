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

  /// Connects to 127.0.0.1; the caller closes the descriptor.
  static func loopback(port: UInt16) throws(ConnectionEnd) -> BlockingSocket {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ConnectionEnd(.failed(errno)) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let number = errno
      close(descriptor)
      throw ConnectionEnd(.failed(number))
    }
    return BlockingSocket(descriptor)
  }

  /// Waits for bytes.
  ///
  /// - Returns: At most `count` bytes; none when the peer closed its side.
  func receive(upTo count: Int) throws(ConnectionEnd) -> [UInt8] {
    var outcome: Result<Int, ConnectionEnd> = .success(0)
    var room = [UInt8](repeating: 0, count: count)
    room.withUnsafeMutableBytes { buffer in
      do throws(ConnectionEnd) { outcome = .success(try receive(into: buffer)) } catch { outcome = .failure(error) }
    }
    return Array(room[..<(try outcome.get())])
  }

  /// - Returns: What ``receive(upTo:)`` returns; nil when there is nothing now.
  func receiveAvailable(upTo count: Int) throws(ConnectionEnd) -> [UInt8]? {
    var outcome: Result<Int?, ConnectionEnd> = .success(nil)
    var room = [UInt8](repeating: 0, count: count)
    room.withUnsafeMutableBytes { buffer in
      do throws(ConnectionEnd) { outcome = .success(try receiveAvailable(into: buffer)) } catch {
        outcome = .failure(error)
      }
    }
    return try outcome.get().map { Array(room[..<$0]) }
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

  /// Sends all bytes, however long the peer takes to read them.
  func send(_ bytes: [UInt8]) throws(ConnectionEnd) {
    var failure: ConnectionEnd?
    bytes.withUnsafeBytes { buffer in
      do throws(ConnectionEnd) { try send(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
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
