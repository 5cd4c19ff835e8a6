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

  init(id: Int, proxy: HTTPProxy, security: ConnectionSecurity?) {
    self.id = id
    self.proxy = proxy
    self.security = security
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

/// The proxies that a client has met.
final class ProxyRegistry: Sendable {
  private struct State {
    var known: [HTTPProxy: ProxyServer] = [:]
    var nextID = 1
  }

  private let state = Lock(State())
  private let securities: SecurityRegistry
  private let standardTLS: TLSConfiguration

  init(tls: TLSConfiguration, securities: SecurityRegistry) {
    var tls = tls
    // It identifies its owner to origins; a proxy is shown it only when its own settings say so.
    tls.clientIdentity = nil
    standardTLS = tls
    self.securities = securities
  }

  func server(for proxy: HTTPProxy) -> ProxyServer {
    state.withLock { state in
      if let known = state.known[proxy] { return known }
      // A program that makes new credentials for every request must not grow without bound.
      if state.known.count >= 256 { state.known.removeAll() }
      let security = proxy.kind == .https ? securities.security(for: proxy.tls ?? standardTLS) : nil
      let made = ProxyServer(id: state.nextID, proxy: proxy, security: security)
      state.nextID += 1
      state.known[proxy] = made
      return made
    }
  }
}
