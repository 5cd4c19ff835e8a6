import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// User reports about HTTP/1.1 parsing.
@Suite("Reports: HTTP/1.1", .timeLimit(.minutes(1)))
struct HTTP1ReportTests {
  private static let second = SocketEffect.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond")

  @Test("H1-01: 103 is not the response; its headers do not leak and the next request gets its own answer")
  func earlyHints() async throws {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
    let script = ServerScript.steps([
      .readRequest, .send(hints + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), .readRequest, Self.second,
    ])
    try await ScriptedServer.with(script) { server async throws in
      let client = HTTPClient()
      let interim = EventRecorder<String>()
      var request = HTTPRequest.get(server.url())
      request.options.onEvent = { event in
        if case .interim(let head) = event { interim.record("\(head.status.code) \(head.headers["Link"] ?? "")") }
      }
      let first = try await client.send(request)
      #expect(first.status.code == 200)
      #expect(first.headers["Link"] == nil)
      #expect(try await first.text() == "hello")
      #expect(interim.events == ["103 </a.css>; rel=preload"])
      let next = try await client.send(.get(server.url()))
      #expect(next.connection.isReused)
      #expect(try await next.text() == "second")
    }
  }

  @Test("H1-01: 103 is not the response over HTTP/2 either, nor are many of them")
  func earlyHintsOverHTTP2() async throws {
    let wire = try Wire(.http2)
    let hints = ServerResponse.Interim(103, headers: [HeaderLine("Link", "</a.css>; rel=preload")])
    let server = try wire.start(
      .handler { request in
        request.path == "/hints" ? ServerResponse.text("hello").after(interim: hints).after(interim: hints) : .text("x")
      })
    defer { server.stop() }
    let client = wire.client()
    let interim = EventRecorder<String>()
    var request = HTTPRequest.get(server.url("/hints"))
    request.options.onEvent = { event in
      if case .interim(let head) = event { interim.record("\(head.status.code) \(head.headers["Link"] ?? "")") }
    }
    let first = try await client.send(request)
    #expect(first.status.code == 200)
    #expect(first.headers["Link"] == nil)
    #expect(try await first.text() == "hello")
    #expect(interim.events == ["103 </a.css>; rel=preload", "103 </a.css>; rel=preload"])
    #expect(try await client.send(.get(server.url("/"))).connection.isReused)
  }

  @Test(
    "H1-03: over HTTP/2 a response that cannot have a body has none, whatever length it announces",
    arguments: [(HTTPMethod.head, 200), (.get, 204), (.get, 304), (.head, 404)])
  func bodilessOverHTTP2(method: HTTPMethod, status: Int) async throws {
    let wire = try Wire(.http2)
    let server = try wire.start(
      .handler { _ in
        ServerResponse(status, headers: status == 204 ? [] : [HeaderLine("Content-Length", "1234")]).framed(.manual)
      })
    defer { server.stop() }
    let client = wire.client()
    for isReused in [false, true] {
      let response = try await client.send(HTTPRequest(method: method, url: server.url()))
      #expect(response.status.code == status)
      #expect(response.body.expectedLength == 0)
      #expect(try await response.collect().isEmpty)
      #expect(response.connection.isReused == isReused)
    }
  }

