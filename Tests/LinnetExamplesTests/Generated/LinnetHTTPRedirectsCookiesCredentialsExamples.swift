// Written by .ci/doc-examples from Sources/LinnetHTTP/LinnetHTTP.docc/RedirectsCookiesCredentials.md: edit that.
// swift-format-ignore-file

import Linnet

enum LinnetHTTPRedirectsCookiesCredentialsExamples {
  static func example1(client: HTTPClient) async throws {
    var request = HTTPRequest.get("https://example.com/")
    var policy = HTTPRedirectPolicy.follow
    policy.maximumHops = 5
    policy.additionalSensitiveHeaders = ["X-Tenant"]
    policy.decide = { redirect in
      redirect.history.isEmpty ? .follow : .deliver  // one hop; then the redirection itself is the response
    }
    request.options.redirects = policy
    let response = try await client.send(request)
    print(response.status, response.url, response.history.count)
    _ = request
    _ = policy
    _ = response
  }

  static func example2() async throws {
    let jar = CookieJar()
    do {
      try await jar.load(netscapeFile: "cookies.txt")
    } catch {
      guard error.reason == .notFound else { throw error }  // the first run
    }
    var configuration = HTTPClientConfiguration()
    configuration.cookies = .jar(jar)
    let client = HTTPClient(configuration: configuration)
    print(try await client.send(.get("https://example.com/")).status, jar.cookies.count)
    _ = jar
    _ = configuration
    _ = client
  }

  static func example3() async throws {
    var configuration = HTTPClientConfiguration()
    let origin = try Origin(scheme: .https, host: "api.example.com")
    configuration.credentials[origin] = .digest(user: "ada", password: "secret")
    let client = HTTPClient(configuration: configuration)
    print(try await client.send(.get("https://api.example.com/private")).status)
    _ = configuration
    _ = origin
    _ = client
  }
}
