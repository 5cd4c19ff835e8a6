import Linnet
import Testing

@Suite("Interceptors: path matchers")
struct PathMatcherTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let matcher: PathMatcher
    let matching: [String]
    let other: [String]
    var testDescription: String { name }

    init(_ name: String, _ matcher: PathMatcher?, _ matching: [String], _ other: [String]) {
      self.name = name
      self.matcher = matcher ?? .exact("not a matcher at all")
      self.matching = matching
      self.other = other
    }
  }

  @Test(
    "a matcher takes the paths of its rule and no other",
    arguments: [
      Row("contains /", .contains("/"), ["/", "", "/users", "/a/b"], []),
      Row(
        "contains users", .contains("users"), ["/users", "/api/users/123", "/users/"],
        ["/", "/superusers", "/users1", "/Users", "/a/users2/b"]),
      Row("contains with a slash", .contains("api/users"), [], ["/api/users", "/api/users/1"]),
      Row(
        "exact", .exact("/users"), ["/users", "users", "/users/"], ["/users/1", "/Users", "/", "//users", "/users//"]),
      Row("exact root", .exact("/"), ["/", ""], ["/a"]),
      Row(
        "wildcard", .wildcard("/users/*"), ["/users/123", "/users/123/", "//users/123"],
        ["/users", "/users/123/posts", "/Users/1", "/"]),
      Row("wildcard inside", .wildcard("/a/*/c"), ["/a/b/c"], ["/a/c", "/a/b/b/c", "/a//c"]),
      Row("wildcard is whole", .wildcard("/a*"), ["/a*"], ["/ab"]),
      Row(
        "glob", .glob("/api/**"), ["/api", "/api/", "/api/v1", "/api/v1/users"], ["/", "/apis", "/v1/api"]),
      Row("glob in the middle", .glob("/a/**/z"), ["/a/z", "/a/b/z", "/a/b/c/z", "/a/z/z"], ["/a", "/a/b", "/z"]),
      Row("globs with a star", .glob("**/x/*"), ["/x/1", "/a/b/x/1"], ["/x", "/a/x"]),
      Row("several globs", .glob("/**/a/**/b/**"), ["/a/b", "/x/a/y/b/z"], ["/b/a", "/a"]),
      Row("only glob", .glob("**"), ["/", "/a/b"], []),
      Row("regex", .regex(#"^/users/\d+$"#), ["/users/123"], ["/users/", "/users/abc", "/users/1/2", "/Users/1"]),
      Row("regex anywhere", .regex("v[12]"), ["/api/v1/users"], ["/api/v3"]),
      Row("regex flags", .regex("(?i)users"), ["/USERS"], ["/posts"]),
    ])
  func rules(_ row: Row) {
    for path in row.matching { #expect(row.matcher.matches(path), "\(path)") }
    for path in row.other { #expect(!row.matcher.matches(path), "\(path)") }
  }

  @Test("an invalid pattern is nil, or an error that names it", arguments: ["", "(", "[a", "*a", "a{2,1}"])
  func invalid(_ pattern: String) {
    #expect(PathMatcher.regex(pattern) == nil)
    let error = #expect(throws: NetworkError.self) { try PathMatcher(validatingPattern: pattern) }
    #expect("\(String(describing: error))".contains(pattern))
  }

  @Test("globs with many stars take little time on paths that nearly match")
  func manyStars() {
    let matcher = PathMatcher.glob(String(repeating: "/**/a", count: 200) + "/b")
    #expect(!matcher.matches(String(repeating: "/a", count: 2000)))
  }
}
