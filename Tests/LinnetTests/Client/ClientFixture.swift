import FoundationEssentials
import Linnet
import LinnetTestSupport

/// A typed client in front of a scripted server on the loopback interface.
struct ClientFixture {
  let server: ScriptedServer
  let client: DefaultNetworkClient

  var baseURL: URL { Self.url(server.url("/api")) }

  /// Runs `body` with a client of the server; both are stopped afterwards.
  static func with<R>(
    _ script: ServerScript, path: String = "/api", transport: TransportPack = TransportPack(allowsInsecureHTTP: true),
    resilience: ResiliencePack = ResiliencePack(), auth: AuthPack = AuthPack(), cache: CachePack = CachePack(),
    configure: (NetworkConfiguration) -> NetworkConfiguration = { $0 }, _ body: (ClientFixture) async throws -> R
  ) async throws -> R {
    let server = try ScriptedServer.start(script)
    defer { server.stop() }
    let configuration = configure(
      .advanced(
        baseURL: url(server.url(path)), resilience: resilience, auth: auth, cache: cache, transport: transport))
    let client = DefaultNetworkClient(configuration: configuration)
    do {
      let result = try await body(ClientFixture(server: server, client: client))
      await client.shutdown()
      return result
    } catch {
      await client.shutdown()
      throw error
    }
  }

  static func url(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }
}

/// A JSON object as the tests' responses have it.
struct Item: Codable, Sendable, Hashable {
  var id: Int
  var name: String
}

struct GetItem: APIDefinition {
  typealias APIResponse = Item
  var id = 1
  var method: HTTPMethod { .get }
  var path: String { "/items/\(id)" }
  var sessionAuthentication: SessionAuthentication { .anonymous }
}

extension ServerResponse {
  /// 200 with JSON.
  static func json(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status, headers: [HeaderLine("Content-Type", "application/json")], body: ServerBody(bytes: Array(text.utf8)))
  }

  /// The item that the tests ask for.
  static var item: ServerResponse { .json(#"{"id":1,"name":"a"}"#) }
}
