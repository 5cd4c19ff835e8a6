// Written by .ci/doc-examples from Sources/LinnetHTTP/LinnetHTTP.docc/ProxiesAndAddresses.md: edit that.
// swift-format-ignore-file

import Linnet

enum LinnetHTTPProxiesAndAddressesExamples {
  static func example1() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.proxy = .environment
    configuration.proxy.usesNoProxyVariable = false
    configuration.proxy.exceptions = ["localhost", "10.0.0.0/8", ".internal:8080"]
    let client = HTTPClient(configuration: configuration)
    print(try await client.send(.get("https://example.com/")).connection.proxy?.name ?? "direct")
    _ = configuration
    _ = client
  }

  static func example2(client: HTTPClient) async throws {
    do {
      _ = try await client.send(.get("https://example.com/"))
    } catch {
      guard error.phase == .proxy else { throw error }
      print(error.reason, error.proxyResponse?.head.status ?? .ok)  // the proxy http://…: 407, 403, or not a proxy at all
    }
  }
}
