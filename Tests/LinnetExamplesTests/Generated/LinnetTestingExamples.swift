// Written by .ci/doc-examples from Sources/Linnet/Linnet.docc/Testing.md: edit that.
// swift-format-ignore-file

import Foundation
import Linnet
import LinnetTestSupport

enum LinnetTestingExamples {
  struct User: Codable, Sendable {
    let id: Int
    let name: String
  }

  @APIDefinition(method: .get, path: "/users/{id}", auth: .anonymous)
  struct GetUser {
    typealias APIResponse = User

    let id: Int
  }

  static func greeting(of id: Int, by client: any NetworkClient) async throws -> String {
    "Hello, \(try await client.request(GetUser(id: id)).name)!"
  }

  static func example1() async throws {
    let stub = StubNetworkClient()
    stub.register(User(id: 1, name: "Ada"), for: GetUser(id: 1))
    print(try await greeting(of: 1, by: stub))
    _ = stub
  }

  static func example2() async throws {
    let transport = MockTransport()
    try transport.setMockJSON(User(id: 1, name: "Ada"))
    let client = DefaultNetworkClient(
      configuration: .safeDefaults(baseURL: URL(string: "https://api.example.com/v1")!), transport: transport)
    print(try await greeting(of: 1, by: client))
    print(transport.capturedRequest?.url ?? "nothing was sent")
    _ = transport
    _ = client
  }

  static func example3() async throws {
    let server = try ScriptedServer.start(.handler { request in
      request.path == "/users/1" ? .text(#"{"id": 1, "name": "Ada"}"#) : ServerResponse(404)
    })
    defer { server.stop() }
    let client = DefaultNetworkClient(
      configuration: .advanced(
        baseURL: URL(string: server.url("/"))!, transport: TransportPack(allowsInsecureHTTP: true)))
    print(try await greeting(of: 1, by: client))
    _ = server
    _ = client
  }
}
