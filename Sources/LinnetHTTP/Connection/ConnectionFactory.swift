internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols
internal import LinnetTLS

/// Makes connections: resolve, connect, ask a proxy, handshake. One deadline covers all of it.
struct ConnectionFactory: Sendable {
  let route: Route
  let environment: EngineEnvironment

  /// What the steps of making one connection share.
  struct Dial: Sendable {
    let shard: IOShard
    let deadline: Instant
    /// How long it may take, for messages.
    let timeout: Duration?
    let progress: DialProgress
  }

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
    let handshake = try await originHandshake()
    let proxyHandshake = try await proxyHandshake()
    let shard = environment.shards.next()
    let start = shard.now
    let dial = Dial(
      shard: shard, deadline: timeout.map { start.advanced(by: $0) } ?? .distantFuture, timeout: timeout,
      progress: progress)
    let options = try await socketOptions(dial)
    let addresses = try reachable(try await addresses(dial), options)
    var connector = try await proxyConnector(dial)
    let resolved = start.duration(to: shard.now)
    var dialogue = connector.flatMap { $0.server.makeDialogue() }
    while true {
      let connected = try await reach(addresses, options, dial)
      var info = info(of: connected, resolved: resolved, since: start, now: shard.now)
      guard handshake != nil || connector != nil else {
        return try assemble(id, ByteTransport(connected.takeDescriptor()), info, shard, owner)
      }
      var dialled = try DialledTransport(
        connected.takeDescriptor(), peer: info.peerAddress, deadline: dial.deadline, on: shard)
      var failure: TransportFailure?
      var isThrough = true
      do throws(TransportFailure) {
        if let connector {
          isThrough = try await tunnel(&dialled, &info, by: connector, proxyHandshake, &dialogue, dial)
        }
        if isThrough, let handshake { try await secure(&dialled, &info, by: handshake, dial) }
      } catch {
        failure = error
      }
      let transport = dialled.finish()
      if let failure {
        guard connector != nil else { throw failure }
        try connector?.goOn(after: failure)
      }
      guard isThrough, failure == nil else {
        transport.close()
        continue
      }
      return try assemble(id, transport, info, shard, owner)
    }
  }

  /// Connects the socket.
  @inline(never)
  private func reach(
    _ addresses: [SocketAddress], _ options: SocketOptions, _ dial: Dial
  ) async throws(TransportFailure) -> ConnectedSocket {
    dial.progress.connecting(to: addresses)
    do throws(ConnectError) {
      return try await Connector.connect(
        to: addresses, on: dial.shard, deadline: dial.deadline, options: options, limits: raceLimits)
    } catch {
      throw TransportFailure(error, route: route, timeout: dial.timeout)
    }
  }

  @inline(never)
  private func info(
    of connected: borrowing ConnectedSocket, resolved: Duration, since start: Instant, now: Instant
  ) -> ConnectionInfo {
    var info = ConnectionInfo(
      isReused: false, peerAddress: connected.peer.description,
      localAddress: localAddress(of: connected.raw), tls: nil,
      timings: ConnectionInfo.ConnectTimings(resolve: resolved, connect: start.duration(to: now) - resolved),
      failedPeers: connected.failedAttempts.map {
        TransportError.PeerAttempt(address: $0.address.description, cause: $0.causeText)
      })
    info.proxy = route.proxy.map {
      ConnectionInfo.ProxyInfo(name: $0.server.proxy.description, isTunnel: $0.isTunnel)
    }
    return info
  }

  /// Puts the TLS on the connection that the route's requests are sent through: the origin's, or that of a proxy which
  /// forwards them.
  @inline(never)
  private func secure(
    _ dialled: inout DialledTransport, _ info: inout ConnectionInfo, by handshake: TLSHandshake, _ dial: Dial
  ) async throws(TransportFailure) {
    let start = dial.shard.now
    dial.progress.securing(dialled.peer)
    try await secure(&dialled, by: handshake)
    let agreed = dialled.transport.negotiated
    info.timings.tls = start.duration(to: dial.shard.now)
    if route.isForwarding { info.proxy?.tls = agreed } else { info.tls = agreed }
    if agreed?.applicationProtocol != "h2", route.insistsOnHTTP2 {
      let chosen = agreed?.applicationProtocol.map { "chose \($0)" } ?? "chose no protocol"
      throw TransportFailure(
        code: .http2NotNegotiated, phase: .tls, reason: "the server \(chosen) where only h2 was offered"
      ).of(peer: dialled.peer)
    }
  }

  /// The connection of the protocol that was agreed on.
  @inline(never)
  private func assemble(
    _ id: PoolMachine.ConnectionID, _ transport: consuming ByteTransport, _ info: ConnectionInfo,
    _ shard: IOShard, _ owner: ConnectionOwner
  ) throws(TransportFailure) -> any PooledConnection {
    let isHTTP2 =
      if route.security == nil {
        route.httpVersion == .http2PriorKnowledge
      } else {
        info.tls?.applicationProtocol == "h2" && route.applicationProtocols.contains("h2")
      }
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
