import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Body parameters of the client")
struct PayloadEncodingTests {
  private struct Order: Encodable, Sendable {
    var customerName = "k,\"}"
    var tags = ["a", "b"]
    var version = 1
  }

  private static func body(
    of endpoint: EndpointBuilder<Item>, adding parameters: [String: any Encodable & Sendable],
    precedence: ParameterPrecedence = .configuration
  ) async throws -> String? {
    let mock = MockTransport.item
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(baseURL: $0).bodyParameters(parameters, precedence: precedence)
    }
    _ = try await client.request(endpoint)
    return mock.capturedRequest?.body?.bytesInMemory.map { String($0) }
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    return encoder
  }

  private struct Decoded: Decodable, Equatable {
    var customerName: String
    var tags: [String]
    var version: Int
    var stamp: String?
  }

  private static func decoded(_ text: String?) throws -> Decoded {
    try JSONDecoder().decode(Decoded.self, from: Data((text ?? "").utf8))
  }

  @Test("They are put into a JSON object; the configuration wins unless told otherwise")
  func json() async throws {
    let endpoint = EndpointBuilder<Item>.post("/a").body(Order(), encoder: Self.encoder)
    let configured = try Self.decoded(try await Self.body(of: endpoint, adding: ["stamp": "s", "version": 2]))
    #expect(configured == Decoded(customerName: "k,\"}", tags: ["a", "b"], version: 2, stamp: "s"))
    let own = try Self.decoded(
      try await Self.body(of: endpoint, adding: ["stamp": "s", "version": 2], precedence: .endpoint))
    #expect(own == Decoded(customerName: "k,\"}", tags: ["a", "b"], version: 1, stamp: "s"))
  }

  @Test("A name is in the object once")
  func once() async throws {
    let text = try await Self.body(of: .post("/a").body(["v": 1], encoder: JSONEncoder()), adding: ["v": 2, "w": 3])
    #expect(text == #"{"v":2,"w":3}"# || text == #"{"w":3,"v":2}"#)
  }

  @Test("They are put into a form; a nested parameter is one parameter, and their names are not transformed")
  func form() async throws {
    struct Form: Encodable, Sendable {
      var userName = ["first": "a", "last": "b"]
      var page = 1
    }
    let encoder = URLQueryEncoder(keyEncodingStrategy: .convertToSnakeCase)
    let endpoint = EndpointBuilder<Item>.post("/a").formBody(Form(), encoder: encoder)
    let configured = try await Self.body(of: endpoint, adding: ["user_name": "c", "appVersion": "d"])
    #expect(configured == "page=1&appVersion=d&user_name=c")
    let own = try await Self.body(of: endpoint, adding: ["user_name": "c", "appVersion": "d"], precedence: .endpoint)
    #expect(own == "page=1&user_name%5Bfirst%5D=a&user_name%5Blast%5D=b&appVersion=d")
  }

  @Test(
    "A POST, PUT or PATCH without parameters has these alone; other methods have none",
    arguments: [
      (HTTPMethod.post, #"{"s":1}"#), (.put, #"{"s":1}"#), (.patch, #"{"s":1}"#), (.delete, nil), (.get, nil),
    ] as [(HTTPMethod, String?)])
  func alone(method: HTTPMethod, expected: String?) async throws {
    #expect(try await Self.body(of: EndpointBuilder(method: method, path: "/a"), adding: ["s": 1]) == expected)
  }

  @Test("Arrays, scalars and raw bytes are left as they are")
  func others() async throws {
    #expect(try await Self.body(of: .post("/a").body([1, 2]), adding: ["s": 1]) == "[1,2]")
    #expect(try await Self.body(of: .post("/a").textBody("{}"), adding: ["s": 1]) == "{}")
    #expect(try await Self.body(of: .post("/a").body([String: Int]()), adding: ["s": 1]) == #"{"s":1}"#)
  }
}
