import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("HTTP/1 chunked bodies")
struct ChunkedDecoderTests {
  private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test(
    "a chunked body is the payload of its chunks",
    arguments: [
      ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"),
      ("5\r\nhello\r\n6\r\n world\r\n000\r\n\r\n", "hello world"),
      ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"), ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
      ("0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"), ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
      ("5;ilovew3;somuchlove=aretheseparametersfor\r\nhello\r\n0;x\r\n\r\n", "hello"),
      ("5;a=\"b; c\\\"\";d\r\nhello\r\n0\r\n\r\n", "hello"), ("5 ; a = b\r\nhello\r\n0\r\n\r\n", "hello"),
      ("5;a ;b\r\nhello\r\n0\r\n\r\n", "hello"), ("5;a=\"\"\r\nhello\r\n0\r\n\r\n", "hello"),
      ("5\t;\ta\t=\t\"b\" ;c\r\nhello\r\n0\r\n\r\n", "hello"),
      ("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n10\r\n0123456789abcdef\r\n1\r\nz\r\n0\r\n\r\n", "abc0123456789abcdefz"),
    ])
  func payload(body: String, expected: String) {
    let transcript = expectSame(Self.head + body)
    #expect(transcript.bodyText == expected)
    #expect(transcript.items.contains(.end(nil)))
    #expect(transcript.canReuse)
  }

  @Test(
    "an invalid chunk is refused after the payload before it was reported",
    arguments: [
      ("\r\n", .invalidChunkSize), ("x\r\n", .invalidChunkSize), ("-5\r\n", .invalidChunkSize),
      ("+5\r\n", .invalidChunkSize),
      ("0x5\r\n", .invalidChunkSize), ("5g\r\n", .invalidChunkSize), (" 5\r\n", .invalidChunkSize),
      (";a\r\n", .invalidChunkSize),
      ("00000000000000005\r\nhello\r\n", .chunkSizeOverflow), ("10000000000000000\r\n", .chunkSizeOverflow),
      ("5\nhello\r\n", .bareLineFeed), ("5\rhello\r\n", .bareCarriageReturn), ("5;a\rhello\r\n", .bareCarriageReturn),
      ("5\r\nhelloX", .missingChunkTerminator), ("5\r\nhello\n0\r\n\r\n", .missingChunkTerminator),
      ("5\r\nhello\r0\r\n\r\n", .missingChunkTerminator),
      ("5  \r\nhello\r\n", .invalidChunkExtension), ("5 x\r\nhello\r\n", .invalidChunkExtension),
      ("5;\r\nhello\r\n", .invalidChunkExtension), ("5;a;\r\n", .invalidChunkExtension),
      ("5;a=\r\n", .invalidChunkExtension),
      ("5;=b\r\n", .invalidChunkExtension), ("5;a=b=c\r\n", .invalidChunkExtension),
      ("5;a b\r\n", .invalidChunkExtension),
      ("5;a=\"b\r\n", .invalidChunkExtension), ("5;a=\"b\"c\r\n", .invalidChunkExtension),
      ("5;a\nb\r\n", .invalidChunkExtension),
      ("5;a=\"\n\"\r\n", .invalidChunkExtension), ("5;a=\"\\\u{0}\"\r\n", .invalidChunkExtension),
      ("5;a \r\n", .invalidChunkExtension),
      ("0\r\nA B: 1\r\n\r\n", .whitespaceBeforeColon), ("0\r\n A: 1\r\n\r\n", .lineFolding),
      ("0\r\nA: 1\n\r\n", .bareLineFeed),
      ("0\r\n\n", .bareLineFeed), ("0\r\n\rX", .bareCarriageReturn),
    ] as [(String, HTTP1Error.Reason)])
  func invalidChunk(body: String, reason: HTTP1Error.Reason) {
    let transcript = expectSame(Self.head + "3\r\nabc\r\n" + body)
    #expect(transcript.items.last == .failed(.remote(reason)), "\(transcript)")
    #expect(transcript.bodyText.hasPrefix("abc"))
  }

  @Test("line feeds alone never end a chunk line, whatever the options say")
  func lenientOptionsDoNotApply() {
    var exchange = Exchange()
    exchange.limits.acceptsBareLineFeed = true
    expectFailure(Self.head + "5\nhello\r\n0\r\n\r\n", .bareLineFeed, exchange)
    expectFailure(Self.head + "5\r\nhello\n0\r\n\r\n", .missingChunkTerminator, exchange)
  }

