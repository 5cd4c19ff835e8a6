internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// Answers the challenges of servers and proxies, and remembers them: with a nonce that a server gave before, the next
/// request is answered for before it is asked (RFC 7616 §3.4 `nc`).
///
/// One for each client. A request makes a ``ChallengeDialogue`` of it for everyone who may ask.
final class ChallengeResponder: Sendable {
  /// A challenge that is answered without being asked again.
  enum Session: Sendable {
    case digest(DigestSession)
    /// The server asked those who had offered any scheme for Basic.
    case basic(ProtectionScope)

    var scope: ProtectionScope {
      switch self {
      case .digest(let session): session.scope
      case .basic(let scope): scope
      }
    }
  }

  private struct Key: Hashable {
    let peer: ChallengePeer
    let credentials: HTTPCredentials
  }

  private struct Entry {
    /// The newest last.
    var sessions: [Session] = []
    var lastUse: UInt64 = 0
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var clock: UInt64 = 0
  }

  private let state = Lock(State())
  private let makeClientNonce: @Sendable () -> String

  /// How many servers and proxies are remembered. A nonce that is forgotten costs one more exchange.
  static var maximumEntries: Int { 256 }
  /// How many realms of one server are.
  static var maximumSessions: Int { 8 }
  /// How many directories of one server are, for Basic, whose challenges are about no more than that each. One below
  /// another is none of its own.
  static var maximumDirectories: Int { 32 }

  /// - Parameter makeClientNonce: Makes the client's nonce of a session; tests give a known one.
  init(makeClientNonce: @escaping @Sendable () -> String = ChallengeResponder.randomNonce) {
    self.makeClientNonce = makeClientNonce
  }

  /// 128 bits: no server ever sees the same one twice.
  static func randomNonce() -> String {
    var generator = SystemRandomNumberGenerator()
    var digits: [UInt8] = []
    for _ in 0..<2 {
      var word = generator.next()
      for _ in 0..<16 {
        digits.append(ASCII.lowercaseHexDigit(UInt8(truncatingIfNeeded: word)))
        word >>= 4
      }
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// The dialogue of one request with one peer.
  func dialogue(with peer: ChallengePeer, credentials: HTTPCredentials) -> ChallengeDialogue {
    ChallengeDialogue(responder: self, peer: peer, credentials: credentials)
  }

  // MARK: What is remembered

  /// The session that lies nearest to the request's target; of several the newest.
  func session(
    with peer: ChallengePeer, _ credentials: HTTPCredentials, for request: DigestAuthentication.Request
  ) -> Session? {
    state.withLock { state in
      let key = Key(peer: peer, credentials: credentials)
      guard let entry = state.entries[key] else { return nil }
      state.clock += 1
      state.entries[key]?.lastUse = state.clock
      var best: (session: Session, nearness: Int)?
      for session in entry.sessions {
        guard let nearness = session.scope.nearness(to: request.uri), nearness >= best?.nearness ?? 0 else { continue }
        best = (session, nearness)
      }
      return best?.session
    }
  }

  /// Remembers a session in the place of an older one of the same realm.
  func keep(_ session: Session, with peer: ChallengePeer, _ credentials: HTTPCredentials) {
    state.withLock { state in
      let key = Key(peer: peer, credentials: credentials)
      var entry = state.entries[key] ?? Entry()
      state.clock += 1
      entry.lastUse = state.clock
      entry.sessions.removeAll { $0.replaces(session) }
      let limit = session.isBasic ? Self.maximumDirectories : Self.maximumSessions
      if entry.sessions.count(where: { $0.isBasic == session.isBasic }) >= limit,
        let oldest = entry.sessions.firstIndex(where: { $0.isBasic == session.isBasic })
      {
        entry.sessions.remove(at: oldest)
      }
      entry.sessions.append(session)
      if state.entries[key] == nil, state.entries.count >= Self.maximumEntries,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
      }
      state.entries[key] = entry
    }
  }

  /// Forgets a session that was refused.
  func forget(_ session: Session, with peer: ChallengePeer, _ credentials: HTTPCredentials) {
    state.withLock { state in
      let key = Key(peer: peer, credentials: credentials)
      state.entries[key]?.sessions.removeAll { $0.isSame(as: session) }
      if state.entries[key]?.sessions.isEmpty == true { state.entries[key] = nil }
    }
  }

  /// For tests: how many servers and proxies are remembered.
  var entryCount: Int { state.withLock { $0.entries.count } }

  // MARK: Choice

  /// The session for what a response asks for: Digest with the best hash function, then Basic when it was allowed. Nil when
  /// nothing there can be answered with these credentials.
  func choose(
    from head: ResponseHead, _ peer: ChallengePeer, _ credentials: HTTPCredentials,
    for request: DigestAuthentication.Request
  ) -> Session? {
    guard credentials.needsChallenge, let login = credentials.login else { return nil }
    let challenges = AuthChallenge.all(in: head.headers, field: peer.challengeField)
    var best: DigestChallenge?
    for challenge in challenges.compactMap({ DigestChallenge($0) })
    where DigestSession.isAvailable(challenge.algorithm.hash) {
      let candidate = DigestAuthentication(challenge, user: login.user, password: login.password)
      guard candidate.protection(of: request) != nil else { continue }
      // Of equals the first: the order is the server's preference (RFC 7616 §3.7).
      if let best, best.algorithm.hash.strength >= challenge.algorithm.hash.strength { continue }
      best = challenge
    }
    let origin: Origin? = if case .origin(let origin) = peer { origin } else { nil }
    if let best {
      let scope = ProtectionScope(domain: best.domain, origin: origin, target: request.uri)
      return .digest(DigestSession(best, login: login, clientNonce: makeClientNonce(), scope: scope))
    }
    guard credentials.allowsBasicOnChallenge, challenges.contains(where: { $0.scheme == "basic" }) else { return nil }
    return .basic(ProtectionScope(directoryOf: request.uri, isProxy: origin == nil))
  }
}

extension ChallengeResponder.Session {
  fileprivate func isSame(as other: ChallengeResponder.Session) -> Bool {
    switch (self, other) {
    case (.digest(let left), .digest(let right)): left === right
    case (.basic(let left), .basic(let right)): left == right
    default: false
    }
  }

  fileprivate var isBasic: Bool {
    if case .basic = self { return true }
    return false
  }

  /// Whether a session is of no use any more next to another one.
  fileprivate func replaces(_ other: ChallengeResponder.Session) -> Bool {
    switch (self, other) {
    case (.digest(let left), .digest(let right)):
      left.realm == right.realm && left.scope.hasSamePrefixes(as: right.scope)
    case (.basic(let left), .basic(let right)): right.covers(left)
    default: false
    }
  }
}

extension DigestAlgorithm.Hash {
  /// MD5 is broken as a hash function; between the others the server decides.
  fileprivate var strength: Int { self == .md5 ? 0 : 1 }
}
