internal import CLinnetPOSIX
internal import Glibc

/// Options of a new stream socket.
package struct SocketOptions: Sendable, Hashable {
  /// `TCP_NODELAY`: on, because every write of this engine is a complete unit.
  package var noDelay = true
  /// `SO_KEEPALIVE` with `TCP_KEEPIDLE` and `TCP_KEEPINTVL` of this many seconds, which Linux takes from 1 to 32,767. Nil:
  /// off.
  package var keepAliveSeconds: Int?
  /// `SO_BINDTODEVICE`: the network interface that packets leave by.
  package var device: String?
  /// The local address to bind to; its port may be 0.
  package var localAddress: SocketAddress?

  package init(noDelay: Bool = true, keepAliveSeconds: Int? = nil, localAddress: SocketAddress? = nil) {
    self.noDelay = noDelay
    self.keepAliveSeconds = keepAliveSeconds
    self.localAddress = localAddress
  }
}

/// Stream sockets: always non-blocking and close-on-exec.
///
/// Only `recv` and `send` of ``Syscalls`` move their bytes; `write`, `writev` and `sendfile` would raise `SIGPIPE`.
package enum Socket {
  package enum ConnectProgress: Sendable, Equatable {
    case connected
    /// The outcome comes with writability; then ask ``Socket/connectError(_:)``.
    case inProgress
  }

  /// Makes a socket for connecting to `address`, with the options set.
  package static func make(
    for address: SocketAddress, options: SocketOptions = SocketOptions()
  ) throws(SystemError) -> OwnedDescriptor {
    let family = address.familyNumber
    let socket = OwnedDescriptor(
      owning: CInt(truncatingIfNeeded: try Syscalls.call("socket") { linnet_socket(family) }))
    let fd = socket.raw
    if address.family != .unix {
      if options.noDelay { try Syscalls.setOption(fd, level: linnet_tcp_level(), TCP_NODELAY, 1) }
      if let seconds = options.keepAliveSeconds {
        let seconds = CInt(min(max(1, seconds), 32_767))
        try Syscalls.setOption(fd, level: SOL_SOCKET, SO_KEEPALIVE, 1)
        try Syscalls.setOption(fd, level: linnet_tcp_level(), TCP_KEEPIDLE, seconds)
        try Syscalls.setOption(fd, level: linnet_tcp_level(), TCP_KEEPINTVL, seconds)
      }
      if let device = options.device {
        // SAFETY: the name ends with a zero byte and lives for the call.
        _ = try Syscalls.call("setsockopt", fd: fd) { unsafe linnet_bind_to_device(fd, device) }
      }
      if let local = options.localAddress {
        if local.port != 0 { try Syscalls.setOption(fd, level: SOL_SOCKET, SO_REUSEADDR, 1) }
        try bind(fd, to: local)
      }
    }
    return socket
  }

  /// Starts to connect.
  ///
  /// For a Unix socket whose listener has a full backlog Linux gives `EAGAIN`, an error here as well.
  package static func connect(_ fd: CInt, to address: SocketAddress) throws(SystemError) -> ConnectProgress {
    do throws(SystemError) {
      // SAFETY: the address lives for the call.
      _ = try Syscalls.call("connect", fd: fd) {
        unsafe address.withRawAddress { raw, length in unsafe linnet_connect(fd, raw, length) }
      }
      return .connected
    } catch {
      // An interrupted `connect` goes on in the background; the repeated call then says so (POSIX connect).
      if error.number == EINPROGRESS || error.number == EALREADY { return .inProgress }
      if error.number == EISCONN { return .connected }
      throw error
    }
  }

  /// How a connection attempt ended, after the socket became writable: nil for success.
  package static func connectError(_ fd: CInt) -> SystemError? {
    do throws(SystemError) {
      let number = try Syscalls.option(fd, level: SOL_SOCKET, SO_ERROR)
      return number == 0 ? nil : SystemError(number: number, call: "connect")
    } catch {
      return error
    }
  }

  /// Whether a send would find room or an error now.
  static func isWritable(_ fd: CInt) -> Bool { linnet_is_writable(fd) != 0 }

  package static func bind(_ fd: CInt, to address: SocketAddress) throws(SystemError) {
    // SAFETY: the address lives for the call.
    _ = try Syscalls.call("bind", fd: fd) {
      unsafe address.withRawAddress { raw, length in unsafe linnet_bind(fd, raw, length) }
    }
  }

  /// Whether there is a network interface of this name.
  package static func isInterface(_ name: String) -> Bool {
    // SAFETY: the name ends with a zero byte and lives for the call.
    unsafe name.utf8.count < Int(IF_NAMESIZE) && if_nametoindex(name) != 0
  }

  /// Makes a listening socket; for test servers.
  package static func listen(on address: SocketAddress, backlog: CInt = 128) throws(SystemError) -> OwnedDescriptor {
    let socket = try make(for: address)
    let fd = socket.raw
    if address.family != .unix { try Syscalls.setOption(fd, level: SOL_SOCKET, SO_REUSEADDR, 1) }
    if address.family == .ipv6 { try Syscalls.setOption(fd, level: CInt(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
    try bind(fd, to: address)
    _ = try Syscalls.call("listen", fd: fd) { linnet_listen(fd, backlog) }
    return socket
  }

  /// Takes a connection from a listening socket, or nil when none waits.
  package static func accept(_ fd: CInt) throws(SystemError) -> OwnedDescriptor? {
    do throws(SystemError) {
      return OwnedDescriptor(
        owning: CInt(truncatingIfNeeded: try Syscalls.call("accept4", fd: fd) { linnet_accept(fd) }))
    } catch {
      if error.number == EAGAIN { return nil }
      throw error
    }
  }

  /// Two connected Unix sockets; the caller owns both. (A tuple cannot hold an `OwnedDescriptor`.)
  package static func pair() throws(SystemError) -> (CInt, CInt) {
    var numbers: [CInt] = [-1, -1]
    // SAFETY: the call writes two descriptors into an array of two.
    _ = try Syscalls.call("socketpair") {
      unsafe numbers.withUnsafeMutableBufferPointer { unsafe linnet_socket_pair($0.baseAddress) }
    }
    return (numbers[0], numbers[1])
  }

  package static func localAddress(_ fd: CInt) throws(SystemError) -> SocketAddress? {
    var raw = sockaddr_storage()
    var length: socklen_t = 0
    // SAFETY: the kernel writes at most the size of the storage.
    _ = try Syscalls.call("getsockname", fd: fd) { unsafe linnet_local_name(fd, &raw, &length) }
    return SocketAddress(raw, length: Int(length))
  }

  package static func peerAddress(_ fd: CInt) throws(SystemError) -> SocketAddress? {
    var raw = sockaddr_storage()
    var length: socklen_t = 0
    // SAFETY: the kernel writes at most the size of the storage.
    _ = try Syscalls.call("getpeername", fd: fd) { unsafe linnet_peer_name(fd, &raw, &length) }
    return SocketAddress(raw, length: Int(length))
  }

  /// Makes the close that follows a reset (`SO_LINGER` of zero).
  package static func resetOnClose(_ fd: CInt) throws(SystemError) {
    _ = try Syscalls.call("setsockopt", fd: fd) { linnet_set_reset_on_close(fd) }
  }

  /// Whether the peer closed, or sent something, while the connection was idle. Nothing is consumed.
  package static func hasPendingInput(_ fd: CInt) -> Bool {
    linnet_has_input(fd) != 0
  }
}
