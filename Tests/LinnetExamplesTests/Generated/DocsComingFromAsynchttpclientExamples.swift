// Written by .ci/doc-examples from docs/coming-from/asynchttpclient.md: edit that.
// swift-format-ignore-file

import LinnetHTTP

enum DocsComingFromAsynchttpclientExamples {
  static func example1() async throws {
    let client = HTTPClient()
    var request = HTTPRequest.get("https://example.com/")
    request.options.timeouts.total = .after(.seconds(30))
    let response = try await client.send(request)
    let body = try await response.collect(upTo: 1 << 20)
    print(response.status, body.count)
    _ = client
    _ = request
    _ = response
    _ = body
  }

  static func example2(client: HTTPClient) async throws {
    var request = HTTPRequest(method: .post, url: "https://example.com/items", body: .text("{}"))
    try request.headers.add(name: "Content-Type", value: "application/json")
    print(try await client.send(request).status)
    _ = request
  }

  static func example3(client: HTTPClient, chunks: AsyncStream<ByteChunk>) async throws {
    let response = try await client.send(.post("https://example.com/echo", body: .oneShot(chunks)))
    for try await chunk in response.body { print(chunk.count) }
    _ = response
  }

  static func example4() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.timeouts.connect = .seconds(5)
    configuration.pool.maximumConnectionsPerOrigin = 8
    configuration.tls.trustRoots = .systemAnd([.file("ca.pem")])
    configuration.resolveOverrides["api.example.com"] = ["127.0.0.1"]
    let configured = HTTPClient(configuration: configuration)
    print(try await configured.send(.get("https://api.example.com/")).status)
    _ = configuration
    _ = configured
  }

  static func example5(client: HTTPClient) async throws {
    do {
      _ = try await client.send(.get("https://example.com/"))
    } catch {
      if error.code == .connectTimeout { print("tried \(error.peers)") }
    }
  }
}
