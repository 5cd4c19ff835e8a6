internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO

extension ConnectionFactory {
  /// The addresses to try, the best first.
  func addresses(deadline: Instant, on shard: IOShard, timeout: Duration?) async throws(TransportFailure)
    -> [SocketAddress]
  {
    let host: String
    let port: UInt16
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
      (host, port) = (name, valid)
    case nil:
      (host, port) = (route.origin.host, route.origin.port)
    }
    var found = try overridden(host, port)
    if found == nil {
      do throws(ResolveError) {
        found = try await environment.resolver.resolve(host: host, port: port, deadline: deadline, on: shard)
      } catch {
        throw TransportFailure(error, timeout: timeout)
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
      throw TransportFailure(
        code: .hostNotFound, phase: .resolve, reason: "\(host) has no address of the wanted family")
    }
    return usable
  }

  /// The addresses that the configuration names for a host, as `curl --resolve`.
  private func overridden(_ host: String, _ port: UInt16) throws(TransportFailure) -> [SocketAddress]? {
    guard !route.resolveOverrides.isEmpty else { return nil }
    guard let texts = route.resolveOverrides["\(host):\(port)"] ?? route.resolveOverrides[host] else { return nil }
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

  func socketOptions() throws(TransportFailure) -> SocketOptions {
    var options = SocketOptions(noDelay: route.socket.noDelay)
    if let local = route.socket.localAddress {
      guard let address = SocketAddress(numericHost: local, port: 0) else {
        throw TransportFailure(
          code: .invalidConfiguration, phase: .request, reason: "\"\(local)\" is no IP address to connect from")
      }
      options.localAddress = address
    }
    return options
  }
}
