internal import LinnetBytes
internal import LinnetHTTPTypes

/// Hosts that are connected to without a proxy: the value of `no_proxy`, and lists of the same form.
///
/// Entries are separated by commas or blanks:
///
/// | Entry | Matches |
/// | --- | --- |
/// | `name`, `.name` | the name and every name below it, as with curl |
/// | `*.name` | every name below it |
/// | `*` | everything |
/// | `10.0.0.1`, `::1`, `[::1]` | the address, in whatever spelling either has |
/// | `10.0.0.0/8`, `fd00::/8` | every address of the block (RFC 4632) |
///
/// Each may end in `:port`, and then matches that port alone; an IPv6 address needs brackets for it, a block does not.
/// Letters match without case, and a dot at the end of either name does not count. A name never matches an address, as
/// nothing is looked up. An entry that is none of these matches nothing: a list that somebody else wrote must not stop
/// every request.
package struct NoProxyList: Sendable, Hashable {
  private enum Pattern: Sendable, Hashable {
    case everything
    /// Without dots at its ends.
    case name(String, includesItself: Bool)
    case block(CIDRBlock)
  }

  private struct Entry: Sendable, Hashable {
    var pattern: Pattern
    /// Nil: every port.
    var port: UInt16?
  }

  private let entries: [Entry]

  package init(_ text: String) {
    entries = text.utf8.split(whereSeparator: { $0 == UInt8(ascii: ",") || Self.isBlank($0) }).compactMap {
      Self.entry(Array($0)[...])
    }
  }

  package var isEmpty: Bool { entries.isEmpty }

  /// - Parameters:
  ///   - host: As in ``HTTPURL/host``.
  ///   - port: The port that is connected to.
  package func contains(host: String, port: UInt16) -> Bool {
    guard !entries.isEmpty else { return false }
    let address = IPAddress(host)
    return entries.contains { entry in
      if let required = entry.port, required != port { return false }
      switch entry.pattern {
      case .everything: return true
      case .name(let name, let includesItself):
        return address == nil && Self.isWithin(host, name, includesItself: includesItself)
      case .block(let block):
        return address.map { block.contains($0) } ?? false
      }
    }
  }

  private static func isWithin(_ host: String, _ name: String, includesItself: Bool) -> Bool {
    var own = host[...].utf8
    if own.last == UInt8(ascii: ".") { own = own.dropLast() }
    let parent = name.utf8
    guard own.count > parent.count else { return includesItself && ASCII.equalIgnoringCase(own, parent) }
    return ASCII.equalIgnoringCase(own.suffix(parent.count), parent)
      && own.dropLast(parent.count).last == UInt8(ascii: ".")
  }

  // MARK: Parsing

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func entry(_ text: ArraySlice<UInt8>) -> Entry? {
    if let slash = text.firstIndex(of: UInt8(ascii: "/")) {
      guard let (length, port) = splitPort(text[(slash + 1)...]),
        let address = address(text[..<slash]), let prefixLength = number(length, upTo: 128),
        let block = CIDRBlock(address, prefixLength: Int(prefixLength))
      else { return nil }
      return Entry(pattern: .block(block.unmapped), port: port)
    }
    // A bare IPv6 address has colons and no port.
    if let address = address(text) { return exactly(address, port: nil) }
    guard let (host, port) = splitPort(text), !host.isEmpty else { return nil }
    if host.elementsEqual("*".utf8) { return Entry(pattern: .everything, port: port) }
    if let address = address(host) { return exactly(address, port: port) }
    let isWildcard = host.starts(with: "*.".utf8)
    let name = host.dropFirst(isWildcard ? 2 : host.first == UInt8(ascii: ".") ? 1 : 0)
    // Converts other scripts and odd spellings of addresses as the parser of URLs does.
    guard let origin = try? Origin(scheme: .http, host: String(decoding: name, as: UTF8.self)) else { return nil }
    if let address = IPAddress(origin.host) {
      return name.count == host.count ? exactly(address, port: port) : nil
    }
    let isDotted = origin.host.utf8.last == UInt8(ascii: ".")
    let ascii = isDotted ? String(origin.host.dropLast()) : origin.host
    guard !ascii.isEmpty else { return nil }
    return Entry(pattern: .name(ascii, includesItself: !isWildcard), port: port)
  }

  private static func exactly(_ address: IPAddress, port: UInt16?) -> Entry? {
    let plain = address.unmapped
    return CIDRBlock(plain, prefixLength: plain.family == .v4 ? 32 : 128).map { Entry(pattern: .block($0), port: port) }
  }

  /// An address with or without brackets.
  private static func address(_ text: ArraySlice<UInt8>) -> IPAddress? {
    guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else {
      return IPAddress(String(decoding: text, as: UTF8.self))
    }
    let address = IPAddress(String(decoding: text.dropFirst().dropLast(), as: UTF8.self))
    return address?.family == .v6 ? address : nil
  }

  /// Takes `:port` from the end.
  ///
  /// - Returns: Nil when what follows the last colon is no port.
  private static func splitPort(_ text: ArraySlice<UInt8>) -> (rest: ArraySlice<UInt8>, port: UInt16?)? {
    guard let colon = text.lastIndex(of: ASCII.colon), text.last != UInt8(ascii: "]") else { return (text, nil) }
    guard let port = number(text[(colon + 1)...], upTo: 65535) else { return nil }
    return (text[..<colon], port)
  }

  private static func number(_ digits: ArraySlice<UInt8>, upTo limit: UInt16) -> UInt16? {
    guard (1...5).contains(digits.count), digits.allSatisfy(ASCII.isDigit) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self)).flatMap { $0 <= limit ? $0 : nil }
  }
}

extension CIDRBlock {
  /// The block of IPv4 addresses for one of IPv4-mapped IPv6 addresses; any other one unchanged.
  fileprivate var unmapped: CIDRBlock {
    guard base.family == .v6, prefixLength >= 96, base.unmapped.family == .v4 else { return self }
    return CIDRBlock(base.unmapped, prefixLength: prefixLength - 96) ?? self
  }
}
