/// An absolute URL with one of the schemes `http`, `https`, `ws` and `wss`, parsed by the WHATWG URL standard.
///
/// Every URL that enters the engine is one of these, be it written by a caller or received in a `Location` field, so
/// that all parts of it agree on what the host is. Parsing normalises: the scheme and host are in lower case,
/// non-ASCII hosts are in Punycode, IPv4 addresses are dotted decimal, a default port is dropped, dot segments are
/// resolved, and characters that may not stand in a URL are percent-encoded as UTF-8. Everything else, above all
/// percent escapes that are there already, stays as it is byte for byte. All of the result is ASCII.
///
/// ```swift
/// let url = try HTTPURL("https://example.com/a/b?c")
/// let next = try url.resolve("../d")        // https://example.com/d
/// ```
///
/// Two URLs are equal when their serialisations are.
public struct HTTPURL: Sendable {
  /// The schemes that the engine speaks.
  public enum Scheme: String, Sendable, Hashable, CaseIterable {
    /// HTTP over TCP, port 80.
    case http
    /// HTTP over TLS, port 443.
    case https
    /// WebSocket over TCP, port 80 (RFC 6455 §3).
    case ws
    /// WebSocket over TLS, port 443.
    case wss
  }

  /// The longest URL, in bytes, before and after parsing. It is curl's `CURL_MAX_INPUT_LENGTH`.
  public static var maximumBytes: Int { 8_000_000 }

  /// The serialisation: `scheme://user:password@host:port/path?query#fragment`.
  let bytes: [UInt8]
  let layout: Layout

  /// Where the parts lie in the serialisation.
  struct Layout: Sendable {
    var scheme = Scheme.http
    var hostKind = HostKind.name
    /// Set unless it is the default of the scheme.
    var port: UInt16?
    /// The end of the user name; `hostStart` when there is no userinfo.
    var usernameEnd: UInt32 = 0
    /// Past the `@`, if there is one.
    var hostStart: UInt32 = 0
    var hostEnd: UInt32 = 0
    /// Past the port, if there is one.
    var pathStart: UInt32 = 0
    /// The place of the `?`, or `queryEnd` without a query.
    var pathEnd: UInt32 = 0
    /// The place of the `#`, or the end without a fragment.
    var queryEnd: UInt32 = 0
  }

  init(bytes: [UInt8], layout: Layout) {
    self.bytes = bytes
    self.layout = layout
  }

  /// Parses an absolute URL.
  ///
  /// Leading and trailing spaces and control characters are dropped, and tabs and line breaks everywhere, as the
  /// standard demands. A scheme is needed: `example.com/` is refused.
  ///
  /// - Throws: An error that names the culprit; a URL is never repaired beyond what the standard says.
  public init(_ text: String) throws(HTTPURLError) {
    self = try Parser.parse(text.utf8.span, base: nil)
  }

  /// Parses an absolute URL whose path keeps its dot segments, which the standard would resolve: for those who test how a server
  /// does it. The value is no longer one that the parser gives back for its own text.
  package init(keepingDots text: String) throws(HTTPURLError) {
    self = try Parser.parseKeepingDots(text.utf8.span)
  }

  /// Parses bytes that need not be UTF-8; bytes from 0x80 on are percent-encoded one by one, except in the host, where
  /// they must be UTF-8.
  package init(bytes text: Span<UInt8>) throws(HTTPURLError) {
    self = try Parser.parse(text, base: nil)
  }
}

extension HTTPURL {
  /// The scheme.
  public var scheme: Scheme { layout.scheme }

  /// Whether the connection uses TLS: `https` or `wss`.
  public var isSecure: Bool { layout.scheme.isSecure }

  /// The user name, percent-encoded; empty when there is none.
  public var username: String { string(layout.scheme.prefixLength..<layout.usernameEnd) }

  /// The password, percent-encoded; empty when there is none.
  public var password: String { string(passwordRange) }

  /// Whether there is a user name or a password.
  public var hasUserinfo: Bool { layout.hostStart > layout.scheme.prefixLength }

  /// The host, never empty: a domain name in ASCII form, a dotted-decimal IPv4 address, or an IPv6 address in the form
  /// of RFC 5952 without brackets. ``hostHeaderValue`` has the brackets.
  public var host: String { string(hostRange) }

  /// The host as an address, or nil when it is a name.
  public var address: IPAddress? { layout.hostKind == .name ? nil : IPAddress(host) }

  /// The port if it is written and not the default of the scheme. It may be 0, see ``connectablePort()``.
  public var port: UInt16? { layout.port }

  /// The port, or the default of the scheme.
  public var effectivePort: UInt16 { layout.port ?? layout.scheme.defaultPort }

  /// The port to connect to.
  ///
  /// - Throws: ``HTTPURLError/zeroPort(host:)`` for port 0, which is a valid URL and reserved on the network
  ///   (RFC 6335 §6).
  public func connectablePort() throws(HTTPURLError) -> UInt16 {
    if effectivePort == 0 { throw .zeroPort(host: HTTPURLError.excerpt(host.utf8)) }
    return effectivePort
  }

  /// The path with its leading slash, percent-encoded; never empty.
  public var path: String { string(layout.pathStart..<layout.pathEnd) }

  /// The query without the `?`, percent-encoded; nil when there is no `?`, empty when nothing follows it.
  public var query: String? { layout.queryEnd > layout.pathEnd ? string(layout.pathEnd + 1..<layout.queryEnd) : nil }

  /// The fragment without the `#`, percent-encoded; nil when there is no `#`, empty when nothing follows it.
  public var fragment: String? { end > layout.queryEnd ? string(layout.queryEnd + 1..<end) : nil }

  /// The user name and password without percent-encoding, for an `Authorization` field; nil without userinfo.
  package var decodedUserinfo: (username: [UInt8], password: [UInt8])? {
    guard hasUserinfo else { return nil }
    return (
      PercentEncoding.decode(slice(layout.scheme.prefixLength..<layout.usernameEnd)),
      PercentEncoding.decode(slice(passwordRange))
    )
  }

  var end: UInt32 { UInt32(truncatingIfNeeded: bytes.count) }

  /// The host without brackets.
  var hostRange: Range<UInt32> {
    layout.hostKind == .ipv6 ? layout.hostStart + 1..<layout.hostEnd - 1 : layout.hostStart..<layout.hostEnd
  }

  /// Between the `:` after the user name and the `@`; empty when there is no password.
  private var passwordRange: Range<UInt32> {
    let lower = layout.usernameEnd + 1
    return lower < layout.hostStart ? lower..<layout.hostStart - 1 : layout.hostStart..<layout.hostStart
  }

  func slice(_ range: Range<UInt32>) -> ArraySlice<UInt8> { bytes[Int(range.lowerBound)..<Int(range.upperBound)] }

  func string(_ range: Range<UInt32>) -> String { String(decoding: slice(range), as: UTF8.self) }
}

extension HTTPURL.Scheme {
  /// 80 or 443.
  public var defaultPort: UInt16 { isSecure ? 443 : 80 }

  /// Whether the connection uses TLS.
  public var isSecure: Bool { self == .https || self == .wss }

  /// The length of the scheme with its `://`.
  var prefixLength: UInt32 {
    switch self {
    case .http: 7
    case .https: 8
    case .ws: 5
    case .wss: 6
    }
  }
}

extension HTTPURL: Hashable {
  /// Whether both serialisations are equal.
  public static func == (left: HTTPURL, right: HTTPURL) -> Bool { left.bytes == right.bytes }

  /// Hashes the serialisation.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
