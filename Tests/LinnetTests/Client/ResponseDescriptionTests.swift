import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("What the typed client's values print of themselves")
struct ResponseDescriptionTests {
  private static func shown(_ value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), dumped]
  }

  private static func expectNoSecret(in value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
    for text in shown(value) {
      #expect(!text.contains("sekret") && !text.contains("- 115"), "\(text)", sourceLocation: sourceLocation)
    }
  }

  private static func response(status: Int) -> Response {
    let request = HTTPRequest.post(
      "https://sekret:sekret@api.example.com/a?key=sekret", headers: ["X-Custom-Key": "sekret"], body: .text("sekret"))
    return Response(
      statusCode: status, data: Data("sekret".utf8), request: request,
      response: ResponseHead(status: .ok, headers: ["Set-Cookie": "sekret", "X-Session": "sekret"]))
  }

  @Test("a response is one line without secrets, also when it is dumped")
  func response() {
    #expect(
      "\(Self.response(status: 200))"
        == "200 OK, 6 bytes, POST https://api.example.com/a?key=<redacted> [attempt 1, 0 ms]")
    Self.expectNoSecret(in: Self.response(status: 200))
  }

  @Test("an error does not give away the response that it carries")
  func error() {
    let response = Self.response(status: 500)
    let underlying = SendableUnderlyingError(domain: "d", code: 1, message: "m")
    for error: NetworkError in [
      .statusCode(response), .decoding(stage: .responseBody, underlying: underlying, response: response),
      .underlying(underlying, response), .reachability(.networkConnectionLost, underlying, response),
    ] {
      Self.expectNoSecret(in: error)
      Self.expectNoSecret(in: Result<Int, NetworkError>.failure(error))
    }
  }

  @Test("a configuration, a client and a signer show none of their keys and tokens")
  func configuration() throws {
    let signer = HMACRequestInterceptor(keyID: "k1", secret: Data("sekret".utf8))
    #expect("\(signer)" == "HMACRequestInterceptor(keyID: k1)")
    Self.expectNoSecret(in: signer)
    let configuration = NetworkConfiguration.advanced(
      baseURL: .test("https://sekret:sekret@api.example.com/v1?key=sekret"), auth: AuthPack(additionalSigners: [signer])
    ).defaultHeaders(["Authorization": "sekret", "X-Custom-Key": "sekret"])
    #expect("\(configuration)" == "NetworkConfiguration(https://api.example.com/v1?key=<redacted>)")
    Self.expectNoSecret(in: configuration)
    Self.expectNoSecret(in: DefaultNetworkClient(configuration: configuration))
  }

  @Test("a decoding error does not quote the body unless payloads are captured", arguments: [false, true])
  func decoderMessage(captures: Bool) async throws {
    struct Stamp: Decodable, Sendable { var date: Date }
    let mock = MockTransport()
    mock.mockResponse = .text(#"{"date":"sekret"}"#)
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(baseURL: $0, cache: CachePack(captureFailurePayload: captures))
    }
    let endpoint = EndpointBuilder<Stamp>.get("/a")
    let error = try #require(await failure { () throws(NetworkError) in try await client.request(endpoint) })
    #expect(error.decodingDetail?.path == "date")
    #expect((error.decodingDetail?.decoderMessage?.contains("sekret") ?? false) == captures)
    #expect(!"\(error)".contains("sekret"))
    if !captures { Self.expectNoSecret(in: error) }
  }
}
