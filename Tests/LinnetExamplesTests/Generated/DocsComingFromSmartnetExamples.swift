// Written by .ci/doc-examples from docs/coming-from/smartnet.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum DocsComingFromSmartnetExamples {
  struct User: Codable, Sendable {
    let id: Int
    let name: String
  }

  struct Search: Encodable, Sendable {
    let name: String
    let limit: Int
  }

  struct CreateUser: Encodable, Sendable {
    let name: String
  }

  protocol Session: Sendable {
    func token() async -> String
    func renew() async
  }

  struct Upload: MultipartAPIDefinition {
    typealias APIResponse = User

    let image: Data

    var method: HTTPMethod { .post }
    var path: String { "upload" }
    var sessionAuthentication: SessionAuthentication { .anonymous }
    var multipartFormData: MultipartFormData {
      MultipartFormData {
        TextField("name", value: "avatar")
        FileField("file", data: image, fileName: "photo.jpg")
      }
    }
  }

  static func example1() async throws {
    let client = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "https://api.example.com")!, transport: TransportPack(timeout: 30)
      ).defaultHeaders(["Accept": "application/json"]))
    let user = try await client.request(EndpointBuilder<User>.get("users/1"))
    print(user.name)
    _ = client
    _ = user
  }

  static func example2(client: DefaultNetworkClient) async throws {
    let search = EndpointBuilder<[User]>.get("users").query(Search(name: "John", limit: 10))
    let create = EndpointBuilder<User>.post("users").body(CreateUser(name: "John"))
    let found = try await client.request(search)
    let created = try await client.request(create)
    print(found.count, created.id)
    _ = search
    _ = create
    _ = found
    _ = created
  }

  static func example3() async throws {
    let retrying = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "https://api.example.com")!,
        resilience: ResiliencePack(retry: .exponential(maxRetries: 5, conditions: [.timeout, .serverError]))))
    let user = try await retrying.request(EndpointBuilder<User>.get("users/1").retry(.immediate()))
    print(user.name)
    _ = retrying
    _ = user
  }

  static func example4(client: DefaultNetworkClient, session: any Session) async throws {
    client.addMiddleware(
      Middleware(
        pathMatcher: .contains("/"),
        preRequest: { request in
          request.setValue("Bearer \(await session.token())", forHTTPHeaderField: "Authorization")
        },
        postResponse: { outcome in
          guard case .success(let response) = outcome, response.statusCode == 401 else { return .next }
          await session.renew()
          return .retryRequest
        }))
  }

  static func example5(client: DefaultNetworkClient) async throws {
    client.updateHeaders(["X-Tenant": "a"])
    client.removeHeaders(named: "X-Tenant")
    client.setHeaders([:])
    client.cleanHeaders()
  }

  static func example6(client: DefaultNetworkClient) async throws {
    let handle = client.request(EndpointBuilder<User>.get("users/1")) { result in
      if case .success(let user) = result { print(user.name) }
    }
    handle.cancel()
    for try await user in client.responses(for: EndpointBuilder<User>.get("users/1")) {
      print(user.name)
    }
    _ = handle
  }

  static func example7(client: DefaultNetworkClient) async throws {
    do {
      _ = try await client.request(EndpointBuilder<User>.get("users/1"))
    } catch {
      switch error {
      case .statusCode(let response): print("HTTP \(response.statusCode)")
      case .timeout, .reachability: print("Network problem")
      case .decoding: print("Decoding failed: \(error.decodingDetail?.path ?? "")")
      default: print(error)
      }
    }
  }

  static func example8(client: DefaultNetworkClient, image: Data) async throws {
    let user = try await client.upload(Upload(image: image))
    print(user.name)
    _ = user
  }
}
