internal import LinnetBytes
internal import LinnetHTTPTypes

extension HTTPProxy {
  /// A proxy from its URL, as in `http_proxy` and curl's `-x`: `[scheme://][user[:password]@]host[:port][/]`.
  ///
  /// - Parameter text: The scheme is `http`, `https`, `socks4a`, `socks5` or `socks5h`, in any case of its letters; `http`
  ///   when there is none. `socks4` and `socks` mean `socks4a`: an IPv4 address is sent in the way of SOCKS 4, and a name
  ///   in that of 4a. User name and password are percent-decoded and become ``HTTPCredentials/basic(user:password:)``, which are
  ///   sent without being asked for. An IPv6 address stands in brackets. The port is that of ``Kind/defaultPort`` unless
  ///   given. White space around the text is dropped.
  /// - Throws: ``ProxyURLError``; it never shows a part of the text that may be a password.
  public init(_ text: String) throws(ProxyURLError) {
    var rest = Array(text.utf8)[...]
    while let last = rest.last, Self.isBlank(last) { rest.removeLast() }
    rest = rest.drop(while: Self.isBlank)
    guard !rest.isEmpty else { throw .empty }
    let kind = try Self.takeScheme(&rest)
    let authority = rest.prefix { !Self.isDelimiter($0) }
    try Self.checkEnd(rest[authority.endIndex...])
    var credentials: HTTPCredentials?
    var place = authority
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
      credentials = try Self.credentials(authority[..<at])
      place = authority[(at + 1)...]
    }
    let (host, port) = try Self.hostAndPort(place)
    self.init(kind: kind, host: host, port: port, credentials: credentials)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// What ends the part with host and port.
  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func takeScheme(_ rest: inout ArraySlice<UInt8>) throws(ProxyURLError) -> Kind {
    let name = rest.prefix { ASCII.isAlpha($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }
    guard let first = name.first, ASCII.isAlpha(first), rest[name.endIndex...].starts(with: "://".utf8) else {
      return .http
    }
    rest = rest[name.endIndex...].dropFirst(3)
    let scheme = String(decoding: name.map(ASCII.lowercased), as: UTF8.self)
    switch scheme {
    case "socks", "socks4": return .socks4a
    default:
      guard let kind = Kind(rawValue: scheme) else { throw .unsupportedScheme(String(scheme.prefix(32))) }
      return kind
    }
  }

  private static func checkEnd(_ end: ArraySlice<UInt8>) throws(ProxyURLError) {
    guard !end.contains(UInt8(ascii: "@")) else { throw .unescapedUserinfo }
    switch end.first {
    case nil: return
    case UInt8(ascii: "?"): throw .query
    case UInt8(ascii: "#"): throw .fragment
    default:
      guard let next = end.dropFirst().first else { return }
      throw next == UInt8(ascii: "?") ? .query : next == UInt8(ascii: "#") ? .fragment : .path
    }
  }

  /// - Returns: Nil when there is nothing.
  private static func credentials(_ userinfo: ArraySlice<UInt8>) throws(ProxyURLError) -> HTTPCredentials? {
    guard !userinfo.isEmpty else { return nil }
    let colon = userinfo.firstIndex(of: ASCII.colon) ?? userinfo.endIndex
    return .basic(user: try decode(userinfo[..<colon]), password: try decode(userinfo[colon...].dropFirst()))
  }

  private static func decode(_ text: ArraySlice<UInt8>) throws(ProxyURLError) -> String {
    guard let raw = String(validating: text, as: UTF8.self),
      let decoded = String(validating: PercentEncoding.decode(raw), as: UTF8.self),
      decoded.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { throw .invalidUserinfo }
    return decoded
  }

  private static func hostAndPort(_ place: ArraySlice<UInt8>) throws(ProxyURLError) -> (String, UInt16?) {
    let host: ArraySlice<UInt8>
    if place.first == UInt8(ascii: "[") {
      host = place.lastIndex(of: UInt8(ascii: "]")).map { place[...$0] } ?? place
    } else {
      host = place.prefix { $0 != ASCII.colon }
      if IPAddress(String(decoding: place, as: UTF8.self))?.family == .v6 { throw .missingBrackets }
    }
    guard !host.isEmpty else { throw .missingHost }
    let port = try port(place[host.endIndex...])
    return (try normalised(String(decoding: host, as: UTF8.self)), port)
  }

  /// Nothing and a lone colon mean the default, as in other URLs.
  private static func port(_ text: ArraySlice<UInt8>) throws(ProxyURLError) -> UInt16? {
    guard let colon = text.first else { return nil }
    let digits = text.dropFirst()
    guard colon == ASCII.colon, digits.allSatisfy(ASCII.isDigit) else { throw .invalidPort }
    guard !digits.isEmpty else { return nil }
    guard let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0 else { throw .invalidPort }
    return port
  }

  /// A host as URLs have it: lower case, other scripts in Punycode, addresses in their usual form, without brackets.
  static func normalised(_ host: String) throws(ProxyURLError) -> String {
    guard !host.isEmpty else { throw .missingHost }
    do throws(HTTPURLError) {
      return try Origin(scheme: .http, host: host).host
    } catch {
      guard case .invalidHost(_, let problem) = error else { throw .missingHost }
      throw .invalidHost(problem)
    }
  }
}

extension HTTPProxy: CustomDebugStringConvertible, CustomReflectable {
  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing more than ``description``: neither credentials nor headers.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
