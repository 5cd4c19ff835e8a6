internal import LinnetBytes
internal import LinnetHTTPTypes

/// Which targets of a server one challenge is about: for Digest what `domain` says (RFC 7616 §3.3), for Basic the directory
/// of the target that was asked about (RFC 7617 §2.2).
struct ProtectionScope: Sendable, Hashable {
  /// The prefixes of paths; none: the whole server.
  private var prefixes: [[UInt8]]
  /// The directory of the target that was asked about: a server with several realms is answered in the one that lies
  /// nearest.
  let directory: [UInt8]

  /// - Parameters:
  ///   - domain: The URIs of the challenge. Those of other servers are not used, although RFC 7616 allows it: what is meant
  ///     for one origin goes to no other.
  ///   - origin: The server; nil for a proxy, for which `domain` has no meaning (§3.3).
  init(domain: [String], origin: Origin?, target: [UInt8]) {
    let path = target.prefix { $0 != UInt8(ascii: "?") }
    directory = path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) } ?? []
    guard let origin, !domain.isEmpty else {
      prefixes = []
      return
    }
    var found: [[UInt8]] = []
    for uri in domain {
      if uri.utf8.first == UInt8(ascii: "/") {
        found.append(Array(uri.utf8))
      } else if let url = try? HTTPURL(uri), url.origin == origin {
        found.append(Array(url.path.utf8))
      }
    }
    prefixes = found.isEmpty ? [directory] : found
  }

  /// The scope of Basic: everything at or below the depth of the last `/` in the path. A proxy's is the proxy.
  init(directoryOf target: [UInt8], isProxy: Bool) {
    self.init(domain: [], origin: nil, target: target)
    // The target of `OPTIONS *` has no directory.
    if !isProxy { prefixes = [directory.isEmpty ? target : directory] }
  }

  /// Whether all that the other one is about is within this one.
  func covers(_ other: ProtectionScope) -> Bool {
    prefixes.isEmpty
      || !other.prefixes.isEmpty
        && other.prefixes.allSatisfy { inner in prefixes.contains { Self.covers($0, inner) } }
  }

  /// Whether another challenge was about the same part of the server.
  func hasSamePrefixes(as other: ProtectionScope) -> Bool { prefixes == other.prefixes }

  /// How near the target lies to the one that was asked about: the length of what their paths have in common; nil when the
  /// challenge is not about it.
  func nearness(to target: [UInt8]) -> Int? {
    guard prefixes.isEmpty || prefixes.contains(where: { Self.covers($0, target) }) else { return nil }
    return target.starts(with: directory) ? directory.count : 0
  }

  /// `/a` is about `/a`, `/a/b` and `/a?b`, not about `/ab`: RFC 7616 leaves it open, and the narrow reading asks once
  /// more at worst.
  private static func covers(_ prefix: [UInt8], _ target: [UInt8]) -> Bool {
    guard target.starts(with: prefix) else { return false }
    guard prefix.last != UInt8(ascii: "/"), target.count > prefix.count else { return true }
    let next = target[prefix.count]
    return next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
  }
}
