internal import LinnetBytes
internal import LinnetHTTP

/// Decides which URLs requests may go to. It runs on the base URL, on the final request after interceptors and tokens,
/// and on each hop of a redirect.
///
/// The text itself is examined, before it is parsed: parsing by the WHATWG URL standard repairs much of what is refused
/// here (it resolves dot segments, takes backslashes for slashes, drops tabs), while other parsers read the same text
/// differently. What passes has one meaning for all of them.
///
/// No message contains a user name, a password or a query.
package struct URLAdmission: Sendable {
  /// What a URL is for.
  package enum Purpose: Sendable {
    /// `https`, and `http` when insecure connections are allowed.
    case http
    /// `wss`, and `ws` when insecure connections are allowed.
    case webSocket
  }

  private let purpose: Purpose
  private let allowsInsecure: Bool

  /// - Parameters:
  ///   - purpose: Which pair of schemes is meant.
  ///   - allowsInsecure: Whether the scheme without TLS may be used. Loopback is no exception.
  package init(_ purpose: Purpose = .http, allowsInsecure: Bool) {
    self.purpose = purpose
    self.allowsInsecure = allowsInsecure
  }

  /// The URL that a text stands for.
  ///
  /// - Throws: ``NetworkConfigurationFailureReason/invalidBaseURL(_:)`` for a text of the wrong shape, and
  ///   ``NetworkConfigurationFailureReason/invalidRequest(_:)`` for one whose path climbs.
  package func admit(_ text: String) throws(NetworkError) -> HTTPURL {
    let bytes = Array(text.utf8)
    let parts = try parts(of: bytes)
    try check(authority: parts.authority)
    if DotSegments.areIn(parts.path) { throw Self.climbing }
    guard !parts.path.contains(UInt8(ascii: "\\")) else { throw refusal("the path contains a backslash") }
    let url: HTTPURL
    do throws(HTTPURLError) {
      url = try HTTPURL(text)
    } catch {
      throw refusal(Self.text(of: error))
    }
    if let address = url.address, case .v4 = address.family, !parts.authority.starts(with: url.host.utf8) {
      throw refusal("the host is an unusual spelling of the address \(url.host)")
    }
    try check(url)
    return url
  }

  /// The same for a URL that is parsed already, such as the target of a redirect, whose dot segments were resolved
  /// against the URL before.
  package func admit(_ url: HTTPURL) throws(NetworkError) -> HTTPURL {
    if url.hasUserinfo { throw Self.credentials }
    if url.fragment != nil { throw Self.fragment }
    if DotSegments.areIn(url.path.utf8) { throw Self.climbing }
    try check(url)
    return url
  }

  private func check(_ url: HTTPURL) throws(NetworkError) {
    let isExpected =
      switch purpose {
      case .http: url.scheme == .https || url.scheme == .http
      case .webSocket: url.scheme == .wss || url.scheme == .ws
      }
    guard isExpected else { throw refusal("the scheme \"\(url.scheme.rawValue)\" is not one of \(schemes)") }
    guard url.isSecure || allowsInsecure else {
      throw refusal(
        "the scheme \"\(url.scheme.rawValue)\" is insecure; TransportPack(allowsInsecureHTTP: true) allows it")
    }
    do throws(HTTPURLError) { _ = try url.connectablePort() } catch { throw refusal(Self.text(of: error)) }
  }

  private var schemes: String {
    switch purpose {
    case .http: "https and http"
    case .webSocket: "wss and ws"
    }
  }
}

extension URLAdmission {
  private struct Parts {
    /// Between `://` and the path.
    var authority: ArraySlice<UInt8>
    /// Up to the query.
    var path: ArraySlice<UInt8>
  }

  private func parts(of bytes: [UInt8]) throws(NetworkError) -> Parts {
    if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw refusal("it contains a control character") }
    guard bytes.first != ASCII.space, bytes.last != ASCII.space else { throw refusal("there is a space at its edge") }
    guard !bytes.contains(UInt8(ascii: "#")) else { throw Self.fragment }
    let scheme = bytes.prefix { ASCII.isAlpha($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }
    let rest = bytes[scheme.endIndex...]
    guard !scheme.isEmpty, rest.starts(with: "://".utf8) else {
      throw refusal("it is not absolute, such as https://api.example.com/v1")
    }
    let afterScheme = rest.dropFirst(3)
    let authority = afterScheme.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let path = afterScheme[authority.endIndex...].prefix { $0 != UInt8(ascii: "?") }
    return Parts(authority: authority, path: path)
  }

  private func check(authority: ArraySlice<UInt8>) throws(NetworkError) {
    guard !authority.contains(UInt8(ascii: "@")) else { throw Self.credentials }
    guard !authority.contains(UInt8(ascii: "\\")) else { throw refusal("the host contains a backslash") }
    guard authority.first != UInt8(ascii: "[") else { return }
    let colon = authority.firstIndex(of: ASCII.colon) ?? authority.endIndex
    let host = authority[..<colon]
    guard !host.isEmpty else { throw refusal("there is no host") }
    guard let decoded = Self.decoded(host) else { throw refusal("the host contains a broken escape") }
    if decoded.contains(where: Self.isAmbiguousInHost) {
      throw refusal("the host contains a character that could be read as the end of it")
    }
  }

  /// Decoded once; nil when a `%` does not begin an escape.
  private static func decoded(_ host: ArraySlice<UInt8>) -> [UInt8]? {
    var decoded: [UInt8] = []
    var rest = host
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let first = rest.popFirst(), let second = rest.popFirst(), let high = ASCII.hexValue(first),
          let low = ASCII.hexValue(second)
        else { return nil }
        decoded.append(high << 4 | low)
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }

  private static func isAmbiguousInHost(_ byte: UInt8) -> Bool {
    byte <= ASCII.space || byte == 0x7F || "@/\\?#:%".utf8.contains(byte)
  }

  private static func text(of error: HTTPURLError) -> String {
    switch error {
    // What stands where the port should be may be a password that lost its host.
    case .invalidPort, .portOutOfRange: "the port is not a number up to 65535"
    case .missingScheme, .unsupportedScheme, .missingHost, .invalidHost, .zeroPort, .tooLong: "\(error)"
    }
  }

  private func refusal(_ problem: String) -> NetworkError {
    .configuration(reason: .invalidBaseURL("the URL is refused: \(problem)"))
  }

  private static var climbing: NetworkError {
    .configuration(
      reason: .invalidRequest("the URL's path has a segment that is \".\" or \"..\", or was made from an empty value"))
  }

  private static var credentials: NetworkError {
    .configuration(reason: .invalidBaseURL("the URL is refused: it contains a user name or a password"))
  }

  private static var fragment: NetworkError {
    .configuration(reason: .invalidBaseURL("the URL is refused: it has a fragment"))
  }
}
