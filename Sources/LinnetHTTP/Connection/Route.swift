internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// Everything that making a connection for one pool needs: where to, through what, how protected, how long.
struct Route: Sendable {
  /// Where requests are answered. For connections that carry requests for many origins to a proxy, which forwards them, it
  /// is the proxy.
  let origin: Origin
  let target: ConnectTarget?
  let proxy: ProxyHop?
  /// Nil for cleartext.
  let security: ConnectionSecurity?
  let connectTimeout: Duration?
  let socket: SocketConfiguration
  let resolveOverrides: [String: [String]]
  let limits: HTTP1Limits
  let httpVersion: HTTPVersionPolicy
  let http2: HTTP2Configuration

  /// What is offered by ALPN (RFC 7301), the most wanted first.
  var applicationProtocols: [String] {
    switch httpVersion {
    case .automatic: ["h2", "http/1.1"]
    case .http1Only: ["http/1.1"]
    case .http2Only, .http2PriorKnowledge: ["h2"]
    }
  }

  var insistsOnHTTP2: Bool { httpVersion == .http2Only || httpVersion == .http2PriorKnowledge }

  /// Whether the first connection may turn out to carry many requests, so that a burst should wait for it.
  var mayMultiplex: Bool {
    switch httpVersion {
    case .automatic, .http2Only: security != nil
    case .http1Only: false
    case .http2PriorKnowledge: true
    }
  }

  /// Whether the connection goes to a proxy that forwards requests.
  var isForwarding: Bool { proxy.map { !$0.isTunnel } ?? false }

  /// Where a proxy is asked to connect to: the origin, or where it is said to be found.
  var farEnd: Origin {
    guard case .host(let host, let number) = target, let port = UInt16(exactly: number) else { return origin }
    do throws(HTTPURLError) {
      return try Origin(scheme: origin.scheme, host: host, port: port)
    } catch {
      // No host of a URL, so no resolver knows it either; a proxy will say so.
      return Origin(scheme: origin.scheme, normalisedHost: host, port: port)
    }
  }

  /// The proxy that connections are asked of; nil without one, and when it forwards requests.
  var tunnel: ProxyHop? { proxy.flatMap { $0.isTunnel ? $0 : nil } }

  /// Where the connection leads, for messages: `host:port`, the socket's path, or the proxy that forwards.
  var name: String {
    if let proxy { return proxy.isTunnel ? "\(farEnd.authority) through \(proxy.server.name)" : proxy.server.name }
    return endName
  }

  private var endName: String {
    switch target {
    case .unixSocket(let path): "unix:\(path)"
    case .host(let host, let port): "\(host):\(port)"
    case nil: origin.authority
    }
  }

  /// Sessions are resumed only towards the same origin; the policy is part of ``ConnectionSecurity`` itself.
  var sessionKey: String {
    if isForwarding, let proxy { return proxy.server.sessionKey }
    return "\(origin.host):\(origin.port) \(target.map { "\($0)" } ?? "")"
  }
}
