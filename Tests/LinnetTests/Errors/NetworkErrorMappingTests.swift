import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Errors: mapping")
struct NetworkErrorMappingTests {
  /// What becomes of a code of the raw client.
  struct Row: Sendable, CustomTestStringConvertible {
    let code: TransportError.Code
    let category: NetworkErrorCategory
    let errorCode: Int
    /// The stable category names the reason as well.
    let stable: String
    var testDescription: String { code.rawValue }
  }

  static let rows: [Row] = [
    ("cancelled", .cancellation, 4004, "cancelled"), ("clientShutDown", .cancellation, 4004, "cancelled"),
    ("invalidURL", .configuration, 1002, "configuration.invalid_request"),
    ("unsupportedScheme", .configuration, 1002, "configuration.invalid_request"),
    ("invalidRequest", .configuration, 1002, "configuration.invalid_request"),
    ("invalidConfiguration", .configuration, 1002, "configuration.invalid_request"),
    ("invalidClientIdentity", .configuration, 1002, "configuration.invalid_request"),
    ("requestBodyFailed", .transport, 4001, "transport.4001"),
    ("bodyNotReplayable", .transport, 4001, "transport.4001"),
    ("poolTimeout", .timeout, 4005, "timeout.request"), ("poolQueueFull", .transport, 4001, "transport.4001"),
    ("hostNotFound", .reachability, 4002, "reachability.cannot_find_host"),
    ("resolutionFailed", .reachability, 4002, "reachability.dns_lookup_failed"),
    ("connectionRefused", .reachability, 4002, "reachability.connection_refused"),
    ("networkUnreachable", .reachability, 4002, "reachability.not_connected"),
    ("connectFailed", .transport, 4001, "transport.4001"), ("connectTimeout", .timeout, 4005, "timeout.connection"),
    ("tlsHandshakeFailed", .transport, 4001, "transport.4001"),
    ("certificateRejected", .trust, 5001, "trust.system_trust_evaluation_failed"),
    ("trustRootsUnavailable", .trust, 5001, "trust.system_trust_evaluation_failed"),
    ("publicKeyNotPinned", .trust, 5001, "trust.system_trust_evaluation_failed"),
    ("tooManyRedirects", .transport, 4001, "transport.4001"), ("redirectLoop", .transport, 4001, "transport.4001"),
    ("redirectRefused", .transport, 4001, "transport.4001"), ("invalidRedirect", .transport, 4001, "transport.4001"),
    ("proxyNotFound", .reachability, 4002, "reachability.cannot_find_host"),
    ("proxyConnectFailed", .transport, 4001, "transport.4001"),
    ("proxyAuthenticationRequired", .transport, 4001, "transport.4001"),
    ("proxyRefused", .transport, 4001, "transport.4001"),
    ("invalidProxyResponse", .transport, 4001, "transport.4001"),
    ("connectionLost", .reachability, 4002, "reachability.connection_lost"),
    ("staleConnection", .reachability, 4002, "reachability.connection_lost"),
    ("emptyReply", .reachability, 4002, "reachability.connection_lost"),
    ("truncated", .reachability, 4002, "reachability.connection_lost"),
    ("http2NotNegotiated", .transport, 4001, "transport.4001"),
    ("streamReset", .reachability, 4002, "reachability.connection_lost"),
    ("streamRefused", .reachability, 4002, "reachability.connection_lost"),
    ("protocolViolation", .transport, 3002, "transport.3002"),
    ("invalidResponse", .transport, 3002, "transport.3002"),
    ("responseHeadTooLarge", .transport, 3002, "transport.3002"),
    ("headTimeout", .timeout, 4005, "timeout.request"), ("idleTimeout", .timeout, 4005, "timeout.request"),
    ("totalTimeout", .timeout, 4005, "timeout.resource"),
    ("bodyTooLarge", .transport, 4003, "transport.4003"), ("decompressionLimit", .transport, 4003, "transport.4003"),
    ("decodingFailed", .transport, 4001, "transport.4001"),
    ("bodyAlreadyConsumed", .transport, 4001, "transport.4001"), ("systemError", .transport, 4001, "transport.4001"),
    ("a code of the future", .transport, 4001, "transport.4001"),
  ].map { name, category, errorCode, stable in
    Row(code: TransportError.Code(rawValue: name), category: category, errorCode: errorCode, stable: stable)
  }

