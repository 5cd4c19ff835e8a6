import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

extension HTTPProxy {
  /// A proxy on this machine.
  static func local(_ kind: Kind, _ port: UInt16, _ credentials: HTTPCredentials? = nil) -> HTTPProxy {
    HTTPProxy(kind: kind, host: "127.0.0.1", port: port, credentials: credentials)
  }
}

extension HTTPClientConfiguration {
  /// Everything goes through this proxy.
  static func through(_ proxy: HTTPProxy, _ base: HTTPClientConfiguration = HTTPClientConfiguration()) -> Self {
    var configuration = base
    configuration.proxy = .fixed(proxy)
    return configuration
  }
}

extension ScriptedServer {
  /// What the client sent on each connection before it was a tunnel, as text.
  var heads: [String] { snapshot.requests.map { String(decoding: $0.headBytes, as: UTF8.self) } }
}

extension SocketEffect {
  /// A tunnel to that port.
  static func tunnel(to port: UInt16) -> SocketEffect { .relay(toPort: port, frozenBy: Gate()) }
}

/// `Basic` for `aladdin` and `sesame`.
let aladdin = HTTPCredentials.basic(user: "aladdin", password: "sesame")
let aladdinField = "Basic YWxhZGRpbjpzZXNhbWU="
