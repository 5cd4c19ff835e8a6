package import LinnetBytes

/// Answers to a Digest challenge (RFC 7616 §3.4) for one name and password.
///
/// Pure: the hash function, nonces and counts are arguments. A hash function gives nil for an algorithm that the system
/// does not allow, and then so does every answer.
package struct DigestAuthentication: Sendable {
  package typealias HashFunction = (DigestAlgorithm.Hash, [UInt8]) -> [UInt8]?

  /// What is said about one request.
  package struct Request: Sendable {
    package let method: String
    /// The target as in the request line.
    package let uri: [UInt8]
    /// The content, for ``DigestChallenge/Protection/authInt``; nil when it is not at hand.
    package let content: ByteChunk?

    package init(method: String, uri: [UInt8], content: ByteChunk?) {
      self.method = method
      self.uri = uri
      self.content = content
    }
  }

  /// The nonces of one request.
  package struct Nonces: Sendable {
    /// The server's.
    package var server: [UInt8]
    /// Ours: hexadecimal digits.
    package var client: String
    /// How many requests were sent with the server's nonce, this one included.
    package var count: UInt32

    package init(server: [UInt8], client: String, count: UInt32) {
      self.server = server
      self.client = client
      self.count = count
    }
  }

  /// The field value, and what the server proves its own knowledge of the password with.
  package struct Answer: Sendable {
    /// The value of an `Authorization` or `Proxy-Authorization` field; bytes, as the realm need not be UTF-8.
    package let fieldValue: [UInt8]
    /// The `rspauth` of the server's `Authentication-Info` (§3.5); nil when the content of the response is in it.
    package let expectedProof: [UInt8]?
  }

  package let challenge: DigestChallenge
  private let user: [UInt8]
  private let password: [UInt8]

  /// - Parameters:
  ///   - user: Name in UTF-8, normalised.
  ///   - password: Password in UTF-8, normalised.
  package init(_ challenge: DigestChallenge, user: [UInt8], password: [UInt8]) {
    self.challenge = challenge
    self.user = user
    self.password = password
  }

  /// How a request is protected: `auth` when the server takes it, since most do not expect to be given more;
  /// `auth-int` when it insists and the content is at hand. Nil: the challenge cannot be answered for this request.
  package func protection(of request: Request) -> DigestChallenge.Protection? {
    let offered = challenge.protections
    if offered.contains(.auth) { return .auth }
    if offered.contains(.authInt) { return request.content == nil ? nil : .authInt }
    return offered.contains(.legacy) ? .legacy : nil
  }

  /// The secret that all requests after one challenge share: H(A1) (§3.4.2).
  ///
  /// For a session variant it is bound to the nonces of the first request after the challenge.
  package func sharedSecret(first: Nonces, hash: HashFunction) -> [UInt8]? {
    let name = challenge.algorithm.hash
    guard let base = Self.hexadecimal(hash(name, user + colon + challenge.realm + colon + password)) else { return nil }
    guard challenge.algorithm.isSession else { return base }
    return Self.hexadecimal(hash(name, base + colon + first.server + colon + Array(first.client.utf8)))
  }

  /// Answers for one request.
  package func answer(
    _ request: Request, nonces: Nonces, secret: [UInt8], hash: HashFunction
  ) -> Answer? {
    guard let protection = protection(of: request) else { return nil }
    let name = challenge.algorithm.hash
    var contentHash: [UInt8] = []
    if protection == .authInt {
      guard let digest = Self.hexadecimal(hash(name, request.content.map { Array($0) } ?? [])) else { return nil }
      contentHash = colon + digest
    }
    let middle = middle(protection, nonces)
    let target = colon + request.uri
    guard let subject = Self.hexadecimal(hash(name, Array(request.method.utf8) + target + contentHash)),
      let response = Self.hexadecimal(hash(name, secret + colon + middle + colon + subject))
    else { return nil }
    var proof: [UInt8]?
    if protection != .authInt, let subject = Self.hexadecimal(hash(name, target)) {
      proof = Self.hexadecimal(hash(name, secret + colon + middle + colon + subject))
    }
    guard let value = fieldValue(request, nonces, protection, response, hash) else { return nil }
    return Answer(fieldValue: value, expectedProof: proof)
  }

  /// What stands between the two hashes of a response: `nonce:nc:cnonce:qop`.
  private func middle(_ protection: DigestChallenge.Protection, _ nonces: Nonces) -> [UInt8] {
    guard let name = protection.name else { return nonces.server }
    return nonces.server + colon + Array(nonces.count.eightDigits.utf8) + colon + Array(nonces.client.utf8) + colon
      + Array(name.utf8)
  }

  private func fieldValue(
    _ request: Request, _ nonces: Nonces, _ protection: DigestChallenge.Protection, _ response: [UInt8],
    _ hash: HashFunction
  ) -> [UInt8]? {
    var value = Array("Digest ".utf8)
    guard appendUser(to: &value, hash) else { return nil }
    value.append(parameter: "realm", quoted: challenge.realm)
    value.append(parameter: "nonce", quoted: nonces.server)
    value.append(parameter: "uri", quoted: request.uri)
    value.append(parameter: "response", quoted: response)
    if challenge.namesAlgorithm { value.append(parameter: "algorithm", challenge.algorithm.name) }
    if let name = protection.name {
      value.append(parameter: "qop", name)
      value.append(parameter: "nc", nonces.count.eightDigits)
    }
    // Without `qop` the session variant needs it all the same: its secret depends on it.
    if protection.name != nil || challenge.algorithm.isSession {
      value.append(parameter: "cnonce", quoted: Array(nonces.client.utf8))
    }
    if let opaque = challenge.opaque { value.append(parameter: "opaque", quoted: opaque) }
    if challenge.wantsUserHash { value.append(parameter: "userhash", "true") }
    return value
  }

  /// The name: hashed, as it is, or encoded (RFC 8187) when it has characters that a quoted string has no agreed
  /// reading of.
  private func appendUser(to value: inout [UInt8], _ hash: HashFunction) -> Bool {
    if challenge.wantsUserHash {
      guard let hashed = Self.hexadecimal(hash(challenge.algorithm.hash, user + colon + challenge.realm)) else {
        return false
      }
      value.append(parameter: "username", quoted: hashed)
    } else if challenge.isUTF8, user.contains(where: { $0 >= 0x80 }) {
      value += Array("username*=UTF-8''".utf8)
      for byte in user {
        if ASCII.isExtendedValue(byte) {
          value.append(byte)
        } else {
          value += [UInt8(ascii: "%"), ASCII.uppercaseHexDigit(byte >> 4), ASCII.uppercaseHexDigit(byte)]
        }
      }
    } else {
      value.append(parameter: "username", quoted: user)
    }
    return true
  }

  private var colon: [UInt8] { [ASCII.colon] }

  private static func hexadecimal(_ digest: [UInt8]?) -> [UInt8]? {
    digest?.flatMap { [ASCII.lowercaseHexDigit($0 >> 4), ASCII.lowercaseHexDigit($0)] }
  }
}

extension DigestChallenge.Protection {
  /// The value of `qop`; nil when there was none.
  fileprivate var name: String? {
    switch self {
    case .legacy: nil
    case .auth: "auth"
    case .authInt: "auth-int"
    }
  }
}

extension ASCII {
  /// `attr-char` of RFC 8187 §3.2.1.
  fileprivate static func isExtendedValue(_ byte: UInt8) -> Bool {
    isToken(byte) && byte != UInt8(ascii: "*") && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "%")
  }
}

extension UInt32 {
  /// `nc-value`: eight hexadecimal digits.
  fileprivate var eightDigits: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, 8 - digits.count)) + digits
  }
}

extension [UInt8] {
  fileprivate mutating func append(parameter name: String, _ value: String) {
    separate()
    self += Array("\(name)=\(value)".utf8)
  }

  fileprivate mutating func append(parameter name: String, quoted value: [UInt8]) {
    separate()
    self += Array("\(name)=\"".utf8)
    for byte in value {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
      append(byte)
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func separate() { if last != ASCII.space { self += Array(", ".utf8) } }
}
