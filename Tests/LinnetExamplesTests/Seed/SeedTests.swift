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
  private func client() throws -> DefaultNetworkClient {
    QuickStart.DefaultNetworkClient(baseURL: try #require(URL(string: "https://api.example.com/v1")))
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
    let received = try await PageServer.answering { _ in
      .json(#"{"id":2,"name":"Grace"}"#)
    } during: {
      let user = try await QuickStart.builder(client: try client())
      #expect(user.name == "Grace")
    }
    #expect(received.map(\.target) == ["/v1/users/preview"])
  }

  @Test func `a payload of its own is sent, and its policy decodes`() async throws {
    let received = try await PageServer.answering { _ in
      .json(#"{"id":3,"display_name":"Taylor"}"#)
    } during: {
      let user = try await CustomPayload.request(client: try client())
      #expect(user.displayName == "Taylor")
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
    let received = try await PageServer.answering { _ in
      ServerResponse(503)
    } during: {
      let client = QuickStart.DefaultNetworkClient(configuration: PageConfiguration.networks().safe)
      let error = await #expect(throws: NetworkError.self) { try await client.request(QuickStart.GetUser(id: 1)) }
      guard case .statusCode(let response)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(response.statusCode == 503 && response.data.isEmpty)
    }
    #expect(received.count == 1)
  }

  @Test func `the tuned configuration answers the second request from its cache`() async throws {
    let received = try await PageServer.answering { _ in
      .json(#"{"id":1,"name":"Ada"}"#)
    } during: {
      let client = QuickStart.DefaultNetworkClient(configuration: PageConfiguration.networks().tuned)
      for _ in 1...2 {
        let user = try await client.request(QuickStart.GetUser(id: 1))
        #expect(user.name == "Ada")
      }
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
          baseURL: try #require(URL(string: "https://api.example.com")), cache: PageConfiguration.cachePack()))
      for id in [1, 1, 2, 2] { _ = try await client.request(QuickStart.GetUser(id: id)) }
    }
    #expect(received.map(\.target) == ["/users/1", "/users/1", "/users/2"])
  }

  /// A client with one of the page's redirect policies.
  private func client(_ policy: DefaultRedirectPolicy) throws -> DefaultNetworkClient {
    QuickStart.DefaultNetworkClient(
      configuration: .advanced(
        baseURL: try #require(URL(string: "https://api.example.com")), transport: TransportPack(redirectPolicy: policy))
    )
  }

  private func status(_ body: () async throws(NetworkError) -> QuickStart.User) async -> Int? {
    do throws(NetworkError) {
      _ = try await body()
      return 200
    } catch {
      return error.response?.statusCode
    }
  }

  @Test func `a redirect leaves the named headers behind when it leaves the origin`() async throws {
    let received = try await PageServer.answering { request in
      switch request.target {
      case "/first": .redirect(to: "/second")
      case "/second": .redirect(to: "https://other.example.com/third")
      default: .json(#"{"id":1,"name":"Ada"}"#)
      }
    } during: {
      let user = EndpointBuilder<QuickStart.User>.get("/first").header("X-Tenant-Secret", value: "secret")
      let ada = try await client(PageConfiguration.redirects().strict).request(user)
      #expect(ada.name == "Ada")
    }
    #expect(received.map { $0.headers["Host"] } == ["api.example.com", "api.example.com", "other.example.com"])
    #expect(received.map { $0.headers["X-Tenant-Secret"] } == ["secret", "secret", nil])
  }

  @Test func `a POST is repeated at another origin only with the compatibility switch`() async throws {
    let create = QuickStart.CreatePostEndpoint(body: .init(title: "Hello", body: "World"))
    let received = try await PageServer.answering { request in
      request.headers["Host"] == "other.example.com"
        ? .json(#"{"id":7,"title":"Hello"}"#) : .redirect(307, to: "https://other.example.com/posts")
    } during: {
      let strict = try self.client(PageConfiguration.redirects().strict)
      let error = await #expect(throws: NetworkError.self) { try await strict.request(create) }
      #expect(error?.response?.statusCode == 307)
      #expect(try await client(PageConfiguration.redirects().legacy).request(create).id == 7)
    }
    #expect(received.map { $0.headers["Host"] } == ["api.example.com", "api.example.com", "other.example.com"])
    #expect(received.map(\.method) == ["POST", "POST", "POST"])
  }

  @Test func `a redirect does not leave HTTPS`() async throws {
    let received = try await PageServer.answering { _ in
      .redirect(to: "http://api.example.com/plain")
    } during: {
      let client = try self.client(PageConfiguration.redirects().strict)
      #expect(await status { () throws(NetworkError) in try await client.request(QuickStart.GetUser(id: 1)) } == 302)
    }
    #expect(received.count == 1)
  }

  @Test func `plain HTTP works with the switch, and not without it`() async throws {
    let received = try await PageServer.answering(overTLS: false) { _ in
      .json(#"{"id":1,"name":"Ada"}"#)
    } during: {
      let local = QuickStart.DefaultNetworkClient(configuration: PageConfiguration.localhost())
      #expect(try await local.request(QuickStart.GetUser(id: 1)).name == "Ada")
      let strict = QuickStart.DefaultNetworkClient(
        baseURL: try #require(URL(string: "http://localhost:8080")))
      let error = await #expect(throws: NetworkError.self) { try await strict.request(QuickStart.GetUser(id: 1)) }
      guard case .configuration(reason: .invalidBaseURL)? = error else {
        Issue.record("\(String(describing: error))")
        return
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
      let user = try await client.request(me)
      #expect(user.name == "Ada")
    }
    #expect(received.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer renewed"])
  }

  @Test func `three failures open the circuit`() async throws {
    let received = try await PageServer.answering { _ in
      ServerResponse(500)
    } during: {
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
    _ = try await PageServer.answering { request in
      .json(#"{"id":1,"name":"Ada"}"#).waiting(for: gate)
    } during: {
      let client = try self.client()
      let server = try #require(PageServer.current?.server)
      async let untagged = client.request(QuickStart.GetUser(id: 1))
      let outcomes = try await Feed.leave(client: client) { _ = try await server.waitForHeads(3) }
      for outcome in outcomes {
        let error = #expect(throws: NetworkError.self) { try outcome.get() }
        guard case .cancelled? = error else {
          Issue.record("\(String(describing: error))")
          return
        }
      }
      gate.open()
      #expect(try await untagged.name == "Ada")
    }
  }
}

/// What the page's error example prints, for each way to fail.
@Suite struct SeedErrorTests {
  private func printed(by client: DefaultNetworkClient) async -> [String] {
    let lines = EventRecorder<String>()
    await ErrorHandling.request(client: client) { lines.record("\($0)") }
    return lines.events
  }

  private func client(_ base: String = "https://api.example.com") throws -> DefaultNetworkClient {
    QuickStart.DefaultNetworkClient(baseURL: try #require(URL(string: base)))
  }

  @Test func `an accepted response is printed`() async throws {
    _ = try await PageServer.answering { _ in
      .json(#"{"id":42,"name":"Ada"}"#)
    } during: {
      let lines = await printed(by: try client())
      #expect(lines.count == 1 && lines[0].hasPrefix("User(id: 42"))
    }
  }

  @Test func `a status that is not accepted is its own case`() async throws {
    _ = try await PageServer.answering { _ in
      ServerResponse(404)
    } during: {
      let lines = await printed(by: try client())
      #expect(lines == ["Unexpected status code: 404"])
    }
  }

  @Test func `a body that does not decode names the stage and the field`() async throws {
    _ = try await PageServer.answering { _ in
      .json(#"{"id":"x","name":"Ada"}"#)
    } during: {
      let lines = await printed(by: try client())
      #expect(lines.count == 1 && lines[0].hasPrefix("Decoding failed (responseBody): ") && lines[0].contains("id"))
    }
  }

  @Test func `a certificate of another host is refused before anything is sent`() async throws {
    let received = try await PageServer.answering { _ in
      .json("{}")
    } during: {
      let lines = await printed(by: try client("https://not-in-the-certificate.example.com"))
      #expect(lines.count == 1 && lines[0].hasPrefix("Trust evaluation failed: "))
    }
    #expect(received.isEmpty)
  }

  @Test func `a base URL with credentials is refused without showing them`() async throws {
    let lines = await printed(by: try client("https://ada:secret@api.example.com"))
    #expect(lines.count == 1 && lines[0].hasPrefix("Invalid base URL: ") && !lines[0].contains("secret"))
  }

  @Test func `a cancelled request says so`() async throws {
    _ = try await PageServer.answering { _ in
      .raw([.stall])
    } during: {
      let client = try self.client()
      let server = try #require(PageServer.current?.server)
      async let lines = printed(by: client)
      _ = try await server.waitForHeads(1)
      await client.cancelAll()
      #expect(await lines == ["Request cancelled"])
    }
  }
}
