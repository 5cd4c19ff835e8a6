public import LinnetHTTPTypes

/// A proxy server.
public struct HTTPProxy: Sendable, Hashable {
  /// How a proxy is spoken to.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// HTTP: `http` URLs are forwarded (RFC 9112 §3.2.2), `https` URLs go through a CONNECT tunnel (RFC 9110 §9.3.6).
    case http
    /// The same over TLS.
    case https
    /// SOCKS 4 with names resolved by the proxy.
    case socks4a
    /// SOCKS 5 (RFC 1928) with names resolved here.
    case socks5
    /// SOCKS 5 with names resolved by the proxy.
    case socks5h

    /// The port when a proxy's URL names none: 1080, as curl's; 443 for `https`.
    public var defaultPort: UInt16 { self == .https ? 443 : 1080 }
    /// Whether the proxy resolves names, so that they are not looked up here.
    public var resolvesNames: Bool { self != .socks5 }
  }

  /// How it is spoken to.
  public var kind: Kind
  /// Its host, as in ``HTTPURL/host``.
  public var host: String
  /// Its port.
  public var port: UInt16
  /// What is shown to it, and never to an origin: Basic and Digest for HTTP, name and password for SOCKS 5, the name alone
  /// as user id for SOCKS 4a.
  public var credentials: HTTPCredentials?
  /// Headers for the proxy alone: of CONNECT requests and of forwarded ones.
  public var headers: HTTPHeaders = [:]
  /// How the connection to an `https` proxy is protected. Nil: as the client's, without what is about
  /// origins: client certificate, pins, server name, verifier; and always verified.
  public var tls: TLSConfiguration?

  /// A proxy from its parts.
  public init(kind: Kind, host: String, port: UInt16? = nil, credentials: HTTPCredentials? = nil) {
    self.kind = kind
    self.host = host
    self.port = port ?? kind.defaultPort
    self.credentials = credentials
  }
}

extension HTTPProxy: CustomStringConvertible {
  /// Its URL, without credentials: `socks5h://127.0.0.1:1080`.
  public var description: String {
    "\(kind.rawValue)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
  }
}
