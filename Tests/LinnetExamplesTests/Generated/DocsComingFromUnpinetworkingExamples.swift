// Written by .ci/doc-examples from docs/coming-from/unpinetworking.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum DocsComingFromUnpinetworkingExamples {
  struct User: Decodable, Sendable {
    let id: Int
    let name: String
  }

  struct CreateUser: Encodable, Sendable {
    let name: String
    let email: String
  }

  static func example1() async throws {
    let service = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: "https://api.example.com")!,
        resilience: ResiliencePack(
          retry: .immediate(maxRetries: 3, conditions: [.timeout, .connectionLost, .networkFailure])),
        transport: TransportPack(timeout: 30, cachePolicy: .useProtocolCachePolicy)
      ).defaultHeaders(["Authorization": "Bearer token"]))
    let simplest = DefaultNetworkClient(baseURL: URL(string: "https://api.example.com")!)
    _ = service
    _ = simplest
  }

  static func example2(service: DefaultNetworkClient) async throws {
    let user = try await service.request(EndpointBuilder<User>.get("/users/1"))
    let users = try await service.request(EndpointBuilder<[User]>.get("/users").query(["page": "1"]))
    let created = try await service.request(
      EndpointBuilder<User>.post("/users").body(CreateUser(name: "Ada", email: "ada@example.com")))
    print(user.name, users.count, created.id)
    _ = user
    _ = users
    _ = created
  }

  static func example3(service: DefaultNetworkClient) async throws {
    let users = try await service.request(EndpointBuilder<[User]>.get("/users").header("X-Custom-Header", value: "value"))
    print(users.count)
    _ = users
  }

  static func example4(service: DefaultNetworkClient) async throws {
    do {
      _ = try await service.request(EndpointBuilder<User>.get("/users/1"))
    } catch {
      switch error {
      case .configuration(reason: .invalidBaseURL(let url)): print("Invalid URL: \(url)")
      case .statusCode(let response): print("HTTP \(response.statusCode): \(String(decoding: response.data, as: UTF8.self))")
      case .decoding: print("Failed to decode response: \(error)")
      case .timeout, .reachability: print("URL error: \(error)")
      default: print("Network error: \(error)")
      }
    }
  }
}
