internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetTLS

/// Replaces values of header fields that carry credentials, so that keys can be stored and compared but not read.
///
/// The names belong to the value: what one client adds affects no other.
package struct HeaderFingerprint: Sendable, Hashable {
  /// The fields whose values are replaced always.
  private static let standardNames: Set<String> = [
    "authorization", "cookie", "proxy-authorization", "x-api-key", "x-auth-token",
  ]

  private let names: Set<String>

  /// - Parameter additionalNames: More fields with credentials, in any case.
  package init(additionalNames: some Sequence<String>) {
    names = Self.standardNames.union(additionalNames.map(\.asciiLowercased))
  }

  /// The value itself, or its fingerprint when the field, whose name is in lower case, carries credentials.
  package func masked(name: String, value: String) -> String {
    names.contains(name) ? Self.digest(of: value) : value
  }

  /// `sha256:` and 64 hexadecimal digits. When the library refuses SHA-256, a value that equals no other: nothing is
  /// found then, and nothing shown.
  static func digest(of value: String) -> String {
    guard let digest = try? Digest.hash(value.utf8Span.span, with: .sha256) else {
      return "sha256:unavailable-\(UUID().uuidString)"
    }
    var text = Array("sha256:".utf8)
    for byte in digest {
      text.append(ASCII.lowercaseHexDigit(byte >> 4))
      text.append(ASCII.lowercaseHexDigit(byte & 0xF))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
