internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

/// Makes connections: resolve, connect, handshake. One deadline covers all three.
struct ConnectionFactory: Sendable {
  let route: Route
  let environment: EngineEnvironment

  func make(
    _ id: PoolMachine.ConnectionID, timeout: Duration?, owner: ConnectionOwner, progress: DialProgress
  ) async -> Result<any PooledConnection, TransportFailure> {
    do throws(TransportFailure) {
      return .success(try await connect(id, timeout: timeout, owner: owner, progress: progress))
    } catch {
      return .failure(error)
    }
  }

  private func connect(
    _ id: PoolMachine.ConnectionID, timeout: Duration?, owner: ConnectionOwner, progress: DialProgress
  ) async throws(TransportFailure) -> any PooledConnection {
    let shard = environment.shards.next()
    let start = shard.now
    let deadline = timeout.map { start.advanced(by: $0) } ?? .distantFuture
    let handshake = try await originHandshake(deadline: deadline, on: shard)
    let options = try socketOptions()
    let addresses = try await addresses(deadline: deadline, on: shard, timeout: timeout)
    let resolved = shard.now
    progress.connecting(to: addresses)
    let connected: ConnectedSocket
    do throws(ConnectError) {
      connected = try await Connector.connect(
        to: addresses, on: shard, deadline: deadline, options: options, limits: raceLimits)
    } catch {
      throw TransportFailure(error, route: route, timeout: timeout)
    }
    let peer = connected.peer.description
    var info = ConnectionInfo(
      isReused: false, peerAddress: peer,
      localAddress: localAddress(of: connected.raw), tls: nil,
      timings: ConnectionInfo.ConnectTimings(
        resolve: start.duration(to: resolved), connect: resolved.duration(to: shard.now)),
      failedPeers: connected.failedAttempts.map {
        TransportError.PeerAttempt(address: $0.address.description, cause: $0.causeText)
      })
    guard let handshake else {
      let transport = ByteTransport(connected.takeDescriptor())
      return try assemble(id, transport, info, isHTTP2: route.httpVersion == .http2PriorKnowledge, shard, owner)
    }
    let secured = shard.now
    progress.securing(peer)
    var dialled = try DialledTransport(connected.takeDescriptor(), peer: peer, deadline: deadline, on: shard)
    var failure: TransportFailure?
    do throws(TransportFailure) {
      try await secure(&dialled, by: handshake)
    } catch {
      failure = error
    }
    let transport = dialled.finish()
    if let failure { throw failure }
    info.tls = transport.negotiated
    info.timings.tls = secured.duration(to: shard.now)
    let isHTTP2 = info.tls?.applicationProtocol == "h2" && route.applicationProtocols.contains("h2")
    if !isHTTP2, route.insistsOnHTTP2 {
      let chosen = info.tls?.applicationProtocol.map { "chose \($0)" } ?? "chose no protocol"
      throw TransportFailure(
        code: .http2NotNegotiated, phase: .tls, reason: "the server \(chosen) where only h2 was offered"
      ).of(peer: peer)
    }
    return try assemble(id, transport, info, isHTTP2: isHTTP2, shard, owner)
  }

  /// The connection of the protocol that was agreed on.
  private func assemble(
    _ id: PoolMachine.ConnectionID, _ transport: consuming ByteTransport, _ info: ConnectionInfo, isHTTP2: Bool,
    _ shard: IOShard, _ owner: ConnectionOwner
  ) throws(TransportFailure) -> any PooledConnection {
    if isHTTP2 {
      let connection = try HTTP2Connection(
        id: id, transport: transport, info: info, route: route, shard: shard, owner: owner)
      try connection.register()
      return connection
    }
    let connection = HTTP1Connection(
      id: id, transport: transport, info: info, limits: route.limits, shard: shard, owner: owner)
    try connection.register()
    return connection
  }

  private var raceLimits: HappyEyeballsMachine.Limits {
    var limits = HappyEyeballsMachine.Limits()
    limits.attemptDelay = route.socket.connectionAttemptDelay
    return limits
  }

  private func localAddress(of fd: CInt) -> String? {
    (try? Socket.localAddress(fd)).flatMap { $0?.description }
  }
}
