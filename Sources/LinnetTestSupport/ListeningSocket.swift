internal import Glibc

/// Creates the listening sockets of ``ScriptedServer``.
enum ListeningSocket {
  /// - Returns: The listening descriptor and the port that was bound; 0 for a Unix socket.
  static func open(_ options: ScriptedServer.Options) throws(TestSupportError) -> (descriptor: CInt, port: UInt16) {
    let isUnix: Bool
    switch options.address {
    case .unix, .abstract: isUnix = true
    case .ipv4, .ipv6: isUnix = false
    }
    let family = isUnix ? AF_UNIX : options.address == .ipv6 ? AF_INET6 : AF_INET
    let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .last("socket") }
    do throws(TestSupportError) {
      var on: CInt = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
      if family == AF_INET6 {
        setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<CInt>.size))
      }
      // Set before listening: accepted sockets inherit them, and the receive window is agreed on in the handshake.
      if var size = options.receiveBufferBytes.map({ CInt(clamping: $0) }) {
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
      }
      if var size = options.sendBufferBytes.map({ CInt(clamping: $0) }) {
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size))
      }
      try bind(descriptor, options)
      guard listen(descriptor, CInt(clamping: options.acceptBacklog)) == 0 else { throw .last("listen") }
      return (descriptor, isUnix ? 0 : try boundPort(descriptor))
    } catch {
      close(descriptor)
      throw error
    }
  }

  private static func bind(_ descriptor: CInt, _ options: ScriptedServer.Options) throws(TestSupportError) {
    let result: CInt
    switch options.address {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = options.port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      result = withSocketAddress(&address) { Glibc.bind(descriptor, $0, $1) }
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = options.port.bigEndian
      address.sin6_addr = in6addr_loopback
      result = withSocketAddress(&address) { Glibc.bind(descriptor, $0, $1) }
    case .unix(let path):
      unlink(path)
      result = try bindUnix(descriptor, Array(path.utf8) + [0])
    case .abstract(let name):
      result = try bindUnix(descriptor, [0] + Array(name.utf8))
    }
    guard result == 0 else { throw .last("bind") }
  }

  private static func bindUnix(_ descriptor: CInt, _ path: [UInt8]) throws(TestSupportError) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    guard path.count <= MemoryLayout<sockaddr_un>.size - offset else {
      throw TestSupportError(call: "bind", errno: ENAMETOOLONG)
    }
    withUnsafeMutableBytes(of: &address) { $0[offset...].copyBytes(from: path) }
    // The length matters: an abstract name ends where the address ends.
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(offset + path.count))
      }
    }
  }

  private static func boundPort(_ descriptor: CInt) throws(TestSupportError) -> UInt16 {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw .last("getsockname") }
    // The port is at the same place in both families.
    return UInt16(bigEndian: address.sin6_port)
  }

  private static func withSocketAddress<Address>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }

  /// Connects to a listener that never accepts until its queue is full, so that the kernel drops further connection
  /// attempts and their clients stay in the middle of the TCP handshake.
  static func fillBacklog(of options: ScriptedServer.Options, port: UInt16) throws(TestSupportError) -> [CInt] {
    var descriptors: [CInt] = []
    // A queue of length n takes n + 1 connections; two more find it full.
    for _ in 0..<(max(0, options.acceptBacklog) + 3) {
      let family = options.address == .ipv6 ? AF_INET6 : AF_INET
      let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      let descriptor = socket(family, CInt(flags), 0)
      guard descriptor >= 0 else {
        let error = TestSupportError.last("socket")
        for descriptor in descriptors { close(descriptor) }
        throw error
      }
      descriptors.append(descriptor)
      if family == AF_INET6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        _ = withSocketAddress(&address) { connect(descriptor, $0, $1) }
      } else {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = withSocketAddress(&address) { connect(descriptor, $0, $1) }
      }
    }
    return descriptors
  }
}
