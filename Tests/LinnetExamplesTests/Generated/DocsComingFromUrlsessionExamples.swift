// Written by .ci/doc-examples from docs/coming-from/urlsession.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet

enum DocsComingFromUrlsessionExamples {
  struct User: Codable, Sendable {
    let id: Int
    let name: String
  }

  static func example1() async throws {
    let client = DefaultNetworkClient(baseURL: URL(string: "https://api.example.com")!)
    let user = try await client.request(EndpointBuilder<User>.get("/users/1"))
    print(user.name)
    _ = client
    _ = user
  }

  static func example2() async throws {
    let raw = HTTPClient()
    let response = try await raw.send(.get("https://api.example.com/users/1"))
    print(response.status.code, response.headers["Content-Type"] ?? "-", try await response.text())
    _ = raw
    _ = response
  }

  static func example3(raw: HTTPClient) async throws {
    var request = HTTPRequest.post("https://api.example.com/users", body: .text(#"{"name":"Ada"}"#))
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
    print(try await raw.send(request).status)
    _ = request
  }

  static func example4(raw: HTTPClient) async throws {
    for try await chunk in try await raw.send(.get("https://example.com/large")).body {
      print(chunk.count)
    }
  }

  static func example5(raw: HTTPClient) async throws {
    let uploaded = try await raw.send(.put("https://example.com/report", body: .file("/tmp/report.pdf")))
    print(uploaded.status)
    _ = uploaded
  }

  static func example6(raw: HTTPClient, client: DefaultNetworkClient) async throws {
    do {
      _ = try await raw.send(.get("https://example.com/"))
    } catch {
      if error.code.isTimeout { print("timed out while in \(error.phase)") }
    }
    do {
      _ = try await client.request(EndpointBuilder<User>.get("/users/1"))
    } catch {
      print(error.urlErrorCode ?? 0, error)
    }
  }

  static func example7(client: DefaultNetworkClient) async throws {
    let task = Task { try await client.request(EndpointBuilder<User>.get("/users/1"), tag: "profile") }
    await client.cancelAll(matching: "profile")
    task.cancel()
    _ = task
  }
}
