internal import LinnetBytes
internal import LinnetProtocols
internal import LinnetTLS

/// The use of one Digest challenge by any number of requests: counts them (RFC 7616 §3.4 `nc`), and goes on with the
/// server's next nonce when it names one.
final class DigestSession: Sendable {
  private struct State {
    var nonce: [UInt8]
    var count: UInt32 = 0
    /// H(A1); made by the first request.
    var secret: [UInt8]?
  }

  /// An answer, and what the server's proof of it must be.
  struct Answer: Sendable {
    let fieldValue: [UInt8]
    let expectedProof: [UInt8]?
  }

  let scope: ProtectionScope
  private let authentication: DigestAuthentication
  private let clientNonce: String
  private let state: Lock<State>

  /// - Parameter clientNonce: Ours for all requests of the session: the session variants' secret is bound to it.
  init(
    _ challenge: DigestChallenge, login: HTTPCredentials.Login, clientNonce: String, scope: ProtectionScope
  ) {
    self.scope = scope
    self.clientNonce = clientNonce
    authentication = DigestAuthentication(challenge, user: login.user, password: login.password)
    state = Lock(State(nonce: challenge.nonce))
  }

  var realm: [UInt8] { authentication.challenge.realm }
  /// Whether the server refused the nonce before it and nothing else.
  var isStale: Bool { authentication.challenge.isStale }

  /// Nil when the request cannot be answered, or the nonce was used as often as can be counted.
  func answer(_ request: DigestAuthentication.Request) -> Answer? {
    let prepared: (DigestAuthentication.Nonces, [UInt8])? = state.withLock { state in
      guard state.count < .max else { return nil }
      state.count += 1
      let nonces = DigestAuthentication.Nonces(server: state.nonce, client: clientNonce, count: state.count)
      guard let secret = state.secret ?? authentication.sharedSecret(first: nonces, hash: Self.hash) else { return nil }
      state.secret = secret
      return (nonces, secret)
    }
    guard let (nonces, secret) = prepared,
      let answer = authentication.answer(request, nonces: nonces, secret: secret, hash: Self.hash)
    else { return nil }
    return Answer(fieldValue: answer.fieldValue, expectedProof: answer.expectedProof)
  }

  /// Goes on with the nonce of `Authentication-Info` (RFC 7616 §3.5).
  func adopt(nextNonce: [UInt8]) {
    state.withLock { state in
      guard state.nonce != nextNonce else { return }
      state.nonce = nextNonce
      state.count = 0
    }
  }

  /// Nil for what the system's policy forbids (MD5 in FIPS mode).
  private static func hash(_ algorithm: DigestAlgorithm.Hash, _ bytes: [UInt8]) -> [UInt8]? {
    let method: Digest.Algorithm =
      switch algorithm {
      case .md5: .md5
      case .sha256: .sha256
      case .sha512_256: .sha512_256
      }
    return try? Digest.hash(bytes.span, with: method)
  }

  /// Whether the system has the algorithm.
  static func isAvailable(_ algorithm: DigestAlgorithm.Hash) -> Bool { hash(algorithm, []) != nil }
}
