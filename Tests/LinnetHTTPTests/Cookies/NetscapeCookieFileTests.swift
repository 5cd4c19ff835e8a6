import LinnetHTTP
import Testing

@Suite struct NetscapeCookieFileTests {
  private func parse(_ text: String) -> NetscapeCookieFile { NetscapeCookieFile(parsing: Array(text.utf8)) }

  @Test("the seven fields and the mark of HTTP-only cookies are read")
  func fields() throws {
    let file = parse(
      """
      # Netscape HTTP Cookie File

      .Example.com\tTRUE\t/p\tTRUE\t1893456000\tname\tva=l ue
      #HttpOnly_x.example\tFALSE\t/\tfalse\t0\tsession\t1
      # a comment
      """)
    #expect(file.problems == [])
    #expect(file.cookies.count == 2)
    let first = try #require(file.cookies.first)
    #expect(first.domain == "example.com" && !first.isHostOnly && first.path == "/p" && first.isSecure)
    #expect(first.expires?.secondsSince1970 == 1_893_456_000 && first.name == "name" && first.value == "va=l ue")
    #expect(!first.isHTTPOnly)
    let second = try #require(file.cookies.last)
    #expect(second.domain == "x.example" && second.isHostOnly && !second.isSecure && second.expires == nil)
    #expect(second.isHTTPOnly)
  }

  @Test("lines may end with CRLF, a value may be empty, and the tab before it missing")
  func variants() {
    let file = parse("x.example\tFALSE\t/\tFALSE\t0\ta\t\r\nx.example\tFALSE\t/\tFALSE\t\tb\r\n\r\n")
    #expect(file.problems == [])
    #expect(file.cookies.map(\.name) == ["a", "b"])
    #expect(file.cookies.map(\.value) == ["", ""])
  }

  @Test("bad lines are named by their number and without their content; the good ones count")
  func badLines() {
    let file = parse(
      [
        "x.example\tFALSE\t/\tFALSE\t0\ta\t1", "Set-Cookie: a=secret", "x.example\tsecret\t/\tFALSE\t0\ta\t1",
        "x.example\tFALSE\t/\tsecret\t0\ta\t1", "x.example\tFALSE\t/\tFALSE\tsecret\ta\t1",
        "se cret\tFALSE\t/\tFALSE\t0\ta\t1", "x.example\tFALSE\tsecret\tFALSE\t0\ta\t1",
        "x.example\tFALSE\t/\tFALSE\t0\t\t", "x.example\tFALSE\t/\tFALSE\t0\t__Secure-a\tsecret",
        "x.example\tFALSE\t/\tFALSE\t0\ta\tb\tsecret", "x.example\tFALSE\t/\tFALSE\t0\ta\tse\u{1}cret",
        "x.example\tFALSE\t/\tFALSE\t99999999999999999999\ta\t1", "x.example\tFALSE\t/\tFALSE\t0\tz\t26",
      ].joined(separator: "\n"))
    #expect(file.cookies.map(\.name) == ["a", "z"])
    #expect(file.problems.map(\.line) == Array(2...12))
    #expect(!file.problems.description.utf8.hasRun(of: "secret"))
  }

  @Test("a file of another kind gives at most 100 problems")
  func otherFile() {
    let file = parse(String(repeating: "<html>\n", count: 5000))
    #expect(file.cookies.isEmpty)
    #expect(file.problems.count == 100)
  }

  @Test("a file is written as it is read; what has a tab in it cannot be")
  func writing() {
    var wide = Cookie(name: "a", value: "1", domain: "example.com")
    wide.isHostOnly = false
    wide.isHTTPOnly = true
    wide.isSecure = true
    wide.expires = HTTPDate(secondsSince1970: 1_893_456_000)
    let narrow = Cookie(name: "b", value: "", domain: "127.0.0.1")
    let tab = Cookie(name: "c", value: "1\t2", domain: "x.example")
    let text = String(decoding: NetscapeCookieFile([wide, narrow, tab]).serialised(), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "# Netscape HTTP Cookie File")
    #expect(
      lines.suffix(3) == [
        "#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1893456000\ta\t1", "127.0.0.1\tFALSE\t/\tFALSE\t0\tb\t", "",
      ])
    #expect(parse(text).cookies == [wide, narrow])
  }
}