  @Test("a failure of the transport has its case, its number and its reason", arguments: rows)
  func transport(_ row: Row) {
    let error = NetworkError(ErrorSamples.transport(row.code))
    #expect(error.category == row.category)
    #expect(error.errorCode == row.errorCode)
    #expect(error.stableCategory == row.stable)
    #expect(NetworkError.map(ErrorSamples.transport(row.code)).stableCategory == row.stable)
    #expect(NetworkError.mapTransportError(ErrorSamples.transport(row.code)).stableCategory == row.stable)
    // What the transport knows stays, wherever a case has room for it.
    let hasRoom = ![.cancellation, .configuration].contains(row.category)
    #expect(error.transport?.code == (hasRoom ? row.code : nil))
  }

  @Test("every code that the raw client declares is in the table")
  func totality() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let path = "/\(root)/Sources/LinnetHTTP/Errors/TransportErrorCode.swift"
    let source = String(decoding: try #require(TemporaryDirectory.contents(of: path)), as: UTF8.self)
    let declared = source.matches(of: /static let (\w+) = Code/).map { String($0.output.1) }
    #expect(declared.count > 30)
    #expect(Set(declared).subtracting(Self.rows.map(\.code.rawValue)) == [])
  }

  @Test("a key that is not pinned keeps what the raw client says of it")
  func pins() {
    let error = NetworkError(
      TransportError(code: .publicKeyNotPinned, phase: .tls, sent: .nothing, reason: "the key sha256//x is not pinned"))
    #expect(error.code == .trustEvaluationFailed)
    #expect(error.transport?.code == .publicKeyNotPinned && "\(error)".contains("sha256//x"))
  }

  @Test(
    "failures of redirections and proxies have the numbers of their kind",
    arguments: [
      (TransportError.Code.tooManyRedirects, -1007), (.redirectLoop, -1007), (.invalidRedirect, -1010),
      (.redirectRefused, nil), (.proxyNotFound, -1003), (.proxyConnectFailed, -1004), (.proxyRefused, -1004),
      (.proxyAuthenticationRequired, nil), (.invalidProxyResponse, nil), (.publicKeyNotPinned, -1202),
    ] as [(TransportError.Code, Int?)])
  func numbers(code: TransportError.Code, number: Int?) {
    #expect(NetworkError(ErrorSamples.transport(code)).urlErrorCode == number)
  }

  private struct Foreign: Error { let text = "details" }

  @Test("an error of this library stays as it is")
  func own() {
    let error = NetworkError.map(NetworkError.statusCode(ErrorSamples.response(404)))
    #expect(error.httpStatusCode == 404)
  }

  @Test("a cancellation in any form is cancelled")
  func cancellation() {
    for error: any Error in [CancellationError(), ErrorSamples.transport(.cancelled), NetworkError.cancelled] {
      #expect(NetworkError.map(error).isCancellation)
    }
  }

  @Test("any other error is kept under the name of its type")
  func foreign() throws {
    guard case .underlying(let error, nil) = NetworkError.map(Foreign()) else {
      Issue.record("not an underlying error")
      return
    }
    #expect(error.domain.hasSuffix("Foreign"))
    #expect(error.message.contains("details"))
    #expect(error.transport == nil)
    let kept = NetworkError.map(ErrorSamples.foreign)
    #expect(kept.underlyingError == ErrorSamples.foreign)
  }

  @Test("the error of a body stream is in the chain of causes")
  func bodyStream() throws {
    let transport = TransportError(
      code: .requestBodyFailed, phase: .send, sent: .maybe, reason: "the request's body stream failed",
      underlying: Foreign())
    let error = try #require(NetworkError(transport).underlyingError)
    #expect(error.underlying?.domain.hasSuffix("Foreign") == true)
    #expect("\(error)".contains("caused by: "))
  }
}
