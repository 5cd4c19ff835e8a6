import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import LinnetTestSupport
import Testing

@Suite("ScriptedServer over HTTP/2", .timeLimit(.minutes(2)))
struct ScriptedServerHTTP2Tests {
  private func start(
    _ script: ServerScript, change: (inout ScriptedServer.Options) -> Void = { _ in }
  ) throws -> ScriptedServer {
    var options = ScriptedServer.Options()
    options.acceptsHTTP2PriorKnowledge = true
    change(&options)
    return try ScriptedServer.start(script, options: options)
  }

  private static let http1 = "GET /a HTTP/1.1\r\nHost: test\r\n\r\n"

  @Test("a request is recorded and answered, and one server takes both versions")
  func recordsRequest() async throws {
    let server = try start(.handler { .text("\($0.method) \($0.body.text)") })
    defer { server.stop() }
    let client = try SessionClient(server)
    let id = try client.start(
      "/a?b=c", method: .post, headers: HTTPHeaders([HTTPHeader("X-A", "1"), HTTPHeader("x-a", "2")]),
      body: Array("hello".utf8), trailers: ["x-sum": "3"])
    let answer = try client.answer(on: id)
    #expect(answer.status == 200)
    #expect(answer.text == "POST hello")
    #expect(answer.headers["Content-Length"] == "10")
    let raw = try RawClient(server)
    try raw.send(Self.http1)
    #expect(try raw.receive(until: "GET ").hasPrefix("HTTP/1.1 200 OK\r\n"))

    let requests = try await server.waitForRequests(2)
    let request = requests[0]
    #expect(request.majorVersion == 2 && request.minorVersion == 0)
    #expect(request.target == "/a?b=c")
    #expect(request.headers.values(for: "X-A") == ["1", "2"])
    #expect(request.authority == "server.test")
    #expect(request.http2 == nil ? false : request.http2?.scheme == "http" && request.http2?.stream == 1)
    #expect(request.trailers == [HeaderLine("x-sum", "3")])
    #expect(request.body.matchesTestPattern == false && request.body.count == 5)
    #expect(request.connection == 1 && request.indexOnConnection == 1 && request.isComplete)
    #expect(requests[1].majorVersion == 1 && requests[1].authority == "test" && requests[1].http2 == nil)
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("without the option the preface is a violation of HTTP/1.1")
  func refusesPreface() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = try SessionClient(server)
    _ = try client.start("/")
    try client.receive { _ in false }
    try await server.waitForConnectionsClosed(1)
    #expect(server.snapshot.violations.count == 1)
  }

  @Test("a first line that begins like the preface is HTTP/1.1", arguments: ["POST", "PRI", "P"])
  func almostPreface(method: String) async throws {
    let server = try start(.handler { .text("\($0.method)!") })
    defer { server.stop() }
    let client = try RawClient(server)
    for byte in "\(method) / HTTP/1.1\r\nHost: test\r\n\r\n".utf8 { try client.send([byte]) }
    #expect(try client.receive(until: "!").hasSuffix("\r\n\r\n\(method)!"))
  }

  @Test("streams are answered independently: a gate, a pause or an endless body holds up nobody")
  func multiplexing() async throws {
    let gate = Gate()
    let server = try start(
      .handler { request in
        switch request.path {
        case "/gate": ServerResponse.text("gate").waiting(for: gate)
        case "/slow": ServerResponse(body: ServerBody([.bytes([1]), .pause(.milliseconds(20)), .bytes([2])]))
        case "/endless": ServerResponse.pattern(1 << 50).framed(.close)
        default: .text("quick")
        }
      })
    defer { server.stop() }
    let client = try SessionClient(server, windowBytes: 4096)
    let gated = try client.start("/gate")
    client.readsBodies = false
    let endless = try client.start("/endless")
    let slow = try client.start("/slow")
    #expect(try client.get("/quick").text == "quick")
    #expect(try client.answer(on: slow).body == [1, 2])
    #expect(client.answers[gated]?.status == nil)
    gate.open()
    #expect(try client.answer(on: gated).text == "gate")
    #expect(client.answers[endless]?.body == TestPattern.bytes(4096))
    try client.reset(endless, .cancel)
    let snapshot = try await server.wait(for: "the reset") { !$0.streamResets.isEmpty }
    #expect(snapshot.streamResets.map(\.stream) == [UInt32(endless.rawValue)])
    #expect(snapshot.streamResets.map(\.code) == [.cancel])
    let record = try await server.wait(for: "no open stream") { $0.connections[0].http2?.openStreams == 0 }
    #expect(record.connections[0].http2?.streamCount == 4)
    #expect(record.connections[0].http2?.peakStreams == 4)
    #expect(record.violations.isEmpty)
  }

