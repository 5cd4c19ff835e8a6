import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetTestRandom
import Testing

/// Random chains over a set of origins, in which every secret belongs to the origin of the first request.
@Suite struct RedirectLeakTests {
  private static let origins = [
    "https://a.example", "https://A.example:443", "https://a.example:8443", "http://a.example", "https://x.a.example",
    "https://b.example", "https://[::1]", "https://127.0.0.1:8443",
  ]

  private static let names = [
    "Authorization", "COOKIE", "X-Api-Key", "X-Auth-Token", "X-CSRF-Token", "X-Amz-Security-Token", "Accept", "X-Own",
    "X-Tenant", "Proxy-Authorization", "Content-Language", "Referer", "Host", "Range",
  ]

  @Test("in two thousand random chains no header and no body of the caller's reaches another origin")
  func chains() async throws {
    var random = SeededGenerator(seed: 3)
    var crossings = 0
    for round in 0..<2000 {
      let first = Self.origins[Int.random(in: 0..<Self.origins.count, using: &random)] + "/0"
      let hops = (0..<6).map { index in
        (
          [301, 302, 303, 307, 308][Int.random(in: 0..<5, using: &random)],
          Self.origins[Int.random(in: 0..<Self.origins.count, using: &random)] + "/\(index + 1)"
        )
      }
      var headers = HTTPHeaders()
      for name in Self.names where Bool.random(using: &random) { headers.add(name, "secret") }
      let method = [HTTPMethod.get, .post, .put, .head][Int.random(in: 0..<4, using: &random)]
      let body: HTTPRequestBody? = method.allowsBody ? .text("secret") : nil
      let policy: any RedirectPolicy =
        Bool.random(using: &random)
        ? DefaultRedirectPolicy(allowsHTTPSDowngrade: Bool.random(using: &random)) : FollowingAll()
      let seen = Lock<[HTTPRequest]>([])
      let next: NextStage = { request throws(NetworkError) in
        let index = seen.withLock { seen in
          seen.append(request)
          return seen.count - 1
        }
        guard index < hops.count else {
          return Response(statusCode: 200, data: Data(), request: nil, response: ResponseHead(status: .ok))
        }
        let head = ResponseHead(
          status: HTTPStatus(code: hops[index].0) ?? .found, headers: ["Location": hops[index].1])
        return Response(statusCode: hops[index].0, data: Data(), request: nil, response: head)
      }
      let request = HTTPRequest(method: method, url: first, headers: headers, body: body)
      _ = try await RedirectStage(policy: policy).execute(
        request, call: CallContext(allowsInsecureHTTP: true), next: next)
      let own = try HTTPURL(first)
      var hasLeft = false
      for request in seen.withLock({ $0 }) {
        if !(try request.parsedURL().isSameOrigin(as: own)) { hasLeft = true }
        guard hasLeft else { continue }
        crossings += 1
        let carriesBody = request.body != nil
        let leaks = request.headers.filter { $0.value == "secret" && !(carriesBody && $0.name == "Content-Language") }
        #expect(leaks.isEmpty, "round \(round): \(leaks.map(\.name)) at \(request.url)")
        if policy is DefaultRedirectPolicy { #expect(!carriesBody, "round \(round)") }
      }
    }
    #expect(crossings > 2000)
  }
}

/// The most careless policy there can be.
private struct FollowingAll: RedirectPolicy {
  func redirect(request: HTTPRequest, response: Response, originalRequest: HTTPRequest) -> HTTPRequest? { request }
}
