import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Default headers")
struct DefaultHeadersTests {
  @Test(
    "Languages come from the environment, in gettext's order",
    arguments: [
      ([:], []),
      (["LANG": "C"], []), (["LANG": "C.UTF-8", "LANGUAGE": "de"], []), (["LANG": "POSIX"], []),
      (["LANG": "de_DE.UTF-8"], ["de-DE"]),
      (["LANG": "de_DE.UTF-8@euro", "LC_MESSAGES": "fr_FR"], ["fr-FR"]),
      (["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "ko_KR.UTF-8"], ["ko-KR"]),
      (["LANG": "de_DE", "LC_ALL": ""], ["de-DE"]),
      (["LANG": "de_DE", "LANGUAGE": "de_AT:de:en:de"], ["de-AT", "de", "en"]),
      (["LANG": "bad tag"], []), (["LANG": "de_DE", "LANGUAGE": "x\r\ny:fr"], ["fr"]),
    ] as [([String: String], [String])])
  func languages(environment: [String: String], expected: [String]) {
    #expect(PreferredLanguages.list(environment) == expected)
  }

  @Test("Accept-Language has falling weights, at most six languages, and only language tags")
  func acceptLanguage() {
    let header = HTTPHeader.makeDefaultAcceptLanguage(
      preferredLanguages: ["ko-KR", "en", "bad tag", "de", "fr", "es", "it", "pt"])
    #expect(header.name == "Accept-Language")
    #expect(header.value == "ko-KR, en;q=0.9, de;q=0.8, fr;q=0.7, es;q=0.6, it;q=0.5")
  }

  @Test("User-Agent names program, version, library and system; what is no token becomes a hyphen")
  func userAgent() {
    let value = HTTPHeader.makeDefaultUserAgent(executable: "my tool\r\n", version: "1.2 beta").value
    #expect(value.hasPrefix("my-tool--/1.2-beta linnet/\(LinnetLibrary.version) (Linux "))
    #expect(HTTPHeader.makeDefaultUserAgent(executable: "").value.hasPrefix("linnet/"))
    #expect(HTTPHeader.defaultUserAgent.value.hasSuffix(")"))
  }

  private static func sent(
    _ transport: TransportPack, headers: HTTPHeaders = .default, client: HTTPHeaders = [:]
  ) async throws -> RecordedRequest {
    try await ClientFixture.with(.handler { _ in .item }) {
      .local($0, transport: transport).defaultHeaders(client)
    } _: { fixture in
      _ = try await fixture.client.request(EndpointBuilder<Item>.get("/a").headers(headers))
      return try await fixture.server.waitForRequests(1)[0]
    }
  }

  @Test("Without other wishes the library's User-Agent goes out, and the engine asks for what it decodes")
  func defaults() async throws {
    let seen = try await Self.sent(TransportPack(allowsInsecureHTTP: true))
    #expect(seen.headers.values(for: "User-Agent") == [HTTPHeader.defaultUserAgent.value])
    #expect(seen.headers.values(for: "Accept-Encoding") == ["gzip, deflate"])
    #expect(seen.headers.values(for: "Accept") == ["*/*"])
  }

  @Test("Providers are asked for each request, and only while the header still has the library's value")
  func providers() async throws {
    let pack = TransportPack(
      allowsInsecureHTTP: true, userAgentProvider: { "agent/1" }, acceptLanguageProvider: { "ko" })
    let seen = try await Self.sent(pack)
    #expect(seen.headers.values(for: "User-Agent") == ["agent/1"])
    #expect(seen.headers.values(for: "Accept-Language") == ["ko"])
    let endpoint = try await Self.sent(pack, headers: ["User-Agent": "own/1", "Accept-Language": "de"])
    #expect(endpoint.headers.values(for: "User-Agent") == ["own/1"])
    #expect(endpoint.headers.values(for: "Accept-Language") == ["de"])
    let client = try await Self.sent(pack, client: ["User-Agent": "client/1"])
    #expect(client.headers.values(for: "User-Agent") == ["client/1"])
  }

  @Test("A provider that returns nil sends no such header")
  func noHeader() async throws {
    let seen = try await Self.sent(
      TransportPack(allowsInsecureHTTP: true, userAgentProvider: { nil }, acceptLanguageProvider: { nil }))
    #expect(seen.headers["User-Agent"] == nil)
    #expect(seen.headers["Accept-Language"] == nil)
  }

  @Test("The default Accept-Encoding in an endpoint's headers changes nothing: bodies are decoded")
  func acceptEncoding() async throws {
    let seen = try await Self.sent(TransportPack(allowsInsecureHTTP: true), headers: [.defaultAcceptEncoding])
    #expect(seen.headers.values(for: "Accept-Encoding") == ["gzip, deflate"])
  }
}