  @Test("interim responses, trailers, coding and lengths are sent as with HTTP/1.1")
  func responses() throws {
    let gate = Gate()
    let server = try start(
      .handler { request in
        switch request.path {
        case "/interim":
          ServerResponse.text("x").after(interim: .init(103, headers: [HeaderLine("Link", "</a>")], then: gate))
        case "/trailers": ServerResponse.text("abc").chunked(trailers: [HeaderLine("X-Sum", "42")])
        case "/gzip": ServerResponse.text("compressed").compressed()
        case "/204": ServerResponse(204).adding("Connection", "keep-alive").adding("X-Kept", "1")
        case "/wrong": ServerResponse.text("four").framed(.announced(9))
        default: .pattern(300_000)
        }
      })
    defer { server.stop() }
    let client = try SessionClient(server)
    let interim = try client.start("/interim")
    try client.receive { $0.answers[interim]?.interim == [103] }
    #expect(client.answers[interim]?.status == nil)
    gate.open()
    #expect(try client.answer(on: interim).text == "x")
    let trailers = try client.get("/trailers")
    #expect(trailers.trailers?["X-Sum"] == "42")
    #expect(trailers.headers["Content-Length"] == nil)
    let gzip = try client.get("/gzip")
    #expect(gzip.headers["Content-Encoding"] == "gzip" && gzip.body.starts(with: [0x1F, 0x8B]))
    let empty = try client.get("/204")
    #expect(empty.status == 204 && empty.body.isEmpty)
    #expect(empty.headers.map(\.name) == ["x-kept"])
    #expect(try client.get("/big").body == TestPattern.bytes(300_000))
    let head = try client.get("/big", method: .head)
    #expect(head.headers["Content-Length"] == "300000" && head.body.isEmpty && head.isComplete)
    #expect(try client.get("/wrong").isComplete == false)
  }

  @Test("100 Continue comes before the body, late, or not at all", arguments: 0..<3)
  func continues(kind: Int) throws {
    let gate = Gate()
    let decisions: [ServerScript.HeadDecision] = [.readBody, .continueAfter(gate), .readBodyWithoutContinue]
    let decision = decisions[kind]
    let server = try start(.handler(onHead: { _ in decision }) { .text($0.body.text) })
    defer { server.stop() }
    let client = try SessionClient(server)
    let id = try client.start("/", method: .post, headers: ["Expect": "100-continue"], body: [], endsBody: false)
    if kind == 1 {
      #expect(try client.get("/").interim == [])
      #expect(client.answers[id]?.interim == [])
      gate.open()
    }
    if kind < 2 { try client.receive { $0.answers[id]?.interim == [100] } }
    try client.send(Array("body".utf8), on: id, ends: true)
    let answer = try client.answer(on: id)
    #expect(answer.text == "body")
    #expect(answer.interim == (kind < 2 ? [100] : []))
  }

  @Test("an early answer is complete, and a reset with NO_ERROR follows unless the request was complete")
  func earlyAnswer() throws {
    let server = try start(.handler(onHead: { _ in .respond(ServerResponse(413, body: "no")) }) { _ in .text("x") })
    defer { server.stop() }
    let client = try SessionClient(server)
    let id = try client.start("/", method: .post, body: [UInt8](repeating: 0, count: 200_000), endsBody: false)
    try client.receive { $0.answers[id]?.isComplete == true && $0.answers[id]?.resetCode != nil }
    #expect(client.answers[id]?.status == 413 && client.answers[id]?.text == "no")
    #expect(client.answers[id]?.resetCode == .noError)
    let whole = try client.get("/")
    #expect(whole.status == 413 && whole.isComplete && whole.resetCode == nil)
  }

