internal import LinnetHTTPTypes

/// What two requests must share to share a connection: the origin, the TLS settings with their identity, where to connect
/// from and to, through which proxy, and which protocols may be spoken.
struct PoolKey: Sendable, Hashable {
  let origin: Origin
  /// Identifies the TLS settings; 0 for cleartext. Settings are compared once, when they are registered.
  let security: Int
  let target: ConnectTarget?
  /// Identifies the proxy with its credentials and its TLS settings; 0 without one, negative for a tunnel through it.
  let proxy: Int
  let httpVersion: HTTPVersionPolicy
}
