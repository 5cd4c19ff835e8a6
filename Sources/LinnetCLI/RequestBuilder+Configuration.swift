internal import Glibc
internal import LinnetHTTP

extension RequestBuilder {
  /// Whether one client does for both: whatever ``configuration()`` looks at is the same.
  func hasSameClient(as other: RequestBuilder) -> Bool {
    let (own, others) = (options, other.options)
    return own.connection == others.connection && own.tls == others.tls && own.proxy == others.proxy
      && own.redirects == others.redirects && givesReferer == other.givesReferer
      && own.credentials == others.credentials && cookies.jar === other.cookies.jar && own.run == others.run
      && own.isCompressed == others.isCompressed
  }

  /// The client that the options ask for.
  func configuration() throws(CommandError) -> HTTPClientConfiguration {
    var configuration = HTTPClientConfiguration()
    // As curl: only what the user asks for ends a transfer that still has a chance.
    configuration.timeouts = TimeoutConfiguration(
      connect: options.connection.connectTimeout, connectionWait: nil, responseHead: nil, idle: nil,
      total: options.connection.maximumTime)
    configuration.redirects = redirects
    if let jar = cookies.jar { configuration.cookies = .jar(jar) }
    configuration.proxy = try ProxyOptions(options).configuration()
    configuration.netrc = try NetrcOptions.source(options)
    configuration.httpVersion = options.connection.httpVersion
    configuration.expectContinueTimeout = options.connection.expectTimeout
    if !options.isCompressed { configuration.decompression = .disabled }
    if options.run.isParallel {
      configuration.pool.maximumConnectionsPerOrigin = max(
        configuration.pool.maximumConnectionsPerOrigin, options.run.parallelMaximum)
    }
    try configure(&configuration, options.connection)
    configuration.tls = try TLSOptions(
      options.tls, optionPrefix: "", within: options.connection.maximumTime
    ).configuration()
    return configuration
  }

  private func configure(
    _ configuration: inout HTTPClientConfiguration, _ connection: CommandLineOptions.Connection
  ) throws(CommandError) {
    for entry in connection.resolve { configuration.resolveOverrides[entry.hostAndPort] = entry.addresses }
    if let socket = connection.unixSocket {
      configuration.connectTarget = .unixSocket(try socketPath(socket))
    }
    for entry in connection.connectTo {
      configuration.connectOverrides.append(
        ConnectOverride(
          host: entry.host, port: entry.port, targetHost: entry.newHost, targetPort: entry.newPort))
    }
    if let interface = connection.interface {
      guard let name = interface.exactText else { throw .usage("option --interface: '\(interface.text)' is not UTF-8") }
      configuration.socket.localInterface = name
    }
    if let time = connection.keepAliveTime { configuration.socket.tcpKeepAlive = time }
    if !connection.usesKeepAlive { configuration.socket.tcpKeepAlive = nil }
    switch connection.addressFamily {
    case .any: break
    case .ipv4: configuration.socket.addressFamily = .ipv4
    case .ipv6: configuration.socket.addressFamily = .ipv6
    }
  }

  /// The path as text, by which the library names sockets; of one that is not UTF-8, the name of a descriptor that stands for
  /// it and stays open.
  private func socketPath(_ socket: Argument) throws(CommandError) -> String {
    if let path = socket.exactText { return path }
    guard socket.bytes.first != UInt8(ascii: "@") else {
      throw .usage("option --unix-socket: '\(socket.text)' is not UTF-8, and no path")
    }
    if let path = InputFile.standIn(for: socket) { return path }
    throw CommandError(.connectFailed, "option --unix-socket: cannot open '\(socket.text)': \(systemText(errno))")
  }

  /// What is done with redirections.
  private var redirects: HTTPRedirectPolicy {
    let redirects = options.redirects
    guard redirects.isFollowing else { return .manual }
    var policy = HTTPRedirectPolicy.follow
    policy.maximumHops = redirects.maximumHops ?? .max
    policy.sendsCredentialsAcrossOrigins = redirects.isTrusted
    policy.allowsUnsafeMethodsAcrossOrigins = redirects.isTrusted
    policy.keepsPostOnMovedPermanently = redirects.keepsPostOn301
    policy.keepsPostOnFound = redirects.keepsPostOn302
    policy.keepsPostOnSeeOther = redirects.keepsPostOn303
    // A line of -H is the last word.
    policy.sendsReferer = redirects.sendsReferer && !givesReferer
    // Only a list that names it lets http follow https.
    policy.allowsHTTPSDowngrade = redirects.schemes?.contains("http") ?? false
    let schemes = [redirects.schemes, options.run.schemes].compactMap(\.self)
    guard !schemes.isEmpty else { return policy }
    policy.decide = { redirect in
      let scheme = try HTTPURL(redirect.request.url).scheme.rawValue
      guard schemes.allSatisfy({ $0.contains(scheme) }) else {
        return .refuse(reason: "--proto and --proto-redir do not allow \(scheme)")
      }
      return .follow
    }
    return policy
  }
}
