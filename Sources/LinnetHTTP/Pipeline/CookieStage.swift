internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// Adds the cookies of the jar to each hop and keeps those that its response sets.
struct CookieStage<Next: ExchangeStage>: ExchangeStage {
  private let next: Next
  /// The configured jar, or else the client's own, which requests may ask for while it is off for the others.
  private let jar: CookieJar
  private let isOn: Bool
  private let defaultCookies: [[UInt8]]
  private let timeouts: TimeoutConfiguration
  private let shards: ShardGroup

  init(configuration: HTTPClientConfiguration, environment: EngineEnvironment, next: Next) {
    self.next = next
    if case .jar(let shared) = configuration.cookies { jar = shared } else { jar = CookieJar() }
    if case .off = configuration.cookies { isOn = false } else { isOn = true }
    defaultCookies = HopCookies.fields(of: configuration.defaultHeaders)
    timeouts = configuration.timeouts
    shards = environment.shards
  }

  func send(_ hop: HopRequest, _ exchange: Exchange) async throws(TransportError) -> HTTPResponse {
    guard let jar = jar(for: hop.request.options) else { return try await next.send(hop, exchange) }
    return try await send(hop, exchange, with: jar)
  }

  /// Apart from ``send(_:_:)``, whose frame every request has.
  @inline(never)
  private func send(
    _ hop: HopRequest, _ exchange: Exchange, with jar: CookieJar
  ) async throws(TransportError) -> HTTPResponse {
    let options = hop.request.options
    var given = HopCookies.fields(of: hop.request.headers)
    if given.isEmpty, !options.omittedDefaultHeaders.contains(where: HopCookies.isFieldName) { given = defaultCookies }
    var hop = hop
    hop.cookies = HopCookies(
      jar: jar, given: given,
      deadline: CookieJar.Deadline(at: exchange.totalDeadline(options, timeouts), shards: shards))
    hop.addCookies()
    let response = try await next.send(hop, exchange)
    await hop.cookies?.keep(response.head, from: hop.url)
    return response
  }

  private func jar(for options: HTTPRequestOptions) -> CookieJar? {
    switch options.cookies {
    case nil: isOn ? jar : nil
    case .off: nil
    case .privateJar: jar
    case .jar(let other): other
    }
  }
}

/// The cookies of one hop: what the caller gave, and the jar.
struct HopCookies: Sendable {
  let jar: CookieJar
  /// The values of the caller's `Cookie` fields.
  let given: [[UInt8]]
  /// The end of the call.
  let deadline: CookieJar.Deadline

  /// Keeps what a response sets. A proxy that refuses (407) does not speak for the origin.
  func keep(_ head: ResponseHead, from url: HTTPURL) async {
    if head.status.code != 407 { await jar.store(head.headers, from: url, until: deadline) }
  }

  /// The value of the one `Cookie` field (RFC 6265bis §5.8.1): the caller's cookies, then those of the jar whose names the
  /// caller has not used. Nil for none.
  func fieldValue(for url: HTTPURL) -> [UInt8]? {
    let stored = jar.take(for: url)
    if stored.isEmpty && given.count <= 1 { return given.first }
    var value = Array(given.joined(separator: Self.separator))
    let names = value.isEmpty ? [] : Self.names(in: value)
    for cookie in stored where !names.contains(cookie.identity.name) {
      if !value.isEmpty { value.append(contentsOf: Self.separator) }
      if !cookie.identity.name.isEmpty {
        value.append(contentsOf: cookie.identity.name)
        value.append(UInt8(ascii: "="))
      }
      value.append(contentsOf: cookie.value)
    }
    return value
  }

  private static var separator: [UInt8] { [UInt8(ascii: ";"), ASCII.space] }

  static func isFieldName(_ name: String) -> Bool { ASCII.equalIgnoringCase(name.utf8, "cookie".utf8) }

  static func fields(of headers: HTTPHeaders) -> [[UInt8]] {
    var values: [[UInt8]] = []
    headers.forEachValue(of: "Cookie") { value in
      var bytes: [UInt8] = []
      for index in value.indices { bytes.append(value[index]) }
      if !bytes.isEmpty { values.append(bytes) }
    }
    return values
  }

  private static func names(in value: [UInt8]) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for pair in value.split(separator: UInt8(ascii: ";")) {
      let pair = pair.drop(while: ASCII.isWhitespace)
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
        names.insert([])
        continue
      }
      var name = pair[..<equals]
      while let last = name.last, ASCII.isWhitespace(last) { name.removeLast() }
      names.insert(Array(name))
    }
    return names
  }
}

extension HopRequest {
  /// Makes the `Cookie` field what the jar says now.
  mutating func addCookies() {
    // Headers that must not be sent stay as they are: they fail the request, and the record of it goes with the field.
    guard let cookies, (try? request.headers.validate()) != nil else { return }
    let value = cookies.fieldValue(for: url)
    // The usual first request: nothing there, and nothing to change.
    if value == nil && cookies.given.isEmpty && !request.headers.contains("Cookie") { return }
    request.headers.remove("Cookie")
    if let value, !value.isEmpty { request.headers.appendUnchecked(name: "Cookie".utf8Span.span, value: value.span) }
  }

  /// For a stage below that sends the request again after a response of its own, such as a challenge: keeps the cookies
  /// that the response set, and renews the `Cookie` field. Nothing when there is no jar.
  mutating func takeCookies(of response: ResponseHead) async {
    guard let cookies else { return }
    await cookies.keep(response, from: url)
    addCookies()
  }
}
