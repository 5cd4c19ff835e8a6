import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Limits of collected bodies")
struct ResponseBodyBufferingPolicyTests {
  private static func collected(
    _ policy: ResponseBodyBufferingPolicy, _ response: ServerResponse, auth: AuthPack = AuthPack()
  ) async throws -> Result<Int, NetworkError> {
    try await ClientFixture.with(.handler { _ in response }) {
      .local($0, resilience: ResiliencePack(bodyBuffering: policy), auth: auth)
    } _: { fixture in
      do throws(NetworkError) {
        return .success(try await fixture.client.request(EndpointBuilder<Data>.get("/a")).count)
      } catch {
        return .failure(error)
      }
    }
  }

  private static func expectTooLarge(_ result: Result<Int, NetworkError>, limit: Int) {
    guard case .failure(let error) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(error.errorCode == 4003)
    #expect("\(error)".contains("\(limit)"), "\(error)")
  }

  @Test(
    "A body of exactly the limit is allowed, one byte more is not",
    arguments: [ResponseBodyBufferingPolicy.streaming(maxBytes: 1000), .buffered(maxBytes: 1000)])
  func limit(policy: ResponseBodyBufferingPolicy) async throws {
    #expect(try await Self.collected(policy, .pattern(1000)).get() == 1000)
    #expect(try await Self.collected(policy, .pattern(1000).chunked()).get() == 1000)
    Self.expectTooLarge(try await Self.collected(policy, .pattern(1001)), limit: 1000)
    Self.expectTooLarge(try await Self.collected(policy, .pattern(1001).chunked()), limit: 1000)
  }

  @Test("Without a limit everything is collected")
  func unlimited() async throws {
    #expect(try await Self.collected(.streaming(maxBytes: nil), .pattern(6 << 20)).get() == 6 << 20)
  }

  @Test("The default limit is 5 MiB")
  func byDefault() async throws {
    #expect(try await Self.collected(.default, .pattern(5 << 20)).get() == 5 << 20)
    Self.expectTooLarge(try await Self.collected(.default, .pattern((5 << 20) + 1).chunked()), limit: 5 << 20)
  }

  @Test("An announced length above the limit ends the call before the body is read")
  func preflight() async throws {
    let script = ServerScript.steps([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"), .readUntilClosed,
    ])
    try await ClientFixture.with(script) {
      .local($0, resilience: ResiliencePack(bodyBuffering: .streaming(maxBytes: 10)))
    } _: { fixture in
      let endpoint = EndpointBuilder<Data>.get("/a")
      let client = fixture.client
      let error = await failure { () throws(NetworkError) in try await client.request(endpoint) }
      #expect(error?.errorCode == 4003)
      try await fixture.server.waitForConnectionsClosed(1)
    }
  }

  @Test("A HEAD response may announce any length")
  func head() async throws {
    try await ClientFixture.with(.handler { _ in .pattern(100_000) }) {
      .local($0, resilience: ResiliencePack(bodyBuffering: .streaming(maxBytes: 10)))
    } _: { fixture in
      _ = try await fixture.client.request(EndpointBuilder<EmptyResponse>.head("/a"))
    }
  }

  @Test("The limit holds again for a body that an interceptor puts in its place")
  func interceptors() async throws {
    let grow = ResponseChange { $0.data = Data(count: 11) }
    Self.expectTooLarge(
      try await Self.collected(
        .streaming(maxBytes: 10), .text("x"), auth: AuthPack(additionalResponseInterceptors: [grow])), limit: 10)
    struct Grow: DecodingInterceptor {
      func willDecode(data: Data, response: Response) async throws -> Data { Data(count: 11) }
    }
    Self.expectTooLarge(
      try await Self.collected(
        .streaming(maxBytes: 10), .text("x"), auth: AuthPack(additionalDecodingInterceptors: [Grow()])), limit: 10)
  }

  @Test("A limit below zero counts as zero: only empty bodies pass")
  func negative() async throws {
    #expect(try await Self.collected(.streaming(maxBytes: -1), ServerResponse()).get() == 0)
    Self.expectTooLarge(try await Self.collected(.streaming(maxBytes: -1), .text("x")), limit: 0)
  }
}
