internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

extension ConnectionFactory {
  /// What asks the proxy for the connection; nil when nothing has to be asked for.
  @inline(never)
  func proxyConnector(_ dial: Dial) async throws(TransportFailure) -> ProxyConnector? {
    guard let hop = route.tunnel else { return nil }
    return ProxyConnector(
      server: hop.server, headers: hop.connectHeaders, origin: route.farEnd,
      addresses: try await originAddresses(for: hop.server, dial), limits: route.limits, clock: environment.clock)
  }

  /// The origin's addresses for a proxy that does not look up names, in the order of the name service (RFC 6724): which of
  /// them the proxy has a way to, it alone can say.
  private func originAddresses(for server: ProxyServer, _ dial: Dial) async throws(TransportFailure) -> [IPAddress] {
    guard !server.proxy.kind.resolvesNames else { return [] }
    let found = try await addresses(of: route.farEnd.host, port: route.farEnd.port, proxy: nil, dial)
    // A zone means something on this machine only.
    return found.lazy.compactMap { IPAddress(String($0.hostDescription.prefix { $0 != "%" })) }
      .prefix(Self.maximumTargets).map(\.self)
  }

  /// Each costs a connection to the proxy. Names with more addresses are farms, of which one is as good as another.
  private static var maximumTargets: Int { 8 }

  /// Makes the connection to the proxy one to the origin.
  ///
  /// - Parameter dialogue: What was said about credentials so far.
  /// - Returns: Whether it is. If not, the proxy has to be told on another connection what it asked for on this one.
  @inline(never)
  func tunnel(
    _ dialled: inout DialledTransport, _ info: inout ConnectionInfo, by connector: ProxyConnector,
    _ handshake: TLSHandshake?, _ dialogue: inout ChallengeDialogue?, _ dial: Dial
  ) async throws(TransportFailure) -> Bool {
    let start = dial.shard.now
    dial.progress.asking(connector.server, dialled.peer)
    if let handshake {
      try await secure(&dialled, by: handshake)
      info.proxy?.tls = dialled.transport.negotiated
    }
    let outcome = try await connector.run(on: &dialled, &dialogue)
    if let handshake {
      // They came behind the handshake; from here on the engine belongs to the connection to the origin.
      handshake.security.store(dialled.transport.takeNewSessions(), key: handshake.sessionKey)
    }
    info.timings.connect += start.duration(to: dial.shard.now)
    switch outcome {
    case .connected(let response):
      info.proxy?.connectResponse = response
      return true
    case .challenged:
      return false
    }
  }
}
