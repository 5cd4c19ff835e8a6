/// Scheme, host and port of an HTTP server (RFC 6454): what connections are pooled by and credentials are bound to.
///
/// Two origins are the same when all three are equal (RFC 6454 §5), which is what `==` compares; hosts are normalised,
/// so no comparison needs to fold case.
public struct Origin: Sendable, Hashable {
  /// The schemes that an origin can have.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    /// HTTP over TCP, port 80.
    case http
    /// HTTP over TLS, port 443.
    case https

    /// 80 or 443.
    public var defaultPort: UInt16 { self == .https ? 443 : 80 }
  }

  /// The scheme.
  public let scheme: Scheme
  /// The host as in ``HTTPURL/host``: lower case, ASCII, an IPv6 address without brackets.
  public let host: String
  /// The port, also when it is the default.
  public let port: UInt16

  /// Makes an origin.
  ///
  /// - Parameters:
  ///   - scheme: The scheme.
  ///   - host: A host as it may stand in a URL; an IPv6 address with or without brackets.
  ///   - port: The port; the default of the scheme unless given.
  /// - Throws: ``HTTPURLError/invalidHost(_:_:)``.
  public init(scheme: Scheme, host: String, port: UInt16? = nil) throws(HTTPURLError) {
    let bytes = Array(host.utf8)
    let isBareIPv6 = bytes.first != UInt8(ascii: "[") && bytes.contains(UInt8(ascii: ":"))
    do throws(HostProblem) {
      let (text, _) = try HTTPURL.parseHost((isBareIPv6 ? Array("[\(host)]".utf8) : bytes)[...])
      self.init(
        scheme: scheme, normalisedHost: String(decoding: text, as: UTF8.self), port: port ?? scheme.defaultPort)
    } catch {
      throw .invalidHost(HTTPURLError.excerpt(bytes), error)
    }
  }

  /// Makes an origin from a host that is in the form of ``host`` already.
  package init(scheme: Scheme, normalisedHost: String, port: UInt16) {
    self.scheme = scheme
    self.host = normalisedHost
    self.port = port
  }

  /// Whether `other` is the same origin.
  public func isSameOrigin(as other: Origin) -> Bool { self == other }

  /// Whether connections to it use TLS.
  public var isSecure: Bool { scheme == .https }

  /// The value of the `Host` field (RFC 9110 §7.2): the host, an IPv6 address in brackets, and the port unless it is
  /// the default.
  public var hostHeaderValue: String { port == scheme.defaultPort ? bracketedHost : authority }

  /// Host and port, always both: what CONNECT asks for (RFC 9112 §3.2.3).
  public var authority: String { "\(bracketedHost):\(port)" }

  private var bracketedHost: String { host.utf8.contains(0x3A) ? "[\(host)]" : host }
}

extension Origin: CustomStringConvertible {
  /// The ASCII serialisation (RFC 6454 §6.2), without a default port: the value of an `Origin` field.
  public var description: String { "\(scheme.rawValue)://\(hostHeaderValue)" }
}
