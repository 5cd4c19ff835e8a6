internal import LinnetBytes

/// A block of addresses in CIDR notation (RFC 4632), such as `10.0.0.0/8` or `fd00::/8`.
public struct CIDRBlock: Sendable, Hashable {
  /// The lowest address of the block.
  public let base: IPAddress
  /// How many leading bits all addresses of the block share: 0...32 or 0...128.
  public let prefixLength: Int

  /// The block of the addresses that share `prefixLength` bits with `address`; nil when the length does not fit the
  /// family. The other bits of `address` are cleared.
  public init?(_ address: IPAddress, prefixLength: Int) {
    guard (0...address.width).contains(prefixLength) else { return nil }
    let hostBits = UInt128(address.width - prefixLength)
    // A shift by all 128 bits gives 0, as `>>` and `<<` do not wrap.
    let bits = (address.bits >> hostBits) << hostBits
    base = address.family == .v4 ? IPAddress(v4: UInt32(truncatingIfNeeded: bits)) : IPAddress(v6: bits)
    self.prefixLength = prefixLength
  }

  /// Reads `address/length`; a bare address is the block of that one address.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
    guard parts.count == 2 else {
      self.init(address, prefixLength: address.width)
      return
    }
    // `Int` would accept a sign.
    guard parts[1].utf8.allSatisfy(ASCII.isDigit), let length = Int(parts[1]) else { return nil }
    self.init(address, prefixLength: length)
  }

  /// Whether `address` lies in the block. An IPv4 address mapped into IPv6 counts as the IPv4 address too.
  public func contains(_ address: IPAddress) -> Bool {
    let candidate = address.family == base.family ? address : address.unmapped
    guard candidate.family == base.family else { return false }
    let hostBits = UInt128(base.width - prefixLength)
    return candidate.bits >> hostBits == base.bits >> hostBits
  }
}

extension CIDRBlock: CustomStringConvertible {
  /// `base/prefixLength`.
  public var description: String { "\(base)/\(prefixLength)" }
}
