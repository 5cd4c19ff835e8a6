import FoundationEssentials
import Linnet
import LinnetTestSupport
import Testing

/// One text as a value in a query, in a strict query and in a form.
struct EscapingCase: Sendable, CustomTestStringConvertible {
  let text: String
  let query: String
  let strict: String
  let form: String

  init(_ text: String, _ query: String, _ strict: String, _ form: String) {
    self.text = text
    self.query = query
    self.strict = strict
    self.form = form
  }

  var testDescription: String { text.debugDescription }
}

@Suite("Query encoder: percent-encoding")
struct URLQueryEscapingTests {
  @Test("Query values keep what a query may contain, but `+` and the delimiters", arguments: table)
  func query(_ row: EscapingCase) throws {
    #expect(try URLQueryEncoder().encodeQuery([row.text: row.text]) == "\(row.query)=\(row.query)")
  }

  @Test("Strict query values and RFC3986Encoding keep the unreserved characters", arguments: table)
  func strict(_ row: EscapingCase) throws {
    let encoder = URLQueryEncoder(percentEncoding: .rfc3986)
    #expect(try encoder.encodeQuery([row.text: row.text]) == "\(row.strict)=\(row.strict)")
    #expect(RFC3986Encoding.encode(row.text) == row.strict)
  }

  @Test("Forms keep letters, digits and `*-._`, and a space becomes `+`", arguments: table)
  func form(_ row: EscapingCase) throws {
    let body = try URLQueryEncoder().encodeForm([row.text: row.text])
    #expect(String(decoding: body, as: UTF8.self) == "\(row.form)=\(row.form)")
    #expect(FormURLEncoding.encode(row.text) == row.form)
  }

  static let table: [EscapingCase] = [
    EscapingCase("abcXYZ019", "abcXYZ019", "abcXYZ019", "abcXYZ019"), EscapingCase("-._", "-._", "-._", "-._"),
    EscapingCase("~", "~", "~", "%7E"), EscapingCase("*", "*", "%2A", "*"), EscapingCase(" ", "%20", "%20", "+"),
    EscapingCase("+", "%2B", "%2B", "%2B"), EscapingCase("&", "%26", "%26", "%26"),
    EscapingCase("=", "%3D", "%3D", "%3D"),
    EscapingCase("#", "%23", "%23", "%23"), EscapingCase("%", "%25", "%25", "%25"),
    EscapingCase("%20", "%2520", "%2520", "%2520"), EscapingCase("[]", "%5B%5D", "%5B%5D", "%5B%5D"),
    EscapingCase("/?", "/?", "%2F%3F", "%2F%3F"), EscapingCase(":@", ":@", "%3A%40", "%3A%40"),
    EscapingCase("!$'()", "!$'()", "%21%24%27%28%29", "%21%24%27%28%29"), EscapingCase(",;", ",;", "%2C%3B", "%2C%3B"),
    EscapingCase("\"", "%22", "%22", "%22"), EscapingCase("<>", "%3C%3E", "%3C%3E", "%3C%3E"),
    EscapingCase("\\^`", "%5C%5E%60", "%5C%5E%60", "%5C%5E%60"),
    EscapingCase("{|}", "%7B%7C%7D", "%7B%7C%7D", "%7B%7C%7D"),
    EscapingCase("\r\n\t", "%0D%0A%09", "%0D%0A%09", "%0D%0A%09"),
    EscapingCase("\0\u{7F}", "%00%7F", "%00%7F", "%00%7F"),
    EscapingCase("é", "%C3%A9", "%C3%A9", "%C3%A9"), EscapingCase("한", "%ED%95%9C", "%ED%95%9C", "%ED%95%9C"),
    EscapingCase("😀", "%F0%9F%98%80", "%F0%9F%98%80", "%F0%9F%98%80"), EscapingCase("", "", "", ""),
  ]

  @Test("UP-04: a plus, a space and delimiters in values arrive as they are")
  func plusInValues() throws {
    let encoder = URLQueryEncoder()
    #expect(try encoder.encodeQuery(["email": "me+x@a.test"]) == "email=me%2Bx@a.test")
    #expect(try encoder.encodeQuery(["q": "a b&c=d"]) == "q=a%20b%26c%3Dd")
    #expect(try encoder.encodeQuery(["q": "é"]) == "q=%C3%A9")
    #expect(try encoder.encodeQuery(["q": "|"]) == "q=%7C")
    // A URL that the user wrote is not encoded again.
    let url = try HTTPURL("https://a.test/?email=me+x%40a.test&q=a%20b")
    #expect(url.query == "email=me+x%40a.test&q=a%20b")
  }

  @Test("UP-04: the server receives the plus as %2B")
  func plusOnTheWire() async throws {
    struct Search: Encodable { let email: String, q: String }
    let query = try URLQueryEncoder().encodeQuery(Search(email: "me+x@a.test", q: "a b&c=d"))
    try await ScriptedServer.with(.responses([.text("ok")])) { server async throws in
      let url = try EndpointPath.url(base: HTTPURL(server.url("/v1")), path: "search", query: query)
      _ = try await HTTPClient().send(HTTPRequest(url: url)).text()
      let request = try #require(try await server.waitForRequests(1).first)
      #expect(
        String(decoding: request.targetBytes, as: UTF8.self)
          == "/v1/search?email=me%2Bx@a.test&q=a%20b%26c%3Dd")
    }
  }

  @Test("Pairs are joined by `&`; names are encoded like values")
  func joining() throws {
    let value: Sample = ["a b": ["c": "d&e"], "t": ["x", "+"]]
    #expect(try URLQueryEncoder().encodeQuery(value) == "a%20b%5Bc%5D=d%26e&t%5B0%5D=x&t%5B1%5D=%2B")
    #expect(
      try String(decoding: URLQueryEncoder().encodeForm(value), as: UTF8.self)
        == "a+b%5Bc%5D=d%26e&t%5B0%5D=x&t%5B1%5D=%2B")
  }

  @Test(
    "In a list only the commas between elements stay bare",
    arguments: [URLQueryPercentEncodingStrategy.queryComponent, .rfc3986])
  func commas(_ strategy: URLQueryPercentEncodingStrategy) throws {
    var encoder = URLQueryEncoder(arrayEncodingStrategy: .commaSeparated)
    encoder.percentEncoding = strategy
    #expect(try encoder.encodeQuery(["t": ["a,b", "c"]]) == "t=a%2Cb,c")
  }

  @Test("The separators of other lists are encoded")
  func separators() throws {
    #expect(try URLQueryEncoder.arrays(.pipeSeparated).encodeQuery(["t": ["a", "b"]]) == "t=a%7Cb")
    #expect(try URLQueryEncoder.arrays(.spaceSeparated).encodeQuery(["t": ["a", "b"]]) == "t=a%20b")
    #expect(
      try String(decoding: URLQueryEncoder.arrays(.spaceSeparated).encodeForm(["t": ["a", "b"]]), as: UTF8.self)
        == "t=a+b")
    #expect(
      try String(decoding: URLQueryEncoder.arrays(.commaSeparated).encodeForm(["t": ["a", "b"]]), as: UTF8.self)
        == "t=a%2Cb")
  }
}
