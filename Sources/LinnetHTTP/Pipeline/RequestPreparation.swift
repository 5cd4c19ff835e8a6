internal import LinnetBytes
internal import LinnetCompression
internal import LinnetHTTPTypes
internal import LinnetProtocols

/// A request made ready for the transport: URL parsed, options merged with the configuration, head built.
struct PreparedRequest: Sendable {
  let url: HTTPURL
  let head: RequestHead
  let body: HTTPRequestBody?
  let timeouts: TimeoutConfiguration
  /// Nil: the client's.
  let tls: TLSConfiguration?
  let target: ConnectTarget?
  var httpVersion: HTTPVersionPolicy
  /// Nil: the body is handed out as it comes.
  let decompression: DecompressionConfiguration?
  let collectCap: Int
  let expectsContinue: Bool
  let onEvent: (@Sendable (ExchangeEvent) -> Void)?

  /// Whether sending it a second time does no harm, although the first time may have had its effect (RFC 9110 §9.2.2).
  var isRepeatable: Bool { head.method.isIdempotent && (body?.isReplayable ?? true) }

  /// The same, still so when its body is under way.
  var staysRepeatable: Bool { head.method.isIdempotent && body?.isOneShot != true }

  init(_ request: HTTPRequest, url: HTTPURL, configuration: HTTPClientConfiguration) throws(TransportFailure) {
    let options = request.options
    self.url = url
    body = request.body
    timeouts = options.timeouts.resolved(configuration.timeouts)
    tls = options.tls
    target = options.connectTarget ?? configuration.connectTarget
    httpVersion = options.httpVersion ?? configuration.httpVersion
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
    head = RequestHead(method: request.method, target: url.requestTarget, headers: headers)
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
