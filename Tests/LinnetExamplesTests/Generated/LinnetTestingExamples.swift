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

  static func example2(stub: StubNetworkClient) async throws {
    stub.registerFailure(.timeout(reason: .requestTimeout, underlying: nil), for: GetUser(id: 2))
    stub.registerFailure(status: 404, for: GetUser(id: 3))
  }

  static func example3() async throws {
    let transport = MockTransport()
    try transport.setMockJSON(User(id: 1, name: "Ada"))
    let client = DefaultNetworkClient(
      configuration: .safeDefaults(baseURL: URL(string: "https://api.example.com/v1")!), transport: transport)
    print(try await greeting(of: 1, by: client))
    print(transport.capturedRequest?.url ?? "nothing was sent")
    _ = transport
    _ = client
  }

  static func example4(transport: MockTransport) async throws {
    transport.setScriptedResponses([.http(statusCode: 503), try .json(User(id: 1, name: "Ada"))])
  }

  static func example5(configuration: NetworkConfiguration) async throws {
    let recorder = VCRTransport(mode: .record, recordingTransport: HTTPClient())
    print(try await greeting(of: 1, by: DefaultNetworkClient(configuration: configuration, transport: recorder)))
    try recorder.cassette.write(to: "users.json")
    let cassette = VCRTransport(cassette: try .load(from: "users.json"), mode: .replay)
    print(try await greeting(of: 1, by: DefaultNetworkClient(configuration: configuration, transport: cassette)))
    _ = recorder
    _ = cassette
  }

  static func example6() async throws {
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
