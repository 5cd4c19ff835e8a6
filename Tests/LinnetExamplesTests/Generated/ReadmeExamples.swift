// Written by .ci/doc-examples from README.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet
import LinnetHTTP
import LinnetTestSupport

enum ReadmeExamples {
  struct User: Codable, Sendable {
    let id: Int
    let name: String
  }

  struct NewUser: Codable, Sendable {
    let name: String
  }

  @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
  struct GetUser {
    typealias APIResponse = User

    let id: Int
  }

  @APIDefinition(method: .post, path: "/users", auth: .anonymous)
  struct CreateUser {
    typealias APIResponse = User

    let body: NewUser
  }

  protocol TokenStore: Sendable {
    func accessToken() async -> String?
    func renew() async throws -> String
  }

  static func example1() async throws {
    let client = DefaultNetworkClient(baseURL: URL(string: "https://api.example.com/v1")!)
    let user = try await client.request(GetUser(id: 1))  // GET /v1/users/1
    let created = try await client.request(CreateUser(body: NewUser(name: "Ada")))  // POST /v1/users {"name":"Ada"}
    print(user.name, created.id)
    _ = client
    _ = user
    _ = created
  }

  static func example2(client: DefaultNetworkClient) async throws {
    let found = try await client.request(
      EndpointBuilder<[User]>.get("/users").query(["name": "Ada"]).header("X-Trace", value: "search"))
    print(found.count)
    _ = found
  }

  static func example3(client: DefaultNetworkClient) async throws {
    do {
      _ = try await client.request(GetUser(id: 42))
    } catch {
      switch error {
      case .statusCode(let response): print("the server answered \(response.statusCode)")
      case .decoding: print("did not decode: \(error.decodingDetail?.path ?? "?")")  // items[2].name
      case .reachability, .timeout: print(error.transport?.phase ?? .request, error.isRetriableHint)
      case .cancelled: break
      default: print(error)
      }
    }
  }

  static func example4(store: any TokenStore) async throws {
    let tuned = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "https://api.example.com/v1")!,
        resilience: ResiliencePack(
          retry: ExponentialBackoffRetryPolicy(), coalescing: .getOnly,
          circuitBreaker: CircuitBreakerPolicy(failureThreshold: 3)),
        auth: AuthPack(
          refreshToken: RefreshTokenPolicy(
            currentToken: { await store.accessToken() }, refreshToken: { try await store.renew() })),
        cache: CachePack(
          responseCachePolicy: .rfc9111Compliant(wrapping: .cacheFirst(maxAge: .seconds(60))),
          responseCache: InMemoryResponseCache())))
    _ = tuned
  }

  static func example5(client: DefaultNetworkClient) async throws {
    async let posts = client.request(GetUser(id: 1), tag: "feed")
    await client.cancelAll(matching: "feed")
    print((try? await posts)?.name ?? "cancelled")
  }

  static func example6() async throws {
    let transport = MockTransport()
    try transport.setMockJSON(User(id: 1, name: "Ada"))
    let mocked = DefaultNetworkClient(
      configuration: .safeDefaults(baseURL: URL(string: "https://api.example.com")!), transport: transport)
    let ada = try await mocked.request(GetUser(id: 1))
    print(ada.name, transport.capturedRequest?.url ?? "-")
    _ = transport
    _ = mocked
    _ = ada
  }

  static func example7() async throws {
    let client = HTTPClient()
    // GET
    let response = try await client.send(.get("https://example.com/"))
    print(response.status, response.headers["Content-Type"] ?? "-", try await response.text())
    // POST JSON
    var request = HTTPRequest.post("https://api.example.com/items", body: .text(#"{"name":"linnet"}"#))
    try request.headers.add(name: "Content-Type", value: "application/json")
    let created = try await client.send(request)
    print(created.status)
    // Stream a large body: nothing is read faster than the loop consumes it
    for try await chunk in try await client.send(.get("https://example.com/large")).body {
      print(chunk.count)
    }
    // Upload a file with its exact length, in constant memory
    _ = try await client.send(.put("https://example.com/upload", body: .file("/tmp/report.pdf")))
    // One request with its own timeouts
    var slow = HTTPRequest.get("https://example.com/report")
    slow.options.timeouts.responseHead = .after(.seconds(300))
    slow.options.timeouts.total = .unlimited
    // Errors have a code, a phase, and say what was sent
    do {
      _ = try await client.send(.get("http://127.0.0.1:1/"))
    } catch {
      print(error.code, error.phase, error.sent)  // connectionRefused connect nothing
      print(error)  // GET http://127.0.0.1:1/: connect: connection refused (127.0.0.1:1) [attempt 1, 0 ms]
    }
    _ = client
    _ = response
    _ = request
    _ = created
    _ = slow
  }
}
