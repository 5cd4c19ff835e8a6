internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

extension ConnectionFactory {
  /// What asks the proxy for the connection; nil when nothing has to be asked for.
  func proxyConnector(_ dial: Dial) async throws(TransportFailure) -> ProxyConnector? {
    guard let hop = route.tunnel else { return nil }
    return ProxyConnector(
      server: hop.server, headers: hop.connectHeaders, origin: route.origin,
      address: try await originAddress(for: hop.server, dial), limits: route.limits, clock: environment.clock)
  }

  /// The origin's address for a proxy that does not look up names. One: whether it answers is seen by the proxy alone, which
  /// tells it in its own time.
  private func originAddress(for server: ProxyServer, _ dial: Dial) async throws(TransportFailure) -> IPAddress? {
    guard !server.proxy.kind.resolvesNames else { return nil }
    for address in try await addresses(of: route.origin.host, port: route.origin.port, proxy: nil, dial) {
      // A zone means something on this machine only.
      if let bare = IPAddress(String(address.hostDescription.prefix { $0 != "%" })) { return bare }
    }
    return nil
  }

  /// Makes the connection to the proxy one to the origin.
  ///
  /// - Parameter authorization: What the proxy asked for on an earlier connection.
  /// - Returns: What it asked for on this one and is to be told on another, as this one cannot be used again.
  func tunnel(
    _ dialled: inout DialledTransport, _ info: inout ConnectionInfo, by connector: ProxyConnector,
    _ handshake: TLSHandshake?, authorization: String?, _ dial: Dial
  ) async throws(TransportFailure) -> String? {
    let start = dial.shard.now
    dial.progress.asking(connector.server, dialled.peer)
    if let handshake {
      try await secure(&dialled, by: handshake)
      info.proxy?.tls = dialled.transport.negotiated
    }
    let outcome = try await connector.run(on: &dialled, authorization: authorization)
    if let handshake {
      // They came behind the handshake; from here on the engine belongs to the connection to the origin.
      handshake.security.store(dialled.transport.takeNewSessions(), key: handshake.sessionKey)
    }
    info.timings.connect += start.duration(to: dial.shard.now)
    switch outcome {
    case .connected(let response):
      info.proxy?.connectResponse = response
      return nil
    case .challenged(_, let authorization):
      return authorization
    }
  }
}
