import FoundationEssentials
import LinnetHTTP
import LinnetTestSupport

/// What one transport made of a scenario, in terms that can be compared between transports.
struct TransportObservation: Sendable, Equatable, CustomStringConvertible {
  var status: Int?
  /// The fields that the scenario set, in order.
  var headers: [String] = []
  var expectedLength: UInt64?
  /// The body that was read, piece for piece joined.
  var body: [UInt8] = []
  /// The code, phase and state of each error, in order.
  var errors: [String] = []

  var description: String {
    "status \(status ?? 0), headers \(headers), length \(expectedLength.map(String.init) ?? "unknown"), "
      + "body of \(body.count) bytes, errors \(errors)"
  }

  mutating func record(_ error: TransportError) {
    errors.append("\(error.code) in \(error.phase.rawValue), sent \(error.sent.rawValue)")
  }

  mutating func record(_ response: HTTPResponse) {
    status = response.status.code
    headers = response.headers.filter { $0.name.hasPrefix("X-") }.map(\.description)
    expectedLength = response.body.expectedLength
  }
}

/// The same answer, once as a server sends it and once as a mock gives it, and how it is read.
struct TransportScenario: Sendable, CustomStringConvertible {
  typealias Reader = @Sendable (HTTPResponse, inout TransportObservation) async throws(TransportError) -> Void

  let name: String
  var method = HTTPMethod.get
  /// The cap of `collect` that the request asks for.
  var cap: Int?
  let server: ServerResponse
  let mock: MockResponse
  /// Whether a recording of it must read the same.
  var isRecordable = true
  var read: Reader = TransportScenario.collect

  var description: String { name }

  static let collect: Reader = { response, seen throws(TransportError) in
    seen.body = try await response.collect().array
  }

  static let readTwice: Reader = { response, seen throws(TransportError) in
    seen.body = try await response.collect().array
    _ = try await response.collect()
  }

  static let collectUpToFour: Reader = { response, seen throws(TransportError) in
    seen.body = try await response.collect(upTo: 4).array
  }

  static let readInPieces: Reader = { response, seen throws(TransportError) in
    while let chunk = try await response.body.next() { seen.body += chunk.array }
  }

  /// Sends the request and reads its response.
  func run(on transport: any HTTPTransport, url: String) async -> TransportObservation {
    var seen = TransportObservation()
    var request = HTTPRequest(method: method, url: url)
    request.options.maximumCollectedBytes = cap
    do throws(TransportError) {
      let response = try await transport.send(request)
      seen.record(response)
      try await read(response, &seen)
    } catch {
      seen.record(error)
    }
    return seen
  }
}

extension TransportScenario {
  private static let large = TestPattern.bytes(3_000_000)

  private static func pieces(_ texts: [String]) -> AsyncStream<ByteChunk> {
    AsyncStream { continuation in
      for text in texts { continuation.yield(ByteChunk(text)) }
      continuation.finish()
    }
  }

  static let all: [TransportScenario] = [
    TransportScenario(
      name: "a status and repeated fields",
      server: ServerResponse(200, headers: [HeaderLine("X-A", "1"), HeaderLine("X-A", "2")], body: "hello"),
      mock: .http(data: Data("hello".utf8), headers: HTTPHeaders([HTTPHeader("X-A", "1"), HTTPHeader("X-A", "2")]))),
    TransportScenario(
      name: "an error status is a response", server: ServerResponse(404, body: "none"),
      mock: .text("none", statusCode: 404)),
    TransportScenario(name: "no content", server: ServerResponse(204), mock: .http(statusCode: 204)),
    TransportScenario(
      name: "a body that the method forbids", method: .head, server: .text("hello"), mock: .text("hello"),
      isRecordable: true),
    TransportScenario(name: "an empty body", server: ServerResponse(200), mock: .http()),
    TransportScenario(name: "a large body", server: .bytes(large), mock: .http(data: Data(large))),
    TransportScenario(
      name: "a large body in pieces", server: .bytes(large), mock: .http(data: Data(large)), read: readInPieces),
    TransportScenario(
      name: "a body without a known length", server: .text("hello").chunked(),
      mock: .stream { pieces(["hel", "lo"]) }, isRecordable: false),
    TransportScenario(
      name: "a body that is read twice", server: .text("once"), mock: .text("once"), read: readTwice),
    TransportScenario(
      name: "a body above the limit of collect", server: .text("hello"), mock: .text("hello"), read: collectUpToFour),
    TransportScenario(
      name: "a body of unknown length above the limit", server: .text("hello").chunked(),
      mock: .stream { pieces(["hel", "lo"]) }, isRecordable: false, read: collectUpToFour),
    TransportScenario(
      name: "a body above the limit of the request", cap: 4, server: .text("hello"), mock: .text("hello")),
    TransportScenario(
      name: "a body as large as the limit", cap: 5, server: .text("hello"), mock: .text("hello")),
    TransportScenario(
      name: "a connection that ends before the head", method: .post, server: .raw([.close]),
      mock: .failure(TransportError(code: .emptyReply, phase: .head, sent: .all, reason: "closed")),
      isRecordable: false),
    TransportScenario(
      name: "a body that ends in the middle", server: .text("half").framed(.announced(8)).closing(.abrupt),
      mock: .stream(expectedLength: 8) { pieces(["half"]) }, isRecordable: false, read: readInPieces),
    TransportScenario(
      name: "a body that is collected and ends in the middle",
      server: .text("half").framed(.announced(8)).closing(.abrupt),
      mock: .stream(expectedLength: 8) { pieces(["half"]) }, isRecordable: false),
  ]
}
