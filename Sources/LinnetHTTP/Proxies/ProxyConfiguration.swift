public import LinnetHTTPTypes

/// Which requests go through which proxy.
///
/// ```swift
/// configuration.proxy = .environment                                // http_proxy, https_proxy, all_proxy, no_proxy
/// configuration.proxy = .fixed(try HTTPProxy("socks5h://127.0.0.1:1080"))
/// ```
public struct ProxyConfiguration: Sendable, Hashable {
  /// The proxy of every request, before any that the environment names. Default none.
  public var proxy: HTTPProxy?
  /// Whether `http_proxy`, `https_proxy` and `all_proxy` are honoured. The first that is set decides, also when it is empty,
  /// which means no proxy: the scheme's before `all_proxy`, and lower case before upper case. `HTTP_PROXY` in upper case does not
  /// count in a CGI program (one with `REQUEST_METHOD` in its environment), whose client can set it. One that is no
  /// proxy's URL fails the requests that it is for with `invalidConfiguration`. Default false.
  public var usesProxyVariables = false
  /// What the proxies that variables name are shown, in place of a user name and a password in their URLs; each of them, so they
  /// should be one's own. Default: what their URLs say.
  public var environmentCredentials: HTTPCredentials?
  /// Headers for the proxies that variables name, as ``HTTPProxy/headers``. Default none.
  public var environmentHeaders: HTTPHeaders = [:]
  /// How connections to `https` proxies that variables name are protected. Default nil, as ``HTTPProxy/tls``.
  public var environmentTLS: TLSConfiguration?
  /// Whether `no_proxy` and `NO_PROXY` are honoured. Default false.
  public var usesNoProxyVariable = false
  /// Hosts that are connected to without a proxy, beside those of the variable, as in `no_proxy`: `name` and `.name` for a name
  /// and those below it, `*.name` for those below it, `*` for all, addresses, CIDR blocks, each with `:port` if wanted. An
  /// entry that is none of these matches nothing. No host is connected to directly by itself, the own machine neither.
  public var exceptions: [String] = []
  /// Whether `http` URLs go through a CONNECT tunnel too, as curl's `--proxytunnel`. Default false.
  public var tunnelsHTTP = false

  private init() {}

  /// Every request goes directly. The library's default.
  public static let direct = ProxyConfiguration()

  /// Proxies and exceptions that the environment names. The command's default.
  public static let environment: ProxyConfiguration = {
    var configuration = ProxyConfiguration()
    configuration.usesProxyVariables = true
    configuration.usesNoProxyVariable = true
    return configuration
  }()

  /// One proxy for every request, but for those to `exceptions`.
  public static func fixed(_ proxy: HTTPProxy, exceptions: [String] = []) -> ProxyConfiguration {
    var configuration = ProxyConfiguration()
    configuration.proxy = proxy
    configuration.exceptions = exceptions
    return configuration
  }
}
