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

extension HTTPHeaders {
  /// Adds fields in the place of those that have the same names.
  mutating func replace(with fields: HTTPHeaders) {
    guard !fields.isEmpty else { return }
    for field in fields { remove(field.name) }
    add(contentsOf: fields)
  }
}
