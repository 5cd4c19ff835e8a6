import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite("StubNetworkClient", .timeLimit(.minutes(2)))
struct StubNetworkClientTests {
  private struct User: Codable, Sendable, Equatable {
    var name: String
  }

  private struct GetUser: APIDefinition {
    typealias APIResponse = User
    var id: Int
    var method: HTTPMethod { .get }
    var path: String { "/users/\(id)" }
    var sessionAuthentication: SessionAuthentication { .anonymous }
  }

  private struct PutAvatar: MultipartAPIDefinition {
    typealias APIResponse = User
    var method: HTTPMethod { .put }
    var path: String { "avatar" }
    var sessionAuthentication: SessionAuthentication { .required }
    var multipartFormData: MultipartFormData { MultipartFormData() }
  }

  /// Whether an error is `cancelled`.
  private func isCancelled(_ error: NetworkError?) -> Bool {
    if case .cancelled = error { return true }
    return false
  }

  /// The text of a configuration error.
  private func reason(_ error: NetworkError?) -> String {
    if case .configuration(.invalidRequest(let text)) = error { return text }
    return "\(String(describing: error))"
  }

  @Test("a value is given for its endpoint or its key, and the last registration counts")
  func values() async throws {
    let stub = StubNetworkClient()
    stub.register(User(name: "a"), for: GetUser(id: 1))
    stub.register(User(name: "b"), for: StubRequestKey(method: .get, path: "users/2"))
    #expect(try await stub.request(GetUser(id: 1)) == User(name: "a"))
    #expect(try await stub.request(GetUser(id: 2)) == User(name: "b"))
    stub.register(User(name: "c"), for: GetUser(id: 1))
    #expect(try await stub.request(GetUser(id: 1)) == User(name: "c"))
    #expect(stub.receivedKeys.map(\.description) == ["GET /users/1", "GET /users/2", "GET /users/1"])
  }

  @Test("uploads are answered like requests")
  func upload() async throws {
    let stub = StubNetworkClient()
    stub.register(User(name: "a"), for: PutAvatar())
    #expect(try await stub.upload(PutAvatar()) == User(name: "a"))
  }

  @Test("a failure is thrown")
  func failure() async {
    let stub = StubNetworkClient()
    stub.registerFailure(.timeout(reason: .requestTimeout, underlying: nil), for: GetUser(id: 1))
    let error = await #expect(throws: NetworkError.self) { try await stub.request(GetUser(id: 1)) }
    guard case .timeout(.requestTimeout, nil) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "a status is registered by its number, for an endpoint or a key, with or without a body",
    arguments: [404, 503, 999])
  func statusFailure(status: Int) async {
    let stub = StubNetworkClient()
    stub.registerFailure(status: status, for: GetUser(id: 1))
    stub.registerFailure(status: status, body: Data("why".utf8), for: StubRequestKey(GetUser(id: 2)))
    for (id, body) in [(1, ""), (2, "why")] {
      let error = await #expect(throws: NetworkError.self) { try await stub.request(GetUser(id: id)) }
      guard case .statusCode(let response) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(response.statusCode == status)
      #expect(response.response.status.code == status)
      #expect(String(decoding: response.data, as: UTF8.self) == body)
    }
  }

  @Test("a number that is no status fails the request and is named", arguments: [Int.min, -1, 0, 99, 1000, .max])
  func noStatus(status: Int) async {
    let stub = StubNetworkClient()
    stub.registerFailure(status: status, for: GetUser(id: 1))
    let error = await #expect(throws: NetworkError.self) { try await stub.request(GetUser(id: 1)) }
    #expect(reason(error) == "the stub for GET /users/1 has the status \(status), which is not in 100...999")
  }

