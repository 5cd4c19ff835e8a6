import FoundationEssentials
import Linnet
import Testing

@Suite("Path segments of values")
struct EndpointPathEncodingTests {
  private enum Kind: String { case odd = "a/b" }
  private enum Level: Int { case high = 7 }
  private struct UserID: RawRepresentable {
    var rawValue: UUID
  }
  private struct Both: RawRepresentable, LosslessStringConvertible {
    var rawValue: String
    var description: String { "description of \(rawValue)" }
    init(rawValue: String) { self.rawValue = rawValue }
    init?(_ description: String) { rawValue = description }
  }

  @Test(
    "A text keeps what a segment may contain and encodes the rest",
    arguments: [
      ("user", "user"), ("a/b", "a%2Fb"), ("a%2Fb", "a%252Fb"), ("50%", "50%25"), ("a b", "a%20b"), ("é", "%C3%A9"),
      ("a?b#c", "a%3Fb%23c"), ("a\\b", "a%5Cb"), ("-._~!$&'()*+,;=:@", "-._~!$&'()*+,;=:@"),
      ("\"<>^`{|}[]", "%22%3C%3E%5E%60%7B%7C%7D%5B%5D"),
      ("\r\n\0", "%0D%0A%00"), (".", "%2E"), ("..", "%2E%2E"), ("...", "..."), (".a", ".a"), ("", "%2E"),
      ("😀", "%F0%9F%98%80"),
    ])
  func texts(_ value: String, _ expected: String) {
    #expect(EndpointPathEncoding.percentEncodedSegment(value) == expected)
  }

  @Test("Numbers, UUIDs, substrings, raw values")
  func types() throws {
    let uuid = try #require(UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
    #expect(EndpointPathEncoding.percentEncodedSegment(42) == "42")
    #expect(EndpointPathEncoding.percentEncodedSegment(-1.5) == "-1.5")
    #expect(EndpointPathEncoding.percentEncodedSegment(true) == "true")
    #expect(EndpointPathEncoding.percentEncodedSegment("a/b".prefix(2)) == "a%2F")
    #expect(EndpointPathEncoding.percentEncodedSegment(Character("/")) == "%2F")
    #expect(EndpointPathEncoding.percentEncodedSegment(uuid) == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    #expect(EndpointPathEncoding.percentEncodedSegment(Kind.odd) == "a%2Fb")
    #expect(EndpointPathEncoding.percentEncodedSegment(Level.high) == "7")
    #expect(EndpointPathEncoding.percentEncodedSegment(UserID(rawValue: uuid)) == uuid.uuidString)
    #expect(EndpointPathEncoding.percentEncodedSegment(Both(rawValue: "x/y")) == "x%2Fy")
  }

  @Test("A value that would climb or vanish is refused where the path is used", arguments: [".", "..", ""])
  func dots(_ value: String) throws {
    let base = try HTTPURL("https://h/v1")
    for path in [
      "/users/\(EndpointPathEncoding.percentEncodedSegment(value))",
      "/\(EndpointPathEncoding.percentEncodedSegment(value))/x",
    ] {
      #expect(throws: NetworkError.self) { try EndpointPath.url(base: base, path: path, query: nil) }
    }
  }
}
