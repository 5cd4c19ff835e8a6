internal import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

/// The last stage: sends the request as it is, keeps the cookies of the response, and collects its body within the limit.
final class ExchangeStage: Sendable {
  let transport: any HTTPTransport
  let bodyBuffering: ResponseBodyBufferingPolicy
  let cookies: CookieStage
  let trust: TrustOverrides
  /// The transport may follow redirections by rules of its own, or has somebody behind it who does, although the request
  /// does not ask for it. ``RedirectStage`` does that, in all cases: it admits the URL of every hop, and the stages between
  /// give each of them its own cookies, credentials and place in the cache.
  private let mayFollowByItself: Bool
  /// The transport, or somebody behind it, may add cookies to those that are on the request, and keep some for itself.
  private let mayHaveCookies: Bool

  init(
    transport: any HTTPTransport, bodyBuffering: ResponseBodyBufferingPolicy, cookies: CookieStage,
    trust: TrustOverrides
  ) {
    self.transport = transport
    self.bodyBuffering = bodyBuffering
    self.cookies = cookies
    self.trust = trust
    mayHaveCookies = (transport as? HTTPClient).map { $0.cookieJar != nil } ?? true
    mayFollowByItself = (transport as? HTTPClient)?.configuration.redirects.isFollowing ?? true
  }

  func execute(_ request: HTTPRequest) async throws(NetworkError) -> Response {
    // A stage above may have waited; what was cancelled meanwhile must not reach the network.
    guard !Task.isCancelled else { throw .cancelled }
    var sent = request
    trust.apply(to: &sent)
    if mayFollowByItself || request.options.redirects != nil { sent.options.redirects = .manual }
    if mayHaveCookies || request.options.cookies != nil { sent.options.cookies = .off }
    let head: HTTPResponse
    let body: ByteChunk
    do throws(TransportError) {
      head = try await transport.send(sent)
      // Before the body, which may fail, or be too large.
      if head.headers.contains("Set-Cookie") { await cookies.keep(head, of: request) }
      body = try await head.collect(upTo: bodyBuffering.collectionCap)
    } catch {
      throw NetworkError(error)
    }
    sent.options.forgetHop()
    let response = Response(head, data: Data(body), to: sent)
    if case .buffered = bodyBuffering {
      try ResponseBodyLimit(policy: bodyBuffering).check(response.data, of: response)
    }
    return response
  }
}
