import LinnetHTTPTypes
import LinnetTestRandom
import Testing

@Suite("MediaType")
struct MediaTypeTests {
  @Test(
    "types are parsed and serialised",
    arguments: [
      ("text/html", "text/html"), ("TEXT/HTML; Charset=UTF-8", "text/html; charset=UTF-8"),
      (" text/plain ", "text/plain"), ("application/json;", "application/json"),
      ("application/json ; ; a=b", "application/json; a=b"), ("text/html; charset", "text/html"),
      ("text/html; charset=", "text/html"), ("text/html;a=1;A=2", "text/html; a=1"),
      ("text/html; a=\"x y\"", "text/html; a=\"x y\""), ("text/html; a=\"x\\\"y\\\\\"", "text/html; a=\"x\\\"y\\\\\""),
      ("text/html; a=\"token\"", "text/html; a=token"), ("text/html; a=\"\"", "text/html; a=\"\""),
      ("text/html; a=\"open", "text/html; a=open"), ("text/html; a=\"b\" junk; c=d", "text/html; a=b; c=d"),
      ("text/html; a b=c; d=e", "text/html; d=e"), ("text/html; a=\"x;y\"; z=1", "text/html; a=\"x;y\"; z=1"),
      ("multipart/form-data; boundary=----x", "multipart/form-data; boundary=----x"), ("*/*;q=0.1", "*/*; q=0.1"),
      ("text/html; a=b c ", "text/html; a=\"b c\""), ("text/html;a=\"x\u{1}\"", "text/html"),
    ])
  func parsing(_ text: String, _ expected: String) throws {
    let type = try #require(MediaType(text))
    #expect(type.description == expected)
    #expect(MediaType(type.description) == type)
  }

  @Test(
    "what does not start with two tokens is refused",
    arguments: [
      "", "text", "text/", "/html", "te xt/html", "text/ht ml", "text /html", "text/ html", "a/b/c", ";", "é/a",
    ])
  func refused(_ text: String) {
    #expect(MediaType(text) == nil)
  }

  @Test("parts are checked when a type is made from them")
  func parts() {
    #expect(MediaType(type: "Text", subtype: "HTML")?.essence == "text/html")
    #expect(MediaType(type: "", subtype: "html") == nil)
    #expect(MediaType(type: "te/xt", subtype: "html") == nil)
    #expect(MediaType(type: "a", subtype: "b", parameters: [.init(name: "x y", value: "1")]) == nil)
    #expect(MediaType(type: "a", subtype: "b", parameters: [.init(name: "x", value: "a\r\nb")]) == nil)
    #expect(
      MediaType(type: "a", subtype: "b", parameters: [.init(name: "x", value: "1"), .init(name: "X", value: "2")])
        == nil)
    let type = MediaType(type: "a", subtype: "b", parameters: [.init(name: "X", value: "a;b")])
    #expect(type?.description == "a/b; x=\"a;b\"")
  }

  @Test("suffix, charset and parameters")
  func properties() throws {
    let problem = try #require(MediaType("application/problem+JSON; charset=\"UTF-8\"; V=Two"))
    #expect(problem.suffix == "json")
    #expect(problem.charset == "utf-8")
    #expect(problem.parameter("v") == "Two")
    #expect(problem.parameter("missing") == nil)
    #expect(MediaType("a/b")?.suffix == nil)
    #expect(MediaType("a/b+")?.suffix == nil)
    #expect(MediaType("a/b+c+xml")?.suffix == "xml")
    #expect(MediaType("a/b")?.charset == nil)
  }

  @Test(
    "JSON and XML are found by name and suffix",
    arguments: [
      ("application/json", true, false), ("text/json", true, false), ("application/vnd.api+json", true, false),
      ("application/json-seq", false, false), ("text/xml", false, true), ("image/svg+xml", false, true),
      ("image/json", false, false), ("application/xml", false, true),
    ])
  func structured(_ text: String, _ json: Bool, _ xml: Bool) throws {
    let type = try #require(MediaType(text))
    #expect(type.isJSON == json)
    #expect(type.isXML == xml)
  }

  @Test(
    "ranges match",
    arguments: [
      ("text/html", "*/*", true), ("text/html", "text/*", true), ("text/html", "TEXT/html;q=0.5", true),
      ("text/html", "image/*", false), ("text/html", "text/plain", false), ("text/html", "text/html;level=1", false),
      ("text/html;level=1", "text/html;level=1", true), ("text/html;level=2", "text/html;level=1", false),
      ("text/html;level=1", "text/html", true), ("a/b;charset=UTF-8", "a/b;charset=utf-8", true),
      ("application/x+json", "application/*+json", true), ("application/json", "application/*+json", false),
      ("application/x+xml", "application/*+json", false), ("a/x", "a/*+", false), ("text/x+json", "*/*+json", true),
    ])
  func matching(_ type: String, _ range: String, _ expected: Bool) throws {
    #expect(try #require(MediaType(type)).matches(try #require(MediaType(range))) == expected)
  }

  @Test("random text never traps, and what is parsed survives a round trip")
  func random() {
    var generator = SeededGenerator(seed: 3)
    let alphabet = Array("ab/;=\"\\ \t+*,\u{1}é")
    for _ in 0..<20_000 {
      let noise = (0..<Int.random(in: 0...14, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? "a"
      }
      for text in [String(noise), "a/b;" + String(noise)] {
        guard let type = MediaType(text) else { continue }
        #expect(MediaType(type.description) == type, "\(text)")
      }
    }
  }
}
