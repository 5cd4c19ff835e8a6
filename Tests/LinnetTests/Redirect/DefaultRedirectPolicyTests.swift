import FoundationEssentials
import Linnet
import Testing

@Suite struct DefaultRedirectPolicyTests {
  private func decide(
    _ policy: DefaultRedirectPolicy = DefaultRedirectPolicy(), from: String = "https://a.example/1", to: String,
    method: HTTPMethod = .get, headers: HTTPHeaders = [:], original: HTTPHeaders? = nil, body: HTTPRequestBody? = nil
  ) -> HTTPRequest? {
    let first = HTTPRequest(method: method, url: from, headers: original ?? headers, body: body)
    let response = Response(
      statusCode: 307, data: Data(), request: first, response: ResponseHead(status: .temporaryRedirect))
    return policy.redirect(
      request: HTTPRequest(method: method, url: to, headers: headers, body: body), response: response,
      originalRequest: first)
  }

  @Test(
    "targets that are not HTTP, and HTTP after HTTPS, are refused",
    arguments: ["ftp://a.example/", "wss://a.example/", "http://a.example/1", "http://b.example/", "no url", ""])
  func refusedTargets(target: String) { #expect(decide(to: target) == nil) }

  @Test("a downgrade is allowed when that was asked for, and is another origin all the same")
  func downgrade() {
    let policy = DefaultRedirectPolicy(allowsHTTPSDowngrade: true)
    let next = decide(policy, to: "http://a.example/", headers: ["Authorization": "t", "X-A": "1"])
    #expect(next?.headers.isEmpty == true)
    #expect(decide(from: "http://a.example/", to: "http://a.example/2", headers: ["X-A": "1"])?.headers.count == 1)
    #expect(
      decide(from: "http://a.example/", to: "https://a.example/2", headers: ["X-A": "1"])?.headers.isEmpty == true)
  }

  @Test("the downgrade is judged by the hop, not by the first request")
  func downgradeOfTheHop() {
    let original = HTTPRequest.get("http://a.example/")
    let hop = HTTPRequest.get("https://b.example/")
    let response = Response(statusCode: 302, data: Data(), request: hop, response: ResponseHead(status: .found))
    let next = DefaultRedirectPolicy().redirect(
      request: .get("http://a.example/2"), response: response, originalRequest: original)
    #expect(next == nil)
  }

  @Test("another origin gets no unsafe method", arguments: ["POST", "PUT", "PATCH", "DELETE", "PURGE", "get", "post"])
  func unsafeMethods(method: String) throws {
    let method = try #require(HTTPMethod(rawValue: method))
    #expect(decide(to: "https://b.example/", method: method) == nil)
    #expect(decide(to: "https://a.example/2", method: method) != nil)
    let policy = DefaultRedirectPolicy(allowsCrossOriginUnsafeMethodRedirects: true)
    #expect(decide(policy, to: "https://b.example/", method: method)?.method == method)
  }

  @Test("another origin gets safe methods", arguments: [HTTPMethod.get, .head, .options, .trace])
  func safeMethods(method: HTTPMethod) { #expect(decide(to: "https://b.example/", method: method)?.method == method) }

  @Test(
    "an origin is scheme, host without case, and effective port",
    arguments: [
      ("https://A.example/1", "https://a.EXAMPLE:443/2", true), ("https://a.example", "https://a.example:8443/", false),
      ("https://a.example:8443/", "https://a.example:8443/x", true),
      ("https://a.example/", "https://x.a.example/", false),
      ("http://a.example:80/", "http://a.example/", true), ("http://a.example:443/", "https://a.example:443/", false),
      ("https://[::1]/", "https://[0:0::1]/", true),
    ])
  func origins(from: String, to: String, isSame: Bool) {
    #expect(decide(from: from, to: to, headers: ["Authorization": "t"])?.headers.isEmpty == !isSame)
  }

  @Test("everything is kept within an origin")
  func sameOrigin() {
    let next = decide(
      to: "https://a.example/2", method: .post, headers: ["Authorization": "t", "Cookie": "c", "X-A": "1"],
      body: .text("b"))
    #expect(next?.headers.count == 3)
    #expect(next?.body != nil)
  }

  @Test(
    "names of credentials are known, without case",
    arguments: [
      "authorization", "COOKIE", "Proxy-Authorization", "X-Access-Token", "X-Amz-Security-Token", "X-API-Key",
      "X-Auth-Token", "X-CSRF-Token", "X-Refresh-Token", "X-Session-Token", "X-Token", "x-own",
    ])
  func credentials(name: String) {
    let policy = DefaultRedirectPolicy(additionalSensitiveHeaders: ["X-Own"])
    let next = decide(policy, to: "https://b.example/", headers: [name: "secret", "X-Other": "1"], original: [:])
    #expect(next?.headers == ["X-Other": "1"])
  }

  @Test("the caller's headers go, also those that carry no credentials")
  func callersHeaders() {
    let next = decide(
      to: "https://b.example/", headers: ["accept": "a/b", "X-New": "1"], original: ["Accept": "a/b", "X-Gone": "1"])
    #expect(next?.headers == ["X-New": "1"])
  }

  @Test("the defaults are the safe ones")
  func defaults() {
    let policy = DefaultRedirectPolicy()
    #expect(policy.additionalSensitiveHeaders.isEmpty)
    #expect(!policy.allowsHTTPSDowngrade && !policy.allowsCrossOriginUnsafeMethodRedirects)
    #expect(policy.refusal == .deliversResponse)
  }
}
