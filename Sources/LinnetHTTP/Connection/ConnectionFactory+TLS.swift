internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetTLS

extension ConnectionFactory {
  /// The handshake with the origin; nil for cleartext. Its settings are read here, before the network is bothered: a bad
  /// key file is not a connection problem.
  @inline(never)
  func originHandshake() async throws(TransportFailure) -> TLSHandshake? {
    guard let security = route.security else { return nil }
    return TLSHandshake(
      context: try await security.context(), security: security,
      serverName: try serverName(security.configuration.serverName, or: route.origin.host),
      port: route.origin.port, sessionKey: route.sessionKey, applicationProtocols: route.applicationProtocols,
      insistsOnHTTP2: route.insistsOnHTTP2, proxy: route.isForwarding ? route.proxy?.server : nil)
  }

  /// The handshake with the `https` proxy of a tunnel; nil when there is none.
  @inline(never)
  func proxyHandshake() async throws(TransportFailure) -> TLSHandshake? {
    guard let server = route.tunnel?.server, let security = server.security else { return nil }
    do throws(TransportFailure) {
      return TLSHandshake(
        context: try await security.context(), security: security,
        serverName: try serverName(security.configuration.serverName, or: server.proxy.host), port: server.proxy.port,
        sessionKey: server.sessionKey, applicationProtocols: ["http/1.1"], insistsOnHTTP2: false, proxy: server)
    } catch {
      throw error.naming(server)
    }
  }

  /// What the certificate must name.
  private func serverName(_ chosen: String?, or host: String) throws(TransportFailure) -> TLSServerName {
    do throws(TLSError) {
      return try TLSServerName(host: chosen ?? host).normalised()
    } catch {
      throw TransportFailure(error, phase: .request)
    }
  }

  /// Puts TLS on the transport: runs the handshake until both sides are done, the deadline passes or the task is
  /// cancelled.
  @inline(never)
  func secure(_ dialled: inout DialledTransport, by handshake: TLSHandshake) async throws(TransportFailure) {
    dialled.transport.startTLS(try handshake.makeEngine())
    var failure: TransportFailure?
    do throws(TransportFailure) {
      handshaking: while true {
        switch try dialled.transport.handshake() {
        case .complete: break handshaking
        case .inProgress: try await step(&dialled)
        case .needsVerification(let request):
          let decision = try await handshake.decision(on: request, deadline: dialled.deadline, shard: dialled.shard)
          dialled.transport.decide(decision)
        }
      }
    } catch {
      failure = error
    }
    handshake.security.log(dialled.transport.takeKeyLogLines())
    if var failure {
      // What was offered was h2 alone.
      if failure.isApplicationProtocolRefused, handshake.insistsOnHTTP2 { failure.code = .http2NotNegotiated }
      if let proxy = handshake.proxy { failure = failure.naming(proxy) }
      failure.peers = [TransportError.PeerAttempt(address: dialled.peer, cause: failure.reason)]
      throw failure
    }
  }

  /// Moves ciphertext in whichever direction the handshake waits for.
  @inline(never)
  private func step(_ dialled: inout DialledTransport) async throws(TransportFailure) {
    do throws(ReadinessWaitError) {
      guard try await dialled.wait() else { return }
    } catch {
      switch error {
      case .cancelled: throw TransportFailure.cancelled.at(.tls)
      case .timedOut:
        throw TransportFailure(code: .connectTimeout, phase: .tls, reason: "the TLS handshake was not done in time")
      }
    }
    do throws(TransportFailure) {
      _ = try dialled.transport.receiveCiphertext()
    } catch {
      var failure = error.at(.tls)
      if failure.code == .connectionLost { failure.code = .tlsHandshakeFailed }
      throw failure
    }
  }
}

extension TLSSettings {
  /// The engine's settings for a public configuration.
  init(_ configuration: TLSConfiguration, trustEnvironment: TrustEnvironment) {
    self.init()
    minimumVersion = TLSVersion(configuration.minimumVersion)
    maximumVersion = TLSVersion(configuration.maximumVersion)
    verification = configuration.verifiesPeer ? .full : .none
    self.trustEnvironment = trustEnvironment
    switch configuration.trustRoots {
    case .system: trust = .system
    case .systemAnd(let sources): trust = .systemAnd(sources.map { TLSSource($0) })
    case .only(let sources): trust = .only(sources.map { TLSSource($0) })
    }
    identity = configuration.clientIdentity.map { identity in
      if identity.isPKCS12 {
        TLSIdentity(pkcs12: TLSSource(identity.certificates), passphrase: identity.passphrase)
      } else {
        TLSIdentity(
          certificateChain: TLSSource(identity.certificates),
          privateKey: TLSSource(identity.privateKey ?? identity.certificates), passphrase: identity.passphrase)
      }
    }
    pinnedPublicKeys = Set(configuration.pinnedPublicKeys.map(\.digest))
    asksForDecision = configuration.certificateVerifier != nil
    cipherList = configuration.cipherList
    cipherSuites = configuration.cipherSuites
    keyLog = configuration.keyLogFile
  }
}

extension TLSVersion {
  init(_ version: TLSConfiguration.Version) {
    switch version {
    case .tls12: self = .v1_2
    case .tls13: self = .v1_3
    }
  }
}

extension TLSSource {
  init(_ source: TLSConfiguration.Source) {
    switch source {
    case .file(let path): self = .file(path)
    case .bytes(let bytes): self = .bytes(bytes)
    }
  }
}
