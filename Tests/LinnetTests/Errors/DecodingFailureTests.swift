import FoundationEssentials
import Linnet
import Testing

@Suite("Errors: decoding")
struct DecodingFailureTests {
  private struct List: Decodable {
    struct Item: Decodable {
      enum Colour: String, Decodable { case red }
      var number: Int
      var name: String
      var userName: String?
      var colour: Colour?
      var tags: [String: [Int]]?
    }
    var items: [Item]
  }
  private struct Account: Decodable { var userName: String }
  private struct Small: Decodable { var value: Int8 }

  private static func failure<T: Decodable>(_ type: T.Type, _ json: String) -> NetworkError? {
    let data = Data(json.utf8)
    do {
      _ = try JSONDecoder().decode(type, from: data)
      return nil
    } catch {
      return .decoding(error, stage: .responseBody, data: data, response: nil)
    }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let json: String
    let kind: DecodingFailure.Kind
    let path: String
    var expected: String?
    var found: String?
    /// A part of the hint.
    var hint: String?
    var testDescription: String { json }
  }

  @Test(
    "an error names the place, what was expected and what was found",
    arguments: [
      Row(
        json: #"{"items":[{"number":1,"name":"a"},{"number":1,"name":null}]}"#, kind: .missingValue,
        path: "items[1].name", expected: "String", found: "null"),
      Row(
        json: #"{"items":[{"number":"1","name":"a"}]}"#, kind: .typeMismatch, path: "items[0].number", expected: "Int",
        found: "string"),
      Row(
        json: #"{"items":[{"number":true,"name":"a"}]}"#, kind: .typeMismatch, path: "items[0].number",
        expected: "Int", found: "boolean"),
      Row(json: #"{"items":{}}"#, kind: .typeMismatch, path: "items", expected: "array", found: "object"),
      Row(json: #"[]"#, kind: .typeMismatch, path: "", expected: "object", found: "array"),
      Row(json: #"{"items":[{"number":1}]}"#, kind: .missingKey, path: "items[0].name"),
      Row(
        json: #"{"items":[{"number":1,"Name":"a"}]}"#, kind: .missingKey, path: "items[0].name", hint: #"has "Name""#),
      Row(
        json: #"{"items":[{"number":1,"name":"a","colour":"sekret"}]}"#, kind: .invalidValue, path: "items[0].colour",
        hint: "Colour has no such case"),
      Row(
        json: #"{"items":[{"number":1,"name":"a","tags":{"x":[1,"2"]}}]}"#, kind: .typeMismatch,
        path: "items[0].tags.x[1]", expected: "Int", found: "string"),
      Row(
        json: #"{"items":[{"number":1.5,"name":"a"}]}"#, kind: .invalidDocument, path: "",
        hint: "probably items[0].number, which has decimals"),
      Row(
        json: #"{"items":[{"number":99999999999999999999999,"name":"a"}]}"#, kind: .invalidDocument, path: "",
        hint: "items[0].number, which is too large for an integer"),
      Row(
        json: #"{"items":[{"number":1.5},{"number":2.5},{"number":3.5},{"number":4.5}]}"#, kind: .invalidDocument,
        path: "", hint: "and 1 more"),
      Row(json: "", kind: .invalidDocument, path: "", hint: "the body is empty"),
      Row(json: " \n<html>", kind: .invalidDocument, path: "", hint: "HTML or XML"),
      Row(json: #"{"items":[{"#, kind: .invalidDocument, path: "", hint: "not valid JSON"),
    ])
  func detail(_ row: Row) throws {
    let error = try #require(Self.failure(List.self, row.json))
    #expect(error.isDecodingFailure)
    let detail = try #require(error.decodingDetail)
    #expect(detail.kind == row.kind)
    #expect(detail.path == row.path)
    #expect(detail.expected == row.expected)
    #expect(detail.found == row.found)
    #expect(detail.hint?.contains(row.hint ?? "") ?? (row.hint == nil), "\(detail.hint ?? "no hint")")
    #expect("\(error)".contains(row.path))
    #expect(!"\(error)".contains("sekret"))
    #expect(error.underlyingError?.domain == "Swift.DecodingError")
  }

  @Test("a key in another spelling is named")
  func spelling() {
    let error = Self.failure(Account.self, #"{"user_name":"a"}"#)
    #expect(error?.decodingDetail?.description == #"userName: the key is missing (the object has "user_name")"#)
  }

  @Test("a number that is too large for a small type is told from text that is no JSON")
  func small() {
    let hint = Self.failure(Small.self, #"{"value":300}"#)?.decodingDetail?.hint
    #expect(hint == "the body is valid JSON, but a number in it does not fit the type of its property")
  }

  @Test("without the body there is no hint, and no harm")
  func withoutBody() {
    let words = "The given data was not valid JSON."
    let failure = DecodingFailure(.dataCorrupted(.init(codingPath: [], debugDescription: words)))
    #expect(failure.hint == nil)
    #expect(failure.description == "the body cannot be read")
    #expect(failure.decoderMessage == words)
  }

  @Test("deeply nested and random bodies never trap", arguments: 0..<200)
  func random(_ seed: Int) {
    var bytes: [UInt8] = (0..<(seed * 3)).map { _ in
      [0x7B, 0x5B, 0x22, 0x31, 0x2E, 0x2C, 0x3A, 0x5D, 0x7D].randomElement() ?? 0
    }
    if seed == 0 { bytes = [UInt8](repeating: UInt8(ascii: "["), count: 100_000) }
    let error = DecodingError.dataCorrupted(
      .init(codingPath: [], debugDescription: "The given data was not valid JSON."))
    #expect(DecodingFailure(error, data: Data(bytes)).hint != nil)
  }

  private struct Meeting: Decodable { var start: Date }

  @Test("a date is told from text that is no JSON, although Foundation names no place for it")
  func date() throws {
    let data = Data(#"{"start":"tomorrow"}"#.utf8)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let error = try #require(throws: DecodingError.self) { try decoder.decode(Meeting.self, from: data) }
    let failure = DecodingFailure(error, data: data)
    #expect(failure.kind == .invalidValue)
    #expect(failure.description == "the value is not valid (Expected date string to be ISO8601-formatted)")
  }

  struct Reply: Sendable, CustomTestStringConvertible {
    var status = 200
    var type: String?
    let body: String
    let line: String
    var testDescription: String { line }
  }

  @Test(
    "a body that cannot be read at all is told with what the head says about it, and not quoted",
    arguments: [
      Reply(
        status: 204, type: "application/json", body: "",
        line: "the body is empty (status 204): use EmptyResponse or an optional if that is expected"),
      Reply(
        body: " \n", line: "the body is empty (status 200): use EmptyResponse or an optional if that is expected"),
      Reply(
        type: "Text/HTML; charset=utf-8", body: "sekret",
        line: "the body is not valid JSON (Content-Type text/html)"),
      Reply(type: "sekret", body: "sekret", line: "the body is not valid JSON"),
      Reply(body: "sekret", line: "the body is not valid JSON"),
      Reply(
        type: "application/json", body: "<sekret>",
        line: "the body begins with '<': it is HTML or XML, not JSON (Content-Type application/json)"),
    ])
  func head(_ reply: Reply) throws {
    let data = Data(reply.body.utf8)
    let thrown = try #require(throws: DecodingError.self) { try JSONDecoder().decode(List.self, from: data) }
    let headers: HTTPHeaders = reply.type.map { ["Content-Type": $0] } ?? [:]
    let head = ResponseHead(status: try #require(HTTPStatus(code: reply.status)), headers: headers)
    let response = Response(statusCode: reply.status, data: Data(), request: nil, response: head)

    let error = NetworkError.decoding(thrown, stage: .responseBody, data: data, response: response)
    #expect(error.decodingDetail?.description == reply.line)
    #expect("\(error)".hasPrefix("decode: response body: \(reply.line) ["), "\(error)")
    #expect(!"\(error)".contains("sekret"))

    let frame = NetworkError.decoding(thrown, stage: .streamFrame, data: data, response: response)
    #expect(!"\(frame)".contains("Content-Type") && !"\(frame)".contains("(status"), "\(frame)")
  }

  private struct Foreign: Error {}

  @Test("what decoders of the application throw keeps its meaning")
  func foreign() {
    #expect(NetworkError.decoding(CancellationError(), stage: .responseBody, data: nil, response: nil).isCancellation)
    let offline = NetworkError.configuration(reason: .offline("x"))
    #expect(NetworkError.decoding(offline, stage: .responseBody, data: nil, response: nil).isOffline)
    let error = NetworkError.decoding(Foreign(), stage: .streamFrame, data: nil, response: nil)
    #expect(error.stableCategory == "decoding.stream_frame")
    #expect(error.decodingDetail == nil)
  }
}
