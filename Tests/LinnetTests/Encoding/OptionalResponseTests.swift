import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

@Suite("Responses that may be absent")
struct OptionalResponseTests {
  private func get<T: Decodable & Sendable>(
    _ type: T.Type, status: Int = 200, body: String, transport: TransportPolicy<T>? = nil
  ) async throws -> T {
    let mock = MockTransport()
    mock.setMockResponse(statusCode: status, data: Data(body.utf8))
    var endpoint = EndpointBuilder<T>.get("/a")
    if let transport { endpoint = endpoint.transport(transport) }
    return try await DefaultNetworkClient.mocked(mock).request(endpoint)
  }

  @Test("an optional is nil for 204, for an empty body and for null, and the value otherwise")
  func values() async throws {
    #expect(try await get(Item?.self, status: 204, body: "") == nil)
    #expect(try await get(Item?.self, body: "") == nil)
    #expect(try await get(Item?.self, body: "null") == nil)
    #expect(try await get(Item?.self, body: #"{"id":1,"name":"a"}"#) == Item())
    #expect(try await get([Item]?.self, status: 204, body: "") == nil)
  }

  @Test("optional texts and bytes are the body itself; with a decoder they are JSON")
  func bodies() async throws {
    #expect(try await get(String?.self, body: "") == nil)
    #expect(try await get(String?.self, body: "plain") == "plain")
    #expect(try await get(Data?.self, body: "plain") == Data("plain".utf8))
    #expect(try await get(String?.self, body: #""a""#, transport: .query(decoder: JSONCoding.decoder())) == "a")
    #expect(try await get(String?.self, body: "", transport: .query(decoder: JSONCoding.decoder())) == nil)
  }

  @Test("a broken body is an error for an optional, too")
  func broken() async throws {
    await #expect(throws: NetworkError.self) { try await get(Item?.self, body: "{") }
  }

  @Test("a type that is not optional says the status of an empty body, and what would take one")
  func notOptional() async throws {
    let error = await #expect(throws: NetworkError.self) { try await get(Item.self, status: 204, body: "") }
    let line = "\(try #require(error))"
    #expect(
      line.hasPrefix(
        "GET https://api.example.com/v1/a: decode: response body: the body is empty (status 204): use EmptyResponse or "
          + "an optional if that is expected ["),
      "\(line)")
  }
}
