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
  let tls: TLSConfiguration
  let target: ConnectTarget?
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
    tls = options.tls ?? configuration.tls
    target = options.connectTarget ?? configuration.connectTarget
    collectCap = options.maximumCollectedBytes ?? configuration.maximumCollectedBytes
    expectsContinue = options.expectsContinue && request.body != nil
    onEvent = options.onEvent

    var decompression: DecompressionConfiguration?
    // A range of an encoded body cannot be decoded on its own, and who asks for an encoding wants it as it is.
    if case .automatic(let limits) = options.decompression ?? configuration.decompression,
      !request.headers.contains("Accept-Encoding"), !request.headers.contains("Range")
    {
      decompression = limits
    }
    self.decompression = decompression
    head = try Self.makeHead(
      request, url: url, configuration: configuration, acceptsEncodings: decompression != nil,
      expectsContinue: expectsContinue)
  }

  private static func makeHead(
    _ request: HTTPRequest, url: HTTPURL, configuration: HTTPClientConfiguration, acceptsEncodings: Bool,
    expectsContinue: Bool
  ) throws(TransportFailure) -> RequestHead {
    var headers = HTTPHeaders()
    if !request.headers.contains("Host") { headers.add("Host", url.hostHeaderValue) }
    let omitted = request.options.omittedDefaultHeaders
    if omitted.isEmpty && request.headers.isEmpty {
      headers.add(contentsOf: configuration.defaultHeaders)
    } else {
      for header in configuration.defaultHeaders
      where !request.headers.contains(header.name)
        && !omitted.contains(where: { ASCII.equalIgnoringCase($0.utf8, header.name.utf8) })
      {
        headers.add(header)
      }
    }
    if acceptsEncodings { headers.add("Accept-Encoding", "gzip, deflate") }
    headers.add(contentsOf: request.headers)
    if expectsContinue && !headers.contains("Expect") { headers.add("Expect", "100-continue") }
    do throws(HTTPHeaderError) {
      try headers.validate()
    } catch {
      throw TransportFailure(code: .invalidRequest, phase: .request, reason: "\(error)")
    }
    return RequestHead(method: request.method, target: url.requestTarget, headers: headers)
  }
}
