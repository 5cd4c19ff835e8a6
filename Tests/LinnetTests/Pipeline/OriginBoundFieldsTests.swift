import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("What does not leave the client's origin")
struct OriginBoundFieldsTests {
  private let mock = MockTransport.item

  private func client(
    interceptors: [any RequestInterceptor] = [], signers: [any RequestSigner] = []
  ) -> DefaultNetworkClient {
    .mocked(mock) {
      var engine = HTTPClientConfiguration()
      engine.defaultHeaders.update("X-Engine-Key", "secret")
      return .advanced(
        baseURL: $0,
        auth: AuthPack(
          refreshToken: RefreshTokenPolicy(currentToken: { "token" }, refreshToken: { "token" }),
          additionalRequestInterceptors: interceptors, additionalSigners: signers),
        cache: CachePack(sensitiveHeaderNames: ["X-Tenant-Token"])
      )
      .defaultHeaders(["X-Client": "c", "Authorization": "client"])
      .queryItems([URLQueryItem(name: "key", value: "k 1")])
      .bodyParameters(["stamp": 1])
      .engine(engine)
    }
  }

  private var foreign: EndpointBuilder<Item> {
    .get("/ignored").absoluteURL(.test("https://other.example.net/x?y=1")).authentication(.optional)
  }

  @Test("An absolute URL of the own origin gets all of the client's")
  func own() async throws {
    let endpoint = EndpointBuilder<Item>.get("/ignored").absoluteURL(.test("https://api.example.com:443/x?y=1"))
      .authentication(.optional)
    _ = try await client().request(endpoint)
    let request = try #require(mock.capturedRequest)
    #expect(request.url == "https://api.example.com/x?y=1&key=k%201")
    #expect(request.headers["X-Client"] == "c")
    #expect(request.headers["Authorization"] == "Bearer token")
  }

  @Test("An absolute URL of another origin gets neither headers, query, body parameters nor token of the client")
  func other() async throws {
    _ = try await client().request(foreign)
    let request = try #require(mock.capturedRequest)
    #expect(request.url == "https://other.example.net/x?y=1")
    #expect(request.headers["X-Client"] == nil)
    #expect(request.headers["Authorization"] == nil)
    #expect(request.options.omittedDefaultHeaders.contains("X-Engine-Key"))
    _ = try await client().request(
      EndpointBuilder<Item>.post("/").absoluteURL(.test("https://other.example.net/x")).body(Item()))
    let body = try #require(mock.capturedRequest?.body?.bytesInMemory)
    #expect(!String(body).contains("stamp"))
  }

  @Test("Headers that the endpoint itself sets do go there")
  func endpointHeaders() async throws {
    _ = try await client().request(foreign.header("Authorization", value: "mine").header("X-Client", value: "mine"))
    #expect(mock.capturedRequest?.headers["Authorization"] == "mine")
    #expect(mock.capturedRequest?.headers["X-Client"] == "mine")
  }

  @Test(
    "Credentials that the client's interceptors set are taken off again, other headers stay",
    arguments: ["Authorization", "Cookie", "X-API-Key", "X-Tenant-Token"])
  func interceptors(name: String) async throws {
    let set = RequestChange {
      $0.headers.update(name, "secret")
      $0.headers.update("X-Trace", "t")
    }
    _ = try await client(interceptors: [set]).request(foreign)
    #expect(mock.capturedRequest?.headers[name] == nil)
    #expect(mock.capturedRequest?.headers["X-Trace"] == "t")
    _ = try await client(interceptors: [set]).request(foreign.header(name, value: "mine"))
    #expect(mock.capturedRequest?.headers[name] == "mine")
  }

  @Test("The client's signers do not sign for another origin, the endpoint's do")
  func signers() async throws {
    let client = client(signers: [HeaderSigner(headers: ["X-Client-Signature": "1"])])
    let endpoint = HookedEndpoint(base: foreign, requestSigners: [HeaderSigner(headers: ["X-Own-Signature": "1"])])
    _ = try await client.request(endpoint)
    #expect(mock.capturedRequest?.headers["X-Client-Signature"] == nil)
    #expect(mock.capturedRequest?.headers["X-Own-Signature"] == "1")
  }

  @Test("An interceptor that leads a request to another origin leaves the client's headers and token behind")
  func redirected() async throws {
    let lead = RequestChange { $0.url = "https://other.example.net/x" }
    _ = try await client(interceptors: [lead]).request(EndpointBuilder<Item>.get("/a").authentication(.optional))
    #expect(mock.capturedRequest?.headers["X-Client"] == nil)
    #expect(mock.capturedRequest?.headers["Authorization"] == nil)
  }

  @Test("An endpoint that requires the token is not sent to another origin")
  func required() async {
    let client = client()
    let endpoint = foreign.authentication(.required)
    let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
    guard case .configuration(.invalidRequest)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test(
    "An absolute URL is admitted like any other",
    arguments: [
      "http://other.example.net/", "https://u:p@other.example.net/", "https://other.example.net/a/%2e%2e/b",
      "https://other.example.net/#f", "file:///etc/passwd",
    ])
  func admission(url: String) async {
    let client = client()
    let endpoint = EndpointBuilder<Item>.get("/").absoluteURL(.test(url))
    let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
    guard case .configuration? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test(
    "What an interceptor makes of the URL is admitted again",
    arguments: [
      "http://api.example.com/v1/a", "https://u:p@api.example.com/v1/a", "https://api.example.com/v1/../a",
      "https://api.example.com/v1/%252e%252e/a", "api.example.com", "",
    ])
  func interceptorAdmission(url: String) async {
    let client = client(interceptors: [RequestChange { $0.url = url }])
    let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    guard case .configuration? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }
}
