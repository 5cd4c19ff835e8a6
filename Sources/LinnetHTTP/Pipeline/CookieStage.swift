internal import LinnetHTTPTypes
internal import LinnetIO

/// Adds the cookies of the jar to each hop and keeps those that its response sets.
struct CookieStage<Next: ExchangeStage>: ExchangeStage {
  let next: Next
  let jars: JarChoice
  private let defaultCookies: [[UInt8]]
  private let timeouts: TimeoutConfiguration
  private let shards: ShardGroup

  init(configuration: HTTPClientConfiguration, environment: EngineEnvironment, next: Next) {
    self.next = next
    jars = JarChoice(configuration.cookies)
    defaultCookies = HopCookies.fields(of: configuration.defaultHeaders)
    timeouts = configuration.timeouts
    shards = environment.shards
  }

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    guard concerns(hop) else { return try await next.send(hop, exchange) }
    return try await sendWithCookies(hop, exchange)
  }

  /// Whether there may be anything to do.
  private func concerns(_ hop: HopRequest) -> Bool {
    let options = hop.request.options
    return jars.jar(for: options) != nil || options.hopCookies != nil
  }

  /// Apart from ``send(_:_:)``, whose frame every request has.
  @inline(never)
  private func sendWithCookies(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    if let jar = jars.jar(for: hop.request.options) { return try await send(hop, exchange, with: jar) }
    guard let cookies = hop.request.options.hopCookies else { return try await next.send(hop, exchange) }
    return try await send(hop, exchange, renewing: cookies)
  }

  /// For cookies that were put on above, where those of the response are kept as well.
  private func send(
    _ hop: HopRequest, _ exchange: Exchange, renewing cookies: HopCookies
  ) async throws(TransportError) -> HTTPResponse {
    var hop = hop
    var cookies = cookies
    cookies.deadline = deadline(of: hop.request.options, exchange)
    hop.cookies = cookies
    return try await next.send(hop, exchange)
  }

  private func send(
    _ hop: HopRequest, _ exchange: Exchange, with jar: CookieJar
  ) async throws(TransportError) -> HTTPResponse {
    let options = hop.request.options
    var given = HopCookies.fields(of: hop.request.headers)
    if given.isEmpty, !options.omittedDefaultHeaders.contains(where: HopCookies.isFieldName) { given = defaultCookies }
    var hop = hop
    hop.cookies = HopCookies(
      jar: jar, given: given, deadline: deadline(of: options, exchange))
    hop.addCookies()
    let response = try await next.send(hop, exchange)
    await hop.cookies?.keep(response.head, from: hop.url)
    return response
  }

  private func deadline(of options: HTTPRequestOptions, _ exchange: Exchange) -> CookieJar.Deadline {
    CookieJar.Deadline(at: exchange.totalDeadline(options, timeouts), shards: shards)
  }
}

extension HopRequest {
  /// Makes the `Cookie` field what the jar says now.
  mutating func addCookies() {
    cookies?.put(into: &request.headers, for: url)
  }

  /// For a stage below that sends the request again after a response of its own, such as a challenge: keeps the cookies
  /// that the response set, and renews the `Cookie` field. Nothing when there is no jar.
  mutating func takeCookies(of response: ResponseHead) async {
    guard let cookies else { return }
    await cookies.keep(response, from: url)
    addCookies()
  }
}
