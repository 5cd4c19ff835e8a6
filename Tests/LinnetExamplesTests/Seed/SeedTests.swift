import Foundation
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Every code example of the page that Linnet follows does against a server what the page promises.
///
/// Left out, because they belong to parts that are not built yet: the examples of downloads and WebSockets. Package
/// manifests and shell lines are no examples of the API.
@Suite struct SeedTests {
  /// A client as the page's first example makes it, led to the server of the example.
  private func client() -> DefaultNetworkClient {
    QuickStart.DefaultNetworkClient(baseURL: URL(string: "https://api.example.com/v1")!)
  }

  @Test func `the first requests fetch a user and create a post`() async throws {
    let received = try await PageServer.answering { request in
      request.method == "GET" ? .json(#"{"id":1,"name":"Ada"}"#) : .json(#"{"id":7,"title":"Hello"}"#, status: 201)
    } during: {
      let (user, created) = try await QuickStart.requests()
      #expect(user.id == 1 && user.name == "Ada")
      #expect(created.id == 7 && created.title == "Hello")
    }
    #expect(received.map(\.method) == ["GET", "POST"])
    #expect(received.map(\.target) == ["/v1/users/1", "/v1/posts"])
    #expect(received.map { $0.headers["Host"] } == ["api.example.com", "api.example.com"])
    #expect(received.map { $0.headers["Authorization"] } == [nil, nil])
    #expect(received[0].headers["Content-Type"] == nil)
    #expect(received[1].headers["Content-Type"] == "application/json; charset=UTF-8")
    let body = try JSONDecoder().decode([String: String].self, from: Data(received[1].body.bytes ?? []))
    #expect(body == ["title": "Hello", "body": "World"])
  }

  @Test func `a builder sends a request without a type of its own`() async throws {
    let received = try await PageServer.answering { _ in .json(#"{"id":2,"name":"Grace"}"#) } during: {
      #expect(try await QuickStart.builder(client: client()).name == "Grace")
    }
    #expect(received.map(\.target) == ["/v1/users/preview"])
  }

  @Test func `a payload of its own is sent, and its policy decodes`() async throws {
    let received = try await PageServer.answering { _ in .json(#"{"id":3,"display_name":"Taylor"}"#) } during: {
      #expect(try await CustomPayload.request(client: client()).displayName == "Taylor")
    }
    #expect(received.map { "\($0.method) \($0.target)" } == ["PATCH /v1/me"])
    #expect(received[0].body.text == #"{"displayName":"Taylor"}"#)
  }

  @Test func `the macro derives method, path, authentication and payload`() {
    let endpoint = MacroFirst.GetUser(id: 4)
    #expect(endpoint.method == .get && endpoint.path == "/users/4")
    #expect(endpoint.sessionAuthentication == .anonymous)
    #expect(endpoint.parameters == nil)
  }

  @Test func `the safe defaults do not retry`() async throws {
    let received = try await PageServer.answering { _ in ServerResponse(503) } during: {
      let client = QuickStart.DefaultNetworkClient(configuration: PageConfiguration.networks().safe)
      let error = await #expect(throws: NetworkError.self) { try await client.request(QuickStart.GetUser(id: 1)) }
      guard case .statusCode(let response)? = error else { return Issue.record("\(String(describing: error))") }
      #expect(response.statusCode == 503 && response.data.isEmpty)
    }
    #expect(received.count == 1)
  }

  @Test func `the tuned configuration answers the second request from its cache`() async throws {
    let received = try await PageServer.answering { _ in .json(#"{"id":1,"name":"Ada"}"#) } during: {
      let client = QuickStart.DefaultNetworkClient(configuration: PageConfiguration.networks().tuned)
      for _ in 1...2 { #expect(try await client.request(QuickStart.GetUser(id: 1)).name == "Ada") }
    }
    #expect(received.map(\.target) == ["/users/1"])
  }

  @Test func `the tuned configuration joins equal requests`() async throws {
    let gate = Gate()
    let received = try await PageServer.answering {
      .json(#"{"id":1,"name":"\#($0.target)"}"#).waiting(for: gate)
    } during: {
      let client = QuickStart.DefaultNetworkClient(configuration: PageConfiguration.networks().tuned)
      async let first = client.request(QuickStart.GetUser(id: 1))
      async let second = client.request(QuickStart.GetUser(id: 1))
      _ = try await PageServer.current?.server.waitForHeads(1)
      gate.open()
      #expect(try await [first.name, second.name] == ["/users/1", "/users/1"])
    }
    #expect(received.count == 1)
  }

  @Test func `the cache pack heeds what the server says about storing`() async throws {
    let received = try await PageServer.answering { request in
      let answer = ServerResponse.json(#"{"id":1,"name":"Ada"}"#)
      return request.target == "/users/1" ? answer.adding("Cache-Control", "no-store") : answer
    } during: {
      let client = QuickStart.DefaultNetworkClient(
        configuration: .advanced(
          baseURL: URL(string: "https://api.example.com")!, cache: PageConfiguration.cachePack()))
      for id in [1, 1, 2, 2] { _ = try await client.request(QuickStart.GetUser(id: id)) }
    }
    #expect(received.map(\.target) == ["/users/1", "/users/1", "/users/2", "/users/2"].dropLast())
  }

  @Test func `plain HTTP works with the switch, and not without it`() async throws {
    let received = try await PageServer.answering(overTLS: false) { _ in .json(#"{"id":1,"name":"Ada"}"#) } during: {
      let local = QuickStart.DefaultNetworkClient(configuration: PageConfiguration.localhost())
      #expect(try await local.request(QuickStart.GetUser(id: 1)).name == "Ada")
      let strict = QuickStart.DefaultNetworkClient(baseURL: URL(string: "http://localhost:8080")!)
      let error = await #expect(throws: NetworkError.self) { try await strict.request(QuickStart.GetUser(id: 1)) }
      guard case .configuration(reason: .invalidBaseURL)? = error else {
        return Issue.record("\(String(describing: error))")
      }
    }
    #expect(received.map { $0.headers["Host"] } == ["localhost:8080"])
  }

  @Test func `a token is renewed once and the request sent again with it`() async throws {
    let received = try await PageServer.answering { request in
      request.headers["Authorization"] == "Bearer renewed" ? .json(#"{"id":1,"name":"Ada"}"#) : ServerResponse(401)
    } during: {
      let store = TokenStore(token: "old")
      let client = TokenRefresh.client(tokenStore: store, authService: AuthService(store: store))
      let me = EndpointBuilder<QuickStart.User>.get("/me").authentication(.required)
      #expect(try await client.request(me).name == "Ada")
    }
    #expect(received.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer renewed"])
  }

  @Test func `three failures open the circuit`() async throws {
    let received = try await PageServer.answering { _ in ServerResponse(500) } during: {
      let store = TokenStore(token: "token")
      let client = TokenRefresh.client(tokenStore: store, authService: AuthService(store: store))
      for _ in 1...4 {
        await #expect(throws: NetworkError.self) { try await client.request(QuickStart.GetUser(id: 1)) }
      }
    }
    #expect(received.count == 3)
  }

  @Test func `cancelling a tag ends its requests and no others`() async throws {
    let gate = Gate()
    try await PageServer.answering { request in
      .json(#"{"id":1,"name":"Ada"}"#).waiting(for: gate)
    } during: {
      let client = client()
      let server = try #require(PageServer.current?.server)
      async let untagged = client.request(QuickStart.GetUser(id: 1))
      let outcomes = try await Feed.leave(client: client) { _ = try await server.waitForHeads(3) }
      for outcome in outcomes {
        let error = #expect(throws: NetworkError.self) { try outcome.get() }
        guard case .cancelled? = error else { return Issue.record("\(String(describing: error))") }
      }
      gate.open()
      #expect(try await untagged.name == "Ada")
    }
  }
}
