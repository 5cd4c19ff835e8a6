internal import CLinnetPOSIX
internal import Glibc

/// Why a path cannot be the address of a Unix socket.
package enum SocketAddressError: Error, Equatable, Sendable, CustomStringConvertible {
  case emptyPath
  case containsZeroByte
  /// `sun_path` has 108 bytes, the last of which is a zero (unix(7)).
  case pathTooLong(bytes: Int, limit: Int)

  package var description: String {
    switch self {
    case .emptyPath: "the path of a Unix socket is empty"
    case .containsZeroByte: "the path of a Unix socket contains a zero byte"
    case .pathTooLong(let bytes, let limit): "the path of a Unix socket has \(bytes) bytes, at most \(limit) fit"
    }
  }
}

/// Where a stream socket connects to: IPv4, IPv6 or a Unix socket. A plain value that any thread may use.
package struct SocketAddress: Sendable, Hashable {
  package enum Family: Sendable, Hashable { case ipv4, ipv6, unix }

  fileprivate enum Storage: Sendable, Hashable {
    /// The address as a number, most significant byte first in writing.
    case ipv4(UInt32)
    case ipv6(high: UInt64, low: UInt64, scope: UInt32)
    case unix(path: [UInt8])
    /// A name in the abstract space, without the leading zero byte.
    case abstract(name: [UInt8])
  }

  private let storage: Storage
  /// The TCP port; 0 for a Unix socket.
  package let port: UInt16

  private init(_ storage: Storage, port: UInt16) {
    self.storage = storage
    self.port = port
  }

  /// The longest path of a Unix socket in bytes, and the longest abstract name without its `@`.
  package static var maximumUnixPathBytes: Int { 107 }

  package static func loopbackIPv4(port: UInt16) -> SocketAddress {
    SocketAddress(.ipv4(0x7F00_0001), port: port)
  }

  package static func loopbackIPv6(port: UInt16) -> SocketAddress {
    SocketAddress(.ipv6(high: 0, low: 1, scope: 0), port: port)
  }

  /// An address in numbers: dotted IPv4, or IPv6 without brackets and optionally with `%zone`. Nil for a name.
  package init?(numericHost host: String, port: UInt16) {
    var v4 = in_addr()
    // SAFETY: the text ends with a zero byte and `v4` is large enough for AF_INET.
    if unsafe inet_pton(AF_INET, host, &v4) == 1 {
      self.init(.ipv4(UInt32(bigEndian: v4.s_addr)), port: port)
      return
    }
    guard host.utf8.contains(UInt8(ascii: ":")) else { return nil }
    let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    var v6 = in6_addr()
    // SAFETY: the text ends with a zero byte and `v6` is large enough for AF_INET6.
    guard let first = parts.first, unsafe inet_pton(AF_INET6, String(first), &v6) == 1 else { return nil }
    var scope: UInt32 = 0
    if parts.count == 2 {
      // SAFETY: the name ends with a zero byte.
      scope = UInt32(parts[1]) ?? (unsafe if_nametoindex(String(parts[1])))
      guard scope != 0 else { return nil }
    }
    self.init(Storage.number(v6, scope: scope), port: port)
  }

  /// A Unix socket: a path, or with a leading `@` a name in Linux' abstract space.
  package static func unix(_ path: String) throws(SocketAddressError) -> SocketAddress {
    let isAbstract = path.utf8.first == UInt8(ascii: "@")
    let bytes = Array(isAbstract ? path.utf8.dropFirst() : path.utf8[...])
    guard !bytes.isEmpty else { throw .emptyPath }
    guard !bytes.contains(0) else { throw .containsZeroByte }
    guard bytes.count <= maximumUnixPathBytes else {
      throw .pathTooLong(bytes: bytes.count, limit: maximumUnixPathBytes)
    }
    return SocketAddress(isAbstract ? .abstract(name: bytes) : .unix(path: bytes), port: 0)
  }

  package var family: Family {
    switch storage {
    case .ipv4: .ipv4
    case .ipv6: .ipv6
    case .unix, .abstract: .unix
    }
  }

  package var isLoopback: Bool {
    switch storage {
    case .ipv4(let value): value >> 24 == 127
    case .ipv6(let high, let low, _): high == 0 && low == 1
    case .unix, .abstract: true
    }
  }

  /// The same address with another port; a Unix address stays as it is.
  package func withPort(_ port: UInt16) -> SocketAddress {
    family == .unix ? self : SocketAddress(storage, port: port)
  }

  /// The number of the family for `socket`.
  var familyNumber: CInt {
    switch family {
    case .ipv4: AF_INET
    case .ipv6: AF_INET6
    case .unix: AF_UNIX
    }
  }

  /// The address without the port: "127.0.0.1", "::1", "fe80::1%2", or the path.
  package var hostDescription: String {
    switch storage {
    case .ipv4(let value):
      return "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
    case .ipv6(let high, let low, let scope):
      var address = Storage.bytes(high: high, low: low)
      var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      // SAFETY: both pointers live for the call, and INET6_ADDRSTRLEN suffices for every address.
      _ = unsafe inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
      let plain = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return scope == 0 ? plain : "\(plain)%\(scope)"
    case .unix(let path):
      return String(decoding: path, as: UTF8.self)
    case .abstract(let name):
      return "@" + String(decoding: name, as: UTF8.self)
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// "127.0.0.1:80", "[::1]:80", "unix:/run/x.sock", "unix:@name".
  package var description: String {
    switch family {
    case .ipv4: "\(hostDescription):\(port)"
    case .ipv6: "[\(hostDescription)]:\(port)"
    case .unix: "unix:\(hostDescription)"
    }
  }
}

extension SocketAddress.Storage {
  fileprivate static func number(_ address: in6_addr, scope: UInt32) -> Self {
    var copy = address
    // SAFETY: an `in6_addr` is 16 bytes without padding; the view ends with the closure.
    return unsafe withUnsafeBytes(of: &copy) { bytes in
      .ipv6(
        high: UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)), scope: scope)
    }
  }

  fileprivate static func bytes(high: UInt64, low: UInt64) -> in6_addr {
    var address = in6_addr()
    // SAFETY: an `in6_addr` is 16 bytes without padding; the view ends with the closure.
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      unsafe bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }
}

