import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetTestSupport
import Testing

@Suite struct SessionAuthStageTests {
  private let request = HTTPRequest.get("https://a.test/")

  private func run(
    _ authentication: SessionAuthentication, _ service: TokenService?, _ server: TokenServer,
    request: HTTPRequest? = nil, policy: RefreshTokenPolicy? = nil, sendsCredentials: Bool = true
  ) async -> Result<Response, NetworkError> {
    let stage: SessionAuthStage
    if let policy = policy ?? service?.policy() {
      stage = SessionAuthStage(policy: policy, coordinator: RefreshTokenCoordinator(policy: policy))
    } else {
      stage = SessionAuthStage()
    }
    let call = CallContext(sessionAuthentication: authentication, sendsSessionCredentials: sendsCredentials)
    let request = request ?? self.request
    do throws(NetworkError) {
      return .success(
        try await stage.execute(request, call: call) { request throws(NetworkError) in try await server.answer(request)
        })
    } catch {
      return .failure(error)
    }
  }

  @Test("anonymous requests never see the policy")
  func anonymous() async {
    let server = TokenServer(accepting: "t0")
    let result = await run(.anonymous, TokenService(), server)
    #expect(result.value?.statusCode == 401)
    #expect(await server.authorizations == [nil])
  }

  @Test("the current token is sent", arguments: [SessionAuthentication.optional, .required])
  func current(authentication: SessionAuthentication) async {
    let service = TokenService()
    let result = await run(authentication, service, TokenServer(accepting: "t0"))
    #expect(result.value?.statusCode == 200)
    #expect(await service.refreshCount == 0)
  }

  @Test(
    "a refused token is refreshed and the request sent once more",
    arguments: [SessionAuthentication.optional, .required])
  func replay(authentication: SessionAuthentication) async {
    let service = TokenService()
    let server = TokenServer(accepting: "t1")
    let result = await run(authentication, service, server)
    #expect(result.value?.statusCode == 200)
    #expect(await server.authorizations == ["Bearer t0", "Bearer t1"])
  }

  @Test("a second refusal is delivered")
  func secondRefusal() async {
    let service = TokenService()
    let server = TokenServer(accepting: "never")
    let result = await run(.required, service, server)
    #expect(result.value?.statusCode == 401)
    #expect(await server.authorizations.count == 2)
    #expect(await service.refreshCount == 1)
  }

  @Test("without a token, optional requests go without one and required ones refresh first")
  func noToken() async {
    let server = TokenServer(accepting: "t1")
    let optional = TokenService(token: nil)
    #expect(await run(.optional, optional, server).value?.statusCode == 200)
    #expect(await server.authorizations == [nil, "Bearer t1"])
    let required = TokenService(token: nil)
    #expect(await run(.required, required, server).value?.statusCode == 200)
    #expect(await server.authorizations.last == "Bearer t1")
    #expect(await server.authorizations.count == 3)
  }

  @Test("a required token that cannot be had fails before anything is sent")
  func missing() async {
    let server = TokenServer(accepting: "t0")
    #expect(await run(.required, nil, server).failureCategory == "configuration.invalid_request")
    #expect(
      await run(.required, TokenService(), server, sendsCredentials: false).failureCategory
        == "configuration.invalid_request")
    let service = TokenService()
    #expect(
      await run(.required, nil, server, policy: service.policy(appliesTo: { _ in false })).failureCategory
        == "configuration.invalid_request")
    let failing = TokenService(token: nil, failures: [TokenServiceDown()])
    #expect(await run(.required, failing, server).failureCategory?.hasPrefix("transport.") == true)
    #expect(await server.authorizations.isEmpty)
  }

  @Test("a token is not sent to another origin")
  func foreignOrigin() async {
    let server = TokenServer(accepting: "t1")
    let service = TokenService()
    #expect(await run(.optional, service, server, sendsCredentials: false).value?.statusCode == 401)
    #expect(await server.authorizations == [nil])
    #expect(await service.refreshCount == 0)
  }

  @Test("a refusal by the origin of a redirect refreshes nothing")
  func refusedElsewhere() async throws {
    let service = TokenService()
    let policy = service.policy()
    let stage = SessionAuthStage(policy: policy, coordinator: RefreshTokenCoordinator(policy: policy))
    let elsewhere = try Response.made(401, for: .get("https://b.test/"))
    let response = try await stage.execute(request, call: CallContext(sessionAuthentication: .required)) {
      _ throws(NetworkError) in elsewhere
    }
    #expect(response.statusCode == 401)
    #expect(await service.refreshCount == 0)
  }

  @Test("another authorization, in any case, is removed before the token is applied")
  func previousAuthorization() async {
    var request = request
    request.headers = [HTTPHeader("authorization", "Basic x"), HTTPHeader("AUTHORIZATION", "Basic y")]
    let server = TokenServer(accepting: "t0")
    let policy = RefreshTokenPolicy(
      currentToken: { "t0" }, refreshToken: { "t1" },
      applyToken: { token, request in
        var request = request
        request.headers["X-Token"] = "\(token) \(request.headers.contains("Authorization"))"
        return request
      })
    let result = await run(.required, nil, server, request: request, policy: policy)
    #expect(result.value?.request?.headers["X-Token"] == "t1 false")
    #expect(await server.authorizations == [nil, nil])
  }

  @Test("other statuses can mean a refused token")
  func statuses() async {
    let policy = RefreshTokenPolicy(refreshStatusCodes: [419], currentToken: { "t0" }, refreshToken: { "t1" })
    let server = TokenServer(accepting: "t1")
    #expect(await run(.required, nil, server, policy: policy).value?.statusCode == 401)
    #expect(await server.authorizations.count == 1)
  }

  @Test("the error of the token store ends the request before anything is sent")
  func storeFails() async {
    let policy = RefreshTokenPolicy(currentToken: { throw TokenServiceDown() }, refreshToken: { "t1" })
    let server = TokenServer(accepting: "t1")
    #expect(await run(.optional, nil, server, policy: policy).failureCategory?.hasPrefix("transport.") == true)
    #expect(await server.authorizations.isEmpty)
  }

  @Test("a request that the refresh itself makes neither waits for a refresh nor starts one")
  func insideRefresh() async throws {
    let server = TokenServer(accepting: "t1")
    let inner = EventRecorder<String>()
    let stage = LateStage()
    let policy = RefreshTokenPolicy(
      currentToken: { nil },
      refreshToken: {
        for authentication in [SessionAuthentication.required, .optional] {
          let result = await stage.run(authentication, server)
          inner.record(result.failureCategory ?? "\(result.value?.statusCode ?? 0)")
        }
        return "t1"
      })
    stage.set(SessionAuthStage(policy: policy, coordinator: RefreshTokenCoordinator(policy: policy)))
    #expect(await stage.run(.required, server).value?.statusCode == 200)
    #expect(inner.events == ["configuration.invalid_request", "401"])
  }
}

/// A stage that is known after the policy that uses it.
private final class LateStage: Sendable {
  private let stage = Lock<SessionAuthStage>(SessionAuthStage())

  func set(_ stage: SessionAuthStage) { self.stage.withLock { $0 = stage } }

  func run(_ authentication: SessionAuthentication, _ server: TokenServer) async -> Result<Response, NetworkError> {
    let stage = stage.withLock { $0 }
    do throws(NetworkError) {
      return .success(
        try await stage.execute(.get("https://a.test/"), call: CallContext(sessionAuthentication: authentication)) {
          request throws(NetworkError) in try await server.answer(request)
        })
    } catch {
      return .failure(error)
    }
  }
}
