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
    case "cookie": range = after("=", in: value) ?? (namesFile(value) ? nil : 0..<value.bytes.count)
    case "header", "proxy-header":
      // What lacks its colon may have a secret all the same.
      let name = value.bytes.prefix { !":; =".utf8.contains($0) }
      guard SecretMask(showsSecrets: false).hides(fieldNamed: Argument(name)) else { return ranges(inFieldOf: value) }
      range = min(name.count + 1, value.bytes.count)..<value.bytes.count
    case "proxy", "socks4a", "socks5", "socks5-hostname", "url", "referer":
      return SecretMask.secrets(inURL: value.bytes)
    case "data", "data-binary", "data-raw", "data-urlencode", "json", "url-query":
      // `@FILE` is a name; `+` in front means that the text stands as it is.
      let start = option == "url-query" && value.bytes.first == UInt8(ascii: "+") ? 1 : 0
      return SecretMask.secrets(inBody: value.bytes, from: start)
    default: return []
    }
    return [range].compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
  }

  /// The value with its secrets masked.
  static func masked(_ value: Argument, of option: String) -> Argument {
    Argument(SecretMask.masked(value.bytes, at: ranges(in: value, of: option)))
  }

  /// Whether the value of `-b` looks like the name of a file. A word without a dot or a slash may as well be a token.
  private static func namesFile(_ value: Argument) -> Bool {
    value.isDash || value.bytes.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }
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
