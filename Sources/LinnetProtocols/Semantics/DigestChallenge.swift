internal import LinnetBytes

/// The hash function of Digest and whether the session variant is used (RFC 7616 §3.3, §6.1).
package struct DigestAlgorithm: Sendable, Hashable {
  /// The hash functions of the registry.
  package enum Hash: Sendable, Hashable, CaseIterable {
    case md5
    case sha256
    case sha512_256
  }

  /// The hash function.
  package let hash: Hash
  /// The first hash is made once for each challenge and mixed with nonces.
  package let isSession: Bool

  package init(_ hash: Hash, isSession: Bool = false) {
    self.hash = hash
    self.isSession = isSession
  }

  /// The algorithm of this name, compared without case.
  package init?(name: some Collection<UInt8>) {
    for hash in Hash.allCases {
      for isSession in [false, true] {
        let candidate = DigestAlgorithm(hash, isSession: isSession)
        if ASCII.equalIgnoringCase(candidate.name.utf8, name) {
          self = candidate
          return
        }
      }
    }
    return nil
  }

  /// The name in the registry.
  package var name: String {
    let base =
      switch hash {
      case .md5: "MD5"
      case .sha256: "SHA-256"
      case .sha512_256: "SHA-512-256"
      }
    return isSession ? base + "-sess" : base
  }
}

/// What a Digest challenge asks for (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
  /// What the answer protects.
  package enum Protection: Sendable, Hashable {
    /// As RFC 2069 had it: without a client's nonce and a count. The server sent no `qop`.
    case legacy
    /// Method and target.
    case auth
    /// The content too.
    case authInt
  }

  package let realm: [UInt8]
  package let nonce: [UInt8]
  /// Sent back as it is.
  package let opaque: [UInt8]?
  /// The nonce of the request was too old, and nothing else wrong with it.
  package let isStale: Bool
  package let algorithm: DigestAlgorithm
  /// Whether the challenge names the algorithm; the answer does so only then, for servers older than the parameter.
  package let namesAlgorithm: Bool
  /// What the server takes.
  package let protections: Set<Protection>
  /// Name and password are UTF-8; also the permission to send `username*`.
  package let isUTF8: Bool
  /// The name is to be hashed.
  package let wantsUserHash: Bool
  /// The URIs of the protection space; empty: the whole server.
  package let domain: [String]

  /// The most URIs of a protection space that are kept.
  package static var maximumDomain: Int { 16 }

  /// Nil for another scheme, without a nonce, for algorithms and protections that are not known, and for what cannot be
  /// sent back in a field.
  package init?(_ challenge: AuthChallenge) {
    guard challenge.scheme == "digest", let nonce = challenge.value(of: "nonce"), !nonce.isEmpty else { return nil }
    // RFC 7616 demands a realm; servers without one are answered with an empty one.
    realm = challenge.value(of: "realm") ?? []
    self.nonce = nonce
    opaque = challenge.value(of: "opaque")
    guard (realm + nonce + (opaque ?? [])).allSatisfy(ASCII.isFieldValue) else { return nil }
    isStale = challenge.isTrue("stale")
    if let name = challenge.value(of: "algorithm") {
      guard let known = DigestAlgorithm(name: name) else { return nil }
      algorithm = known
      namesAlgorithm = true
    } else {
      algorithm = DigestAlgorithm(.md5)
      namesAlgorithm = false
    }
    if let list = challenge.value(of: "qop") {
      var known: Set<Protection> = []
      for option in list.split(whereSeparator: { $0 == UInt8(ascii: ",") || ASCII.isWhitespace($0) }) {
        if ASCII.equalIgnoringCase(option, "auth".utf8) { known.insert(.auth) }
        if ASCII.equalIgnoringCase(option, "auth-int".utf8) { known.insert(.authInt) }
      }
      guard !known.isEmpty else { return nil }
      protections = known
    } else {
      protections = [.legacy]
    }
    isUTF8 = challenge.value(of: "charset").map { ASCII.equalIgnoringCase($0, "UTF-8".utf8) } ?? false
    wantsUserHash = challenge.isTrue("userhash")
    domain = (challenge.value(of: "domain") ?? []).split(whereSeparator: ASCII.isWhitespace)
      .prefix(Self.maximumDomain).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension AuthChallenge {
  fileprivate func isTrue(_ name: String) -> Bool {
    value(of: name).map { ASCII.equalIgnoringCase($0, "true".utf8) } ?? false
  }
}
