public import LinnetHTTPTypes

/// Why a text is not the URL of a proxy.
///
/// No case and no description has a piece of the text but the scheme: what stands where the host or the port should be may be
/// a password.
public enum ProxyURLError: Error, Sendable, Hashable {
  /// The text is empty.
  case empty
  /// The scheme is none of `http`, `https`, `socks4`, `socks4a`, `socks5`, `socks5h` and `socks`. The name is in lower case.
  case unsupportedScheme(String)
  /// There is nothing where the host should stand.
  case missingHost
  /// The host is refused for the given reason.
  case invalidHost(HostProblem)
  /// An IPv6 address without brackets.
  case missingBrackets
  /// The port is not a number from 1 to 65535.
  case invalidPort
  /// There is a path, and a proxy has none. A lone slash is no path.
  case path
  /// There is a query, and a proxy has none.
  case query
  /// There is a fragment, and a proxy has none.
  case fragment
  /// An `@` comes behind `/`, `?` or `#`, which must be percent-encoded in a user name or password.
  case unescapedUserinfo
  /// The user name or the password, without percent-encoding, is not UTF-8 or has control characters.
  case invalidUserinfo
}

extension ProxyURLError: CustomStringConvertible {
  /// What is wrong, to stand behind a name: `https_proxy: ` and so on.
  public var description: String {
    switch self {
    case .empty: "it is empty"
    case .unsupportedScheme(let name):
      "its scheme \"\(name)\" is none of http, https, socks4, socks4a, socks5 and socks5h"
    case .missingHost: "it has no host"
    case .invalidHost(let problem): "invalid host: \(problem)"
    case .missingBrackets: "an IPv6 address needs brackets"
    case .invalidPort: "its port is not a number from 1 to 65535"
    case .path: "it has a path"
    case .query: "it has a query"
    case .fragment: "it has a fragment"
    case .unescapedUserinfo: "\"/\", \"?\" and \"#\" in a user name or password must be percent-encoded"
    case .invalidUserinfo: "its user name or password is not UTF-8 or has control characters"
    }
  }
}
