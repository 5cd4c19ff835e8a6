internal import CLinnetPOSIX
internal import Glibc

/// A failed system call: its error number and its name.
package struct SystemError: Error, Sendable {
  package let number: CInt
  package let call: StaticString

  package init(number: CInt, call: StaticString) {
    self.number = number
    self.call = call
  }

  /// The text of the C library, such as "Connection refused".
  package var text: String {
    var buffer = [CChar](repeating: 0, count: 128)
    let count = buffer.count
    // SAFETY: the call writes at most `count` bytes including the final zero.
    unsafe buffer.withUnsafeMutableBufferPointer { unsafe linnet_error_text(number, $0.baseAddress, count) }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The symbolic name, such as "ECONNREFUSED", or the number for one that this table does not have.
  package var name: String { Self.names[number] ?? "errno \(number)" }

  package var isConnectionRefused: Bool { number == ECONNREFUSED }
  package var isConnectionReset: Bool { number == ECONNRESET || number == EPIPE }
  /// The peer, or the way to it, ended a connection out of order.
  package var isLoss: Bool { number == ECONNRESET || number == ETIMEDOUT }
  /// There is no way to the network of the address at all.
  package var isNetworkUnreachable: Bool { number == ENETUNREACH || number == ENETDOWN }
  package var isTimeout: Bool { number == ETIMEDOUT }
  package var isNotFound: Bool { number == ENOENT }
  package var isAlreadyThere: Bool { number == EEXIST }
  /// No free descriptor in the process or the system.
  package var isDescriptorLimit: Bool { number == EMFILE || number == ENFILE }

  private static let names: [CInt: String] = [
    EPERM: "EPERM", ENOENT: "ENOENT", EINTR: "EINTR", EIO: "EIO", ENXIO: "ENXIO", EBADF: "EBADF", EAGAIN: "EAGAIN",
    ENOMEM: "ENOMEM", EACCES: "EACCES", EFAULT: "EFAULT", EBUSY: "EBUSY", EEXIST: "EEXIST", EXDEV: "EXDEV",
    ENODEV: "ENODEV", ENOTDIR: "ENOTDIR", EISDIR: "EISDIR", EINVAL: "EINVAL", ENFILE: "ENFILE", EMFILE: "EMFILE",
    EFBIG: "EFBIG", ENOSPC: "ENOSPC", ESPIPE: "ESPIPE", EROFS: "EROFS", EMLINK: "EMLINK", EPIPE: "EPIPE",
    ERANGE: "ERANGE", ENAMETOOLONG: "ENAMETOOLONG", ENOSYS: "ENOSYS", ENOTEMPTY: "ENOTEMPTY", ELOOP: "ELOOP",
    EPROTO: "EPROTO", EOVERFLOW: "EOVERFLOW", ENOTSOCK: "ENOTSOCK", EDESTADDRREQ: "EDESTADDRREQ",
    EMSGSIZE: "EMSGSIZE", EPROTOTYPE: "EPROTOTYPE", ENOPROTOOPT: "ENOPROTOOPT", EPROTONOSUPPORT: "EPROTONOSUPPORT",
    EOPNOTSUPP: "EOPNOTSUPP", EAFNOSUPPORT: "EAFNOSUPPORT", EADDRINUSE: "EADDRINUSE",
    EADDRNOTAVAIL: "EADDRNOTAVAIL", ENETDOWN: "ENETDOWN", ENETUNREACH: "ENETUNREACH", ENETRESET: "ENETRESET",
    ECONNABORTED: "ECONNABORTED", ECONNRESET: "ECONNRESET", ENOBUFS: "ENOBUFS", EISCONN: "EISCONN",
    ENOTCONN: "ENOTCONN", ESHUTDOWN: "ESHUTDOWN", ETIMEDOUT: "ETIMEDOUT", ECONNREFUSED: "ECONNREFUSED",
    EHOSTDOWN: "EHOSTDOWN", EHOSTUNREACH: "EHOSTUNREACH", EALREADY: "EALREADY", EINPROGRESS: "EINPROGRESS",
    EDQUOT: "EDQUOT", ECANCELED: "ECANCELED",
  ]
}

extension SystemError: Equatable {
  package static func == (left: SystemError, right: SystemError) -> Bool {
    left.number == right.number && left.call.description == right.call.description
  }
}

extension SystemError: CustomStringConvertible {
  /// One line, such as "connect: Connection refused (ECONNREFUSED)".
  package var description: String { "\(call): \(text) (\(name))" }
}
