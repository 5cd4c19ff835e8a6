import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport

/// A typed client in front of a scripted server on the loopback interface.
struct ClientFixture {
  let server: ScriptedServer
  let client: DefaultNetworkClient

  var baseURL: URL { .test(server.url("/api")) }

  static func url(_ text: String) -> URL { .test(text) }

  /// Runs `body` with a client of the server; both are stopped afterwards.
  static func with<R>(
    _ script: ServerScript, configuration: (URL) -> NetworkConfiguration = { .local($0) },
    _ body: (ClientFixture) async throws -> R
  ) async throws -> R {
    let server = try ScriptedServer.start(script)
    defer { server.stop() }
    let client = DefaultNetworkClient(configuration: configuration(.test(server.url("/api"))))
    do {
      let result = try await body(ClientFixture(server: server, client: client))
      await client.shutdown()
      return result
    } catch {
      await client.shutdown()
      throw error
    }
  }
}

extension NetworkConfiguration {
  /// A configuration that admits the clear text of loopback servers.
  static func local(
    _ url: URL, resilience: ResiliencePack = ResiliencePack(), auth: AuthPack = AuthPack(),
    observability: ObservabilityPack = ObservabilityPack(), cache: CachePack = CachePack(),
    transport: TransportPack = TransportPack(allowsInsecureHTTP: true)
  ) -> NetworkConfiguration {
    .advanced(
      baseURL: url, resilience: resilience, auth: auth, observability: observability, cache: cache,
      transport: transport)
  }
}

extension DefaultNetworkClient {
  /// A client of `https://api.example.com/v1` over a mock.
  static func mocked(
    _ mock: any HTTPTransport, configuration: (URL) -> NetworkConfiguration = { .advanced(baseURL: $0) }
  ) -> DefaultNetworkClient {
    DefaultNetworkClient(configuration: configuration(.test("https://api.example.com/v1")), transport: mock)
  }
}

extension MockTransport {
  /// A mock that answers every request with the tests' item.
  static var item: MockTransport {
    let mock = MockTransport()
    mock.mockResponse = .text(#"{"id":1,"name":"a"}"#)
    return mock
  }
}

extension URL {
  /// A URL of a text that is known to be one.
  static func test(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}

/// A JSON object as the tests' responses have it.
struct Item: Codable, Sendable, Hashable {
  var id = 1
  var name = "a"
}

/// GET /items/{id}, anonymous.
struct GetItem: APIDefinition {
  typealias APIResponse = Item
  var id = 1
  var method: HTTPMethod { .get }
  var path: String { "/items/\(id)" }
  var sessionAuthentication: SessionAuthentication { .anonymous }
}

extension ServerResponse {
  /// A response with JSON.
  static func json(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status, headers: [HeaderLine("Content-Type", "application/json")], body: ServerBody(bytes: Array(text.utf8)))
  }

  /// The item that the tests ask for.
  static var item: ServerResponse { .json(#"{"id":1,"name":"a"}"#) }
}

/// A request interceptor that is a closure.
struct RequestChange: RequestInterceptor {
  let change: @Sendable (inout HTTPRequest) async throws -> Void

  init(_ change: @escaping @Sendable (inout HTTPRequest) async throws -> Void) { self.change = change }

  func adapt(_ request: HTTPRequest) async throws -> HTTPRequest {
    var request = request
    try await change(&request)
    return request
  }
}

/// A response interceptor that is a closure.
struct ResponseChange: ResponseInterceptor {
  let change: @Sendable (inout Response) async throws -> Void

  init(_ change: @escaping @Sendable (inout Response) async throws -> Void) { self.change = change }

  func adapt(_ response: Response, request: HTTPRequest) async throws -> Response {
    var response = response
    try await change(&response)
    return response
  }
}

/// A signer that sets headers and keeps what it was shown.
struct HeaderSigner: RequestSigner {
  let headers: HTTPHeaders
  var onSign: @Sendable (HTTPRequest, RequestBody) throws -> Void = { _, _ in }

  func signatureHeaders(for request: HTTPRequest, body: RequestBody) async throws -> HTTPHeaders {
    try onSign(request, body)
    return headers
  }
}

/// An endpoint whose hooks are stored, on top of a builder.
struct HookedEndpoint: APIDefinition {
  typealias APIResponse = Item
  typealias Parameter = AnyEncodable

  var base: EndpointBuilder<Item> = .get("/items/1")
  var requestInterceptors: [any RequestInterceptor] = []
  var requestSigners: [any RequestSigner] = []
  var responseInterceptors: [any ResponseInterceptor] = []
  var logger: any NetworkLogger = SilentNetworkLogger()

  var method: HTTPMethod { base.method }
  var path: String { base.path }
  var sessionAuthentication: SessionAuthentication { base.sessionAuthentication }
  var headers: HTTPHeaders { base.headers }
  var parameters: AnyEncodable? { base.parameters }
  var transport: TransportPolicy<Item> { base.transport }
  var absoluteURL: URL? { base.absoluteURL }
  var acceptableStatusCodes: Set<Int>? { base.acceptableStatusCodes }
}

/// The error of a call that has to fail.
func failure<R>(of body: () async throws(NetworkError) -> R) async -> NetworkError? {
  do throws(NetworkError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

extension NetworkError? {
  /// Whether the call failed because it was cancelled.
  var isCancelled: Bool {
    if case .cancelled? = self { true } else { false }
  }
}
