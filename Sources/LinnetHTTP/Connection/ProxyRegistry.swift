internal import LinnetBytes
internal import LinnetHTTPTypes

/// Which proxy a client's requests go through, and the proxies that it has met.
///
/// What the client's configuration and the environment say is resolved once, when the client is made. A request asks without
/// a lock then, and nothing of a proxy's settings is hashed or compared.
final class ProxyRegistry: Sendable {
  private struct State {
    /// The rules of configurations that requests had for themselves.
    var rules: [ProxyRules.Mark: [ProxyRules]] = [:]
    var count = 0
  }

  /// The client's own rules; nil when they are that there is no proxy.
  private let standard: ProxyRules?
  private let variables: [String: String]
  private let servers: ProxyServers
  private let connectHeaders: HTTPHeaders
  private let state = Lock(State())

  /// How many configurations of requests are remembered: a program that makes new credentials for every request must not
  /// grow without bound.
  private static var maximumRules: Int { 256 }

  init(_ configuration: HTTPClientConfiguration, variables: [String: String], securities: SecurityRegistry) {
    self.variables = variables
    let servers = ProxyServers(configuration.tls, securities: securities)
    self.servers = servers
    standard =
      configuration.proxy == .direct
      ? nil : ProxyRules(configuration.proxy, variables: variables, servers: servers)
    var headers = HTTPHeaders()
    if let agent = configuration.defaultHeaders["User-Agent"] { headers.add("User-Agent", agent) }
    connectHeaders = headers
  }

  /// How a request gets to its origin.
  enum Way: Sendable {
    /// No proxy is configured.
    case direct
    /// None applies to this request.
    case excepted
    case through(ProxyHop)

    var hop: ProxyHop? {
      if case .through(let hop) = self { return hop }
      return nil
    }
  }

  /// How a request goes whose caller says where to connect.
  func way(toTargetWith options: HTTPRequestOptions) -> Way {
    standard == nil && options.proxy.map { $0 == .direct } ?? true ? .direct : .excepted
  }

  /// - Throws: `invalidConfiguration` when the proxy that was named for the request cannot be one.
  func way(
    to url: HTTPURL, _ options: HTTPRequestOptions, httpVersion: HTTPVersionPolicy, isOverridden: Bool
  ) throws(TransportFailure) -> Way {
    let rules: ProxyRules
    if let own = options.proxy {
      // What is meant for a proxy is not for the origin.
      if own == .direct { return standard == nil ? .direct : .excepted }
      rules = self.rules(of: own)
    } else if let standard {
      rules = standard
    } else {
      return .direct
    }
    guard let server = try rules.server(for: url) else { return .excepted }
    // Prior knowledge is of the origin, and HTTP/2 in cleartext is not what a proxy forwards. A request that is forwarded has
    // one host, and no place for where else to connect.
    let isTunnel =
      url.isSecure || !server.speaksHTTP || rules.tunnelsHTTP || httpVersion == .http2PriorKnowledge || isOverridden
    return .through(ProxyHop(server: server, isTunnel: isTunnel, connectHeaders: connectHeaders))
  }

  private func rules(of configuration: ProxyConfiguration) -> ProxyRules {
    let mark = ProxyRules.Mark(configuration)
    return state.withLock { state in
      if let known = state.rules[mark]?.first(where: { $0.configuration == configuration }) { return known }
      if state.count >= Self.maximumRules {
        state.rules.removeAll()
        state.count = 0
      }
      let made = ProxyRules(configuration, variables: variables, servers: servers)
      state.rules[mark, default: []].append(made)
      state.count += 1
      return made
    }
  }

  /// For tests: how many configurations of requests are remembered.
  var ruleCount: Int { state.withLock { $0.count } }
}

/// One configuration's rules, with the servers that they lead to.
private final class ProxyRules: Sendable {
  /// What tells most configurations apart and costs little to hash. Credentials, headers and TLS settings are only compared,
  /// and for copies of one value that is a comparison of references.
  struct Mark: Hashable {
    private let kind: HTTPProxy.Kind?
    private let host: String?
    private let port: UInt16?

    init(_ configuration: ProxyConfiguration) {
      kind = configuration.proxy?.kind
      host = configuration.proxy?.host
      port = configuration.proxy?.port
    }
  }

  private let selector: ProxySelector<ProxyServer>

  init(_ configuration: ProxyConfiguration, variables: [String: String], servers: ProxyServers) {
    selector = ProxySelector(configuration, variables: variables) { servers.server(for: $0) }
  }

  var configuration: ProxyConfiguration { selector.configuration }
  var tunnelsHTTP: Bool { selector.configuration.tunnelsHTTP }

  /// The proxy for a request to `url`; nil when it goes directly.
  func server(for url: HTTPURL) throws(TransportFailure) -> ProxyServer? {
    switch selector.choice(for: url) {
    case .direct: return nil
    case .through(let server): return server
    case .unusable(let reason):
      throw TransportFailure(code: .invalidConfiguration, phase: .request, reason: reason)
    }
  }
}

/// The servers by their settings.
private final class ProxyServers: Sendable {
  private struct State {
    var known: [HTTPProxy: ProxyServer] = [:]
    var nextID = 1
  }

  private let securities: SecurityRegistry
  private let standardTLS: TLSConfiguration
  private let responder = ChallengeResponder()
  private let state = Lock(State())

  /// As many as configurations are remembered, for the same reason.
  private static var maximumKnown: Int { 256 }

  init(_ tls: TLSConfiguration, securities: SecurityRegistry) {
    self.securities = securities
    var tls = tls
    // It identifies its owner to origins; a proxy is shown it only when its own settings say so.
    tls.clientIdentity = nil
    // They are about origins: who trusts those blindly does not show a proxy its credentials in the same way.
    tls.serverName = nil
    tls.pinnedPublicKeys = []
    tls.certificateVerifier = nil
    tls.verifiesPeer = true
    standardTLS = tls
  }

  func server(for proxy: HTTPProxy) -> ProxyServer {
    state.withLock { state in
      if let known = state.known[proxy] { return known }
      if state.known.count >= Self.maximumKnown { state.known.removeAll() }
      let security = proxy.kind == .https ? securities.security(for: proxy.tls ?? standardTLS) : nil
      let made = ProxyServer(id: state.nextID, proxy: proxy, security: security, responder: responder)
      state.nextID += 1
      state.known[proxy] = made
      return made
    }
  }
}
