internal import LinnetBytes
internal import LinnetIO
internal import LinnetTLS

/// One TLS handshake of a connection that is being made: with the origin, or with a proxy.
struct TLSHandshake: Sendable {
  let context: TLSContext
  let security: ConnectionSecurity
  /// What the certificate must name.
  let serverName: TLSServerName
  /// For the verifier.
  let port: UInt16
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
        context: context, serverName: serverName, session: security.takeSession(for: sessionKey, under: context),
        applicationProtocols: applicationProtocols)
    } catch {
      throw TransportFailure(error, phase: .tls)
    }
  }

  /// Asks the verifier of the settings, off the shard.
  func decision(
    on request: TLSPeerVerification, deadline: Instant, shard: IOShard
  ) async throws(TransportFailure) -> TLSVerificationDecision {
    guard let verifier = security.configuration.certificateVerifier else { return .useVerdict }
    let presented = PresentedCertificates(request, host: serverName.text, port: port)
    let timedOut = TransportFailure(
      code: .connectTimeout, phase: .tls, reason: "the certificate verifier did not decide in time")
    let decision = try await withDeadline(
      deadline, on: shard, timedOut: timedOut, cancelled: TransportFailure.cancelled.at(.tls)
    ) { () async throws(TransportFailure) in await verifier.decide(on: presented) }
    return switch decision {
    case .accept: .accept
    case .reject(let reason): .reject(reason)
    case .useDefault: .useVerdict
    }
  }
}

extension PresentedCertificates {
  init(_ request: TLSPeerVerification, host: String, port: UInt16) {
    let verdict: Verdict =
      switch request.verdict {
      case .accepted: .accepted
      case .rejected(let error): .rejected(error.description)
      case .notChecked: .notChecked
      }
    self.init(host: host, port: port, certificates: request.chain.compactMap { PeerCertificate($0) }, verdict: verdict)
  }
}
