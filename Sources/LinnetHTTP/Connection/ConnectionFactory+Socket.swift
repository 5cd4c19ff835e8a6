internal import LinnetBytes
internal import LinnetIO

extension ConnectionFactory {
  /// The options of the sockets, one set for each family of addresses that can be connected to.
  @inline(never)
  func socketOptions(_ dial: Dial) async throws(TransportFailure) -> SocketOptions {
    let settings = route.socket
    var options = SocketOptions(
      noDelay: settings.noDelay,
      keepAliveSeconds: settings.tcpKeepAlive.map { Int(clamping: max(1, $0.components.seconds)) })
    if let local = settings.localAddress {
      guard let address = SocketAddress(numericHost: local, port: 0) else {
        throw TransportFailure(
          code: .invalidConfiguration, phase: .request, reason: "\"\(local)\" is no IP address to connect from")
      }
      options.localAddress = address
    } else if let interface = settings.localInterface {
      try await bind(&options, to: interface, dial)
    }
    return options
  }

  /// Takes an interface, an address or a host name, as `curl --interface`.
  private func bind(
    _ options: inout SocketOptions, to text: String, _ dial: Dial
  ) async throws(TransportFailure) {
    let isInterface = text.hasPrefix("if!")
    let isHost = text.hasPrefix("host!")
    let name = isInterface ? String(text.dropFirst(3)) : isHost ? String(text.dropFirst(5)) : text
    if !isHost, !name.isEmpty, Socket.isInterface(name) {
      options.device = name
      return
    }
    let unknown = TransportFailure(
      code: .invalidConfiguration, phase: .request,
      reason: isInterface
        ? "there is no network interface \"\(name)\"" : "\"\(name)\" is no interface, address or host to connect from")
    guard !isInterface, !name.isEmpty else { throw unknown }
    if let address = SocketAddress(numericHost: name, port: 0) {
      options.localAddress = address
      return
    }
    do throws(ResolveError) {
      let found = try await environment.resolver.resolve(host: name, port: 0, deadline: dial.deadline, on: dial.shard)
      let wanted = found.first {
        $0.family == .ipv4 ? route.socket.addressFamily != .ipv6 : route.socket.addressFamily != .ipv4
      }
      guard let address = wanted else { throw ResolveError(host: name, reason: .notFound) }
      options.localAddress = address
    } catch {
      switch error.reason {
      case .cancelled, .timedOut: throw TransportFailure(error, timeout: dial.timeout)
      case .notFound, .temporary, .failed: throw unknown
      }
    }
  }

  /// Those of the addresses that can be reached from the one that the socket is bound to.
  func reachable(_ addresses: [SocketAddress], _ options: SocketOptions) throws(TransportFailure) -> [SocketAddress] {
    guard let local = options.localAddress else { return addresses }
    let reachable = addresses.filter { $0.family == local.family || $0.family == .unix }
    guard !reachable.isEmpty else {
      throw TransportFailure(
        code: .connectFailed, phase: .connect,
        reason: "\(route.name) has no address of the family of \(local.hostDescription), which was to be connected from"
      )
    }
    return reachable
  }
}
