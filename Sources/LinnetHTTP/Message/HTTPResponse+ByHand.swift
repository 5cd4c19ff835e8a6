public import LinnetHTTPTypes

extension HTTPResponse {
  /// A response made by hand: for transports of one's own, mocks and tests.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - headers: The header fields; nothing is added to them, and a `Content-Encoding` in them decodes nothing.
  ///   - url: The URL that it answers; errors of its body name it.
  ///   - body: The body. Default: none.
  ///   - connection: What ``connection`` says. Default: ``ConnectionInfo/inMemory``.
  ///   - timings: What ``timings`` says. Default: all zero.
  public init(
    status: HTTPStatus, headers: HTTPHeaders = HTTPHeaders(), url: HTTPURL, body: HTTPResponseBody = .empty,
    connection: ConnectionInfo = .inMemory, timings: ExchangeTimings = ExchangeTimings()
  ) {
    self.init(
      head: ResponseHead(status: status, headers: headers), url: url, body: body, connection: connection,
      timings: timings)
  }

  /// A response made by hand with a head of one's own: another version or reason phrase.
  ///
  /// - Parameters:
  ///   - head: Status, header fields and version.
  ///   - url: The URL that it answers.
  ///   - body: The body. Default: none.
  ///   - connection: What ``connection`` says. Default: ``ConnectionInfo/inMemory``.
  ///   - timings: What ``timings`` says. Default: all zero.
  ///   - maximumCollectedBytes: The cap of ``collect(upTo:)`` when no other is given. Default 64 MiB, as an `HTTPClient`
  ///     has.
  public init(
    head: ResponseHead, url: HTTPURL, body: HTTPResponseBody = .empty, connection: ConnectionInfo = .inMemory,
    timings: ExchangeTimings = ExchangeTimings(), maximumCollectedBytes: Int? = nil
  ) {
    body.reader.bind(to: url, method: nil)
    self.init(
      head: head, url: url, body: body, connection: connection, timings: timings,
      defaultCap: maximumCollectedBytes ?? HTTPClientConfiguration.defaultMaximumCollectedBytes)
  }

  /// The same response as the client gives it to a request: with the request's cap of `collect`, and errors of the body
  /// that name its method.
  package func answering(_ request: HTTPRequest) -> HTTPResponse {
    body.reader.bind(to: url, method: request.method)
    guard let cap = request.options.maximumCollectedBytes else { return self }
    return HTTPResponse(head: head, url: url, body: body, connection: connection, timings: timings, defaultCap: cap)
  }
}
