import LinnetCLI
import LinnetHTTP
import Testing

@Suite("Rules of resuming")
struct ResumeRulesTests {
  @Test(
    "Content-Range is parsed whole or not at all",
    arguments: [
      ("bytes 0-4/10", .bytes(first: 0, last: 4, total: 10)), ("Bytes 5-5/*", .bytes(first: 5, last: 5, total: nil)),
      ("bytes */10", .unsatisfied(total: 10)), ("bytes  7-8/9", .bytes(first: 7, last: 8, total: 9)),
      ("bytes */*", nil), ("bytes 5-4/10", nil), ("bytes 0-10/10", nil), ("bytes 0-4", nil), ("bytes -4/10", nil),
      ("bytes 0-/10", nil), ("items 0-4/10", nil), ("", nil), ("bytes", nil), ("bytes 0-4/10 x", nil),
      ("bytes +1-4/10", nil), ("bytes 0-4/99999999999999999999", nil), ("bytes 0-99999999999999999999/*", nil),
    ] as [(String, ContentRange?)])
  func ranges(_ field: String, _ range: ContentRange?) {
    #expect(ContentRange(field) == range)
  }

  private func decide(_ status: Int, _ headers: HTTPHeaders, tag: String? = nil) -> ResumeRules.Decision {
    ResumeRules(offset: 100, entityTag: tag).decide(status: status, headers: headers)
  }

  @Test("206 continues when it starts where the file ends")
  func partial() {
    #expect(decide(206, ["Content-Range": "bytes 100-199/200"]) == .append(missing: 0))
    #expect(decide(206, ["Content-Range": "bytes 100-199/*"]) == .append(missing: 0))
    #expect(decide(206, ["Content-Range": "bytes 100-149/200"]) == .append(missing: 50))
    for headers in [
      ["Content-Range": "bytes 0-199/200"], ["Content-Range": "bytes 101-199/200"], ["Content-Range": "x"], [:],
    ] as [HTTPHeaders] {
      guard case .refuse = decide(206, headers) else {
        Issue.record("\(headers)")
        continue
      }
    }
  }

  @Test("206 of another version is refused, whatever the server made of If-Range")
  func otherVersion() {
    let range = "bytes 100-199/200"
    #expect(decide(206, ["Content-Range": range, "ETag": "\"a\""], tag: "\"a\"") == .append(missing: 0))
    #expect(decide(206, ["Content-Range": range], tag: "\"a\"") == .append(missing: 0))
    #expect(
      decide(206, ["Content-Range": range, "ETag": "\"b\""], tag: "\"a\"")
        == .refuse("the file on the server has changed"))
  }

  @Test("DL-02: 416 is a success exactly when the server's file is as long as ours")
  func unsatisfied() {
    #expect(decide(416, ["Content-Range": "bytes */100"]) == .complete)
    for headers in [["Content-Range": "bytes */101"], ["Content-Range": "bytes */99"], [:]] as [HTTPHeaders] {
      guard case .refuse = decide(416, headers) else {
        Issue.record("\(headers)")
        continue
      }
    }
  }

  @Test("DL-06: every other answer leaves the file alone", arguments: [200, 203, 302, 404, 503])
  func others(_ status: Int) {
    guard case .refuse = decide(status, ["Content-Length": "101"]) else {
      Issue.record("\(decide(status, [:]))")
      return
    }
  }

  @Test("200 with just the length that is there, and 304, mean that nothing is missing")
  func nothingMissing() {
    #expect(decide(200, ["Content-Length": "100"]) == .complete)
    #expect(decide(304, [:]) == .complete)
    guard case .refuse = decide(200, ["Content-Length": "100"], tag: "\"a\"") else {
      Issue.record("with If-Range, 200 means that the file has changed")
      return
    }
  }

  @Test("only a strong entity tag stands in If-Range", arguments: [("\"a\"", "\"a\""), ("W/\"a\"", nil), (nil, nil)])
  func strong(_ tag: String?, _ strong: String?) {
    #expect(ResumeRules.strong(tag) == strong)
  }
}
