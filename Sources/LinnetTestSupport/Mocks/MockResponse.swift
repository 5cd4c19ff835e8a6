public import FoundationEssentials
internal import LinnetBytes
public import LinnetHTTP
internal import LinnetIO

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

  /// The request fails with this error.
  public static func failure(_ error: TransportError) -> MockResponse { MockResponse(answer: .failure(error)) }

  /// No answer: the request waits until its task is cancelled, and then fails with `cancelled`. The request's timeouts
  /// do not end it; script a timeout as a ``failure(_:)``.
  public static var never: MockResponse { MockResponse(answer: .never) }

  /// The same answer, given only once `gate` is open. A request that is cancelled meanwhile fails with `cancelled`; one
  /// whose gate stays closed for 30 s with `headTimeout`, so that a mistake in a test does not hang it.
  public func waiting(for gate: Gate) -> MockResponse {
    var copy = self
    copy.gate = gate
    return copy
  }

  /// The answer as a response to a request: for handlers of ``MockTransport/setHandler(_:)`` and transports of one's own.
  ///
  /// - Throws: The error of ``failure(_:)``; `cancelled` when the task is cancelled while it waits; `invalidURL`,
  ///   `unsupportedScheme` and `invalidRequest` for a request that cannot be sent.
  public func response(to request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let url = try request.admittedURL()
    if let gate { try await Self.wait(for: gate, request, url) }
    switch answer {
    case .failure(let error):
      throw error
    case .never:
      await OneShot<Void>().wait(valueWhenCancelled: {})
      throw .cancelledWaiting(request, url)
    case .response(let statusCode, let headers, let makeBody):
      guard let status = HTTPStatus(code: statusCode) else {
        throw TransportError(
          code: .invalidResponse, phase: .head, sent: .all, reason: "the mock's status \(statusCode) has not 3 digits",
          method: request.method, url: url)
      }
      let hasBody = request.method != .head && Self.allowsBody(status)
      return HTTPResponse(status: status, headers: headers, url: url, body: hasBody ? makeBody() : .empty)
        .capped(for: request)
    }
  }

  /// RFC 9112 §6.3, rule 1.
  private static func allowsBody(_ status: HTTPStatus) -> Bool {
    status.kind != .informational && status != .noContent && status != .notModified
  }

  private static func wait(for gate: Gate, _ request: HTTPRequest, _ url: HTTPURL) async throws(TransportError) {
    do {
      try await gate.opened()
    } catch is CancellationError {
      throw .cancelledWaiting(request, url)
    } catch {
      throw TransportError(
        code: .headTimeout, phase: .head, sent: .all, reason: "the mock's gate did not open", method: request.method,
        url: url, underlying: error)
    }
  }
}

extension TransportError {
  /// What a client throws whose task is cancelled while it waits for the response's head.
  fileprivate static func cancelledWaiting(_ request: HTTPRequest, _ url: HTTPURL) -> TransportError {
    TransportError(
      code: .cancelled, phase: .head, sent: .maybe, reason: "the task was cancelled", method: request.method, url: url)
  }
}
