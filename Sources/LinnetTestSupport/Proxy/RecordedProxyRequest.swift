/// What a client asked a ``ScriptedProxy`` for.
public struct RecordedProxyRequest: Sendable, Hashable {
  /// How it asked.
  public enum Way: Sendable, Hashable {
    /// A request with a whole URL.
    case forward
    /// CONNECT.
    case connect
    /// SOCKS 5.
    case socks5
    /// SOCKS 4 with an address, or 4a with a name.
    case socks4
  }

  /// How an address was named.
  public enum AddressType: Sendable, Hashable {
    /// A name, for the proxy to resolve.
    case name
    /// An IPv4 address.
    case ipv4
    /// An IPv6 address.
    case ipv6
  }

  /// How it asked.
  public internal(set) var way: Way
  /// The host as sent; an IPv6 address without brackets.
  public internal(set) var host: String
  /// The port.
  public internal(set) var port: UInt16
  /// How the host was named.
  public internal(set) var addressType: AddressType
  /// The method of a forwarded request; `CONNECT`; empty for SOCKS.
  public internal(set) var method = ""
  /// The request target as sent; empty for SOCKS.
  public internal(set) var target = ""
  /// The header lines that the proxy got; none for SOCKS.
  public internal(set) var headers: [HeaderLine] = []
  /// The value of `Proxy-Authorization`.
  public var authorization: String? { headers["Proxy-Authorization"] }
  /// The user name of RFC 1929, or the user id of SOCKS 4.
  public internal(set) var user: String?
  /// The password of RFC 1929.
  public internal(set) var password: String?
  /// The methods that a SOCKS 5 client offered.
  public internal(set) var offeredMethods: [UInt8] = []
  /// The number of its connection, from 1 on in the order of acceptance.
  public internal(set) var connection: Int
  /// What the TLS handshake with the proxy agreed on; nil for clear text.
  public internal(set) var tls: RecordedTLS?

  /// `host:port`, an IPv6 address in brackets.
  public var authority: String { addressType == .ipv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
