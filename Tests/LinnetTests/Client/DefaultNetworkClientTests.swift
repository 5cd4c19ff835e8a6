import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("DefaultNetworkClient")
struct DefaultNetworkClientTests {
  @Test("A request goes to base path and endpoint path, and its JSON response is decoded")
  func request() async throws {
    try await ClientFixture.with(.handler { _ in .item }) { fixture in
      let item = try await fixture.client.request(GetItem(id: 7))
      #expect(item == Item(id: 1, name: "a"))
      let seen = try await fixture.server.waitForRequests(1)
      #expect(seen[0].target == "/api/items/7")
      #expect(seen[0].method == "GET")
    }
  }

  @Test("Parameters go into the query of a GET and as JSON into the body of a POST, with its content type")
  func parameters() async throws {
    try await ClientFixture.with(.handler { _ in .item }) { fixture in
      _ = try await fixture.client.request(EndpointBuilder<Item>.get("/items").query(["q": "a b", "n": "1"]))
      _ = try await fixture.client.request(EndpointBuilder<Item>.post("/items").body(Item(id: 2, name: "b")))
      let seen = try await fixture.server.waitForRequests(2)
      #expect(seen[0].target == "/api/items?n=1&q=a%20b")
      #expect(seen[0].headers["Content-Type"] == nil)
      #expect(seen[1].headers["Content-Type"] == "application/json; charset=UTF-8")
      #expect(try JSONDecoder().decode(Item.self, from: Data(seen[1].body.bytes ?? [])) == Item(id: 2, name: "b"))
    }
  }

  @Test("Value and response come together: status, headers, request id, connection, attempts")
  func valueAndResponse() async throws {
    let script = ServerScript.handler { _ in ServerResponse.item.adding("X-Request-ID", "r-1").adding("ETag", "\"1\"") }
    try await ClientFixture.with(script) { fixture in
      let (item, response) = try await fixture.client.requestWithResponse(GetItem())
      #expect(item.id == 1)
      #expect(response.requestID == "r-1")
      #expect(response.headers["ETag"] == "\"1\"")
      #expect(response.statusCode == 200)
      #expect(response.attempts == 1)
      #expect(response.elapsed > .zero)
      #expect(response.connection?.peerAddress == fixture.server.authority)
      #expect(response.request?.url == fixture.server.url("/api/items/1"))
    }
  }

