internal import LinnetBytes
internal import LinnetHTTPTypes

/// A proxy in use: its settings, and what was learned about it. There is one for each set of settings, credentials and
/// headers included, so that connections made with some are never used with others.
final class ProxyServer: Sendable {
  /// Identifies the settings; never 0.
  let id: Int
  let proxy: HTTPProxy
  /// How the connection to an `https` proxy is protected; nil for the other kinds.
  let security: ConnectionSecurity?
  private let responder: ChallengeResponder

  init(id: Int, proxy: HTTPProxy, security: ConnectionSecurity?, responder: ChallengeResponder) {
    self.id = id
    self.proxy = proxy
    self.security = security
    self.responder = responder
  }

  /// What one request says to the proxy about credentials; nil when there are none.
  func makeDialogue() -> ChallengeDialogue? {
    guard let credentials = proxy.credentials else { return nil }
    return responder.dialogue(with: .proxy(proxy.description), credentials: credentials)
  }

  /// Where its connections go, in the form of an origin: what connections that carry requests for many origins are pooled
  /// by.
  var origin: Origin {
    Origin(scheme: proxy.kind == .https ? .https : .http, normalisedHost: proxy.host, port: proxy.port)
  }

  /// Whether it understands requests, and not only where to connect to.
  var speaksHTTP: Bool { proxy.kind == .http || proxy.kind == .https }

  /// For messages, without credentials: `the proxy http://127.0.0.1:3128`.
  var name: String { "the proxy \(proxy)" }

  /// Sessions are resumed only towards the same proxy.
  var sessionKey: String { "proxy \(proxy.host):\(proxy.port)" }
}

/// The proxy on the way of a connection.
struct ProxyHop: Sendable {
  let server: ProxyServer
  /// Whether it is asked for a connection to the origin; else it gets the requests themselves.
  let isTunnel: Bool
  /// What a CONNECT request says beside what the proxy's settings add.
  let connectHeaders: HTTPHeaders
}

/// Which proxy a client's requests go through, and the proxies that it has met.
final class ProxyRegistry: Sendable {
  private struct State {
    var known: [HTTPProxy: ProxyServer] = [:]
    var nextID = 1
  }

  /// The client's own rules; nil when they are that there is no proxy.
  private let standard: ProxySelector?
  private let variables: [String: String]
  private let securities: SecurityRegistry
  private let standardTLS: TLSConfiguration
  private let connectHeaders: HTTPHeaders
  private let responder = ChallengeResponder()
  private let state = Lock(State())

  init(_ configuration: HTTPClientConfiguration, variables: [String: String], securities: SecurityRegistry) {
    standard = configuration.proxy == .direct ? nil : ProxySelector(configuration.proxy, variables: variables)
    self.variables = variables
    self.securities = securities
    var tls = configuration.tls
    // It identifies its owner to origins; a proxy is shown it only when its own settings say so.
    tls.clientIdentity = nil
    // They are about origins: who trusts those blindly does not show a proxy its credentials in the same way.
    tls.serverName = nil
    tls.pinnedPublicKeys = []
    tls.certificateVerifier = nil
    tls.verifiesPeer = true
    standardTLS = tls
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

  func way(
    to url: HTTPURL, _ options: HTTPRequestOptions, httpVersion: HTTPVersionPolicy, isOverridden: Bool
  ) throws(TransportFailure) -> Way {
    let selector: ProxySelector
    if let own = options.proxy {
      // What is meant for a proxy is not for the origin.
      if own == .direct { return standard == nil ? .direct : .excepted }
      selector = ProxySelector(own, variables: variables)
    } else if let standard {
      selector = standard
    } else {
      return .direct
    }
    guard let proxy = try selector.proxy(for: url) else { return .excepted }
    let server = server(for: proxy)
    // Prior knowledge is of the origin, and HTTP/2 in cleartext is not what a proxy forwards. A request that is forwarded has
    // one host, and no place for where else to connect.
    let isTunnel =
      url.isSecure || !server.speaksHTTP || selector.configuration.tunnelsHTTP || httpVersion == .http2PriorKnowledge
      || isOverridden
    return .through(ProxyHop(server: server, isTunnel: isTunnel, connectHeaders: connectHeaders))
  }

  private func server(for proxy: HTTPProxy) -> ProxyServer {
    state.withLock { state in
      if let known = state.known[proxy] { return known }
      // A program that makes new credentials for every request must not grow without bound.
      if state.known.count >= 256 { state.known.removeAll() }
      let security = proxy.kind == .https ? securities.security(for: proxy.tls ?? standardTLS) : nil
      let made = ProxyServer(id: state.nextID, proxy: proxy, security: security, responder: responder)
      state.nextID += 1
      state.known[proxy] = made
      return made
    }
  }
}

extension HTTPHeaders {
  /// Adds fields in the place of those that have the same names.
  mutating func replace(with fields: HTTPHeaders) {
    guard !fields.isEmpty else { return }
    for field in fields { remove(field.name) }
    add(contentsOf: fields)
  }
}
