// Written by .ci/doc-examples from docs/coming-from/swiftaiboilerplate-networking.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum DocsComingFromSwiftaiboilerplateNetworkingExamples {
  struct User: Codable, Sendable {
    let id: Int
    let name: String
  }

  struct Conversation: Decodable, Sendable {
    let id: Int
  }

  @APIDefinition(method: .post, path: "/conversations", auth: .required)
  struct CreateConversation {
    struct Payload: Encodable, Sendable {
      let title: String
    }

    typealias APIResponse = Conversation

    let body: Payload
  }

  struct AnalyticsInterceptor: RequestInterceptor {
    let log: @Sendable (_ path: String, _ method: String) -> Void

    func adapt(_ request: HTTPRequest) async throws -> HTTPRequest {
      log(try request.parsedURL().path, request.method.rawValue)
      return request
    }
  }

  static func example1(client: DefaultNetworkClient) async throws {
    let (user, response) = try await client.requestWithResponse(
      EndpointBuilder<User>.get("/users/123")
        .header("Accept", value: "application/json")
        .query(["expand": "profile"]))
    print(user.name, response.statusCode, response.requestID ?? "-")
  }

  static func example2(client: DefaultNetworkClient) async throws {
    let response = try await client.perform(.get("https://api.example.com/users/123"))
    let user = try JSONDecoder().decode(User.self, from: response.data)
    print(user.name)
    _ = response
    _ = user
  }

  static func example3(client: DefaultNetworkClient) async throws {
    let conversation = try await client.request(CreateConversation(body: .init(title: "New Chat")))
    print(conversation.id)
    _ = conversation
  }

  static func example4(tokens: any TokenProvider, proxyURL: URL) async throws {
    let client = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: proxyURL,
        resilience: ResiliencePack(retry: .exponential(maxRetries: 2, baseDelay: 0.5, maxDelay: 8)),
        auth: AuthPack(additionalRequestInterceptors: [
          HeadersInterceptor(appVersion: "1.0.0"), BearerTokenInterceptor(tokenProvider: tokens),
        ])
      ).defaultHeaders(["Accept": "application/json"]))
    _ = client
  }

  static func example5() async throws {
    let waiting = DefaultNetworkClient(
      configuration: .safeDefaults(baseURL: URL(string: "https://unconfigured.invalid")!), transport: UnconfiguredTransport())
    _ = waiting
  }

  static func example6(client: DefaultNetworkClient) async throws {
    do {
      _ = try await client.request(EndpointBuilder<User>.get("/users/123"))
    } catch {
      if error.isOffline { print("Offline") }
      if error.isTimeout { print("Timed out") }
      if let status = error.httpStatusCode { print(status, error.serverMessage ?? "Server error") }
      print(error.urlErrorCode ?? 0, error.errorDescription ?? "")
    }
  }
}
