/// Which parts of an option's value, or of a URL, are secrets.
package enum SecretArguments {
  /// The parts that are not to be shown, in order.
  ///
  /// - Parameter option: The long name of the option; `url` for a URL.
  package static func ranges(in value: Argument, of option: String) -> [Range<Int>] {
    let range: Range<Int>?
    switch option {
    case "oauth2-bearer", "pass", "proxy-pass": range = 0..<value.bytes.count
    case "user", "proxy-user", "cert", "proxy-cert": range = after(":", in: value)
    case "cookie": range = after("=", in: value)
    case "header", "proxy-header":
      guard SecretMask(showsSecrets: false).hides(headerLine: value) else { return ranges(inFieldOf: value) }
      range = after(":", in: value)
    case "proxy", "socks4a", "socks5", "socks5-hostname", "url", "referer":
      return SecretMask.secrets(inURL: value.bytes)
    case "data", "data-binary", "data-raw", "data-urlencode", "url-query":
      // `@FILE` is a name; `+` in front means that the text stands as it is.
      let start = option == "url-query" && value.bytes.first == UInt8(ascii: "+") ? 1 : 0
      return SecretMask.joined(
        SecretMask.secrets(inForm: value.bytes, from: start) + SecretMask.userinfos(in: value.bytes))
    default: return []
    }
    return [range].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
  }

  /// The value with its secrets masked.
  static func masked(_ value: Argument, of option: String) -> Argument {
    Argument(SecretMask.masked(value.bytes, at: ranges(in: value, of: option)))
  }

  private static func after(_ separator: Unicode.Scalar, in value: Argument) -> Range<Int>? {
    value.bytes.firstIndex(of: UInt8(ascii: separator)).map { $0 + 1..<value.bytes.count }
  }

  /// Those of a URL in a field whose name says nothing of secrets.
  private static func ranges(inFieldOf line: Argument) -> [Range<Int>] {
    guard let colon = line.bytes.firstIndex(of: UInt8(ascii: ":")) else { return [] }
    let rest = Array(line.bytes[(colon + 1)...])
    guard SecretMask.hasURL(rest) else { return [] }
    return SecretMask.secrets(inURL: rest).map { $0.lowerBound + colon + 1..<$0.upperBound + colon + 1 }
  }
}
