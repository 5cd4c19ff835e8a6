import Linnet
import LinnetHTTP
import Testing

@Suite("Interceptors: bearer tokens")
struct BearerTokenInterceptorTests {
  private struct Session: TokenProvider {
    let token: String?
    func currentToken() async throws -> String? { token }
  }
  private struct Locked: Error {}

  @Test("the provider's token is sent")
  func token() async throws {
    let request = try await BearerTokenInterceptor(tokenProvider: Session(token: "abc.def~+/=")).adapt(
      .get("https://a.test/"))
    #expect(request.headers["Authorization"] == "Bearer abc.def~+/=")
  }

  @Test("a request that has credentials keeps them, and the provider is not asked")
  func keeps() async throws {
    let interceptor = BearerTokenInterceptor { throw Locked() }
    let request = try await interceptor.adapt(.get("https://a.test/", headers: ["authorization": "Basic eDp5"]))
    #expect(request.headers.values(for: "Authorization") == ["Basic eDp5"])
  }

  @Test("without a token nothing is added")
  func absent() async throws {
    let request = try await BearerTokenInterceptor(tokenProvider: Session(token: nil)).adapt(.get("https://a.test/"))
    #expect(request.headers.isEmpty)
  }

  @Test(
    "a token that cannot be a header is an error that does not quote it",
    arguments: ["", "secret\r\nX-A: 1", "secret\0"])
  func invalid(_ token: String) async throws {
    let error = await #expect(throws: NetworkError.self) {
      try await BearerTokenInterceptor(tokenProvider: Session(token: token)).adapt(.get("https://a.test/"))
    }
    #expect(error?.code == .configurationInvalidRequest)
    #expect("\(String(describing: error))".contains("secret") == false)
  }

  @Test("what the provider throws is thrown")
  func throwing() async {
    await #expect(throws: Locked.self) {
      try await BearerTokenInterceptor { throw Locked() }.adapt(.get("https://a.test/"))
    }
  }
}
