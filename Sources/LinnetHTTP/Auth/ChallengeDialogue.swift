internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// What one request and one peer say to each other about credentials.
///
/// ```swift
/// var dialogue = responder.dialogue(with: .proxy("\(proxy)"), credentials: credentials)
/// repeat {
///   try dialogue.authorize(method: .connect, target: target, into: &headers)   // before each sending
///   …
/// } while dialogue.accepts(head)                                               // after each response
/// ```
///
/// It ends by itself: one answer to a challenge, and one more when the server says that the nonce of the first was stale.
/// A wrong password makes the challenge the response.
struct ChallengeDialogue: Sendable {
  let peer: ChallengePeer
  let credentials: HTTPCredentials
  private let responder: ChallengeResponder
  private var request: DigestAuthentication.Request?
  private var session: ChallengeResponder.Session?
  private var expectedProof: [UInt8]?
  /// Challenges that were answered.
  private var answers = 0
  private var wasStale = false

  init(responder: ChallengeResponder, peer: ChallengePeer, credentials: HTTPCredentials) {
    self.responder = responder
    self.peer = peer
    self.credentials = credentials
  }

  /// Sets the field that answers, if there is something to say yet.
  ///
  /// - Parameters:
  ///   - method: The request's method.
  ///   - target: The target as it stands in the request line.
  ///   - content: The request's content, empty when there is none; nil when it is not at hand.
  /// - Returns: Whether the field was set. False: the request will be asked.
  /// - Throws: `invalidConfiguration` for credentials that cannot be expressed.
  mutating func authorize(
    method: HTTPMethod, target: RequestTarget, content: ByteChunk?, into headers: inout HTTPHeaders
  ) throws(TransportFailure) -> Bool {
    expectedProof = nil
    if let value = try credentials.unaskedValue() {
      ChallengeAnswer(to: peer, value: Array(value.utf8)).set(in: &headers)
      return true
    }
    let request = DigestAuthentication.Request(
      method: method.rawValue, uri: Array(target.description.utf8), content: content)
    self.request = request
    if session == nil { session = responder.session(with: peer, credentials, for: request) }
    switch session {
    case nil: return false
    case .basic: return try setBasic(in: &headers)
    case .digest(let digest):
      guard let answer = digest.answer(request) else {
        session = nil
        return false
      }
      expectedProof = answer.expectedProof
      ChallengeAnswer(to: peer, value: answer.fieldValue).set(in: &headers)
      return true
    }
  }

  /// Whether the request is to be sent again because this response asked for credentials that can be given.
  mutating func accepts(_ head: ResponseHead) -> Bool {
    guard head.status == peer.status else {
      readInformation(head)
      return false
    }
    guard credentials.needsChallenge, let request else { return false }
    if let session { responder.forget(session, with: peer, credentials) }
    guard let next = responder.choose(from: head, peer, credentials, for: request) else { return false }
    // The same words would get the same answer.
    if case .basic = session, case .basic = next { return false }
    if answers > 0 {
      // Only a nonce that was too old says nothing about the password.
      guard !wasStale, case .digest(let digest) = next, digest.isStale else { return false }
      wasStale = true
    }
    answers += 1
    session = next
    responder.keep(next, with: peer, credentials)
    return true
  }

  /// `Authentication-Info`: the next nonce is used. A proof (`rspauth`) that is wrong, from a server that does not know the
  /// password, only makes the challenge forgotten: whoever stands in the way could have left it out as well.
  private mutating func readInformation(_ head: ResponseHead) {
    guard case .digest(let digest) = session, head.headers.contains(peer.informationField) else { return }
    let information = AuthChallenge.information(in: head.headers, field: peer.informationField)
    if let proof = information.value(of: "rspauth"), let expectedProof, proof != expectedProof {
      responder.forget(.digest(digest), with: peer, credentials)
      return
    }
    if let nonce = information.value(of: "nextnonce"), !nonce.isEmpty { digest.adopt(nextNonce: nonce) }
  }

  private func setBasic(in headers: inout HTTPHeaders) throws(TransportFailure) -> Bool {
    guard let login = credentials.login else { return false }
    let value = try HTTPCredentials(.octets(user: login.user, password: login.password)).unaskedValue() ?? ""
    ChallengeAnswer(to: peer, value: Array(value.utf8)).set(in: &headers)
    return true
  }
}
