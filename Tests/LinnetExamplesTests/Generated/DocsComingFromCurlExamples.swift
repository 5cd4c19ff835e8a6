// Written by .ci/doc-examples from docs/coming-from/curl.md: edit that.
// swift-format-ignore-file

import LinnetHTTP

enum DocsComingFromCurlExamples {
  static func example1() async throws {
    let client = HTTPClient()
    print(try await client.send(.get("https://example.com/")).text())
    _ = client
  }

  static func example2(client: HTTPClient) async throws {
    var request = HTTPRequest.post("https://example.com/items", body: .text(#"{"a":1}"#))
    try request.headers.add(name: "Content-Type", value: "application/json")
    print(try await client.send(request).text())
    _ = request
  }

  static func example3(client: HTTPClient) async throws {
    var request = HTTPRequest.get("https://example.com/private")
    request.options.credentials = .basic(user: "name", password: "password")
    print(try await client.send(request).status)
    _ = request
  }

  static func example4() async throws {
    let jar = CookieJar()
    var configuration = HTTPClientConfiguration()
    configuration.cookies = .jar(jar)
    let session = HTTPClient(configuration: configuration)
    try await jar.load(netscapeFile: "cookies.txt")
    print(try await session.send(.get("https://example.com/")).history.count)
    try await jar.save(netscapeFile: "cookies.txt")
    _ = jar
    _ = configuration
    _ = session
  }

  static func example5() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.proxy = .fixed(try HTTPProxy("http://name:password@proxy:3128"), exceptions: [".internal"])
    print(try await HTTPClient(configuration: configuration).send(.get("https://example.com/")).status)
    _ = configuration
  }

  static func example6(client: HTTPClient) async throws {
    print(try await client.send(.put("https://example.com/report.pdf", body: .file("report.pdf"))).status)
  }

  static func example7() async throws {
    var configuration = HTTPClientConfiguration()
    configuration.tls.trustRoots = .only([.file("ca.pem")])
    configuration.tls.clientIdentity = .init(certificates: .file("me.pem"), privateKey: .file("me.key"))
    configuration.resolveOverrides["api.test:443"] = ["127.0.0.1"]
    let site = HTTPClient(configuration: configuration)
    print(try await site.send(.get("https://api.test/")).status)
    _ = configuration
    _ = site
  }

  static func example8(client: HTTPClient) async throws {
    var request = HTTPRequest.get("http://localhost/version")
    request.options.connectTarget = .unixSocket("/run/docker.sock")
    print(try await client.send(request).text())
    _ = request
  }

  static func example9(client: HTTPClient) async throws {
    var request = HTTPRequest.get("https://example.com/slow")
    request.options.timeouts.total = .after(.seconds(60))
    request.options.timeouts.connect = .after(.seconds(5))
    print(try await client.send(request).status)
    _ = request
  }
}
