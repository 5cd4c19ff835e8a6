import Linnet
import LinnetHTTP
import Testing

@Suite("Signing: tokens")
struct JWTBearerInterceptorTests {
  private struct Locked: Error {}

  @Test("the token is made for the request and sent under the scheme")
  func token() async throws {
    let signer = JWTBearerInterceptor { request in "token-for-\(request.method)" }
    let headers = try await signer.signatureHeaders(for: .put("https://a.test/"), body: .none)
    #expect(headers == ["Authorization": "Bearer token-for-PUT"])
    let bare = JWTBearerInterceptor(scheme: "", headerName: "X-Token") { _ in "abc" }
    #expect(try await bare.signatureHeaders(for: .get("https://a.test/"), body: .none) == ["X-Token": "abc"])
    #expect(!"\(try await bare.signatureHeaders(for: .get("https://a.test/"), body: .none))".contains("abc"))
  }

  @Test("a token that cannot be a header is an error that does not quote it", arguments: ["", "sekret\nX-A: 1"])
  func invalid(_ token: String) async {
    let error = await #expect(throws: NetworkError.self) {
      try await JWTBearerInterceptor { _ in token }.signatureHeaders(for: .get("https://a.test/"), body: .none)
    }
    #expect("\(String(describing: error))".contains("sekret") == false)
  }

  @Test("what the provider throws is thrown")
  func throwing() async {
    await #expect(throws: Locked.self) {
      try await JWTBearerInterceptor { _ in throw Locked() }.signatureHeaders(for: .get("https://a.test/"), body: .none)
    }
  }
}
