internal import LinnetBytes

/// An IPv4 or IPv6 address.
///
/// Addresses order and compare by value: `::ffff:127.0.0.1` (IPv6) is not equal to `127.0.0.1` (IPv4); see
/// ``unmapped``. There are no zones: `fe80::1%eth0` is not an address but an address and an interface.
public struct IPAddress: Sendable, Hashable {
  /// The version of the protocol.
  public enum Family: Sendable, Hashable {
    /// IPv4, 32 bits.
    case v4
    /// IPv6, 128 bits.
    case v6
  }

  /// Which kind of address it is.
  public let family: Family
  /// The address as a number, the first byte the most significant.
  let bits: UInt128

  /// The IPv4 address with these 32 bits, the first byte the most significant.
  public init(v4 bits: UInt32) {
    family = .v4
    self.bits = UInt128(bits)
  }

  /// The IPv6 address with these 128 bits, the first byte the most significant.
  public init(v6 bits: UInt128) {
    family = .v6
    self.bits = bits
  }

  /// The address with these bytes in network order: 4 for IPv4, 16 for IPv6, else nil.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    family = bytes.count == 4 ? .v4 : .v6
    bits = bytes.reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Reads the usual text forms, strictly: four decimal numbers without leading zeros, or IPv6 (RFC 4291 §2.2) without
  /// brackets. The other forms that a URL may use for IPv4 (`0x7f.1`) are not accepted here.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    if let bits = Self.parseV4(bytes[...]) {
      self.init(v4: bits)
    } else if let bits = Self.parseV6(bytes[...]) {
      self.init(v6: bits)
    } else {
      return nil
    }
  }

  /// The bytes in network order, 4 or 16.
  public var bytes: [UInt8] {
    stride(from: width - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> UInt128($0)) }
  }

  /// The number of bits of an address of this family.
  var width: Int { family == .v4 ? 32 : 128 }

  /// The IPv4 address for an IPv4-mapped IPv6 address (`::ffff:0:0/96`, RFC 4291 §2.5.5.2); any other one unchanged.
  public var unmapped: IPAddress {
    family == .v6 && bits >> 32 == 0xFFFF ? IPAddress(v4: UInt32(truncatingIfNeeded: bits)) : self
  }

  /// Whether it names the own machine: `127.0.0.0/8`, `::1`, or the former mapped into IPv6.
  public var isLoopback: Bool {
    let address = unmapped
    return address.family == .v4 ? address.bits >> 24 == 127 : address.bits == 1
  }

  /// Whether it is only valid on one link: `169.254.0.0/16` or `fe80::/10`.
  public var isLinkLocal: Bool {
    let address = unmapped
    return address.family == .v4 ? address.bits >> 16 == 0xA9FE : address.bits >> 118 == 0x3FA
  }

  /// Whether it is set aside for private networks: RFC 1918 or unique local IPv6 (`fc00::/7`, RFC 4193).
  public var isPrivate: Bool {
    let address = unmapped
    guard address.family == .v4 else { return address.bits >> 121 == 0x7E }
    return address.bits >> 24 == 10 || address.bits >> 20 == 0xAC1 || address.bits >> 16 == 0xC0A8
  }

  /// Whether it is `0.0.0.0` or `::`.
  public var isUnspecified: Bool { unmapped.bits == 0 }
}

extension IPAddress: CustomStringConvertible {
  /// The canonical text: dotted decimal, or IPv6 in the form of RFC 5952 §4 without brackets. IPv4-mapped addresses
  /// are written in hexadecimal, as the WHATWG URL standard does.
  public var description: String {
    var output: [UInt8] = []
    appendText(to: &output)
    return String(decoding: output, as: UTF8.self)
  }

  func appendText(to output: inout [UInt8]) {
    guard family == .v6 else {
      output.append(contentsOf: bytes.map(String.init).joined(separator: ".").utf8)
      return
    }
    let pieces = (0..<8).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
    let run = Self.longestZeroRun(pieces)
    for (index, piece) in pieces.enumerated() {
      if run.contains(index) {
        if index == run.lowerBound { output.append(contentsOf: "::".utf8) }
        continue
      }
      if index > 0 && index != run.upperBound { output.append(ASCII.colon) }
      output.append(contentsOf: String(piece, radix: 16).utf8)
    }
  }

  /// The first of the longest runs of zeros; empty and behind the end when none has two or more.
  private static func longestZeroRun(_ pieces: [UInt16]) -> Range<Int> {
    var best = pieces.count..<pieces.count
    var start = 0
    for index in 0...pieces.count where index == pieces.count || pieces[index] != 0 {
      if index - start >= 2 && index - start > best.count { best = start..<index }
      start = index + 1
    }
    return best
  }
}
