import LinnetHTTPTypes
import Testing

@Suite("HTTPMethod")
struct HTTPMethodTests {
  @Test(
    "any token is a method and is kept as written", arguments: ["GET", "get", "PROPFIND", "X-1", "!#$%&'*+-.^_`|~"])
  func tokens(_ text: String) {
    #expect(HTTPMethod(rawValue: text)?.rawValue == text)
  }

  @Test(
    "what is not a token is refused",
    arguments: ["", " ", "GET ", " GET", "G T", "GET\r\n", "GET\0", "GÉT", "a/b", "a:b", "(a)", "a,b", "\u{7F}", "\t"])
  func notTokens(_ text: String) {
    #expect(HTTPMethod(rawValue: text) == nil)
  }

  @Test("methods are compared with case")
  func caseMatters() throws {
    let lower = try #require(HTTPMethod(rawValue: "get"))
    #expect(lower != .get)
    #expect(!lower.isSafe)
    #expect(!lower.isIdempotent)
    #expect(!lower.prefersQueryParameters)
    #expect(HTTPMethod(rawValue: "GET") == .get)
  }

  @Test("safe, idempotent and body rules of each named method")
  func properties() {
    let table: [(HTTPMethod, String, safe: Bool, idempotent: Bool, body: Bool, query: Bool)] = [
      (.get, "GET", true, true, false, true), (.head, "HEAD", true, true, false, true),
      (.options, "OPTIONS", true, true, true, false), (.trace, "TRACE", true, true, false, false),
      (.put, "PUT", false, true, true, false), (.delete, "DELETE", false, true, true, false),
      (.post, "POST", false, false, true, false), (.patch, "PATCH", false, false, true, false),
      (.connect, "CONNECT", false, false, false, false),
    ]
    for row in table {
      #expect(row.0.rawValue == row.1)
      #expect(row.0.description == row.1)
      #expect(row.0.isSafe == row.safe, "\(row.1)")
      #expect(row.0.isIdempotent == row.idempotent, "\(row.1)")
      #expect(row.0.allowsBody == row.body, "\(row.1)")
      #expect(row.0.prefersQueryParameters == row.query, "\(row.1)")
    }
  }
}
