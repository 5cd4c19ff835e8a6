/// Why a text is not a URL that the engine can use.
///
/// The set is closed: a `switch` over it needs no default. Texts in the cases are excerpts for people: at most 64
/// characters, control characters escaped, and what stands before an `@` masked, so that a log never shows a password.
public enum HTTPURLError: Error, Sendable, Hashable {
  /// The text is a relative reference and there is nothing to resolve it against.
  case missingScheme(in: String)
  /// The scheme is none of `http`, `https`, `ws` and `wss`. The name is in lower case and without the colon.
  case unsupportedScheme(String)
  /// There is nothing where the host should stand.
  case missingHost(in: String)
  /// The host is refused for the given reason.
  case invalidHost(String, HostProblem)
  /// The port is not a decimal number.
  case invalidPort(String)
  /// The port is above 65535.
  case portOutOfRange(String)
  /// The port is 0, which a URL may name but nobody can connect to. Only ``HTTPURL/connectablePort()`` throws it.
  case zeroPort(host: String)
  /// The text, or the URL that it would become, is longer than ``HTTPURL/maximumBytes``.
  case tooLong(bytes: Int)
}

/// What is wrong with the host of a URL.
public enum HostProblem: Error, Sendable, Hashable {
  /// It is empty, or nothing of it is left after the characters that IDNA ignores are dropped.
  case empty
  /// A character that no host may contain, for example a space or `|`.
  case forbiddenCharacter(Unicode.Scalar)
  /// Its last label is a number, so it must be an IPv4 address, and it is not one.
  case notAnIPv4Address
  /// It stands in brackets, or begins with one, and is not an IPv6 address.
  case notAnIPv6Address
  /// Its percent-encoded bytes are not UTF-8.
  case notUTF8
  /// A character that UTS 46 does not allow in a domain name.
  case disallowedCharacter(Unicode.Scalar)
  /// A label that begins with `xn--` and does not decode to the only Unicode label that it may stand for.
  case invalidPunycode(label: String)
  /// A label begins with a combining mark.
  case leadingMark(label: String)
  /// A joiner stands where RFC 5892 appendix A does not allow it.
  case misplacedJoiner(label: String)
  /// A label breaks the rule of RFC 5893 §2 for scripts that are written from right to left.
  case bidirectionalRule(label: String)
  /// It has more characters than the engine converts.
  case tooLong(characters: Int)
}

extension HTTPURLError: CustomStringConvertible {
  /// One line that names the culprit.
  public var description: String {
    switch self {
    case .missingScheme(let text): "missing scheme in \"\(text)\""
    case .unsupportedScheme(let name): "unsupported scheme \"\(name)\""
    case .missingHost(let text): "missing host in \"\(text)\""
    case .invalidHost(let host, let problem): "invalid host \"\(host)\": \(problem)"
    case .invalidPort(let port): "invalid port \"\(port)\""
    case .portOutOfRange(let port): "invalid port \"\(port)\": above 65535"
    case .zeroPort(let host): "invalid port \"0\": cannot connect to port 0 of \(host)"
    case .tooLong(let bytes): "URL of \(bytes) bytes is longer than \(HTTPURL.maximumBytes)"
    }
  }
}

extension HostProblem: CustomStringConvertible {
  /// The problem in a few words, without the host.
  public var description: String {
    switch self {
    case .empty: "it is empty"
    case .forbiddenCharacter(let scalar): "forbidden character \(Self.name(of: scalar))"
    case .notAnIPv4Address: "it ends in a number and is not an IPv4 address"
    case .notAnIPv6Address: "not an IPv6 address in brackets"
    case .notUTF8: "its bytes are not UTF-8"
    case .disallowedCharacter(let scalar): "disallowed character \(Self.name(of: scalar))"
    case .invalidPunycode(let label): "invalid Punycode in label \"\(Self.harmless(label))\""
    case .leadingMark(let label): "label \"\(Self.harmless(label))\" begins with a combining mark"
    case .misplacedJoiner(let label): "misplaced joiner in label \"\(Self.harmless(label))\""
    case .bidirectionalRule(let label): "label \"\(Self.harmless(label))\" mixes writing directions"
    case .tooLong(let characters): "it has \(characters) characters"
    }
  }

  private static func harmless(_ label: String) -> String { HTTPURLError.excerpt(label.utf8) }

  private static func name(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    let number = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    return (0x21...0x7E).contains(scalar.value) ? "\"\(scalar)\"" : number
  }
}

extension HTTPURLError {
  /// A short, harmless form of `bytes` for an error message.
  static func excerpt(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    var count = 0
    let kept = String(decoding: afterUserinfo(bytes).prefix(4 * maximumExcerpt + 4), as: UTF8.self)
    for scalar in kept.unicodeScalars {
      if count == maximumExcerpt {
        text += "…"
        break
      }
      text += isUnsafe(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
      count += 1
    }
    return text
  }

  /// Controls could drive a terminal, and format characters turn the line around or hide a part of it.
  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// Long enough to recognise a URL by, short enough for one line of a log.
  private static var maximumExcerpt: Int { 64 }

  private static func afterUserinfo(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let all = Array(bytes)
    guard let at = all.lastIndex(of: UInt8(ascii: "@")) else { return all }
    return Array("***".utf8) + all[at...]
  }
}
