/// Which part of an option's value, or of a URL, is a secret.
package enum SecretArguments {
  /// The part that is not to be shown; nil for none.
  ///
  /// - Parameter option: The long name of the option; `url` for a URL.
  package static func range(in value: Argument, of option: String) -> Range<Int>? {
    let range: Range<Int>? =
      switch option {
      case "oauth2-bearer", "pass", "proxy-pass": 0..<value.bytes.count
      case "user", "proxy-user", "cert", "proxy-cert": after(":", in: value)
      case "cookie": after("=", in: value)
      case "header", "proxy-header": isSecretField(value) ? after(":", in: value) : nil
      case "proxy", "socks4a", "socks5", "socks5-hostname", "url": userinfo(of: value)
      default: nil
      }
    return range.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The value with its secret masked.
  static func masked(_ value: Argument, of option: String) -> Argument {
    guard let range = range(in: value, of: option) else { return value }
    return Argument(value.bytes[..<range.lowerBound] + Array("***".utf8) + value.bytes[range.upperBound...])
  }

  private static func after(_ separator: Unicode.Scalar, in value: Argument) -> Range<Int>? {
    value.bytes.firstIndex(of: UInt8(ascii: separator)).map { $0 + 1..<value.bytes.count }
  }

  private static func isSecretField(_ line: Argument) -> Bool {
    SecretMask(showsSecrets: false).hides(headerLine: line)
  }

  /// What stands before the last `@` of the authority.
  private static func userinfo(of url: Argument) -> Range<Int>? {
    let bytes = url.bytes
    let slashes = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }
    let start = slashes.map { $0 + 3 } ?? 0
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    return bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { start..<$0 }
  }
}
