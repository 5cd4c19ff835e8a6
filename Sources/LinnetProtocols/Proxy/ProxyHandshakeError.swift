/// Why a proxy does not lead to the target.
///
/// Thrown by the machines of ``ProxyHandshake``. After ``refused(_:)``, ``authenticationRequired`` and
/// ``authenticationFailed`` the proxy works and does not want to; after the others it is not what it was taken for, or what
/// it was asked for cannot be asked.
package enum ProxyHandshakeError: Error, Hashable, Sendable {
  // What the proxy did.

  /// It closed the connection without having said anything.
  case emptyReply
  /// It closed the connection inside its answer.
  case truncatedReply
  /// Its answer to CONNECT is not HTTP, or the request for it cannot be sent (``HTTP1Error/Side/local``).
  case http(HTTP1Error)
  /// It answered 101 to CONNECT, which asks for no other protocol.
  case switchedProtocols
  /// The first byte of a SOCKS answer is not what the version demands.
  case wrongVersion(SOCKSVersion, UInt8)
  /// It asks for user name and password, or for a method that is not spoken here, and none was given.
  case authenticationRequired
  /// It does not accept user name and password as a method.
  case noAcceptableMethod
  /// It chose a method that was not offered.
  case methodNotOffered(UInt8)
  /// It does not accept this user name and password.
  case authenticationFailed
  /// The address in its answer is of a type that SOCKS 5 does not have.
  case invalidAddressType(UInt8)
  case refused(SOCKSRefusal)

  // What it was asked for.

  /// A name of no or more than 255 bytes, or with a zero byte, cannot be sent to a SOCKS proxy.
  case unsendableName
  /// A user name or a password of more than 255 bytes, or with a zero byte for SOCKS 4.
  case unsendableCredentials
  /// ``ConnectTunnelMachine/retry(headers:)`` on a connection that cannot be used again.
  case notReusable
}

/// Which SOCKS is spoken.
package enum SOCKSVersion: UInt8, Sendable, Hashable {
  case socks4 = 4
  case socks5 = 5
}

/// The answer of a SOCKS proxy other than success.
package enum SOCKSRefusal: Sendable, Hashable {
  /// `REP` of RFC 1928 §6.
  case socks5(UInt8)
  /// `CD` of SOCKS 4.
  case socks4(UInt8)
}

extension ProxyHandshakeError {
  /// Whether the proxy wants credentials, or other ones.
  package var concernsAuthentication: Bool {
    switch self {
    case .authenticationRequired, .noAcceptableMethod, .authenticationFailed: true
    // The user id is all that SOCKS 4 has: 92 and 93 are about it.
    case .refused(.socks4(let code)): code == 92 || code == 93
    default: false
    }
  }

  /// Whether what was asked for cannot be sent, so that nothing was.
  package var isLocal: Bool {
    switch self {
    case .http(let error): error.side == .local
    case .unsendableName, .unsendableCredentials, .notReusable: true
    default: false
    }
  }
}

extension ProxyHandshakeError: CustomStringConvertible {
  /// One line in words. It holds neither credentials nor text of the proxy.
  package var description: String {
    switch self {
    case .emptyReply: "the proxy closed the connection without an answer"
    case .truncatedReply: "the proxy closed the connection inside its answer"
    case .http(let error): error.description(peer: "the proxy")
    case .switchedProtocols: "the proxy answered CONNECT with a change of protocol"
    case .wrongVersion(let version, let byte):
      "the proxy does not speak SOCKS \(version.rawValue): its answer begins with byte \(byte)\(Self.guess(byte))"
    case .authenticationRequired: "the proxy asks for credentials, and none were given"
    case .noAcceptableMethod: "the proxy does not accept user name and password"
    case .methodNotOffered(let method): "the proxy chose authentication method \(method), which was not offered"
    case .authenticationFailed: "the proxy does not accept the user name and password"
    case .invalidAddressType(let type): "the proxy answered with an address of unknown type \(type)"
    case .refused(let refusal): "the proxy refused: \(refusal)"
    case .unsendableName:
      "the host name cannot be sent to a SOCKS proxy: it has no or more than 255 bytes, or a zero byte"
    case .unsendableCredentials:
      "the user name or password cannot be sent to a SOCKS proxy: it has more than 255 bytes or a zero byte"
    case .notReusable: "the connection to the proxy cannot be used for a second request"
    }
  }

  private static func guess(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "H"): " (\"H\", as of HTTP)"
    case 0x15, 0x16: ", as of TLS"
    default: ""
    }
  }
}

extension SOCKSRefusal: CustomStringConvertible {
  /// The reason in words, with its number.
  package var description: String {
    switch self {
    case .socks5(let code): "\(Self.socks5Reason(code)) (\(code))"
    case .socks4(let code): "\(Self.socks4Reason(code)) (\(code))"
    }
  }

  private static func socks5Reason(_ code: UInt8) -> String {
    switch code {
    case 1: "general failure"
    case 2: "not allowed by its rules"
    case 3: "network unreachable"
    case 4: "host unreachable"
    case 5: "connection refused by the target"
    case 6: "time to live expired"
    case 7: "command not supported"
    case 8: "address type not supported"
    default: "unassigned reason"
    }
  }

  private static func socks4Reason(_ code: UInt8) -> String {
    switch code {
    case 91: "request rejected or failed"
    case 92: "it cannot reach the identd of this machine"
    case 93: "the identd of this machine reports another user"
    default: "unassigned reason"
    }
  }
}
