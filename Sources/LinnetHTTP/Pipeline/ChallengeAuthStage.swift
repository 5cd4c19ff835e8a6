internal import LinnetBytes
internal import LinnetHTTPTypes

/// Shows each hop's origin the credentials that were given for it, at once or when it asks.
///
/// The first of these counts: an `Authorization` field of the request or of the default headers; the call's credentials,
/// and the user name and password in its URL, on hops that are not foreign; those of the configuration for the hop's
/// origin; netrc. An answer to a challenge costs a second exchange, which is not an attempt of its own.
///
/// A request that has to be asked first may have to be sent twice. A large body, and one that can be sent only once, waits
/// for the server's agreement (`Expect: 100-continue`), so that a server that asks has taken nothing of it.
struct ChallengeAuthStage<Next: ExchangeStage>: ExchangeStage {
  let next: Next
  let source: CredentialSource
  private let challenges: ChallengeResponder

  init(configuration: HTTPClientConfiguration, environment: EngineEnvironment, next: Next) {
    self.next = next
    source = CredentialSource(configuration, environment: environment)
    challenges = environment.challenges
  }

  /// What is read of the body of a challenge so that its connection can be used again.
  private static var discardedBytes: Int { 64 << 10 }

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    guard source.mayHaveCredentials(for: hop) || source.hasDefaultAuthorization else {
      return try await next.send(hop, exchange)
    }
    return try await sendWithCredentials(hop, exchange)
  }

  /// Apart from ``send(_:_:)``, whose frame every request has.
  @inline(never)
  private func sendWithCredentials(
    _ hop: HopRequest, _ exchange: Exchange
  ) async throws(TransportError) -> HTTPResponse {
    let credentials: HTTPCredentials?
    do throws(TransportFailure) {
      credentials = try await source.credentials(for: hop, exchange)
    } catch {
      throw Self.unsent(error, exchange)
    }
    guard let credentials else {
      var response = try await next.send(hop, exchange)
      response.sentCredentials = source.addsDefaultAuthorization(to: hop)
      return response
    }
    var dialogue = challenges.dialogue(with: .origin(hop.url.origin), credentials: credentials)
    var hop = hop
    while true {
      let attempt: HopRequest
      let isAnswered: Bool
      do throws(TransportFailure) {
        (attempt, isAnswered) = try authorized(hop, &dialogue)
      } catch {
        throw Self.unsent(error, exchange)
      }
      var response = try await next.send(attempt, exchange)
      response.sentCredentials = isAnswered
      guard dialogue.accepts(response.head) else { return response }
      guard hop.request.body?.isReplayable ?? true else {
        response.body.reader.discard()
        throw exchange.error(Self.bodyTaken)
      }
      hop.request.options.onEvent?(.challenged(response.head))
      await hop.takeCookies(of: response.head)
      await response.discardBody(reading: Self.discardedBytes)
    }
  }

  /// The request with what is known about its credentials; and whether they are in it.
  // Apart, because the compiler repeats what it inlines for each await of its caller.
  @inline(never)
  private func authorized(
    _ hop: HopRequest, _ dialogue: inout ChallengeDialogue
  ) throws(TransportFailure) -> (HopRequest, Bool) {
    var attempt = hop
    let isAnswered = try dialogue.authorize(
      method: hop.request.method, target: hop.url.requestTarget, content: hop.request.contentInMemory,
      into: &attempt.request.headers)
    if dialogue.credentials.needsChallenge { attempt.awaitAgreement(isAnswered: isAnswered) }
    return (attempt, isAnswered)
  }

  /// The failure of a request that was not tried.
  @inline(never)
  private static func unsent(_ failure: TransportFailure, _ exchange: Exchange) -> TransportError {
    var context = exchange
    context.attempts = 0
    return context.error(failure)
  }

  private static var bodyTaken: TransportFailure {
    TransportFailure(
      code: .bodyNotReplayable, phase: .head,
      reason:
        "the server asked for credentials (401) after it had got the request's one-shot body, which cannot be sent"
        + " again",
      sent: .all)
  }
}

extension HTTPRequest {
  /// The bytes of a body in memory; empty without a body; nil for files and streams.
  fileprivate var contentInMemory: ByteChunk? {
    guard let body else { return ByteChunk() }
    return body.bytesInMemory
  }
}

extension HopRequest {
  /// Holds a body back until the server agrees to it, when it may have to be sent again.
  ///
  /// - Parameter isAnswered: The request has an answer to a challenge, which the server may find stale.
  fileprivate mutating func awaitAgreement(isAnswered: Bool) {
    guard let body = request.body, !body.isKnownEmpty, !request.options.expectsContinue else { return }
    // To send this much twice is cheaper than the second that a server without `100 (Continue)` makes one wait.
    let isLarge = body.knownLength.map { $0 > 1 << 20 } ?? true
    if body.isOneShot || isLarge && !isAnswered { request.options.expectsContinue = true }
  }
}
