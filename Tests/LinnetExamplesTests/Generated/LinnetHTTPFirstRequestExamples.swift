// Written by .ci/doc-examples from Sources/LinnetHTTP/LinnetHTTP.docc/FirstRequest.md: edit that.
// swift-format-ignore-file

import LinnetHTTP

enum LinnetHTTPFirstRequestExamples {
  static func example1() async throws {
    let client = HTTPClient()
    let response = try await client.send(.get("https://example.com/"))
    print(response.status, response.headers["Content-Type"] ?? "-")
    print(try await response.text())
    _ = client
    _ = response
  }

  static func example2(client: HTTPClient) async throws {
    let missing = try await client.send(.get("https://example.com/missing"))
    guard missing.status.code == 200 else {
      print("the server says \(missing.status)")
      return
    }
    _ = missing
  }

  static func example3(client: HTTPClient) async throws {
    var request = HTTPRequest.post("https://api.example.com/items", body: .text(#"{"name":"linnet"}"#))
    try request.headers.add(name: "Content-Type", value: "application/json")
    request.headers[.authorization] = "Bearer token"
    let created = try await client.send(request)
    print(created.status, created.headers["Location"] ?? "-")
    _ = request
    _ = created
  }

  static func example4() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .systemAnd([.file("/etc/mycompany/ca.pem")])
    configuration.resolveOverrides["api.test:443"] = ["127.0.0.1"]
    configuration.pool.maximumConnectionsPerOrigin = 8
    let client = HTTPClient(configuration: configuration)
    _ = configuration
    _ = client
  }

  static func example5(client: HTTPClient) async throws {
    var version = HTTPRequest.get("http://localhost/version")
    version.options.connectTarget = .unixSocket("/run/docker.sock")
    print(try await client.send(version).text())
    _ = version
  }

  static func example6(client: HTTPClient) async throws {
    var request = HTTPRequest.get("https://example.com/")
    request.options.onEvent = { event in
      if case .connection(let connection) = event { print("on \(connection.peerAddress)") }
    }
    let response = try await client.send(request)
    print(response.connection.isReused, response.connection.tls?.version ?? "clear text")
    _ = request
    _ = response
  }
}
