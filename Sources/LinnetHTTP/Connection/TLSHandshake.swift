internal import LinnetTLS

/// One TLS handshake of a connection that is being made: with the origin, or with a proxy.
struct TLSHandshake: Sendable {
  let context: TLSContext
  let security: ConnectionSecurity
  /// What the certificate must name.
  let serverName: TLSServerName
  /// Under which sessions are kept and resumed.
  let sessionKey: String
  /// What is offered by ALPN (RFC 7301), the most wanted first.
  let applicationProtocols: [String]
  /// Nothing but HTTP/2 will do.
  let insistsOnHTTP2: Bool
  /// The proxy, when it is the peer; for errors.
  let proxy: ProxyServer?

  func makeEngine() throws(TransportFailure) -> TLSEngine {
    do throws(TLSError) {
      return try TLSEngine(
        context: context, serverName: serverName, session: security.takeSession(for: sessionKey),
        applicationProtocols: applicationProtocols)
    } catch {
      throw TransportFailure(error, phase: .tls)
    }
  }
}
