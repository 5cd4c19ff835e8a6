import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("HTTP/1 response heads")
struct ResponseHeadParserTests {
  @Test(
    "a status line has version, code and an optional reason",
    arguments: [
      ("HTTP/1.1 200 OK", 200, "OK"), ("HTTP/1.1 200 ", 200, ""), ("HTTP/1.1 301", 301, ""),
      ("HTTP/1.1 200  OK", 200, " OK"), ("HTTP/1.0 404 Not Found", 404, "Not Found"),
      ("HTTP/1.1 999 x", 999, "x"), ("HTTP/1.1 599 a\tb", 599, "a\tb"), ("HTTP/1.7 200 OK", 200, "OK"),
      ("HTTP/1.1 500 Internal Server Error", 500, "Internal Server Error"),
      ("HTTP/1.1 500 Internal Server Horror", 500, "Internal Server Horror"),
      ("HTTP/1.1 500 Größe", 500, "Größe"),
    ])
  func statusLine(line: String, code: Int, reason: String) {
    let transcript = expectSame("\(line)\r\nContent-Length: 0\r\n\r\n")
    #expect(transcript.items.first == .head(code, reason: reason, ["Content-Length: 0"], .known(0)))
  }

  @Test(
    "an invalid status line is refused",
    arguments: [
      "HTP/1.1 200 OK", "HTTPER/1.1 200 OK", "http/1.1 200 OK", "HTTP/11.1 200 OK",
      "HTTP/1.01 200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1  200 OK", "HTTP/1.1 2 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000",
      "HTTP/1.1 099 OK", "HTTP/1.1 +20 OK", "HTTP/1.1 200OK", "HTTP/1.1 200 a\u{0}b", "HTTP/1.1 200 a\u{7F}b",
      "HTTP/1.x 200 OK", "RTSP/1.0 200 OK", "ICY 200 OK", "SSH-2.0-OpenSSH_9.6", " HTTP/1.1 200 OK", "HTTP/1.1",
      "HTTP/1.1 ", "<html>",
    ])
  func invalidStatusLine(line: String) {
    expectFailure("\(line)\r\nContent-Length: 0\r\n\r\n", .invalidStatusLine)
  }

  @Test(
    "a major version other than 1 is refused",
    arguments: [
      "HTTP/0.9 200 OK", "HTTP/01.1 200 OK", "HTTP/2.0 200 OK", "HTTP/2 200", "HTTP/5.6 200 OK", "HTTP/3 200",
    ])
  func unsupportedVersion(line: String) {
    expectFailure("\(line)\r\nContent-Length: 0\r\n\r\n", .unsupportedVersion)
  }

  @Test("a first byte that cannot start a status line is refused before more arrives")
  func earlyVerdict() {
    expectFailure("S", .invalidStatusLine)
    expectFailure("HTTP/2", .unsupportedVersion)
    expectFailure("HTTP/1.1 200 OK\r\nA B", .whitespaceBeforeColon)
  }

  @Test("up to two empty lines may precede the status line")
  func leadingEmptyLines() {
    let response = "HTTP/1.1 204 No Content\r\n\r\n"
    #expect(expectSame("\r\n" + response).status == 204)
    #expect(expectSame("\r\n\r\n" + response).status == 204)
    expectFailure("\r\n\r\n\r\n" + response, .invalidStatusLine)
    expectFailure("\rHTTP/1.1 204 No Content\r\n\r\n", .invalidStatusLine)
    expectFailure("\n" + response, .invalidStatusLine)
  }

  @Test(
    "field lines keep spelling, order and repeats, and lose the whitespace around the value",
    arguments: [
      ("A: 1", "A: 1"), ("A:1", "A: 1"), ("A:\t 1 \t", "A: 1"), ("A:", "A: "), ("A:   ", "A: "), ("aB-c: x", "aB-c: x"),
      ("A: b: c", "A: b: c"), ("A: \"x, y\"", "A: \"x, y\""), ("A: a\tb  c", "A: a\tb  c"),
      ("DCLK_imp: v7;x", "DCLK_imp: v7;x"),
      ("!#$%&'*+-.^_`|~09azAZ: t", "!#$%&'*+-.^_`|~09azAZ: t"), ("A: ünïcode", "A: ünïcode"),
      ("A: 0123456789abcdef0123456789", "A: 0123456789abcdef0123456789"),
      ("A: 1\r\nB: 2\r\na: 3", "A: 1|B: 2|a: 3"),
    ])
  func fieldLine(line: String, expected: String) {
    let transcript = expectSame("HTTP/1.1 204 No Content\r\n\(line)\r\n\r\n")
    #expect(transcript.fields?.joined(separator: "|") == expected)
    #expect(transcript.canReuse)
  }