  @Test("what is not registered fails with the method, the path and what is")
  func missing() async {
    let stub = StubNetworkClient()
    let empty = await #expect(throws: NetworkError.self) { try await stub.request(GetUser(id: 1)) }
    #expect(reason(empty) == "no stub is registered for GET /users/1; registered: nothing")
    stub.register(User(name: "b"), for: GetUser(id: 3))
    stub.register(User(name: "a"), for: GetUser(id: 2))
    let error = await #expect(throws: NetworkError.self) { try await stub.request(GetUser(id: 1)) }
    #expect(reason(error) == "no stub is registered for GET /users/1; registered: GET /users/2, GET /users/3")
    let upload = await #expect(throws: NetworkError.self) { try await stub.upload(PutAvatar()) }
    #expect(reason(upload).hasPrefix("no stub is registered for PUT /avatar"))
  }

  @Test("a value of another type fails and names both types")
  func wrongType() async {
    let stub = StubNetworkClient()
    stub.register("text", for: StubRequestKey(GetUser(id: 1)))
    let error = await #expect(throws: NetworkError.self) { try await stub.request(GetUser(id: 1)) }
    #expect(reason(error) == "the stub for GET /users/1 is a String, not a User")
  }

  @Test("what is not registered goes to the fallbacks")
  func fallback() async throws {
    let inner = StubNetworkClient()
    inner.register(User(name: "inner"), for: GetUser(id: 1))
    inner.register(User(name: "uploaded"), for: PutAvatar())
    let stub = StubNetworkClient(fallback: inner, uploadFallback: inner)
    stub.register(User(name: "outer"), for: GetUser(id: 2))
    #expect(try await stub.request(GetUser(id: 1), tag: "t") == User(name: "inner"))
    #expect(try await stub.request(GetUser(id: 2)) == User(name: "outer"))
    #expect(try await stub.upload(PutAvatar()) == User(name: "uploaded"))
  }

  @Test("a request that is never answered ends when it is cancelled")
  func never() async throws {
    let stub = StubNetworkClient()
    stub.register(User(name: "a"), for: GetUser(id: 1), behavior: .never)
    let task = Task { try await stub.request(GetUser(id: 1)) }
    try await stub.waitForRequests(1)
    task.cancel()
    let error = await #expect(throws: NetworkError.self) { try await task.value }
    #expect(isCancelled(error))
  }

  @Test("a delay is one of the stub's clock")
  func delayed() async throws {
    let clock = TestClock()
    let stub = StubNetworkClient(clock: clock)
    stub.register(User(name: "late"), for: GetUser(id: 1), behavior: .delayed(seconds: 60))
    let task = Task { try await stub.request(GetUser(id: 1)) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(59))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    #expect(try await task.value == User(name: "late"))
    #expect(clock.sleeperCount == 0)
  }

  @Test("a delay ends when the request is cancelled")
  func delayCancelled() async throws {
    let clock = TestClock()
    let stub = StubNetworkClient(clock: clock)
    stub.registerFailure(
      .timeout(reason: .requestTimeout, underlying: nil), for: GetUser(id: 1), behavior: .delayed(seconds: 1))
    let task = Task { try await stub.request(GetUser(id: 1)) }
    try await clock.waitForSleepers(1)
    task.cancel()
    let error = await #expect(throws: NetworkError.self) { try await task.value }
    #expect(isCancelled(error))
    #expect(clock.sleeperCount == 0)
  }

  @Test("a delay that is no number of seconds is none", arguments: [-1, 0, Double.nan, -.infinity, .infinity])
  func oddDelays(seconds: Double) async throws {
    let stub = StubNetworkClient(clock: TestClock())
    stub.register(User(name: "a"), for: GetUser(id: 1), behavior: .delayed(seconds: seconds))
    #expect(try await stub.request(GetUser(id: 1)) == User(name: "a"))
  }

  @Test("a request of a cancelled task fails also when its answer is at hand")
  func cancelledBefore() async throws {
    let stub = StubNetworkClient()
    stub.register(User(name: "a"), for: GetUser(id: 1))
    let gate = Gate()
    let task = Task {
      try? await gate.opened()
      return try await stub.request(GetUser(id: 1))
    }
    task.cancel()
    let error = await #expect(throws: NetworkError.self) { try await task.value }
    #expect(isCancelled(error))
  }
}