  @Test("a body that is not read stays in the client; a slow server reads it piece by piece", arguments: [false, true])
  func backpressure(isSlow: Bool) async throws {
    let gate = Gate()
    let decision: ServerScript.HeadDecision =
      isSlow ? .readBodySlowly(bytes: 1000, every: .milliseconds(1)) : .readBodyAfter(gate)
    let server = try start(.handler(onHead: { $0.method == "POST" ? decision : .readBody }) { _ in .text("read") }) {
      $0.http2.initialWindowBytes = 5000
    }
    defer { server.stop() }
    let client = try SessionClient(server)
    // The first answer comes behind the settings, which the next request obeys.
    #expect(try client.get("/").text == "read")
    let id = try client.start("/", method: .post, body: TestPattern.bytes(20_000))
    if !isSlow {
      // Another exchange passes meanwhile.
      #expect(try client.get("/").text == "read")
      #expect(client.unsentBytes(on: id) == 15_000)
      gate.open()
    }
    #expect(try client.answer(on: id).text == "read")
    let request = try #require(server.snapshot.requests.first { $0.method == "POST" })
    #expect(request.body.count == 20_000 && request.body.matchesTestPattern)
  }

  @Test("streams are reset in every way, with what was sent before")
  func resets() throws {
    let server = try start(
      .handler(onHead: { $0.path == "/refused" ? .resetStream(7) : .readBody }) { request in
        request.path == "/body"
          ? ServerResponse(body: ServerBody([.pattern(5), .resetStream(2)])).framed(.announced(9))
          : .raw("HTTP/1.1 200 OK\r\n\r\n")
      })
    defer { server.stop() }
    let client = try SessionClient(server)
    #expect(try client.get("/refused").resetCode == .refusedStream)
    let body = try client.get("/body")
    #expect(body.body == TestPattern.bytes(5) && body.resetCode == .internalError)
    #expect(server.snapshot.violations.isEmpty)
    // Bytes of HTTP/1.1 are a mistake of the test.
    #expect(try client.get("/raw").resetCode == .internalError)
    #expect(server.snapshot.violations.count == 1)
  }

  @Test("limits: concurrent streams are announced, and what is above another limit is refused")
  func limits() throws {
    let gate = Gate()
    let server = try start(.handler { _ in ServerResponse.text("x").waiting(for: gate) }) {
      $0.http2.maximumConcurrentStreams = 7
      $0.http2.refusesStreamsAbove = 2
    }
    defer { server.stop() }
    let client = try SessionClient(server)
    let held = [try client.start("/"), try client.start("/")]
    #expect(try client.get("/").resetCode == .refusedStream)
    #expect(client.peerSettings?.maximumConcurrentStreams == 7)
    gate.open()
    for id in held { #expect(try client.answer(on: id).text == "x") }
    #expect(try client.get("/").text == "x")
    #expect(server.snapshot.headCount == 3)
  }

  @Test("after GOAWAY the named streams are answered, later ones are ignored, and the connection ends")
  func goesAway() async throws {
    let gate = Gate()
    let server = try start(.handler { ServerResponse.text($0.path).waiting(for: gate) }) {
      $0.http2.goAwayAfterStreams = 2
    }
    defer { server.stop() }
    let client = try SessionClient(server)
    let ids = try ["/1", "/2", "/3"].map { try client.start($0) }
    try client.receive { $0.goAway != nil }
    #expect(client.goAway?.last == ids[1] && client.goAway?.code == .noError)
    gate.open()
    #expect(try client.answer(on: ids[0]).text == "/1")
    #expect(try client.answer(on: ids[1]).text == "/2")
    try client.receive { _ in false }
    #expect(client.hasEnded)
    client.close()
    #expect(try await server.waitForConnectionsClosed(1).first?.ending == .serverClosed)
    #expect(server.snapshot.requests.map(\.path) == ["/1", "/2"])
  }

  @Test("nothing is sent before the gate of the settings is open, and requests are read all the same")
  func lateSettings() async throws {
    let gate = Gate()
    let server = try start(.handler { _ in .text("x") }) { $0.http2.settingsGate = gate }
    defer { server.stop() }
    let client = try SessionClient(server)
    let id = try client.start("/")
    try await server.waitForRequests(1)
    #expect(server.snapshot.connections.first?.sentBytes == 0)
    gate.open()
    #expect(try client.answer(on: id).text == "x")
  }

  @Test("the end of a connection is recorded: by the client, by the script, by a violation", arguments: 0..<5)
  func endings(kind: Int) async throws {
    let server = try start(
      .handler { request in
        switch request.path {
        case "/close": ServerResponse.text("x").closing(.abrupt)
        case "/reset": ServerResponse.text("x").closing(.reset)
        case "/last": ServerResponse.text("x").closing(.lingering)
        default: .text("x")
        }
      })
    defer { server.stop() }
    let client = try SessionClient(server)
    let path = ["/", "/close", "/reset", "/last", "/goaway"][kind]
    #expect(try client.get(path).text == "x")
    if kind == 4 { try client.sendGoAway(.enhanceYourCalm) }
    if kind == 3 { try client.receive { _ in false } }
    if kind == 3 || kind == 0 || kind == 4 { client.close() }
    let record = try #require(try await server.waitForConnectionsClosed(1).first)
    let expected: [ConnectionEnding] = [.peerClosed, .serverClosed, .serverReset, .serverClosed, .peerClosed]
    #expect(record.ending == expected[kind])
    #expect(record.http2?.goAwayCode == (kind == 4 ? HTTP2Frame.ErrorCode.enhanceYourCalm : nil))
    #expect(record.requestCount == 1)
    #expect(client.goAway == nil || kind == 3)
  }

  @Test("stop ends connections whose streams wait for anything, and leaves no gate with their descriptors")
  func stop() async throws {
    let gate = Gate()
    let server = try start(
      .handler { $0.path == "/gate" ? ServerResponse.text("").waiting(for: gate) : .raw([.stall]) })
    let clients = try (0..<5).map { _ in try SessionClient(server) }
    for client in clients {
      _ = try client.start("/gate")
      _ = try client.start("/stall")
    }
    try await server.waitForRequests(10)
    server.stop()
    #expect(server.snapshot.connections.allSatisfy { $0.ending == .stopped })
    gate.open()
  }

  @Test("what is no HTTP/2 behind the preface is a violation")
  func violation() async throws {
    let server = try start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = try RawClient(server)
    try client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET / HTTP/1.1\r\n\r\n")
    _ = try client.receiveToEnd()
    try await server.waitForConnectionsClosed(1)
    #expect(server.snapshot.violations.count == 1)
  }
}

/// The same with clients that know nothing of this project.
@Suite("ScriptedServer over HTTP/2 with other clients", .timeLimit(.minutes(2)))
struct HTTP2ToolTests {
  @Test("curl speaks with it in cleartext", .enabled(if: Tool.exists("curl"), "needs curl"))
  func curl() async throws {
    var options = ScriptedServer.Options()
    options.acceptsHTTP2PriorKnowledge = true
    let script = ServerScript.handler { $0.method == "POST" ? .text($0.body.text) : .pattern(500_000) }
    try await ScriptedServer.with(script, options: options) { server async throws in
      let common = ["--silent", "--show-error", "--max-time", "20", "--http2-prior-knowledge"]
      let post = Tool.run(
        ["/usr/bin/curl"] + common + ["--data", "hello", "--write-out", " %{http_version}", server.url()])
      #expect(post.text == "hello 2")
      let get = Tool.run(
        ["/usr/bin/curl"] + common + ["--output", "/dev/null", "--write-out", "%{size_download}", server.url()])
      #expect(get.text == "500000")
      #expect(server.snapshot.violations.isEmpty)
    }
  }

