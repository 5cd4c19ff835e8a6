import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import Testing

/// Failures that users of other clients reported, replayed against the machine.
@Suite("HTTP/1 user reports")
struct HTTP1UserReportTests {
  @Test("H1-01: 103 and 100 are not the final response, and the connection is kept", arguments: [100, 102, 103])
  func interimIsNotFinal(code: Int) throws {
    let response =
      "HTTP/1.1 \(code) x\r\nLink: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    let transcript = expectSame(response)
    #expect(
      transcript.items == [
        .interim(code, ["Link: </a.css>; rel=preload"]), .head(200, reason: "OK", ["Content-Length: 5"], .known(5)),
        .body(Array("hello".utf8)), .end(nil), .needMoreData,
      ])
    #expect(transcript.canReuse)

    var machine = HTTP1ClientMachine()
    for answer in ["first", "other"] {
      var out = WriteBuffer()
      try machine.sendHead(request(), body: .none, into: &out)
      machine.receive(
        Array("HTTP/1.1 103 x\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(answer)".utf8).span)
      guard case .interim = try machine.nextEvent(), case .head(let head, _) = try machine.nextEvent(),
        case .body(let body) = try machine.nextEvent(), case .end = try machine.nextEvent()
      else {
        Issue.record("expected a whole response")
        return
      }
      #expect(!head.headers.contains("A"))
      #expect(String(body) == answer)
      try machine.startNextCycle()
    }
  }

  @Test(
    "H1-03: HEAD, 204 and 304 end at the empty line, and the connection is kept",
    arguments: [
      (.head, "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"), (.get, "HTTP/1.1 204 No Content\r\n\r\n"),
      (.get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"),
      (.get, "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n"),
      (.head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), (.head, "HTTP/1.1 200 OK\r\n\r\n"),
      (.get, "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
    ] as [(HTTPMethod, String)])
  func endsAtEmptyLine(method: HTTPMethod, response: String) {
    let transcript = expectSame(response, Exchange(method: method))
    #expect(Array(transcript.items.dropFirst()) == [.end(nil), .needMoreData])
    #expect(transcript.canReuse)
  }

  @Test("H1-07: with Transfer-Encoding and Content-Length chunked wins and the connection ends")
  func bothFramings() {
    let transcript = expectSame(
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
    #expect(transcript.bodyText == "hello")
    #expect(transcript.isComplete)
    #expect(!transcript.canReuse)
  }

  @Test(
    "H1-07: differing, signed, hexadecimal and overflowing lengths are errors",
    arguments: [
      ("Content-Length: 5\r\nContent-Length: 6", .conflictingLengths), ("Content-Length: +5", .invalidContentLength),
      ("Content-Length: 0x5", .invalidContentLength), ("Content-Length: 99999999999999999999", .invalidContentLength),
      ("Content-Length: -1", .invalidContentLength),
    ] as [(String, HTTP1Error.Reason)])
  func badLengths(fields: String, reason: HTTP1Error.Reason) {
    expectFailure("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello", reason)
  }

  @Test(
    "H1-07: equal lengths are one length",
    arguments: ["Content-Length: 5, 5", "Content-Length: 5\r\nContent-Length: 5"])
  func equalLengths(fields: String) {
    let transcript = expectSame("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello")
    #expect(transcript.bodyText == "hello")
    #expect(transcript.canReuse)
  }

  @Test("H1-11: a body shorter than its Content-Length is an error that says how much arrived")
  func shortBody() {
    let transcript = expectSame("HTTP/1.1 200 OK\r\nContent-Length: 20\r\nConnection: close\r\n\r\n12345", .closing)
    #expect(transcript.bodyText == "12345")
    #expect(transcript.reason == .truncatedBody(received: 5, expected: 20))
    expectFailure(
      "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n", .truncatedBody(received: 0, expected: 20), .closing)
  }
}