  @Test(
    "H1-03: a response that cannot have a body is over at the blank line, and its connection is reused",
    arguments: [
      (HTTPMethod.head, 200, "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"),
      (.head, 200, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
      (.get, 204, "HTTP/1.1 204 No Content\r\n\r\n"),
      (.get, 304, "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n"),
      (.get, 304, "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ])
  func bodiless(method: HTTPMethod, status: Int, answer: String) async throws {
    try await ScriptedServer.with(.steps([.readRequest, .send(answer), .readRequest, Self.second])) {
      server async throws in
      let client = HTTPClient()
      let first = try await client.send(HTTPRequest(method: method, url: server.url()))
      #expect(first.status.code == status)
      #expect(try await first.collect().isEmpty)
      let next = try await client.send(.get(server.url()))
      #expect(next.connection.isReused)
      #expect(try await next.text() == "second")
    }
  }

  @Test("H1-07: with Transfer-Encoding and Content-Length the chunked coding wins and the connection is closed")
  func bothFramings() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
    let script = ServerScript.perConnection { number in
      number == 1
        ? .answer(head + "5\r\nhello\r\n0\r\n\r\n") : .answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnew")
    }
    try await ScriptedServer.with(script) { server async throws in
      let client = HTTPClient()
      #expect(try await client.send(.get(server.url())).text() == "hello")
      let next = try await client.send(.get(server.url()))
      #expect(try await next.text() == "new")
      #expect(!next.connection.isReused)
      #expect(try await server.waitForConnectionsClosed(1).first?.ending == .peerClosed)
    }
  }

  @Test("H1-07: equal repeats of Content-Length are one", arguments: ["5, 5", "5\r\nContent-Length: 5"])
  func equalLengths(value: String) async throws {
    try await ScriptedServer.with(.answer("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")) {
      server async throws in
      #expect(try await HTTPClient().send(.get(server.url())).text() == "hello")
    }
  }

  @Test(
    "H1-07: a Content-Length that is no single decimal number of 64 bits is an error",
    arguments: [
      "5\r\nContent-Length: 6", "5, 6", "+5", "-5", "0x5", "5 5", "", "5,", "99999999999999999999",
      "18446744073709551616",
    ])
  func badLengths(value: String) async throws {
    try await ScriptedServer.with(.answer("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n\r\nhello")) {
      server async throws in
      let error = try #require(await HTTPClient().failure(of: .get(server.url())))
      #expect(error.code == .invalidResponse)
      #expect(error.phase == .head)
      #expect(error.description.contains("Content-Length"))
      try await server.waitForConnectionsClosed(1)
    }
  }

  @Test(
    "H1-09: a chunked body that is cut off is truncated; a streaming reader gets what came first",
    arguments: [("7\r\nchunk-1\r\n", "chunk-1"), ("7\r\nFoo", "Foo"), ("5\r\nhello\r\n0\r\n", "hello")])
  func cutChunks(wire: String, delivered: String) async throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    try await ScriptedServer.with(.steps([.readRequest, .send(head + wire), .close])) { server async throws in
      let response = try await HTTPClient().send(.get(server.url()))
      var received: [UInt8] = []
      let error = await #expect(throws: TransportError.self) {
        for try await chunk in response.body { received += chunk }
      }
      #expect(error?.code == .truncated)
      #expect(error?.phase == .body)
      #expect(String(decoding: received, as: UTF8.self) == delivered)
    }
  }

  @Test(
    "H1-11: a body shorter than its Content-Length is an error that says how much is missing", arguments: [false, true])
  func shortBody(secure: Bool) async throws {
    let certificates = try TestCertificates()
    let options = secure ? ScriptedServer.Options.tls(try certificates.loopback()) : .init()
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\nConnection: close\r\n\r\n12345"
    for ending in [SocketEffect.close, .closeWithoutCloseNotify] {
      try await ScriptedServer.with(.steps([.readRequest, .send(answer), ending]), options: options) {
        server async throws in
        let response = try await HTTPClient(configuration: .trusting(certificates)).send(.get(server.url()))
        #expect(response.body.expectedLength == 20)
        var received: [UInt8] = []
        let error = await #expect(throws: TransportError.self) {
          for try await chunk in response.body { received += chunk }
        }
        #expect(error?.code == .truncated)
        #expect(error?.description.contains("5 of 20") == true)
        #expect(received == Array("12345".utf8))
      }
    }
  }

  @Test("H1-12: names are looked up without case; spelling, order and repeats are kept")
  func headerCase() async throws {
    let answer =
      "HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\nETAG: \"x\"\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n"
    try await ScriptedServer.with(.answer(answer)) { server async throws in
      var request = HTTPRequest.get(server.url())
      request.options.redirects = .manual
      let response = try await HTTPClient().send(request)
      #expect(response.status.code == 302)
      #expect(response.headers["Location"] == "/b")
      #expect(response.headers["etag"] == "\"x\"")
      #expect(response.headers.values(for: "SET-COOKIE") == ["a=1", "b=2"])
      #expect(response.headers.map(\.name) == ["location", "content-length", "ETAG", "set-cookie", "Set-Cookie"])
      #expect(try await response.collect().isEmpty)
      #expect(try await HTTPClient().send(request).headers.contains("ETag"))
    }
  }
}