  @Test("curl speaks with it over TLS, by ALPN", .enabled(if: Tool.exists("curl"), "needs curl"))
  func curlTLS() async throws {
    let certificates = try TestCertificates()
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.loopback())
    options.tls?.applicationProtocols = ["h2", "http/1.1"]
    try await ScriptedServer.with(.handler { _ in .pattern(2_000_000) }, options: options) { server async throws in
      for (flag, version) in [("--http2", 2), ("--http1.1", 1)] {
        let output = Tool.run([
          "/usr/bin/curl", "--silent", "--show-error", "--max-time", "20", "--cacert", certificates.authorityFile, flag,
          "--output", "/dev/null", "--write-out", "%{http_version} %{size_download}", server.url(),
        ])
        #expect(output.text == (version == 2 ? "2 2000000" : "1.1 2000000"))
        #expect(server.snapshot.requests.last?.majorVersion == version)
      }
      #expect(server.snapshot.violations.isEmpty)
    }
  }

  @Test("nghttp fetches several at once", .enabled(if: Tool.exists("nghttp"), "needs nghttp"))
  func nghttp() async throws {
    var options = ScriptedServer.Options()
    options.acceptsHTTP2PriorKnowledge = true
    try await ScriptedServer.with(.handler { .text("<\($0.path)>") }, options: options) { server async throws in
      let output = Tool.run(["/usr/bin/nghttp", "--timeout=20"] + (1...5).map { server.url("/\($0)") })
      for number in 1...5 { #expect(output.text.contains("</\(number)>")) }
      #expect(server.snapshot.connectionCount == 1)
      #expect(server.snapshot.violations.isEmpty)
    }
  }
}