  @Test(
    "an invalid field line is refused",
    arguments: [
      ("A : 1", .whitespaceBeforeColon), ("A\t: 1", .whitespaceBeforeColon),
      ("en-US Content-Type: x", .whitespaceBeforeColon),
      (": 1", .invalidFieldName), ("A(b: 1", .invalidFieldName), ("Ä: 1", .invalidFieldName),
      ("A\u{0}: 1", .invalidFieldName),
      ("@: 1", .invalidFieldName), ("A", .missingColon), ("NoColonHere", .missingColon),
      (" A: 1", .lineFolding), ("\tA: 1", .lineFolding), ("A: 1\r\n folded", .lineFolding),
      ("A: 1\r\n\r x", .bareCarriageReturn),
      ("A: a\u{0}b", .invalidFieldValue), ("A: a\u{7F}b", .invalidFieldValue), ("A: \u{1B}[31m", .invalidFieldValue),
      ("A: 0123456\u{8}89", .invalidFieldValue), ("A: a\rB: 2", .bareCarriageReturn),
      ("A: a\r\rB: 2", .bareCarriageReturn),
      ("A: a\nB: 2", .bareLineFeed), ("A: a\n\nB: 2", .bareLineFeed),
    ] as [(String, HTTP1Error.Reason)])
  func invalidFieldLine(line: String, reason: HTTP1Error.Reason) {
    expectFailure("HTTP/1.1 204 No Content\r\n\(line)\r\n\r\n", reason)
  }

  @Test("a line end of the status line is CRLF")
  func statusLineEnd() {
    expectFailure("HTTP/1.1 200 OK\nA: 1\n\n", .bareLineFeed)
    expectFailure("HTTP/1.1 200\nA: 1\n\n", .bareLineFeed)
    expectFailure("HTTP/1.1 200 OK\rContent-Length: 0\r\n", .bareCarriageReturn)
    expectFailure("HTTP/1.1 200\r\r\n", .bareCarriageReturn)
    expectFailure("HTTP/1.1 200 OK\r\n\n", .bareLineFeed)
  }

  @Test("a lone LF ends the lines of a head whose status line it ends, when that is asked for")
  func lenientLineFeed() {
    var exchange = Exchange()
    exchange.limits.acceptsBareLineFeed = true
    for response in [
      "HTTP/1.1 200 OK\nA: 1\nContent-Length: 2\n\nhi", "\nHTTP/1.1 200 OK\nA:1 \r\nContent-Length: 2\r\n\nhi",
      "HTTP/1.1 200\nA: 1\nContent-Length: 2\n\r\nhi",
    ] {
      let transcript = expectSame(response, exchange)
      #expect(transcript.fields == ["A: 1", "Content-Length: 2"])
      #expect(transcript.bodyText == "hi")
    }
    #expect(expectSame("HTTP/1.1 204\n\n", exchange).status == 204)
    for response in [
      "HTTP/1.1 200 OK\r\nA: 1\nContent-Length: 2\n\r\nhi", "HTTP/1.1 200 OK\r\nA: 1\r\n\nhi",
      "HTTP/1.1 200 OK\r\nA: 1\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 100\n\nHTTP/1.1 200 OK\r\n\n",
    ] {
      expectFailure(response, .bareLineFeed, exchange)
    }
  }