  @Test("A body is decoded as the response type asks: bytes, text, nothing, JSON")
  func responseTypes() async throws {
    try await ClientFixture.with(.handler { $0.path == "/api/none" ? ServerResponse(204) : .text(#""x""#) }) {
      fixture in
      let client = fixture.client
      let data = try await client.request(EndpointBuilder<Data>.get("/a"))
      let text = try await client.request(EndpointBuilder<String>.get("/a"))
      _ = try await client.request(EndpointBuilder<EmptyResponse>.get("/none"))
      _ = try await client.request(EndpointBuilder<EmptyResponse>.head("/a"))
      #expect(data == Data(#""x""#.utf8))
      #expect(text == #""x""#)
    }
  }

  @Test("A status that is not accepted is an error; its body is there only when captured", arguments: [false, true])
  func statusError(captures: Bool) async throws {
    try await ClientFixture.with(.handler { _ in .json(#"{"error":"no"}"#, status: 422) }) {
      .local($0, cache: CachePack(captureFailurePayload: captures))
    } _: { fixture in
      let error = await failure { () throws(NetworkError) in try await fixture.client.request(GetItem()) }
      guard case .statusCode(let response)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(response.statusCode == 422)
      #expect(response.data.isEmpty == !captures)
    }
  }

  @Test(
    "A body that cannot be decoded is a decoding error; its body is there only when captured", arguments: [false, true])
  func decodingError(captures: Bool) async throws {
    try await ClientFixture.with(.handler { _ in .json(#"{"id":"x"}"#) }) {
      .local($0, cache: CachePack(captureFailurePayload: captures))
    } _: { fixture in
      let error = await failure { () throws(NetworkError) in try await fixture.client.request(GetItem()) }
      guard case .decoding(.responseBody, _, let response)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(response?.data.isEmpty == !captures)
    }
  }

  @Test("An endpoint can accept other statuses than the client")
  func acceptableStatuses() async throws {
    try await ClientFixture.with(.handler { _ in .json(#"{"id":1,"name":"a"}"#, status: 404) }) { fixture in
      let endpoint = EndpointBuilder<Item>.get("/a").acceptableStatusCodes([404])
      let item = try await fixture.client.request(endpoint)
      #expect(item == Item())
    }
  }

  @Test("perform sends a request made by hand through the pipeline and returns the response")
  func perform() async throws {
    try await ClientFixture.with(.handler { _ in .text("ok") }) {
      .local($0).defaultHeaders(["X-Client": "c"])
    } _: { fixture in
      var request = HTTPRequest.post(fixture.server.url("/elsewhere?x=1"), body: .text("hi"))
      request.headers.update("X-Own", "o")
      let response = try await fixture.client.perform(request)
      #expect(response.data == Data("ok".utf8))
      let seen = try await fixture.server.waitForRequests(1)
      #expect(seen[0].target == "/elsewhere?x=1")
      #expect(seen[0].headers["X-Client"] == "c")
      #expect(seen[0].headers["X-Own"] == "o")
      #expect(seen[0].body.text == "hi")
    }
  }

  @Test("An upload sends the form with its boundary")
  func upload() async throws {
    try await ClientFixture.with(.handler { _ in .item }) { fixture in
      let item = try await fixture.client.upload(UploadForm())
      #expect(item == Item())
      let seen = try await fixture.server.waitForRequests(1)
      #expect(seen[0].method == "POST")
      #expect(seen[0].headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
      #expect(seen[0].body.text.contains("name=\"title\""))
    }
  }

  @Test(
    "A form has the same bytes whether it is put together in memory or streamed; one above the limit is refused",
    arguments: [
      MultipartUploadStrategy.alwaysStream, .inMemory(maxBytes: 10_000), .threshold(bytes: 0), .platformDefault,
    ])
  func uploadStrategies(strategy: MultipartUploadStrategy) async throws {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock)
    var form = MultipartFormData(boundary: "b")
    form.append("t", name: "title")
    _ = try await client.upload(StoredForm(multipartFormData: form, uploadStrategy: strategy))
    #expect(mock.capturedRequest?.body?.bytesInMemory?.array == Array(try form.encode()))
    #expect(mock.capturedRequest?.headers["Content-Type"] == "multipart/form-data; boundary=b")
    let small = StoredForm(multipartFormData: form, uploadStrategy: .inMemory(maxBytes: 3))
    let error = await failure { () throws(NetworkError) in try await client.upload(small) }
    #expect(error?.errorCode == 1002)
    #expect(mock.capturedRequestsInOrder.count == 1)
  }

  @Test("A transport that was given is not shut down with the client, and is never touched afterwards")
  func givenTransport() async throws {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock)
    _ = try await client.request(GetItem())
    await client.shutdown()
    await client.shutdown()
    let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    #expect(error.isCancelled)
    #expect(mock.capturedRequestsInOrder.count == 1)
    _ = try await DefaultNetworkClient.mocked(mock).request(GetItem())
    #expect(mock.capturedRequestsInOrder.count == 2)
  }

  @Test("A client that is not configured fails at once and says what is missing")
  func unconfigured() async {
    let client = DefaultNetworkClient.mocked(UnconfiguredTransport(missing: "Backend.configure"))
    let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    guard case .configuration(.invalidRequest(let text))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.contains("Backend.configure is missing"))
  }

  @Test(
    "A base URL that cannot be used fails each request, without naming its credentials",
    arguments: [
      "http://api.example.com", "https://user:secret@api.example.com", "ftp://api.example.com", "/relative",
      "https://api.example.com/#x",
    ])
  func badBaseURL(base: String) async {
    let mock = MockTransport.item
    let client = DefaultNetworkClient(configuration: .safeDefaults(baseURL: .test(base)), transport: mock)
    let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
    guard case .configuration(.invalidBaseURL(let text))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!text.contains("secret"))
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test(
    "A parameter set for a method without a body is refused before anything is sent",
    arguments: [HTTPMethod.get, .head, .trace])
  func bodyWithoutMethod(method: HTTPMethod) async {
    let mock = MockTransport.item
    let endpoint = EndpointBuilder<Item>(
      method: method, path: "/a", parameters: AnyEncodable(Item()), transport: .json())
    let error = await failure { () throws(NetworkError) in try await DefaultNetworkClient.mocked(mock).request(endpoint)
    }
    guard case .configuration(.invalidRequest)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("A logger sees request, response and error, once each")
  func logging() async throws {
    let log = RecordingLogger()
    try await ClientFixture.with(.responses([.item, .json("{}", status: 500)])) { fixture in
      _ = try await fixture.client.request(HookedEndpoint(logger: log))
      _ = await failure { () throws(NetworkError) in try await fixture.client.request(HookedEndpoint(logger: log)) }
    }
    #expect(log.lines.withLock { $0 } == ["request", "response 200", "request", "response 500 !", "error"])
  }
}

struct UploadForm: MultipartAPIDefinition {
  typealias APIResponse = Item
  var method: HTTPMethod { .post }
  var path: String { "/upload" }
  var sessionAuthentication: SessionAuthentication { .anonymous }
  var multipartFormData: MultipartFormData {
    var form = MultipartFormData()
    form.append("t", name: "title")
    return form
  }
}

struct StoredForm: MultipartAPIDefinition {
  typealias APIResponse = Item
  var multipartFormData: MultipartFormData
  var uploadStrategy: MultipartUploadStrategy
  var method: HTTPMethod { .post }
  var path: String { "/upload" }
  var sessionAuthentication: SessionAuthentication { .anonymous }
}

struct RecordingLogger: NetworkLogger {
  let lines = Lock<[String]>([])
  func log(request: HTTPRequest) { lines.withLock { $0.append("request") } }
  func log(response: Response, isError: Bool) {
    lines.withLock { $0.append("response \(response.statusCode)\(isError ? " !" : "")") }
  }
  func log(error: NetworkError) { lines.withLock { $0.append("error") } }
}
