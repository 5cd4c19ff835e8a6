internal import LinnetHTTP

/// The proxy that the options and the environment ask for.
struct ProxyOptions {
  private let options: CommandLineOptions.Proxy
  /// How long a file is waited for.
  private let limit: Duration?

  init(_ options: CommandLineOptions) {
    self.options = options.proxy
    limit = options.connection.maximumTime
  }

  /// - Throws: A usage error for an address that is no proxy's.
  func configuration() throws(CommandError) -> ProxyConfiguration {
    var configuration = ProxyConfiguration.environment
    if let exceptions = options.exceptions {
      configuration.usesNoProxyVariable = false
      configuration.exceptions = exceptions.text.split { $0 == "," || $0 == " " || $0 == "\t" }.map { String($0) }
    }
    configuration.tunnelsHTTP = options.tunnels
    guard let server = options.server else {
      // As curl, whichever proxy it is: that of -x, or those of the environment.
      configuration.environmentCredentials = try credentials()
      configuration.environmentHeaders = try headers()
      configuration.environmentTLS = try tls()
      return configuration
    }
    configuration.usesProxyVariables = false
    if !server.address.bytes.isEmpty { configuration.proxy = try proxy(server) }
    return configuration
  }

  private func credentials() throws(CommandError) -> HTTPCredentials? {
    if let user = options.user {
      return try CredentialOptions.credentials(user, options.scheme, of: "--proxy-user")
    }
    guard options.scheme == .basic else {
      throw .usage("--proxy-digest and --proxy-anyauth need the credentials of -U")
    }
    return nil
  }

  /// Nil when nothing is said about it.
  private func tls() throws(CommandError) -> TLSConfiguration? {
    guard options.tls != CommandLineOptions.TLS() else { return nil }
    return try TLSOptions(options.tls, optionPrefix: "proxy-", within: limit).configuration()
  }

  private func proxy(_ server: CommandLineOptions.ProxyServer) throws(CommandError) -> HTTPProxy {
    guard let text = server.address.exactText else { throw .usage("the proxy's address is not UTF-8") }
    var proxy: HTTPProxy
    do throws(ProxyURLError) {
      proxy = try HTTPProxy(server.kind.map { "\($0.rawValue)://\(Self.withoutScheme(text))" } ?? text)
    } catch {
      throw .usage("'\(URLArgument.masked(text))' is no proxy: \(error)")
    }
    if let credentials = try credentials() { proxy.credentials = credentials }
    proxy.headers = try headers()
    if proxy.kind == .https {
      proxy.tls = try TLSOptions(options.tls, optionPrefix: "proxy-", within: limit).configuration()
    }
    return proxy
  }

  /// `--socks5 socks5://host` names the scheme twice.
  private static func withoutScheme(_ text: String) -> Substring {
    guard let slashes = text.utf8.firstIndex(of: UInt8(ascii: "/")), text[slashes...].hasPrefix("//"),
      text[..<slashes].hasSuffix(":")
    else { return text[...] }
    return text[slashes...].dropFirst(2)
  }

  private func headers() throws(CommandError) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for line in try HeaderArgument.lines(options.headers, within: limit) {
      guard case .field(let name, let value) = try HeaderArgument(line) else {
        throw .usage("header '\(HeaderArgument.shown(line))' for the proxy has no value")
      }
      do throws(HTTPHeaderError) {
        try headers.add(name: name, bytes: value)
      } catch {
        throw .usage("\(error)")
      }
    }
    return headers
  }
}
