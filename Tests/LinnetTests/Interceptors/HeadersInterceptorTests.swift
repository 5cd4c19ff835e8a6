import Linnet
import LinnetHTTP
import Testing

@Suite("Interceptors: application headers")
struct HeadersInterceptorTests {
  @Test("version, platform and device are sent in four headers, and the extras after them")
  func all() async throws {
    let interceptor = HeadersInterceptor(
      appVersion: "2.4.1", platform: "Linux", deviceModel: "thing", extraHeaders: ["X-Tenant": "acme"])
    let headers = try await interceptor.adapt(.get("https://example.com/")).headers
    #expect(
      headers == [
        "User-Agent": "2.4.1 Linux thing", "X-App-Version": "2.4.1", "X-Platform": "Linux", "X-Device-Model": "thing",
        "X-Tenant": "acme",
      ])
  }

  @Test("headers that are there are kept, in any case")
  func keeps() async throws {
    let request = HTTPRequest.get("https://example.com/", headers: ["user-agent": "mine", "x-tenant": "mine"])
    let interceptor = HeadersInterceptor(appVersion: "1", extraHeaders: ["X-Tenant": "acme"])
    let headers = try await interceptor.adapt(request).headers
    #expect(headers.values(for: "User-Agent") == ["mine"])
    #expect(headers.values(for: "X-Tenant") == ["mine"])
    #expect(headers["X-Platform"] == HeadersInterceptor.platform)
    #expect(HeadersInterceptor.platform == "Linux")
    #expect(HeadersInterceptor.architecture != "unknown")
  }

  @Test("the library's own User-Agent is not the application's, and is replaced")
  func libraryDefault() async throws {
    let request = HTTPRequest.get("https://a.test/", headers: .default)
    let headers = try await HeadersInterceptor(appVersion: "7", platform: "P", deviceModel: "D").adapt(request).headers
    #expect(headers.values(for: "User-Agent") == ["7 P D"])
  }

  @Test("a repeated extra header stays repeated")
  func repeats() async throws {
    var extra = HTTPHeaders()
    extra.add("X-Feature", "a")
    extra.add("X-Feature", "b")
    let headers = try await HeadersInterceptor(appVersion: "1", extraHeaders: extra).adapt(.get("https://a.test/"))
      .headers
    #expect(headers.values(for: "X-Feature") == ["a", "b"])
  }
}
