import Foundation
import Linnet
import LinnetHTTP
import LinnetTestSupport

/// A server on the loopback interface that stands in for the hosts of a document, and the engine settings that lead
/// there: `https://api.example.com` is connected to it, with its name in the handshake and its certificate checked.
struct PageServer: Sendable {
  static let host = "api.example.com"
  /// The server of the running example.
  @TaskLocal static var current: PageServer?

  let server: ScriptedServer
  let engine: HTTPClientConfiguration

  /// Runs an example against a server that answers as `answer` says, and returns what the server received.
  static func answering(
    overTLS isTLS: Bool = true, _ answer: @escaping @Sendable (RecordedRequest) -> ServerResponse,
    during example: () async throws -> Void
  ) async throws -> [RecordedRequest] {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    if isTLS { options.tls = ServerTLS(try certificates.server(dnsNames: [host, "other.example.com", "localhost"])) }
    let server = try ScriptedServer.start(.handler(answer), options: options)
    defer { server.stop() }
    var engine = HTTPClientConfiguration()
    engine.connectTarget = .host("127.0.0.1", port: Int(server.port))
    engine.tls.trustRoots = .only([.file(certificates.authorityFile)])
    try await $current.withValue(PageServer(server: server, engine: engine)) { try await example() }
    return server.snapshot.requests
  }
}

/// The scope of an example that makes its own client. The text `DefaultNetworkClient(baseURL: …)` means the functions
/// below there: the same initialisers, with an engine that is led to the server of the example.
protocol PageExample {}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension PageExample {
  static func DefaultNetworkClient(baseURL: URL) -> Linnet.DefaultNetworkClient {
    DefaultNetworkClient(configuration: .safeDefaults(baseURL: baseURL))
  }

  static func DefaultNetworkClient(configuration: NetworkConfiguration) -> Linnet.DefaultNetworkClient {
    guard let page = PageServer.current else { return Linnet.DefaultNetworkClient(configuration: configuration) }
    return Linnet.DefaultNetworkClient(configuration: configuration.engine(page.engine))
  }
}

extension ServerResponse {
  /// A JSON answer.
  static func json(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status, headers: [HeaderLine("Content-Type", "application/json")], body: ServerBody(bytes: Array(text.utf8)))
  }
}