// MARK: - Raw form

extension SocketAddress {
  /// Reads what `getsockname`, `getpeername` or `getaddrinfo` filled in; nil for a family that is not ours.
  init?(_ raw: sockaddr_storage, length: Int) {
    var raw = raw
    switch CInt(raw.ss_family) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      // SAFETY: `sockaddr_storage` is at least as large and as aligned as every other address.
      let value = unsafe withUnsafeBytes(of: &raw) { unsafe $0.loadUnaligned(as: sockaddr_in.self) }
      self.init(.ipv4(UInt32(bigEndian: value.sin_addr.s_addr)), port: UInt16(bigEndian: value.sin_port))
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      // SAFETY: as above.
      let value = unsafe withUnsafeBytes(of: &raw) { unsafe $0.loadUnaligned(as: sockaddr_in6.self) }
      self.init(Storage.number(value.sin6_addr, scope: value.sin6_scope_id), port: UInt16(bigEndian: value.sin6_port))
    case AF_UNIX:
      // SAFETY: the bytes up to `length`, at most the size of the storage, were filled in.
      let bytes = unsafe withUnsafeBytes(of: &raw) { unsafe Array($0.prefix(length).dropFirst(Self.pathOffset)) }
      if bytes.first == 0 {
        self.init(.abstract(name: Array(bytes.dropFirst())), port: 0)
      } else {
        self.init(.unix(path: Array(bytes.prefix { $0 != 0 })), port: 0)
      }
    default: return nil
    }
  }

  private static var pathOffset: Int { MemoryLayout<sa_family_t>.size }

  /// Calls `body` with the address as the kernel wants it; the pointer is valid only during the call.
  func withRawAddress<R>(_ body: (UnsafeRawPointer?, socklen_t) -> R) -> R {
    var raw = sockaddr_storage()
    var length = 0
    // SAFETY: each address is smaller than `sockaddr_storage`, which is aligned for all of them; a path or name of
    // at most 107 bytes fits behind the family in 128 bytes. The pointers end with the closure.
    return unsafe withUnsafeMutableBytes(of: &raw) { bytes in
      switch storage {
      case .ipv4(let value):
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = value.bigEndian
        unsafe bytes.storeBytes(of: address, as: sockaddr_in.self)
        length = MemoryLayout<sockaddr_in>.size
      case .ipv6(let high, let low, let scope):
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = Storage.bytes(high: high, low: low)
        address.sin6_scope_id = scope
        unsafe bytes.storeBytes(of: address, as: sockaddr_in6.self)
        length = MemoryLayout<sockaddr_in6>.size
      case .unix(let path):
        unsafe bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
        for (index, byte) in path.enumerated() { unsafe bytes[Self.pathOffset + index] = byte }
        length = Self.pathOffset + path.count + 1
      case .abstract(let name):
        unsafe bytes.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
        for (index, byte) in name.enumerated() { unsafe bytes[Self.pathOffset + 1 + index] = byte }
        length = Self.pathOffset + 1 + name.count
      }
      return unsafe body(UnsafeRawPointer(bytes.baseAddress), socklen_t(length))
    }
  }
}
