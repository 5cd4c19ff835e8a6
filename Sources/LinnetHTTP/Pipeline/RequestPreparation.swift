internal import LinnetBytes
internal import LinnetCompression
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// A request made ready for the transport: URL parsed, options merged with the configuration, head built.
struct PreparedRequest: Sendable {
  let url: HTTPURL
  private(set) var head: RequestHead
  let body: HTTPRequestBody?
  let timeouts: TimeoutConfiguration
  /// Nil: the client's.
  var tls: TLSConfiguration? { options.tls }
  let target: ConnectTarget?
  /// The proxy on the way, if there is one.
  let proxy: ProxyHop?
  /// What is said to a proxy that forwards the request.
  private var talk: Talk
  private let options: HTTPRequestOptions
  var httpVersion: HTTPVersionPolicy
  /// Nil: the body is handed out as it comes.
  let decompression: DecompressionConfiguration?
  let collectCap: Int
  let expectsContinue: Bool
  let onEvent: (@Sendable (ExchangeEvent) -> Void)?

  /// Apart from the request's own memory, which every request under way takes, and few have anything to say.
  private enum Talk: Sendable {
    case none
    indirect case open(ChallengeDialogue)
  }

  /// Whether sending it a second time does no harm, although the first time may have had its effect (RFC 9110 §9.2.2).
  var isRepeatable: Bool { head.method.isIdempotent && (body?.isReplayable ?? true) }

  /// The same, still so when its body is under way.
  var staysRepeatable: Bool { head.method.isIdempotent && body?.isOneShot != true }

  init(
    _ request: HTTPRequest, url: HTTPURL, configuration: HTTPClientConfiguration, proxies: ProxyRegistry?
  ) throws(TransportFailure) {
    let options = request.options
    self.url = url
    body = request.body
    timeouts = options.timeouts.resolved(configuration.timeouts)
    self.options = options
    let given = options.connectTarget ?? configuration.connectTarget
    target =
      given ?? configuration.connectOverrides.first { $0.matches(url.origin) }?.target(for: url.origin)
    if let target { try target.validate() }
    httpVersion = options.httpVersion ?? configuration.httpVersion
    // Who says where to connect means it. An override is about the far end: a proxy is asked for that end then.
    let way =
      given == nil
      ? try proxies?.way(to: url, options, httpVersion: httpVersion, isOverridden: target != nil) ?? .direct
      : proxies?.way(toTargetWith: options) ?? .direct
    proxy = way.hop
    collectCap = options.maximumCollectedBytes ?? configuration.maximumCollectedBytes
    // "A client MUST NOT generate a 100-continue expectation in a request that does not include content" (RFC 9110
    // §10.1.1).
    expectsContinue = options.expectsContinue && request.body.map { !$0.isKnownEmpty } ?? false
    onEvent = options.onEvent

    // It would turn the connection into a tunnel that nobody uses (RFC 9110 §9.3.6).
    guard request.method != .connect else {
      throw TransportFailure(code: .invalidRequest, phase: .request, reason: "CONNECT cannot be sent as a request")
    }
    var headers = try Self.makeHeaders(request, url: url, defaults: configuration.defaultHeaders)
    // A range of an encoded body cannot be decoded on its own, and who asks for an encoding wants it as it is.
    if case .automatic(let limits) = options.decompression ?? configuration.decompression,
      !headers.contains("Accept-Encoding"), !headers.contains("Range")
    {
      decompression = limits
      headers.add("Accept-Encoding", "gzip, deflate")
    } else {
      decompression = nil
    }
    if let priority = options.priority, !headers.contains("Priority") {
      headers.add("Priority", priority.fieldValue)
    }
    if expectsContinue && !headers.contains("Expect") { headers.add("Expect", "100-continue") }
    var target = url.requestTarget
    talk = .none
    switch way {
    case .direct: break
    case .through(let hop) where !hop.isTunnel:
      target = url.absoluteRequestTarget
      headers.replace(with: hop.server.proxy.headers)
      if let dialogue = hop.server.makeDialogue() { talk = .open(dialogue) }
    case .through, .excepted:
      // Meant for a proxy, and the origin is none.
      headers.remove("Proxy-Authorization")
    }
    head = RequestHead(method: request.method, target: target, headers: headers)
  }

  /// The proxy that forwards the request.
  var forwarder: ProxyServer? { proxy.flatMap { $0.isTunnel ? nil : $0.server } }

  /// Says to a proxy that forwards the request what it wants to know about credentials, as far as that is known.
  mutating func authorize() throws(TransportFailure) {
    guard case .open(var dialogue) = talk else { return }
    let content: ByteChunk? =
      switch body?.source {
      case nil: ByteChunk()
      case .bytes(let bytes): bytes
      case .file, .replayable, .oneShot: nil
      }
    _ = try dialogue.authorize(method: head.method, target: head.target, content: content, into: &head.headers)
    talk = .open(dialogue)
  }

  /// Whether the request is to be sent again, because the proxy asks for credentials that it can be given.
  mutating func answers(_ response: ResponseHead) -> Bool {
    guard case .open(var dialogue) = talk else { return false }
    let accepts = dialogue.accepts(response)
    talk = .open(dialogue)
    guard accepts else { return false }
    return body?.isReplayable ?? true
  }

  private static func makeHeaders(
    _ request: HTTPRequest, url: HTTPURL, defaults: HTTPHeaders
  ) throws(TransportFailure) -> HTTPHeaders {
    var headers = HTTPHeaders()
    let omitted = request.options.omittedDefaultHeaders
    let hasDefaultHost =
      defaults.contains("Host") && !omitted.contains { ASCII.equalIgnoringCase($0.utf8, "Host".utf8) }
    if !request.headers.contains("Host") && !hasDefaultHost { headers.add("Host", url.hostHeaderValue) }
    if omitted.isEmpty && request.headers.isEmpty {
      headers.add(contentsOf: defaults)
    } else {
      for header in defaults
      where !request.headers.contains(header.name)
        && !omitted.contains(where: { ASCII.equalIgnoringCase($0.utf8, header.name.utf8) })
      {
        headers.add(header)
      }
    }
    headers.add(contentsOf: request.headers)
    do throws(HTTPHeaderError) {
      try headers.validate()
    } catch {
      throw TransportFailure(code: .invalidRequest, phase: .request, reason: "\(error)")
    }
    return headers
  }
}

extension ConnectTarget {
  /// No resolver has an answer for what is refused here, and a proxy must not see it in the head of a request.
  fileprivate func validate() throws(TransportFailure) {
    guard case .host(let host, let port) = self else { return }
    guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      let what = host.isEmpty ? "is empty" : "has a space or a control character"
      throw TransportFailure(
        code: .invalidConfiguration, phase: .request, reason: "the host to connect to in place of the URL's \(what)")
    }
    guard 1...65_535 ~= port else {
      throw TransportFailure(
        code: .invalidConfiguration, phase: .request,
        reason: "the port to connect to in place of the URL's is \(port), and not from 1 to 65535")
    }
  }
}
