import LinnetBytes
import LinnetHTTPTypes
import Testing

@Suite("HTTPHeader")
struct HTTPHeaderTests {
  @Test("each factory makes the field of its name")
  func factories() throws {
    let json = try #require(MediaType("application/json"))
    let table: [(HTTPHeader, String, String)] = [
      (.accept("a/b"), "Accept", "a/b"), (.acceptCharset("utf-8"), "Accept-Charset", "utf-8"),
      (.acceptLanguage("de"), "Accept-Language", "de"), (.acceptEncoding("gzip"), "Accept-Encoding", "gzip"),
      (.authorization("Digest x"), "Authorization", "Digest x"),
      (.authorization(bearerToken: "t0k"), "Authorization", "Bearer t0k"),
      (.contentDisposition("inline"), "Content-Disposition", "inline"),
      (.contentEncoding("gzip"), "Content-Encoding", "gzip"),
      (.contentType("text/plain"), "Content-Type", "text/plain"),
      (.contentType(json), "Content-Type", "application/json"), (.userAgent("u/1"), "User-Agent", "u/1"),
      (.websocketProtocol("chat"), "Sec-WebSocket-Protocol", "chat"),
    ]
    for (header, name, value) in table {
      #expect(header.name == name)
      #expect(header.value == value)
      #expect(throws: Never.self) { try header.validate() }
    }
  }

  @Test("basic credentials are those of RFC 7617")
  func basic() {
    #expect(
      HTTPHeader.authorization(username: "Aladdin", password: "open sesame").value
        == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(HTTPHeader.authorization(username: "test", password: "123\u{A3}").value == "Basic dGVzdDoxMjPCow==")
  }

  @Test("basic credentials are normalised to NFC before they are encoded")
  func normalisation() {
    let composed = HTTPHeader.authorization(username: "jos\u{E9}", password: "\u{C5}\u{AC01}")
    let decomposed = HTTPHeader.authorization(username: "jose\u{301}", password: "A\u{30A}\u{1100}\u{1161}\u{11A8}")
    #expect(composed.value == decomposed.value)
    #expect(composed.value == "Basic " + Base64.encode("jos\u{E9}:\u{C5}\u{AC01}".utf8))
    #expect("a".normalizedNFC == "a")
    #expect(Array("\u{2126}\u{1E9B}\u{323}".normalizedNFC.unicodeScalars.map(\.value)) == [0x3A9, 0x1E9B, 0x323])
  }

  @Test("a colon may stand in the password but not in the username")
  func colon() {
    #expect(throws: Never.self) { try HTTPHeader.authorization(username: "a", password: "b:c").validate() }
    let bad = HTTPHeader.authorization(username: "a:b", password: "c")
    let error = #expect(throws: HTTPHeaderError.self) { try bad.validate() }
    #expect(error?.reason == .colonInUsername)
    var headers = HTTPHeaders()
    headers.add(bad)
    #expect(headers.isEmpty)
    #expect(throws: HTTPHeaderError.self) { try headers.validate() }
  }

  @Test("control characters in credentials are refused although Base64 hides them", arguments: ["\n", "\0", "\u{7F}"])
  func controls(_ control: String) {
    let error = #expect(throws: HTTPHeaderError.self) {
      try HTTPHeader.authorization(username: "a", password: "x\(control)secret").validate()
    }
    #expect(error?.reason == .controlInCredentials)
    #expect(error.map { !"\($0)".contains("secret") } == true)
  }

  @Test("a line break in a bearer token makes the field invalid")
  func bearerInjection() {
    let error = #expect(throws: HTTPHeaderError.self) {
      try HTTPHeader.authorization(bearerToken: "x\r\nHost: evil").validate()
    }
    #expect(error?.reason == .controlInValue(0x0D))
  }

  @Test(
    "credentials and cookies are sensitive in any case",
    arguments: ["Authorization", "authorization", "PROXY-Authorization", "Cookie", "set-COOKIE"])
  func sensitiveNames(_ name: String) {
    let header = HTTPHeader(name: name, value: "secret")
    #expect(header.isSensitive)
    #expect(header.description == "\(name): <redacted>")
    #expect(header.debugDescription == "\(name): <redacted>")
  }

  @Test("a marked field is redacted, another is shown")
  func marked() {
    #expect(HTTPHeader(name: "X-Api-Key", value: "k", isSensitive: true).description == "X-Api-Key: <redacted>")
    #expect(HTTPHeader(name: "X-Api-Key", value: "k").description == "X-Api-Key: k")
    let headers: HTTPHeaders = [HTTPHeader(name: "X-Api-Key", value: "k", isSensitive: true), .accept("a/b")]
    #expect(headers.description == "X-Api-Key: <redacted>\nAccept: a/b")
    #expect(headers[0].isSensitive)
    #expect(headers.isSensitive(at: 0))
    #expect(!headers.isSensitive(at: 1))
  }

  @Test("fields are equal when the names are without case and the values exactly")
  func equality() {
    #expect(HTTPHeader("A", "x") == HTTPHeader("a", "x"))
    #expect(HTTPHeader("A", "x").hashValue == HTTPHeader("a", "x").hashValue)
    #expect(HTTPHeader("A", "x") != HTTPHeader("A", "X"))
    #expect(HTTPHeader("A", "e\u{301}") != HTTPHeader("A", "\u{E9}"))
  }

  @Test("weights fall by a tenth, the first is omitted, and six values are used")
  func weights() {
    #expect(HTTPHeader.weightedList([]) == "")
    #expect(HTTPHeader.weightedList(["de"]) == "de")
    #expect(
      HTTPHeader.weightedList(["a", "b", "c", "d", "e", "f", "g"]) == "a, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5")
    let twelve = HTTPHeader.weightedList((0..<12).map { "l\($0)" }, maximumCount: 12)
    #expect(twelve.hasSuffix("l9;q=0.1, l10;q=0, l11;q=0"))
  }

  @Test("an error is one line, names the field and escapes what could break a log")
  func errorText() {
    let error = HTTPHeaderError.self
    var headers = HTTPHeaders()
    let thrown = #expect(throws: error) { try headers.add(name: "X\r\nEvil", value: "v") }
    #expect(thrown?.description == "\"X\\r\\nEvil\" is not a valid header field name")
    let long = #expect(throws: error) { try headers.add(name: String(repeating: "ä", count: 500), value: "v") }
    #expect((long?.description.count ?? 1000) < 700)
    #expect(long?.description.utf8.contains(0x0A) == false)
  }
}