  @Test(
    "a folded line reads as spaces when that is asked for",
    arguments: [
      ("A: 1\r\n 2", "A: 1   2"), ("A: 1 \r\n\t2\r\nB: 3", "A: 1   \t2|B: 3"), ("A:\r\n x", "A: x"),
      ("A: \r\n \r\n x", "A: x"), ("A: 1\r\n  \r\nB: 2", "A: 1|B: 2"), ("A: 1\r\n 2\r\n 3", "A: 1   2   3"),
      ("A:\r\n ", "A: "), ("A: 1\r\nB: 2", "A: 1|B: 2"),
    ])
  func lenientFolding(line: String, expected: String) {
    var exchange = Exchange()
    exchange.limits.acceptsLineFolding = true
    let transcript = expectSame("HTTP/1.1 204 No Content\r\n\(line)\r\n\r\n", exchange)
    #expect(transcript.fields?.joined(separator: "|") == expected)
  }

  @Test("the first line of a section cannot be folded")
  func foldedFirstLine() {
    var exchange = Exchange()
    exchange.limits.acceptsLineFolding = true
    expectFailure("HTTP/1.1 200 OK\r\n Host: foo\r\n\r\n", .lineFolding, exchange)
  }

  @Test("folding and lone line feeds combine")
  func lenientBoth() {
    var exchange = Exchange()
    exchange.limits.acceptsLineFolding = true
    exchange.limits.acceptsBareLineFeed = true
    #expect(expectSame("HTTP/1.1 204\nA: 1\n 2\nB: 3\n\n", exchange).fields == ["A: 1  2", "B: 3"])
  }

  @Test("the status line is bounded", arguments: [40, 8192])
  func statusLineLimit(limit: Int) {
    var exchange = Exchange()
    exchange.limits.maximumStatusLineBytes = limit
    let fits = String(repeating: "x", count: limit - 14)
    #expect(expectSame("HTTP/1.1 204 \(fits)\r\n\r\n", exchange).status == 204)
    expectFailure("HTTP/1.1 204 \(fits)x\r\n\r\n", .statusLineTooLong(limit: limit), exchange)
  }

  @Test("the field section is bounded, line ends included", arguments: [20, 65536])
  func fieldSectionLimit(limit: Int) {
    var exchange = Exchange()
    exchange.limits.maximumFieldSectionBytes = limit
    let fits = String(repeating: "v", count: limit - 7)
    #expect(expectSame("HTTP/1.1 204 x\r\nA: \(fits)\r\n\r\n", exchange).status == 204)
    expectFailure("HTTP/1.1 204 x\r\nA: \(fits)v\r\n\r\n", .fieldSectionTooLarge(limit: limit), exchange)
    expectFailure(
      "HTTP/1.1 204 x\r\nA: \(fits)vvvvvvvv\u{0}\r\n\r\n", .fieldSectionTooLarge(limit: limit), exchange)
  }

  @Test("the number of fields is bounded")
  func fieldCountLimit() {
    var exchange = Exchange()
    exchange.limits.maximumFieldCount = 10
    let ten = String(repeating: "A: 1\r\n", count: 10)
    #expect(expectSame("HTTP/1.1 204 x\r\n\(ten)\r\n", exchange).fields?.count == 10)
    expectFailure("HTTP/1.1 204 x\r\n\(ten)B: 2\r\n\r\n", .tooManyFields(limit: 10), exchange)
  }

  @Test("limits of zero and of the largest integer neither trap nor hang")
  func extremeLimits() {
    var exchange = Exchange()
    exchange.limits.maximumStatusLineBytes = .max
    exchange.limits.maximumFieldSectionBytes = .max
    exchange.limits.maximumFieldCount = .max
    #expect(expectSame("HTTP/1.1 204 x\r\nA: 1\r\n\r\n", exchange).status == 204)
    exchange.limits.maximumFieldSectionBytes = 0
    expectFailure("HTTP/1.1 204 x\r\nA: 1\r\n\r\n", .fieldSectionTooLarge(limit: 0), exchange)
    exchange.limits.maximumStatusLineBytes = -1
    expectFailure("HTTP/1.1 204 x\r\nA: 1\r\n\r\n", .statusLineTooLong(limit: -1), exchange)
  }

  @Test("H1-12: field names are compared without case, and keep their spelling")
  func caseInsensitiveNames() {
    let transcript = expectSame("HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\nETAG: \"x\"\r\n\r\n")
    #expect(
      transcript.items == [
        .head(302, reason: "Found", ["location: /b", "content-length: 0", "ETAG: \"x\""], .known(0)), .end(nil),
        .needMoreData,
      ])
    #expect(transcript.canReuse)
  }
}
