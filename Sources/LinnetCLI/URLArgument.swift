package import LinnetHTTP

/// URLs as people type them.
package enum URLArgument {
  /// The URL, complete and fit to connect to.
  ///
  /// - Parameters:
  ///   - schemes: Those that `--proto` allows; nil: both.
  ///   - keepsDots: Dot segments of the path stay.
  /// - Throws: `malformedURL`, or `unsupportedScheme` when it is a good URL for another client.
  package static func parse(_ argument: Argument, schemes: Set<String>? = nil, keepsDots: Bool = false)
    throws(CommandError) -> HTTPURL
  {
    let shown = masked(argument.text)
    guard !argument.bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw CommandError(.malformedURL, "malformed URL '\(shown)': it has a control character")
    }
    do throws(HTTPURLError) {
      let url = try keepsDots ? HTTPURL(keepingDots: completed(argument)) : HTTPURL(completed(argument))
      guard url.scheme == .http || url.scheme == .https else {
        throw .unsupportedScheme(url.scheme.rawValue)
      }
      _ = try url.connectablePort()
      if let schemes, !schemes.contains(url.scheme.rawValue) {
        throw .unsupportedScheme(url.scheme.rawValue)
      }
      return url
    } catch {
      if case .unsupportedScheme(let scheme) = error {
        if let schemes, ["http", "https"].contains(scheme) {
          let names = schemes.sorted().joined(separator: ", ")
          throw CommandError(
            .unsupportedScheme, "'\(shown)' is \(scheme), and --proto allows \(names.isEmpty ? "nothing" : names)")
        }
        throw CommandError(
          .unsupportedScheme, "the scheme '\(scheme)' of '\(shown)' is not supported: use http or https")
      }
      throw CommandError(.malformedURL, "malformed URL '\(shown)': \(error)")
    }
  }

  /// The text with a scheme: http where there is none, as curl does; `:8080/x` and `:/x` stand for localhost, as httpie
  /// does. Bytes that are not UTF-8 are percent-encoded, so that they reach the server unchanged.
  package static func completed(_ argument: Argument) -> String {
    let text = argument.exactText ?? percentEncoded(argument.bytes)
    if hasScheme(text) { return text }
    let second = text.utf8.dropFirst().first
    if text.utf8.first == UInt8(ascii: ":"), let second, 0x2F...0x39 ~= second {
      return second == UInt8(ascii: "/") ? "http://localhost\(text.dropFirst())" : "http://localhost\(text)"
    }
    // A path alone must not become a host, which it would: `http:///x` is the host x.
    return text.utf8.first == UInt8(ascii: "/") ? text : "http://\(text)"
  }

  /// `https:x` and `http:/x` have a scheme too, though a sloppy rest; `localhost:8080` has none.
  private static func hasScheme(_ text: String) -> Bool {
    let scheme = text.prefix { $0 != ":" }
    guard scheme.count < text.count, let first = scheme.utf8.first, 0x41...0x5A ~= first & 0xDF,
      scheme.utf8.allSatisfy({ 0x41...0x5A ~= $0 & 0xDF || 0x2B...0x2E ~= $0 && $0 != 0x2C || 0x30...0x39 ~= $0 })
    else { return false }
    return text[scheme.endIndex...].hasPrefix("://") || ["http", "https"].contains(scheme.lowercased())
  }

  /// The bytes with everything percent-encoded that is not ASCII.
  private static func percentEncoded(_ bytes: [UInt8]) -> String {
    bytes.reduce(into: "") { text, byte in
      if byte < 0x80 { text.unicodeScalars.append(Unicode.Scalar(byte)) } else { text += escape(byte) }
    }
  }

  /// The bytes as one segment of a path (RFC 3986 §3.3).
  static func pathSegment(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += escape(byte)
      }
    }
  }

  /// The bytes as a value of form data (WHATWG URL §5.2), with `+` for a space as curl has it.
  static func formValue(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in text += byte == 0x20 ? "+" : pathSegment(CollectionOfOne(byte)) }
  }

  /// The bytes as a part of a query: what has a meaning there stays, what would end it or cannot stand in a URL does not.
  static func query(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      if 0x21...0x7E ~= byte && byte != UInt8(ascii: "#") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += escape(byte)
      }
    }
  }

  private static func escape(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
  }

  /// The text as errors show it: also when secrets are shown elsewhere, for errors are kept in logs.
  static func masked(_ text: String) -> String { SecretMask(showsSecrets: false).url(text) }
}
