import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Headers and middleware of a live client")
struct ClientHeadersTests {
  private let mock = MockTransport.item

  private func client(_ headers: HTTPHeaders = [:]) -> DefaultNetworkClient {
    .mocked(mock) { .advanced(baseURL: $0).defaultHeaders(headers) }
  }

  private var sent: HTTPHeaders { mock.capturedRequest?.headers ?? HTTPHeaders() }

  @Test("Headers of the configuration are sent, and those of an endpoint win")
  func configuration() async throws {
    let client = client(["X-A": "client", "X-B": "client"])
    _ = try await client.request(EndpointBuilder<Item>.get("/a").header("x-b", value: "endpoint"))
    #expect(sent["X-A"] == "client")
    #expect(sent.values(for: "X-B") == ["endpoint"])
  }

  @Test("updateHeaders merges, setHeaders replaces, removeHeaders and cleanHeaders take away")
  func changes() async throws {
    let client = client(["X-A": "1", "X-B": "1"])
    client.updateHeaders(["x-a": "2", "X-C": "2"])
    #expect(client.headers == ["X-B": "1", "x-a": "2", "X-C": "2"])
    client.removeHeaders(named: "X-b", "x-c")
    _ = try await client.request(GetItem())
    #expect(sent["X-A"] == "2" && sent["X-B"] == nil && sent["X-C"] == nil)
    client.setHeaders(["X-D": "4"])
    _ = try await client.request(GetItem())
    #expect(sent["X-A"] == nil && sent["X-D"] == "4")
    client.cleanHeaders()
    _ = try await client.request(GetItem())
    #expect(sent["X-D"] == nil)
  }

  @Test("Headers may be changed by many tasks while requests run")
  func concurrency() async throws {
    let client = client()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask { client.updateHeaders(["X-N": "\(number)"]) }
        group.addTask { _ = try await client.request(GetItem()) }
      }
      try await group.waitForAll()
    }
    #expect(client.headers.values(for: "X-N").count == 1)
  }

  @Test("An invalid header of the client fails the request instead of being left out")
  func invalid() async throws {
    let client = client()
    client.updateHeaders(["X-A": "a\r\nX-Evil: 1"])
    try await ClientFixture.with(.handler { _ in .item }) { fixture in
      fixture.client.updateHeaders(["X-A": "a\r\nX-Evil: 1"])
      let error = await failure { () throws(NetworkError) in try await fixture.client.request(GetItem()) }
      guard case .configuration(.invalidRequest)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(fixture.server.snapshot.requestCount == 0)
    }
  }

  @Test("Middleware runs around each attempt and can be removed by registration and by matcher")
  func middleware() async throws {
    let client = client()
    let first = client.addMiddleware(Middleware(preRequest: { $0.headers.update("X-First", "1") }))
    client.addMiddleware(Middleware(pathMatcher: .contains("items"), preRequest: { $0.headers.update("X-Items", "1") }))
    _ = try await client.request(GetItem())
    #expect(sent["X-First"] == "1" && sent["X-Items"] == "1")
    client.removeMiddleware(first)
    _ = try await client.request(GetItem())
    #expect(sent["X-First"] == nil && sent["X-Items"] == "1")
    client.removeMiddleware(for: .contains("items"))
    _ = try await client.request(GetItem())
    #expect(sent["X-Items"] == nil)
  }

  @Test(
    "Middleware that leads to another URL is admitted again",
    arguments: ["http://api.example.com/", "https://api.example.com/a/../b"])
  func middlewareAdmission(url: String) async {
    let client = client()
    client.addMiddleware(Middleware(preRequest: { $0.url = url }))
    let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    guard case .configuration? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }
}
