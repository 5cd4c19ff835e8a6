import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// A place from which a header can come, from the weakest to the strongest.
private enum Level: Int, CaseIterable, CustomTestStringConvertible {
  case client, endpoint, bodyContentType, idempotencyKey, clientInterceptor, endpointInterceptor, token, clientSigner,
    endpointSigner

  var testDescription: String { "\(self)" }
}

@Suite("Header precedence")
struct HeaderPrecedenceTests {
  /// What the server would see of `name` when these levels set it, each to its own name.
  private static func sent(_ name: String, by levels: [Level]) async throws -> [String] {
    let mock = MockTransport.item
    func value(_ level: Level) -> HTTPHeaders { levels.contains(level) ? [name: "\(level)"] : [:] }
    func change(_ level: Level) -> RequestChange {
      RequestChange { if levels.contains(level) { $0.headers.update(name, "\(level)") } }
    }
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(
        baseURL: $0,
        resilience: ResiliencePack(
          idempotency: levels.contains(.idempotencyKey)
            ? .automaticForUnsafeMethods(headerName: name) { _ in "idempotencyKey" } : nil),
        auth: AuthPack(
          refreshToken: RefreshTokenPolicy(
            currentToken: { "t" }, refreshToken: { "t" },
            applyToken: { token, request in
              var request = request
              if levels.contains(.token) { request.headers.update(name, "token") }
              return request
            }),
          additionalRequestInterceptors: [change(.clientInterceptor)],
          additionalSigners: [HeaderSigner(headers: value(.clientSigner))])
      ).defaultHeaders(value(.client))
    }
    var base = EndpointBuilder<Item>.post("/a").headers(value(.endpoint)).authentication(.optional)
    if levels.contains(.bodyContentType) {
      base = base.textBody("x", contentType: "bodyContentType")
    }
    let endpoint = HookedEndpoint(
      base: base, requestInterceptors: [change(.endpointInterceptor)],
      requestSigners: [HeaderSigner(headers: value(.endpointSigner))])
    _ = try await client.request(endpoint)
    return mock.capturedRequest?.headers.values(for: name) ?? []
  }

  @Test("Each level wins over those before it", arguments: Level.allCases.dropFirst())
  private func chain(level: Level) async throws {
    let name = level == .bodyContentType ? "Content-Type" : "X-Level"
    let below = Level.allCases.filter {
      $0.rawValue < level.rawValue && $0 != .bodyContentType && $0 != .idempotencyKey
    }
    if level == .idempotencyKey {
      // It fills a gap and never replaces a key that the caller gave.
      #expect(try await Self.sent(name, by: [level]) == ["idempotencyKey"])
      #expect(try await Self.sent(name, by: [.endpoint, level]) == ["endpoint"])
    } else {
      #expect(try await Self.sent(name, by: below + [level]) == ["\(level)"])
    }
  }

  @Test("An interceptor wins over the content type of the body, and over the idempotency key")
  func interceptors() async throws {
    #expect(try await Self.sent("Content-Type", by: [.bodyContentType, .clientInterceptor]) == ["clientInterceptor"])
    #expect(try await Self.sent("X-Key", by: [.idempotencyKey, .endpointInterceptor]) == ["endpointInterceptor"])
  }

  @Test("Repeated fields are kept, but for those of which a request has one: there the last counts")
  func repeats() async throws {
    let mock = MockTransport.item
    let endpoint = EndpointBuilder<Item>.get("/a").headers([
      HTTPHeader("X-Many", "1"), HTTPHeader("X-Many", "2"), HTTPHeader("Authorization", "a"),
      HTTPHeader("authorization", "b"), HTTPHeader("Cookie", "c=1"), HTTPHeader("Cookie", "d=2"),
    ])
    _ = try await DefaultNetworkClient.mocked(mock).request(endpoint)
    let headers = try #require(mock.capturedRequest?.headers)
    #expect(headers.values(for: "X-Many") == ["1", "2"])
    #expect(headers.values(for: "Authorization") == ["b"])
    #expect(headers.values(for: "Cookie") == ["d=2"])
  }

  @Test("A signer sees the headers of those before it")
  func signersSeeEachOther() async throws {
    let mock = MockTransport.item
    let endpoint = HookedEndpoint(requestSigners: [
      HeaderSigner(headers: ["X-One": "1"]),
      HeaderSigner(headers: ["X-Two": "2"]) { request, _ in #expect(request.headers["X-One"] == "1") },
    ])
    _ = try await DefaultNetworkClient.mocked(mock).request(endpoint)
    #expect(mock.capturedRequest?.headers["X-Two"] == "2")
  }
}