  @Test("the largest size is 16 digits and does not trap")
  func largestSize() {
    expectFailure(Self.head + "ffffffffffffffff\r\nabc", .truncatedChunked, .closing)
    #expect(expectSame(Self.head + "ffffffffffffffff\r\nabc").bodyText == "abc")
  }

  @Test("chunk extensions are bounded over the whole body")
  func extensionLimit() {
    var exchange = Exchange()
    exchange.limits.maximumChunkExtensionBytes = 12
    let chunk = "1;abc\r\nx\r\n"
    #expect(expectSame(Self.head + chunk + chunk + chunk + "0\r\n\r\n", exchange).bodyText == "xxx")
    expectFailure(Self.head + chunk + chunk + chunk + chunk, .chunkExtensionsTooLong(limit: 12), exchange)
    expectFailure(
      Self.head + "1;" + String(repeating: "a", count: 20000), .chunkExtensionsTooLong(limit: 16384))
  }

  @Test("trailers are reported apart from the head")
  func trailers() {
    let transcript = expectSame(Self.head + "5\r\nhello\r\n0\r\nX-Sum: abc\r\nX-Sum: def \r\nE:\r\n\r\n")
    #expect(transcript.fields == ["Transfer-Encoding: chunked"])
    #expect(transcript.items.contains(.end(["X-Sum: abc", "X-Sum: def", "E: "])))
    #expect(transcript.canReuse)
  }

  @Test(
    "fields that are forbidden in trailers are dropped",
    arguments: [
      "Content-Length: 5", "transfer-encoding: chunked", "HOST: evil", "Trailer: x", "Set-Cookie: a=b",
      "Connection: close",
      "Authorization: x", "Content-Type: text/html", "Content-Encoding: gzip", "Cache-Control: no-store", "TE: x",
      "Location: /", "WWW-Authenticate: Basic", "If-Unmodified-Since: x", "Proxy-Authorization: x", "Range: x",
      "Age: 1",
      "Content-Range: bytes 0-1/2", "Date: x", "Vary: x", "Retry-After: 1",
    ])
  func forbiddenTrailers(line: String) {
    #expect(expectSame(Self.head + "0\r\n\(line)\r\n\r\n").items.contains(.end(nil)))
    let transcript = expectSame(Self.head + "0\r\nA: 1\r\n\(line)\r\nB: 2\r\n\r\n")
    #expect(transcript.items.contains(.end(["A: 1", "B: 2"])))
  }

  @Test("the trailer section is bounded")
  func trailerLimit() {
    var exchange = Exchange()
    exchange.limits.maximumTrailerSectionBytes = 16
    #expect(expectSame(Self.head + "0\r\nA: 123456789\r\n\r\n", exchange).items.contains(.end(["A: 123456789"])))
    expectFailure(Self.head + "0\r\nA: 1234567890\r\n\r\n", .trailerSectionTooLarge(limit: 16), exchange)
  }

  @Test(
    "H1-09: the end of input before the last line of a chunked body is an error",
    arguments: [
      ("7\r\nchunk-1\r\n", "chunk-1"), ("7\r\nFoo", "Foo"), ("5\r\nhello\r\n0\r\n", "hello"), ("", ""), ("7", ""),
      ("5\r\nhello", "hello"), ("5\r\nhello\r", "hello"), ("5\r\nhello\r\n0", "hello"),
      ("5\r\nhello\r\n0\r\n\r", "hello"),
      ("5\r\nhello\r\n0\r\nX: 1\r\n", "hello"), ("5;a=b", ""),
    ])
  func truncation(body: String, partial: String) {
    expectFailure(Self.head + body, .truncatedChunked, .closing)
    #expect(expectSame(Self.head + body, .closing).bodyText == partial)
  }

  @Test("many small chunks in one read are one body event")
  func gathersSmallChunks() throws {
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    try machine.sendHead(request(), body: .none, into: &out)
    machine.receive(Array((Self.head + String(repeating: "2\r\nab\r\n", count: 500) + "0\r\n\r\n").utf8).span)
    guard case .head = try machine.nextEvent(), case .body(let run) = try machine.nextEvent(),
      case .end = try machine.nextEvent()
    else {
      Issue.record("expected head, one run and the end")
      return
    }
    #expect(run.count == 1000)
  }
}
