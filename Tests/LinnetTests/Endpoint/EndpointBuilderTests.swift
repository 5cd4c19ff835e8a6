import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("EndpointBuilder")
struct EndpointBuilderTests {
  private static func sent(_ endpoint: EndpointBuilder<Item>) async throws -> HTTPRequest {
    let mock = MockTransport.item
    _ = try await DefaultNetworkClient.mocked(mock).request(endpoint)
    return try #require(mock.capturedRequest)
  }

  @Test(
    "Each starter has its method",
    arguments: [
      (EndpointBuilder<Item>.get("/a"), HTTPMethod.get), (.post("/a"), .post), (.put("/a"), .put),
      (.patch("/a"), .patch),
      (.delete("/a"), .delete), (.options("/a"), .options),
    ])
  func methods(endpoint: EndpointBuilder<Item>, method: HTTPMethod) async throws {
    #expect(try await Self.sent(endpoint).method == method)
    #expect(try await Self.sent(endpoint).body == nil)
  }

  @Test("Modifiers return changed copies")
  func copies() {
    let base = EndpointBuilder<Item>.get("/a")
    let changed = base.header("X-A", value: "1").authentication(.required).timeout(3).priority(.background)
      .cachePolicy(.returnCacheDataDontLoad).acceptableStatusCodes([404]).retry(ExponentialBackoffRetryPolicy())
    #expect(base.headers["X-A"] == nil && base.sessionAuthentication == .anonymous && base.timeoutOverride == nil)
    #expect(changed.headers["X-A"] == "1" && changed.sessionAuthentication == .required)
    #expect(changed.timeoutOverride == 3 && changed.priorityOverride == .background)
    #expect(changed.cachePolicyOverride == .returnCacheDataDontLoad && changed.acceptableStatusCodes == [404])
    #expect(changed.retryPolicyOverride != nil)
  }

  @Test("header replaces one field, headers all")
  func headers() {
    let base = EndpointBuilder<Item>.get("/a").header("X-A", value: "1").header("x-a", value: "2")
    #expect(base.headers.values(for: "X-A") == ["2"])
    #expect(base.headers(["X-B": "3"]).headers == ["X-B": "3"])
  }

  @Test("Parameters are encoded as the modifier says, whatever the method's default is")
  func encodings() async throws {
    let query = try await Self.sent(.post("/a").query(["q": "1"]))
    #expect(query.url.hasSuffix("/a?q=1") && query.body == nil)
    let json = try await Self.sent(.delete("/a").body(["q": 1]))
    #expect(json.body?.bytesInMemory.map { String($0) } == #"{"q":1}"#)
    let form = try await Self.sent(.post("/a").formBody(["q": "a b"]))
    #expect(form.body?.bytesInMemory.map { String($0) } == "q=a+b")
    #expect(form.headers["Content-Type"] == "application/x-www-form-urlencoded; charset=UTF-8")
    let raw = try await Self.sent(.put("/a").rawBody(Data([0, 1]), contentType: "application/octet-stream"))
    #expect(raw.body?.bytesInMemory?.array == [0, 1])
    #expect(raw.headers["Content-Type"] == "application/octet-stream")
    let text = try await Self.sent(.put("/a").textBody("hé"))
    #expect(text.body?.bytesInMemory.map { String($0) } == "hé")
  }

  @Test("decoding keeps the request and decodes the response as another type")
  func decoding() async throws {
    let endpoint = EndpointBuilder<EmptyResponse>.post("/a").formBody(["q": "1"]).header("X-A", value: "1")
      .authentication(.optional).timeout(3).acceptableStatusCodes([200]).decoding(Item.self)
    let mock = MockTransport.item
    let item = try await DefaultNetworkClient.mocked(mock).request(endpoint)
    #expect(item == Item())
    #expect(mock.capturedRequest?.body?.bytesInMemory.map { String($0) } == "q=1")
    #expect(mock.capturedRequest?.headers["X-A"] == "1")
    #expect(endpoint.sessionAuthentication == .optional && endpoint.timeoutOverride == 3)
  }

  @Test("A chosen transport decodes with its own decoder")
  func transport() async throws {
    struct Named: Decodable, Sendable { var itemName: String }
    let mock = MockTransport()
    mock.mockResponse = .text(#"{"item_name":"a"}"#)
    let endpoint = EndpointBuilder<Named>.get("/a").transport(.query(decoder: JSONCoding.snakeCaseDecoder))
    #expect(try await DefaultNetworkClient.mocked(mock).request(endpoint).itemName == "a")
  }
}
