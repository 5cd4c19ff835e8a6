internal import LinnetHTTP

/// Puts the cookies of the client on each hop, as the engine would, but above the cache, the signers and the sharing of
/// exchanges: all of them have to tell users apart.
///
/// What servers set is kept by ``ExchangeStage``, where answers come in. So it is kept also from the confirmation of a stored
/// response, in the background too, and never again from a response that was stored.
struct CookieStage: Sendable {
  private let jars: JarChoice

  /// - Parameters:
  ///   - handling: What the settings say; nil for nothing, which means a jar of the client's own.
  ///   - engineJar: The jar of a transport with cookies of its own, which counts when the settings say nothing.
  init(_ handling: CookieHandling?, engineJar: CookieJar?) {
    jars = JarChoice(handling ?? engineJar.map { .jar($0) } ?? .privateJar)
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
  func keep(_ head: ResponseHead, of request: HTTPRequest) async {
    guard head.headers.contains("Set-Cookie"), let jar = jars.jar(for: request.options),
      let url = try? request.parsedURL()
    else { return }
    await HopCookies(jar: jar, headers: HTTPHeaders()).keep(head, from: url)
  }
}
