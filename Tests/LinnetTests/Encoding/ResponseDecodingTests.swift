import FoundationEssentials
import Linnet
import Testing

@Suite("Response decoders")
struct ResponseDecodingTests {
  private struct User: Decodable, Sendable, Equatable { let displayName: String }
  private struct Page: HTTPEmptyResponseDecodable, Equatable {
    var items: [Int]
    static func emptyResponseValue() -> Page { Page(items: []) }
  }

  private func response(_ status: Int = 200) -> Response {
    Response(
      statusCode: status, data: Data(), request: nil,
      response: ResponseHead(status: HTTPStatus(code: status) ?? HTTPStatus.ok))
  }

  private func decode<T: Sendable>(_ decoder: AnyResponseDecoder<T>, _ body: String, status: Int = 200) throws -> T {
    try decoder.decode(data: Data(body.utf8), response: response(status))
  }

  @Test("The response type decides how a body is read when nothing else is said")
  func inferred() throws {
    #expect(try decode(.inferred(), #"{"displayName":"kim"}"#) == User(displayName: "kim"))
    #expect(try decode(AnyResponseDecoder<Data>.inferred(), "\"raw\"") == Data("\"raw\"".utf8))
    #expect(try decode(AnyResponseDecoder<String>.inferred(), "\"raw\"") == "\"raw\"")
    #expect(try decode(AnyResponseDecoder<EmptyResponse>.inferred(), "not JSON") == EmptyResponse())
    #expect(try decode(.inferred(), "") == Page(items: []))
    #expect(try decode(.inferred(), #"{"items":[1]}"#) == Page(items: [1]))
    #expect(try decode(.inferred(), #"{"items":[1]}"#, status: 204) == Page(items: []))
    #expect(try decode(AnyResponseDecoder<[Int]>.inferred(), "[1]") == [1])
  }

  @Test("JSON needs a body; an empty-capable type does not, but a broken body is still an error")
  func json() {
    #expect(throws: DecodingError.self) { try decode(AnyResponseDecoder<User>.json(), "") }
    #expect(throws: DecodingError.self) { try decode(AnyResponseDecoder<Page>.json(), "", status: 204) }
    #expect(throws: DecodingError.self) { try decode(AnyResponseDecoder<Page>.jsonEmptyCapable(), "{") }
  }

  @Test("A text that is not UTF-8 is a decoding error")
  func invalidText() throws {
    #expect(try AnyResponseDecoder.text.decode(data: Data("é".utf8), response: response()) == "é")
    #expect(throws: DecodingError.self) {
      try AnyResponseDecoder.text.decode(data: Data([0x61, 0xFF]), response: response())
    }
  }

  @Test("Nothing is decoded into Void")
  func void() throws { try decode(.ignoringBody, "anything") }

  @Test("A given decoder reads JSON, whatever the type")
  func givenDecoder() throws {
    let snake = JSONCoding.snakeCaseDecoder
    #expect(
      try decode(TransportPolicy<User>.json(decoder: snake).responseDecoder, #"{"display_name":"kim"}"#)
        == User(displayName: "kim"))
    #expect(try decode(TransportPolicy<String>.query(decoder: snake).responseDecoder, "\"text\"") == "text")
    #expect(try decode(TransportPolicy<Page>.query(decoder: snake).responseDecoder, "") == Page(items: []))
  }

  @Test("A policy says how it decodes")
  func strategies() {
    guard case .json = TransportPolicy<User>.query().responseDecoding else { return #expect(Bool(false)) }
    guard case .jsonAllowingEmpty = TransportPolicy<Page>.json().responseDecoding else { return #expect(Bool(false)) }
    guard case .jsonAllowingEmpty = TransportPolicy<Page>.jsonAllowingEmpty().responseDecoding else {
      return #expect(Bool(false))
    }
    guard case .custom = TransportPolicy<Data>.json().responseDecoding else { return #expect(Bool(false)) }
    guard case .json = TransportPolicy<String>.json(decoder: JSONDecoder()).responseDecoding else {
      return #expect(Bool(false))
    }
  }

  @Test("A custom policy decodes with its function")
  func custom() throws {
    let policy = TransportPolicy<Int>.custom(encoding: .none) { data, response in data.count + response.statusCode }
    #expect(try decode(policy.responseDecoder, "abc") == 203)
  }
}
