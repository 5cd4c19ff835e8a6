internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// Everything that making a connection for one pool needs: where to, how protected, how long.
struct Route: Sendable {
  let origin: Origin
  let target: ConnectTarget?
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

  /// The origin for messages: `host:port`, or the socket's path.
  var name: String {
    switch target {
    case .unixSocket(let path): "unix:\(path)"
    case .host(let host, let port): "\(host):\(port)"
    case nil: "\(origin.host.contains(":") ? "[\(origin.host)]" : origin.host):\(origin.port)"
    }
  }

  /// Sessions are resumed only towards the same origin; the policy is part of ``ConnectionSecurity`` itself.
  var sessionKey: String { "\(origin.host):\(origin.port) \(target.map { "\($0)" } ?? "")" }
}
