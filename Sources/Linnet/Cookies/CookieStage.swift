internal import LinnetHTTP

/// Puts the cookies of the client on each hop, as the engine would, but above the cache, the signers and the sharing of
/// exchanges: all of them have to tell users apart.
///
/// What servers set is kept by ``ExchangeStage``, where answers come in. So it is kept also from the confirmation of a stored
/// response, in the background too, and never again from a response that was stored.
struct CookieStage: Sendable {
  private let jars: JarChoice
  private let engine: HTTPClient?

  /// - Parameters:
  ///   - handling: What the settings say; nil for nothing, which means a jar of the client's own.
  ///   - engine: The transport, if it is one that has cookies of its own; its jar counts when the settings say nothing.
  init(_ handling: CookieHandling?, engine: HTTPClient?) {
    jars = JarChoice(handling ?? engine?.cookieJar.map { .jar($0) } ?? .privateJar)
    self.engine = engine
  }

  /// Makes the `Cookie` field what the request and the jar say.
  ///
  /// - Parameter mayBeChallenged: The engine may answer a challenge, and then has to renew the field.
  func addCookies(to request: inout HTTPRequest, mayBeChallenged: Bool) {
    guard let jar = jars.jar(for: request.options), let url = try? request.parsedURL() else { return }
    let cookies = HopCookies(jar: jar, headers: request.headers)
    cookies.put(into: &request.headers, for: url)
    if mayBeChallenged { request.options.hopCookies = cookies }
  }

  /// Keeps what the response to a request sets.
  func keep(_ response: HTTPResponse, of request: HTTPRequest) async {
    guard let jar = jars.jar(for: request.options), let url = try? request.parsedURL() else { return }
    let deadline = engine?.cookieDeadline(of: response, to: request)
    await HopCookies(jar: jar, headers: HTTPHeaders(), deadline: deadline).keep(response.head, from: url)
  }
}
