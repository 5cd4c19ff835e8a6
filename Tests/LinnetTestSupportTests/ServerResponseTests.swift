import LinnetTestSupport
import Testing

@Suite("ServerResponse", .timeLimit(.minutes(2)))
struct ServerResponseTests {
  private static let get = "GET / HTTP/1.1\r\nHost: t\r\n\r\n"

  private func exchange(
    _ response: ServerResponse, request: String = "GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n"
  ) throws -> String {
    let server = try ScriptedServer.start(.handler { _ in response })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(request)
    return try client.receiveToEnd()
  }

  @Test(
    "a response is written as it was described",
    arguments: [
      (ServerResponse.text("hi"), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"),
      (
        ServerResponse(body: ServerBody([.bytes([65, 66]), .bytes([67])])).chunked(trailers: [HeaderLine("T", "1")]),
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
          + "2\r\nAB\r\n1\r\nC\r\n0\r\nT: 1\r\n\r\n"
      ),
      (ServerResponse.text("x").framed(.close), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx"),
      (
        ServerResponse.text("x").framed(.announced(20)),
        "HTTP/1.1 200 OK\r\nContent-Length: 20\r\nConnection: close\r\n\r\nx"
      ),
      (
        ServerResponse.text("x").after(interim: .init(103, headers: [HeaderLine("Link", "</a>")])),
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n"
          + "Connection: close\r\n\r\nx"
      ),
      (ServerResponse(204), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
      (
        ServerResponse.redirect(to: "/b").adding("A", "b"),
        "HTTP/1.1 302 Found\r\nLocation: /b\r\nA: b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      ),
    ])
  func wire(_ response: ServerResponse, _ expected: String) throws {
    #expect(try exchange(response) == expected)
  }

  @Test("a HEAD request gets the framing fields and no body")
  func head() throws {
    let answer = try exchange(.text("hello"), request: "HEAD / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
    #expect(answer == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n")
  }

  @Test("an HTTP/1.0 connection stays open only when the client asks for it", arguments: [false, true])
  func http10(keepsAlive: Bool) async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send("GET / HTTP/1.0\r\n\(keepsAlive ? "Connection: keep-alive\r\n" : "")\r\n")
    let field = keepsAlive ? "keep-alive" : "close"
    #expect(
      try client.receive(until: "\r\n\r\nx") == "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: \(field)\r\n\r\nx")
    if !keepsAlive { #expect(try client.receiveToEnd() == "") }
  }

  @Test("a generated body arrives as the pattern", arguments: [0, 1, 251, 65_536, 1_000_003] as [UInt64])
  func pattern(count: UInt64) throws {
    let server = try ScriptedServer.start(.handler { _ in .pattern(count) })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    _ = try client.receive(until: "\r\n\r\n")
    let body = try client.receive(Int(count))
    #expect(UInt64(body.count) == count)
    #expect(TestPattern.firstMismatch(in: body) == nil)
    #expect(body == TestPattern.bytes(Int(count)))
  }

  @Test("an abrupt close comes after the body and without a Connection field")
  func abrupt() throws {
    let answer = try exchange(.text("x").closing(.abrupt), request: Self.get)
    #expect(answer == "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
  }

  @Test("a gate inside a body holds back what follows")
  func gateInBody() async throws {
    let gate = Gate()
    let body = ServerBody([.bytes(Array("first".utf8)), .wait(gate), .bytes(Array("second".utf8))])
    let server = try ScriptedServer.start(.handler { _ in ServerResponse(body: body) })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    #expect(try client.receive(until: "first").hasSuffix("Content-Length: 11\r\n\r\nfirst"))
    gate.open()
    #expect(try client.receive(until: "second") == "second")
  }

  @Test("a reset in the middle of a body reaches the client")
  func resetInBody() throws {
    let body = ServerBody([.bytes(Array("part".utf8)), .effect(.reset)])
    let server = try ScriptedServer.start(.handler { _ in ServerResponse(body: body).framed(.announced(10)) })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send(Self.get)
    #expect(throws: RawClient.Failure.receive(104)) {
      while try !client.receiveSome().isEmpty {}
    }
  }

  @Test("a request body waits for 100 Continue, and gets it")
  func continues() async throws {
    let server = try ScriptedServer.start(.handler { .text($0.body.text) })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
    #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
    try client.send("body")
    #expect(try client.receive(until: "body").hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  @Test("an early answer leaves the body unread and closes the connection")
  func earlyAnswer() async throws {
    let script = ServerScript.handler(onHead: { _ in .respond(ServerResponse(417)) }) { _ in .text("not asked") }
    let server = try ScriptedServer.start(script)
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send("POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
    let head = "HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    #expect(try client.receiveToEnd() == head)
    let request = try #require(try await server.waitForHeads(1).first)
    #expect(!request.isComplete && server.snapshot.requestCount == 0)
  }
}
