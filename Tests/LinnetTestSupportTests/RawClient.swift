import Glibc
import LinnetTestSupport

/// A blocking client that knows nothing but sockets, to drive the server from outside.
final class RawClient {
  private let descriptor: CInt

  enum Failure: Error, Equatable {
    case connect(CInt)
    case receive(CInt)
    case send(CInt)
  }

  convenience init(_ server: ScriptedServer) throws {
    try self.init(server.options.address, port: server.port)
  }

  convenience init(_ server: HTTP2FrameServer) throws { try self.init(.ipv4, port: server.port) }

  init(_ target: ScriptedServer.Address, port: UInt16) throws {
    let family: CInt
    switch target {
    case .ipv4: family = AF_INET
    case .ipv6: family = AF_INET6
    case .unix, .abstract: family = AF_UNIX
    }
    descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    // A guard against hanging tests.
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var bytes = [UInt8]()
    switch target {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      bytes = withUnsafeBytes(of: &address) { Array($0) }
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      bytes = withUnsafeBytes(of: &address) { Array($0) }
    case .unix(let path): bytes = [UInt8(AF_UNIX), 0] + Array(path.utf8) + [0]
    case .abstract(let name): bytes = [UInt8(AF_UNIX), 0, 0] + Array(name.utf8)
    }
    let descriptor = self.descriptor
    let result = bytes.withUnsafeBytes { raw in
      connect(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    if result != 0 { throw Failure.connect(errno) }
  }

  /// Whether the TCP handshake with an IPv4 server completes within so many milliseconds.
  static func isConnected(to server: ScriptedServer, within milliseconds: CInt) throws -> Bool {
    let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_INET, CInt(flags), 0)
    defer { Glibc.close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = server.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafeBytes(of: &address) { raw in
      connect(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    if result == 0 { return true }
    guard errno == EINPROGRESS else { throw Failure.connect(errno) }
    var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&interest, 1, milliseconds) > 0
  }

  deinit { Glibc.close(descriptor) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if count < 0 { throw Failure.send(errno) }
      sent += count
    }
  }

  /// At most `count` bytes from one call; empty at the end.
  func receiveSome(_ count: Int = 65536) throws -> [UInt8] {
    var room = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &room, count, 0)
    if received < 0 { throw Failure.receive(errno) }
    return Array(room[..<received])
  }

  func receive(_ count: Int) throws -> [UInt8] {
    var all = [UInt8]()
    while all.count < count {
      let some = try receiveSome(count - all.count)
      if some.isEmpty { break }
      all += some
    }
    return all
  }

  /// Receives until the bytes end with `text`.
  func receive(until text: String) throws -> String {
    let ending = Array(text.utf8)
    var all = [UInt8]()
    while all.suffix(ending.count) != ending[...] {
      let some = try receiveSome(1)
      if some.isEmpty { break }
      all += some
    }
    return String(decoding: all, as: UTF8.self)
  }

  func receiveToEnd() throws -> String {
    var all = [UInt8]()
    while true {
      let some = try receiveSome()
      if some.isEmpty { return String(decoding: all, as: UTF8.self) }
      all += some
    }
  }

  func halfClose() { shutdown(descriptor, CInt(SHUT_WR)) }

  func close() { shutdown(descriptor, CInt(SHUT_RDWR)) }

  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    // Disconnecting a TCP socket sends the reset and keeps the descriptor.
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNSPEC)
    connect(descriptor, &address, socklen_t(MemoryLayout<sockaddr>.size))
  }
}
