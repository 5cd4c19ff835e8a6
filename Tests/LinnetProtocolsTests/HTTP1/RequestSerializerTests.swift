import LinnetBytes
import LinnetHTTPTypes
import LinnetProtocols
import Testing

@Suite("HTTP/1 request serialisation")
struct RequestSerializerTests {
  private func send(
    _ head: RequestHead, _ body: RequestBodyLength = .none, chunks: [String] = [], trailers: HTTPHeaders? = nil
  ) throws(HTTP1Error) -> String {
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    try machine.sendHead(head, body: body, into: &out)
    for chunk in chunks { try machine.sendBody(ByteChunk(chunk), into: &out) }
    try machine.sendEnd(trailers: trailers, into: &out)
    return text(out.takeAll())
  }

  @Test("the head is the request line and the fields in order and spelling")
  func head() throws {
    let head = request(
      .get, "/a?b=c", headers: HTTPHeaders(unchecked: [("Host", "h"), ("X-b", "1"), ("x-A", "2"), ("X-b", "3")]))
    #expect(try send(head) == "GET /a?b=c HTTP/1.1\r\nHost: h\r\nX-b: 1\r\nx-A: 2\r\nX-b: 3\r\n\r\n")
    var old = request(headers: ["Host": "h"])
    old.version = .http1_0
    #expect(try send(old) == "GET / HTTP/1.0\r\nHost: h\r\n\r\n")
  }

  @Test(
    "a request without a body announces it when its method expects one",
    arguments: [
      (.get, ""), (.delete, ""), (.options, ""), (.connect, ""), (.trace, ""), (.post, "Content-Length: 0\r\n"),
      (.put, "Content-Length: 0\r\n"), (.patch, "Content-Length: 0\r\n"),
    ] as [(HTTPMethod, String)])
  func noBody(method: HTTPMethod, field: String) throws {
    #expect(try send(request(method, headers: [:])) == "\(method) / HTTP/1.1\r\n\(field)\r\n")
  }

