import Linnet
import Testing

@Suite struct ResponseCacheKeyTests {
  private func key(_ url: String = "https://h/a", _ headers: HTTPHeaders = [:], method: String = "GET")
    -> ResponseCacheKey
  {
    ResponseCacheKey(method: method, url: url, headers: headers)
  }

  @Test(
    "scheme and host in lower case, no default port, no fragment, no user; query as it is",
    arguments: [
      ("HTTPS://Example.COM/A?b=1&a=2&a=2#top", "https://example.com/A?b=1&a=2&a=2"),
      ("https://h:443/", "https://h/"), ("https://h", "https://h/"), ("http://h:8080/x", "http://h:8080/x"),
      ("https://u:p@h/x", "https://h/x"), ("no url#x", "no url"),
    ])
  func urls(url: String, expected: String) { #expect(key(url).url == expected) }

  @Test("order and repeats in the query make other keys, and so does the method's case")
  func differences() {
    #expect(key("https://h/?a=1&b=2") != key("https://h/?b=2&a=1"))
    #expect(key("https://h/?a=1") != key("https://h/?a=1&a=1"))
    #expect(key(method: "get") != key(method: "GET"))
    #expect(key("https://h/a") == key("https://H:443/a#x"))
  }

  @Test("headers count without regard to order and case of their names; repeats are joined")
  func headers() {
    #expect(key("https://h/", ["A": "1", "B": "2"]) == key("https://h/", ["b": "2", "a": "1"]))
    let repeats: HTTPHeaders = [HTTPHeader("A", "1"), HTTPHeader("a", "2")]
    #expect(key("https://h/", repeats).headers == ["a": "1, 2"])
    #expect(key("https://h/", ["Accept-Language": "de"]) != key("https://h/", ["Accept-Language": "en"]))
  }

  @Test("headers that do not choose the response, or differ from request to request, are left out")
  func exclusions() {
    var headers = HTTPHeaders()
    for name in ResponseCacheKey.defaultExcludedHeaderNames { headers.add(name.uppercased(), "x") }
    #expect(key("https://h/", headers) == key("https://h/"))
    for name in [
      "accept-encoding", "content-type", "date", "if-modified-since", "if-none-match", "user-agent", "traceparent",
      "x-trace-id", "x-correlation-id", "idempotency-key",
    ] {
      #expect(ResponseCacheKey.defaultExcludedHeaderNames.contains(name), "\(name)")
    }
    let own = ResponseCacheKey(method: "GET", url: "https://h/", headers: ["A": "1"], excludedHeaderNames: ["a"])
    #expect(own.headers.isEmpty)
  }

  @Test(
    "credentials appear as fingerprints",
    arguments: ["Authorization", "Cookie", "Proxy-Authorization", "X-API-Key", "x-auth-token"])
  func credentials(name: String) {
    let first = key("https://h/", [name: "secret"])
    #expect(first.headers.values.allSatisfy { $0.hasPrefix("sha256:") && $0.utf8.count == 71 })
    #expect(first == key("https://h/", [name: "secret"]))
    #expect(first != key("https://h/", [name: "secret2"]))
  }

  @Test("the fingerprint is SHA-256 in hexadecimal digits")
  func fingerprint() {
    #expect(
      key("https://h/", ["Authorization": "abc"]).headers["authorization"]
        == "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }

  @Test("names that one key was given do not affect another")
  func ownNames() {
    let mine = ResponseCacheKey(
      method: "GET", url: "https://h/", headers: ["X-Tenant": "1"], sensitiveHeaderNames: ["x-TENANT"])
    #expect(mine.headers["x-tenant"]?.hasPrefix("sha256:") == true)
    #expect(key("https://h/", ["X-Tenant": "1"]).headers["x-tenant"] == "1")
  }
}
