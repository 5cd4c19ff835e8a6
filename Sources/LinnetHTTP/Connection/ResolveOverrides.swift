internal import LinnetBytes

/// Finds the entry of ``HTTPClientConfiguration/resolveOverrides`` for a host.
enum ResolveOverrides {
  /// The addresses, as they were given: those for host and port, for the host, for every host on the port, for every host.
  static func addresses(for host: String, port: UInt16, in overrides: [String: [String]]) -> [String]? {
    guard !overrides.isEmpty else { return nil }
    if let exact = overrides["\(host):\(port)"] { return exact }
    var names = [host]
    if host.utf8.contains(UInt8(ascii: ":")) { names.append("[\(host)]") }
    // Keys as people type them, in any case.
    var best: (rank: Int, addresses: [String])?
    for (key, addresses) in overrides {
      guard let rank = rank(of: key, names, port), rank < best?.rank ?? .max else { continue }
      best = (rank, addresses)
    }
    return best?.addresses
  }

  /// How well a key fits; nil when it does not.
  private static func rank(of key: String, _ names: [String], _ port: UInt16) -> Int? {
    if names.contains(where: { ASCII.equalIgnoringCase(key.utf8, "\($0):\(port)".utf8) }) { return 0 }
    if names.contains(where: { ASCII.equalIgnoringCase(key.utf8, $0.utf8) }) { return 1 }
    if key == "*:\(port)" { return 2 }
    return key == "*" ? 3 : nil
  }
}