  @Test("a body of known length is announced and sent as it is")
  func knownLength() throws {
    #expect(
      try send(request(.put, headers: [:]), .known(5), chunks: ["he", "", "llo"])
        == "PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
    #expect(try send(request(.get, headers: [:]), .known(0)) == "GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
    #expect(try send(request(.trace, headers: [:]), .known(0)) == "TRACE / HTTP/1.1\r\n\r\n")
    #expect(
      try send(request(.put, headers: ["content-length": "5", "A": "1"]), .known(5), chunks: ["hello"])
        == "PUT / HTTP/1.1\r\ncontent-length: 5\r\nA: 1\r\n\r\nhello")
  }

  @Test("a chunked body is framed, empty parts write nothing, trailers follow the last chunk")
  func chunked() throws {
    let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    let post = request(.post, headers: [:])
    #expect(try send(post, .chunked) == head + "0\r\n\r\n")
    #expect(
      try send(post, .chunked, chunks: ["hello", "", String(repeating: "x", count: 26)])
        == head + "5\r\nhello\r\n1a\r\nxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n0\r\n\r\n")
    #expect(
      try send(post, .chunked, chunks: ["a"], trailers: ["X-Sum": "1", "x-b": "2"])
        == head + "1\r\na\r\n0\r\nX-Sum: 1\r\nx-b: 2\r\n\r\n")
    #expect(
      try send(request(.post, headers: ["transfer-encoding": "gzip, Chunked"]), .chunked, chunks: ["a"])
        == "POST / HTTP/1.1\r\ntransfer-encoding: gzip, Chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
  }

  @Test("large chunks pass by reference, with their framing in order")
  func largeChunk() throws {
    let large = String(repeating: "y", count: 10000)
    #expect(
      try send(request(.post, headers: [:]), .chunked, chunks: [large, "z"])
        == "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2710\r\n\(large)\r\n1\r\nz\r\n0\r\n\r\n")
  }

  @Test(
    "fields that contradict the body or each other are refused",
    arguments: [
      (.none, [("Content-Length", "5")]), (.none, [("Transfer-Encoding", "chunked")]),
      (.known(5), [("Content-Length", "4")]),
      (.known(5), [("Content-Length", "+5")]), (.known(5), [("Content-Length", "5"), ("content-length", "5")]),
      (.known(5), [("Content-Length", "5, 5")]), (.known(5), [("Transfer-Encoding", "chunked")]),
      (.known(5), [("Content-Length", "5"), ("Transfer-Encoding", "chunked")]), (.chunked, [("Content-Length", "5")]),
      (.chunked, [("Content-Length", "5"), ("Transfer-Encoding", "chunked")]),
      (.chunked, [("Transfer-Encoding", "gzip")]),
      (.chunked, [("Transfer-Encoding", "chunked, gzip")]), (.chunked, [("Transfer-Encoding", "chunked, chunked")]),
      (.chunked, [("Transfer-Encoding", "")]),
      (.chunked, [("Transfer-Encoding", "gzip"), ("Transfer-Encoding", "chunked")]),
    ] as [(RequestBodyLength, [(String, String)])])
  func conflictingFraming(body: RequestBodyLength, fields: [(String, String)]) {
    let head = request(.post, headers: HTTPHeaders(unchecked: fields))
    #expect(throws: HTTP1Error.local(.conflictingFraming)) { try send(head, body) }
  }

  @Test(
    "TRACE and CONNECT have no body", arguments: [HTTPMethod.trace, .connect],
    [.known(1), .chunked] as [RequestBodyLength])
  func bodyForbidden(method: HTTPMethod, body: RequestBodyLength) {
    #expect(throws: HTTP1Error.local(.bodyForbidden)) { try send(request(method), body) }
  }

  @Test("HTTP/1.0 has no chunked bodies, and HTTP/2 is not written")
  func versions() {
    var head = request(.post)
    head.version = .http1_0
    #expect(throws: HTTP1Error.local(.chunkedForbidden)) { try send(head, .chunked) }
    head.version = .http2
    #expect(throws: HTTP1Error.local(.wrongVersion)) { try send(head) }
  }

  @Test("two Host fields are refused")
  func repeatedHost() {
    #expect(throws: HTTP1Error.local(.repeatedHost)) {
      try send(request(headers: HTTPHeaders(unchecked: [("Host", "a"), ("host", "a")])))
    }
  }

  @Test(
    "no field can inject another line",
    arguments: [
      ("A", "1\r\nB: 2"), ("A", "1\nB: 2"), ("A", "1\r"), ("A", "a\u{0}b"), ("A", "\u{7F}"), ("A\r\nB", "1"),
      ("A:", "1"),
      ("A B", "1"), ("", "1"), ("A ", "1"), ("Ä", "1"), ("A", "12345678\r\n\r\nGET /evil HTTP/1.1"),
    ])
  func fieldInjection(name: String, value: String) {
    for headers in [HTTPHeaders(unchecked: [("Host", "h"), (name, value)]), [name: value]] as [HTTPHeaders] {
      var machine = HTTP1ClientMachine()
      var out = WriteBuffer()
      #expect(throws: HTTP1Error.local(.invalidHeader)) {
        try machine.sendHead(request(headers: headers), body: .none, into: &out)
      }
      #expect(out.count == 0)
    }
    #expect(throws: HTTP1Error.local(.invalidHeader)) {
      try send(request(.post), .chunked, trailers: HTTPHeaders(unchecked: [(name, value)]))
    }
  }

  @Test(
    "no method can end the request line", arguments: ["", "GET /evil HTTP/1.1\r\nX:", "G T", "G\r\n", "G\u{0}", "GÉT"])
  func methodInjection(method: String) {
    #expect(HTTPMethod(rawValue: method) == nil)
  }

  @Test(
    "no target can end the request line",
    arguments: ["", "/a b", "/a\r\nX: 1", "/\n", "/\u{0}", "/\u{7F}", "/ HTTP/1.1\r\n\r\nGET /evil"])
  func targetInjection(target: String) throws {
    #expect(RequestTarget(exactly: target) == nil)
    let line = try #require(try send(request(.get, target, headers: [:])).split(separator: "\r\n").first)
    #expect(line.split(separator: " ", omittingEmptySubsequences: false).count == 3)
    #expect(line.hasPrefix("GET /") && line.hasSuffix(" HTTP/1.1"))
  }

  @Test("a refused head leaves the machine as it was, and the connection usable")
  func refusalLeavesNoTrace() throws {
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    #expect(throws: HTTP1Error.self) {
      try machine.sendHead(request(headers: HTTPHeaders(unchecked: [("A", "\n")])), body: .none, into: &out)
    }
    #expect(out.count == 0)
    #expect(machine.canReuse == true)
    try machine.sendHead(request(), body: .none, into: &out)
    #expect(text(out.takeAll()) == "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
  }

  @Test("more body than announced is refused, for good")
  func bodyTooLong() throws {
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    try machine.sendHead(request(.put), body: .known(5), into: &out)
    try machine.sendBody(ByteChunk("hell"), into: &out)
    let before = out.count
    let error = HTTP1Error.local(.bodyTooLong(announced: 5))
    #expect(throws: error) { try machine.sendBody(ByteChunk("o!"), into: &out) }
    #expect(out.count == before)
    #expect(throws: error) { try machine.sendBody(ByteChunk("o"), into: &out) }
    #expect(throws: error) { try machine.sendEnd(trailers: nil, into: &out) }
    #expect(throws: error) { try machine.sendHead(request(), body: .none, into: &out) }
    #expect(machine.canReuse == false)
  }

  @Test("a body for a request that announced none is refused")
  func unannouncedBody() throws {
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    try machine.sendHead(request(.post), body: .none, into: &out)
    try machine.sendBody(ByteChunk(), into: &out)
    #expect(throws: HTTP1Error.local(.bodyTooLong(announced: 0))) { try machine.sendBody(ByteChunk("x"), into: &out) }
  }

  @Test("less body than announced is refused, for good")
  func bodyTooShort() throws {
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    try machine.sendHead(request(.put), body: .known(5), into: &out)
    try machine.sendBody(ByteChunk("hell"), into: &out)
    let error = HTTP1Error.local(.bodyTooShort(sent: 4, announced: 5))
    #expect(throws: error) { try machine.sendEnd(trailers: nil, into: &out) }
    #expect(throws: error) { try machine.sendBody(ByteChunk("o"), into: &out) }
  }

  @Test("trailers need a chunked body, and none that frames or routes is sent")
  func trailers() {
    #expect(throws: HTTP1Error.local(.trailersNotPossible)) { try send(request(), trailers: ["A": "1"]) }
    #expect(throws: HTTP1Error.local(.trailersNotPossible)) {
      try send(request(.put), .known(1), chunks: ["a"], trailers: ["A": "1"])
    }
    #expect(throws: HTTP1Error.local(.forbiddenTrailer)) {
      try send(request(.put), .chunked, trailers: ["Content-Length": "1"])
    }
  }

  @Test("an end may be repeated, and parts out of turn are refused")
  func turns() throws {
    var machine = HTTP1ClientMachine()
    var out = WriteBuffer()
    #expect(throws: HTTP1Error.local(.outOfTurn)) { try machine.sendBody(ByteChunk("x"), into: &out) }
    #expect(throws: HTTP1Error.local(.outOfTurn)) { try machine.sendEnd(trailers: nil, into: &out) }
    try machine.sendHead(request(.put), body: .known(1), into: &out)
    try machine.sendBody(ByteChunk("x"), into: &out)
    try machine.sendEnd(trailers: nil, into: &out)
    try machine.sendEnd(trailers: [:], into: &out)
    #expect(throws: HTTP1Error.local(.outOfTurn)) { try machine.sendHead(request(), body: .none, into: &out) }
  }
}
