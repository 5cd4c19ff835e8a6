public import FoundationEssentials
internal import LinnetBytes
public import LinnetHTTP

/// One answer of a ``MockTransport``: a response, or the error with which the request fails.
///
/// ```swift
/// mock.enqueueScriptedResponse(.http(statusCode: 503, headers: ["Retry-After": "1"]))
/// mock.enqueueScriptedResponse(try .json(["name": "a"]))
/// mock.enqueueScriptedResponse(.failure(TransportError(code: .headTimeout, phase: .head, sent: .all, reason: "no answer")))
/// ```
public struct MockResponse: Sendable {
  private enum Answer: Sendable {
    case response(statusCode: Int, headers: HTTPHeaders, makeBody: @Sendable () -> HTTPResponseBody)
    case failure(TransportError)
    case never
  }

  private let answer: Answer
  private var gate: Gate?

  /// A response with its body in memory.
  ///
  /// - Parameters:
  ///   - statusCode: The status, 100 to 999; any other makes the request fail with `invalidResponse`, as an answer of a
  ///     server would.
  ///   - data: The body. As with a server, nothing of it arrives when the method is HEAD or the status has no body.
  ///   - headers: The header fields; nothing is added to them.
  public static func http(
    statusCode: Int = 200, data: Data = Data(), headers: HTTPHeaders = HTTPHeaders()
  ) -> MockResponse {
    let bytes = ByteChunk(Array(data))
    return MockResponse(answer: .response(statusCode: statusCode, headers: headers) { .bytes(bytes) })
  }

  /// A response with a text as its body, in UTF-8; otherwise as ``http(statusCode:data:headers:)``.
  public static func text(
    _ text: String, statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders()
  ) -> MockResponse {
    http(statusCode: statusCode, data: Data(text.utf8), headers: headers)
  }

  /// A response with a value as JSON and `Content-Type: application/json`, unless `headers` names another type.
  ///
  /// - Throws: What encoding the value throws.
  public static func json<Value: Encodable>(
    _ value: Value, statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders(), encoder: JSONEncoder = JSONEncoder()
  ) throws -> MockResponse {
    var headers = headers
    if !headers.contains("Content-Type") { headers.add("Content-Type", "application/json") }
    return http(statusCode: statusCode, data: try encoder.encode(value), headers: headers)
  }

  /// A response whose body comes from a stream, a piece at a time: for bodies that end early, stall or fail in the
  /// middle.
  ///
  /// - Parameters:
  ///   - statusCode: The status code. Default 200.
  ///   - headers: The header fields. Default: none.
  ///   - expectedLength: What a `Content-Length` would announce; a stream that ends earlier fails with `truncated`.
  ///   - makeStream: Makes the stream; called for each request that gets this answer.
  public static func stream<S: AsyncSequence & Sendable>(
    statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders(), expectedLength: UInt64? = nil,
    _ makeStream: @escaping @Sendable () -> S
  ) -> MockResponse where S.Element == ByteChunk {
    MockResponse(
      answer: .response(statusCode: statusCode, headers: headers) {
        .stream(makeStream(), expectedLength: expectedLength)
      })
  }

  /// The request fails with this error, which gets the request's method and URL unless it has others.
  public static func failure(_ error: TransportError) -> MockResponse { MockResponse(answer: .failure(error)) }

  /// No answer: the request waits until its task is cancelled, and then fails with `cancelled`, or until a timeout that
  /// is set in the request's options passes: `headTimeout` or `totalTimeout`.
  public static var never: MockResponse { MockResponse(answer: .never) }

  /// The same answer, given only once `gate` is open. Meanwhile a cancelled task and the request's timeouts end the wait
  /// as they do for ``never``; a gate that stays closed for 30 s ends it with `headTimeout`, so that a mistake in a test
  /// does not hang it.
  public func waiting(for gate: Gate) -> MockResponse {
    var copy = self
    copy.gate = gate
    return copy
  }

  /// The answer as a response to a request: for handlers of ``MockTransport/setHandler(_:)`` and transports of one's own.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - clock: The clock of the request's timeouts.
  /// - Throws: The error of ``failure(_:)``; `cancelled`, `headTimeout` and `totalTimeout` while it waits; `invalidURL`,
  ///   `unsupportedScheme` and `invalidRequest` for a request that cannot be sent.
  public func response(
    to request: HTTPRequest, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(TransportError) -> HTTPResponse {
    let url = try request.admittedURL()
    let wait = HeadWait(request: request, url: url, clock: clock)
    if let gate { try await wait.untilOpen(gate) }
    switch answer {
    case .failure(let error):
      throw error.attributed(to: request, url)
    case .never:
      throw await wait.forever()
    case .response(let statusCode, let headers, let makeBody):
      guard let status = HTTPStatus(code: statusCode) else {
        throw TransportError(
          code: .invalidResponse, phase: .head, sent: .all, reason: "the mock's status \(statusCode) has not 3 digits",
          method: request.method, url: url)
      }
      let hasBody = request.method != .head && Self.allowsBody(status)
      return HTTPResponse(status: status, headers: headers, url: url, body: hasBody ? makeBody() : .empty)
        .answering(request)
    }
  }

  /// RFC 9112 §6.3, rule 1.
  private static func allowsBody(_ status: HTTPStatus) -> Bool {
    status.kind != .informational && status != .noContent && status != .notModified
  }
}
