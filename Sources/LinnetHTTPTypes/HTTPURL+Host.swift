extension HTTPURL {
  /// What the host of a URL is; an IPv6 address stands in brackets in the serialisation.
  enum HostKind: Sendable { case name, ipv4, ipv6 }

  /// The host parser of the WHATWG URL standard (§3.5) for special schemes.
  ///
  /// - Returns: The normalised text, without brackets, and its kind.
  static func parseHost(_ host: ArraySlice<UInt8>) throws(HostProblem) -> (text: [UInt8], kind: HostKind) {
    var text: [UInt8] = []
    if host.first == UInt8(ascii: "[") {
      guard host.last == UInt8(ascii: "]"), let bits = IPAddress.parseV6(host.dropFirst().dropLast()) else {
        throw .notAnIPv6Address
      }
      IPAddress(v6: bits).appendText(to: &text)
      return (text, .ipv6)
    }
    let domain = try DomainName.toASCII(host)
    guard IPAddress.endsInNumber(domain[...]) else { return (domain, .name) }
    guard let bits = IPAddress.parseURLForm(domain[...]) else { throw .notAnIPv4Address }
    IPAddress(v4: bits).appendText(to: &text)
    return (text, .ipv4)
  }
}
