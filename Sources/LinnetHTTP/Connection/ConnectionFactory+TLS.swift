internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetTLS

extension ConnectionFactory {
  /// The TLS context of the route; nil for cleartext.
  func tlsContext() throws(TransportFailure) -> TLSContext? {
    guard let security = route.security else { return nil }
    do throws(TLSError) {
      return try security.makeContext()
    } catch {
      throw TransportFailure(error, phase: .request)
    }
  }

  /// Runs the handshake until both sides are done, the deadline passes or the task is cancelled.
  func handshake(
    _ descriptor: consuming OwnedDescriptor, context: TLSContext, shard: IOShard, deadline: Instant,
    owner: ConnectionOwner, peer: String
  ) async throws(TransportFailure) -> ByteTransport {
    let engine: TLSEngine
    do throws(TLSError) {
      engine = try TLSEngine(
        context: context, serverName: TLSServerName(host: route.origin.host),
        session: route.security?.takeSession(for: route.sessionKey),
        applicationProtocols: route.applicationProtocols)
    } catch {
      throw TransportFailure(error, phase: .tls)
    }
    var transport = ByteTransport(descriptor, tls: engine)
    let waiter = ReadinessWaiter(shard: shard)
    let slot: Slot
    do throws(SystemError) {
      slot = try shard.register(transport.fd, receiver: waiter)
    } catch {
      throw TransportFailure(registering: error)
    }
    var failure: TransportFailure?
    do throws(TransportFailure) {
      while try !transport.handshake() {
        try await step(&transport, waiter, deadline)
      }
    } catch {
      failure = error
    }
    shard.deregister(slot)
    owner.log(transport.takeKeyLogLines())
    if var failure {
      // What was offered was h2 alone.
      if failure.isApplicationProtocolRefused, route.insistsOnHTTP2 { failure.code = .http2NotNegotiated }
      failure.peers = [TransportError.PeerAttempt(address: peer, cause: failure.reason)]
      throw failure
    }
    return transport
  }

  /// Moves ciphertext in whichever direction the handshake waits for.
  private func step(
    _ transport: inout ByteTransport, _ waiter: ReadinessWaiter, _ deadline: Instant
  ) async throws(TransportFailure) {
    do throws(ReadinessWaitError) {
      if transport.hasPendingOutput && !transport.isWritable {
        try await waiter.waitWritable(deadline: deadline)
        transport.isWritable = true
        return
      }
      if !transport.isReadable {
        try await waiter.waitReadable(deadline: deadline)
        transport.isReadable = true
        // The end came with the bytes and is not told again: reading goes on until it is met.
        if waiter.hasPeerClosed { transport.isPeerClosed = true }
      }
    } catch {
      switch error {
      case .cancelled: throw TransportFailure.cancelled.at(.tls)
      case .timedOut:
        throw TransportFailure(code: .connectTimeout, phase: .tls, reason: "the TLS handshake was not done in time")
      }
    }
    do throws(TransportFailure) {
      _ = try transport.receiveCiphertext()
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
      TLSIdentity(
        certificateChain: TLSSource(identity.certificates),
        privateKey: TLSSource(identity.privateKey ?? identity.certificates), passphrase: identity.passphrase)
    }
    cipherList = configuration.cipherList
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
