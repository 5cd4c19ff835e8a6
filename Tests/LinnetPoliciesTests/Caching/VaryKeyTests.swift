import LinnetHTTPTypes
import LinnetPolicies
import Testing

@Suite struct VaryKeyTests {
  private func makeKey(_ vary: HTTPHeaders, _ request: HTTPHeaders) -> VaryKey? {
    VaryKey(response: vary, request: request) { $0 == "cookie" ? "masked \($1)" : $1 }
  }

  @Test(
    "the names are one list over all fields, without case, and * refuses",
    arguments: [
      ([], [] as Set<String>?), (["Accept"], ["accept"]), (["Accept, ACCEPT"], ["accept"]),
      (["Accept", "X-A , X-B"], ["accept", "x-a", "x-b"]), (["*"], nil), (["Accept, *"], nil),
      (["Accept", " * "], nil),
      ([""], []),
    ] as [([String], Set<String>?)])
  func names(values: [String], expected: Set<String>?) {
    #expect(VaryKey.names(in: HTTPHeaders(values.map { HTTPHeader("Vary", $0) })) == expected)
  }

  @Test("the snapshot has the request's values, nil for what it lacks, and masked credentials")
  func snapshot() throws {
    let key = try #require(makeKey(["Vary": "X-A, X-B, Cookie"], ["x-a": "1", "Cookie": "s=1", "X-C": "3"]))
    #expect(key.fields == ["x-a": "1", "x-b": nil, "cookie": "masked s=1"])
    #expect(makeKey(["Vary": "X-A, *"], [:]) == nil)
  }

  @Test(
    "a stored value and a present one are the same",
    arguments: [
      ("X-A", "1", "1"), ("X-A", "1", " 1\t"), ("Accept", "text/html, application/json", "application/json,text/html"),
      ("Accept", "TEXT/html", "text/HTML"), ("Accept", "a/b;q=0.5", "a/b ; Q=.50"), ("Accept", "a/b;q=1", "a/b"),
      ("Accept", "a/b;q=0.1234", "a/b;q=0.123"), ("Accept", "a/b;x=1;y=2", "a/b;y=2;x=1"),
      ("Accept", "a/b;x=\"1,2\"", "a/b; x=\"1,2\""), ("Accept-Encoding", "gzip, br", "br,  gzip"),
      ("Accept-Language", "de, en;q=0.8", "en;q=0.800,de"), ("Accept-Charset", "utf-8, utf-8", "UTF-8"),
      ("Accept", "a/b;q=1.0, c/d;q=0.0", "c/d;q=0, a/b"),
    ])
  func equal(name: String, stored: String, present: String) throws {
    let key = try #require(makeKey(["Vary": name], [name: stored]))
    #expect(key.matches([name: present]) { $1 })
    let reversed = try #require(makeKey(["Vary": name], [name: present]))
    #expect(reversed.matches([name: stored]) { $1 })
  }

  @Test(
    "a stored value and a present one differ",
    arguments: [
      ("X-A", "1", "2"), ("X-A", "a, b", "b, a"), ("X-A", "A", "a"), ("Accept", "a/b;q=0.5", "a/b;q=0.6"),
      ("Accept", "a/b", "a/b;x=1"), ("Accept", "a/b;x=A", "a/b;x=a"), ("Accept-Encoding", "gzip", "gzip, br"),
      ("Accept", "a/b;q=high", "a/b"), ("Accept", "a/b;x=\"1;q=0.5\"", "a/b;x=\"1;q=0.6\""),
    ])
  func different(name: String, stored: String, present: String) throws {
    let key = try #require(makeKey(["Vary": name], [name: stored]))
    #expect(!key.matches([name: present]) { $1 })
  }

  @Test("a missing field equals a missing field only, not an empty one")
  func missing() throws {
    let without = try #require(makeKey(["Vary": "X-A"], [:]))
    #expect(without.matches([:]) { $1 })
    #expect(!without.matches(["X-A": ""]) { $1 })
    let empty = try #require(makeKey(["Vary": "X-A"], ["X-A": ""]))
    #expect(!empty.matches([:]) { $1 })
    #expect(empty.matches(["X-A": ""]) { $1 })
  }

  @Test("repeats of a field are its values joined")
  func repeats() throws {
    let key = try #require(makeKey(["Vary": "X-A"], [HTTPHeader("X-A", "1"), HTTPHeader("X-A", "2")]))
    #expect(key.matches(["X-A": "1, 2"]) { $1 })
  }
}
