internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO

extension ConnectionFactory {
  /// The addresses to connect to, the best first: the proxy's, the target's, or the origin's.
  @inline(never)
  func addresses(_ dial: Dial) async throws(TransportFailure) -> [SocketAddress] {
    if let server = route.proxy?.server {
      return try await addresses(of: server.proxy.host, port: server.proxy.port, proxy: server, dial)
    }
    switch route.target {
    case .unixSocket(let path):
      do throws(SocketAddressError) {
        return [try SocketAddress.unix(path)]
      } catch {
        throw TransportFailure(code: .invalidConfiguration, phase: .request, reason: "\(error)")
      }
    case .host(let name, let number):
      guard let valid = UInt16(exactly: number), valid > 0 else {
        throw TransportFailure(code: .invalidConfiguration, phase: .request, reason: "port \(number) is out of range")
      }
      return try await addresses(of: name, port: valid, proxy: nil, dial)
    case nil:
      return try await addresses(of: route.origin.host, port: route.origin.port, proxy: nil, dial)
    }
  }

  /// The addresses of a host that may be used, the best first.
  ///
  /// - Parameter proxy: The proxy whose host it is, for errors.
  @inline(never)
  func addresses(
    of host: String, port: UInt16, proxy: ProxyServer?, _ dial: Dial
  ) async throws(TransportFailure) -> [SocketAddress] {
    var found = try overridden(host, port)
    if found == nil {
      do throws(ResolveError) {
        found = try await environment.resolver.resolve(host: host, port: port, deadline: dial.deadline, on: dial.shard)
      } catch {
        throw TransportFailure(error, timeout: dial.timeout, proxy: proxy)
      }
    }
    let usable = (found ?? []).filter { address in
      switch route.socket.addressFamily {
      case .any: true
      case .ipv4: address.family == .ipv4
      case .ipv6: address.family == .ipv6
      }
    }
    guard !usable.isEmpty else {
      let failure = TransportFailure(
        code: proxy == nil ? .hostNotFound : .proxyNotFound, phase: .resolve,
        reason: "\(host) has no address of the wanted family")
      throw proxy.map { failure.naming($0) } ?? failure
    }
    return usable
  }

  /// The addresses that the configuration names for a host, as `curl --resolve`.
  private func overridden(_ host: String, _ port: UInt16) throws(TransportFailure) -> [SocketAddress]? {
    guard let texts = ResolveOverrides.addresses(for: host, port: port, in: route.resolveOverrides) else { return nil }
    var addresses: [SocketAddress] = []
    for text in texts {
      let bare = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
      guard let address = SocketAddress(numericHost: bare, port: port) else {
        throw TransportFailure(
          code: .invalidConfiguration, phase: .request, reason: "\"\(text)\" is no IP address for \(host)")
      }
      addresses.append(address)
    }
    return addresses
  }
}
