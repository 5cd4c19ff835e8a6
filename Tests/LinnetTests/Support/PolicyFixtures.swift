import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

extension Response {
  /// A response made for a test.
  static func made(
    _ status: Int, _ body: String = "", headers: HTTPHeaders = HTTPHeaders(), for request: HTTPRequest? = nil
  ) throws -> Response {
    let status = try #require(HTTPStatus(code: status))
    return Response(
      statusCode: status.code, data: Data(body.utf8), request: request,
      response: ResponseHead(status: status, headers: headers))
  }
}

extension TransportError {
  /// An error made for a test.
  static func made(
    _ code: Code, _ phase: Phase = .head, sent: SentState = .all, method: HTTPMethod? = nil, url: String? = nil
  ) -> TransportError {
    TransportError(
      code: code, phase: phase, sent: sent, reason: "made for a test", method: method,
      url: url.flatMap { try? HTTPURL($0) })
  }
}

/// Waits until `condition` holds, which only the progress of other tasks can bring about.
///
/// - Throws: ``StillWaiting`` after thirty seconds, so that a failure does not hang.
func eventually(_ expectation: String, _ condition: () async -> Bool) async throws {
  let deadline = ContinuousClock.now.advanced(by: .seconds(30))
  while await !condition() {
    guard ContinuousClock.now < deadline else { throw StillWaiting(expectation: expectation) }
    await Task.yield()
  }
}

struct StillWaiting: Error, CustomStringConvertible {
  let expectation: String
  var description: String { "still waiting until \(expectation)" }
}

/// Runs something that throws ``NetworkError`` in a task, and keeps the error's type.
func start<Value: Sendable>(
  _ body: @escaping @Sendable () async throws(NetworkError) -> Value
) -> Task<Result<Value, NetworkError>, Never> {
  Task {
    do throws(NetworkError) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}

extension Result where Failure == NetworkError {
  /// The category of the failure; nil for a success.
  var failureCategory: String? {
    if case .failure(let error) = self { error.stableCategory } else { nil }
  }

  var value: Success? { try? get() }
}
