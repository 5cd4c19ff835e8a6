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
  private let source: CredentialSource
  private let challenges: ChallengeResponder

  init(configuration: HTTPClientConfiguration, environment: EngineEnvironment, next: Next) {
    self.next = next
    source = CredentialSource(configuration, variables: environment.variables)
    challenges = environment.challenges
  }

  /// What is read of the body of a challenge so that its connection can be used again.
  private static var discardedBytes: Int { 64 << 10 }

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    guard source.mayHaveCredentials(for: hop) else {
      let response = try await next.send(hop, exchange)
      guard response.status == .proxyAuthenticationRequired else { return response }
      return try await Conversation(self, hop, exchange, origin: nil).run(first: response)
    }
    let origin: ChallengeDialogue?
    do throws(TransportFailure) {
      origin = try await source.credentials(for: hop, exchange).map {
        challenges.dialogue(with: .origin(hop.url.origin), credentials: $0)
      }
    } catch {
      var context = exchange
      context.attempts = 0
      throw context.error(error)
    }
    return try await Conversation(self, hop, exchange, origin: origin).run(first: nil)
  }

  /// The sending of one hop, until nobody asks for anything that can be given.
  private struct Conversation {
    private let stage: ChallengeAuthStage
    private let hop: HopRequest
    private let exchange: Exchange
    private var origin: ChallengeDialogue?
    private var proxy: ChallengeDialogue?

    init(_ stage: ChallengeAuthStage, _ hop: HopRequest, _ exchange: Exchange, origin: ChallengeDialogue?) {
      self.stage = stage
      self.hop = hop
      self.exchange = exchange
      self.origin = origin
    }

    /// - Parameter first: The response to the request as it came, when it was sent already.
    consuming func run(first: HTTPResponse?) async throws(TransportError) -> HTTPResponse {
      var response: HTTPResponse
      if let first { response = first } else { response = try await send() }
      while asksForMore(response) {
        try admitRepetition(after: response)
        hop.request.options.onEvent?(.challenged(response.head))
        await response.discardBody(reading: ChallengeAuthStage.discardedBytes)
        response = try await send()
      }
      return response
    }

    private mutating func send() async throws(TransportError) -> HTTPResponse {
      var hop = hop
      if origin != nil {
        do throws(TransportFailure) {
          let isAnswered = try origin?.authorize(
            method: hop.request.method, target: hop.url.requestTarget, content: hop.request.contentInMemory,
            into: &hop.request.headers)
          if origin?.credentials.needsChallenge == true { hop.awaitAgreement(isAnswered: isAnswered == true) }
        } catch {
          throw exchange.error(error)
        }
      }
      return try await stage.next.send(hop, exchange)
    }

    private mutating func asksForMore(_ response: HTTPResponse) -> Bool {
      if response.status == .proxyAuthenticationRequired {
        // The transport shows the proxy its credentials; here it only learns the answer to the challenge.
        guard let info = response.connection.proxy, !info.isTunnel, let credentials = info.credentials else {
          return false
        }
        var dialogue = proxy ?? stage.challenges.dialogue(with: .proxy(info.name), credentials: credentials)
        dialogue.prepare(
          method: hop.request.method, target: hop.url.absoluteRequestTarget, content: hop.request.contentInMemory)
        let accepts = dialogue.accepts(response.head)
        proxy = dialogue
        return accepts
      }
      return origin?.accepts(response.head) ?? false
    }

    /// - Throws: `bodyNotReplayable` when the body was taken by the exchange that asked.
    private func admitRepetition(after response: HTTPResponse) throws(TransportError) {
      guard hop.request.body?.isReplayable ?? true else {
        let asker = response.status == .unauthorized ? "server" : "proxy"
        throw exchange.error(
          TransportFailure(
            code: .bodyNotReplayable, phase: .head,
            reason: "the \(asker) asked for credentials (\(response.status.code)) after the request's one-shot body was"
              + " sent, which cannot be sent again",
            sent: .all))
      }
    }
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
