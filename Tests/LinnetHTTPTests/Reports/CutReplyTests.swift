import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// A response of a server, byte for byte, with what a client must make of each of its beginnings.
struct WireReply: Sendable, CustomTestStringConvertible {
  let testDescription: String
  var method = HTTPMethod.get
  var status = 200
  /// Interim responses and the head of the final one.
  let head: String
  /// The body with its framing.
  var wireBody: [UInt8] = []
  /// The body that the caller gets.
  var body: [UInt8] = []
  /// The body ends with the connection.
  var isDelimitedByClose = false

  var bytes: [UInt8] { Array(head.utf8) + wireBody }
  var headCount: Int { head.utf8.count }

  init(
    _ name: String, _ method: HTTPMethod = .get, status: Int = 200, head: String, wireBody: String = "",
    body: String? = nil, isDelimitedByClose: Bool = false
  ) {
    self.init(
      name, method, status: status, head: head, wireBody: Array(wireBody.utf8), body: body ?? wireBody,
      isDelimitedByClose: isDelimitedByClose)
  }

  init(
    _ name: String, _ method: HTTPMethod = .get, status: Int = 200, head: String, wireBody: [UInt8], body: String,
    isDelimitedByClose: Bool = false
  ) {
    testDescription = name
    self.method = method
    self.status = status
    self.head = head + "\r\n\r\n"
    self.wireBody = wireBody
    self.body = Array(body.utf8)
    self.isDelimitedByClose = isDelimitedByClose
  }

  /// `hello` in gzip.
  private static let gzip: [UInt8] = [
    0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0x86, 0xA6, 0x10, 0x36, 0x05, 0,
    0, 0,
  ]

  static let all: [WireReply] = [
    WireReply("length", head: "HTTP/1.1 200 OK\r\nContent-Length: 5", wireBody: "hello"),
    WireReply("length 0", head: "HTTP/1.1 200 OK\r\nContent-Length: 0"),
    WireReply("repeated length", head: "HTTP/1.1 200 OK\r\nContent-Length: 5, 5", wireBody: "hello"),
    WireReply("204", status: 204, head: "HTTP/1.1 204 No Content\r\nServer: s"),
    WireReply("304", status: 304, head: "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\nETag: \"1\""),
    WireReply("HEAD", .head, head: "HTTP/1.1 200 OK\r\nContent-Length: 1234"),
    WireReply("one chunk", head: chunked, wireBody: "5\r\nhello\r\n0\r\n\r\n", body: "hello"),
    WireReply("many chunks", head: chunked, wireBody: "1\r\nh\r\n2\r\nel\r\n02\r\nlo\r\n0\r\n\r\n", body: "hello"),
    WireReply("chunk extensions", head: chunked, wireBody: "5;a=b;c=\"d\"\r\nhello\r\n0;x\r\n\r\n", body: "hello"),
    WireReply("trailers", head: chunked, wireBody: "5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-B: 2\r\n\r\n", body: "hello"),
    WireReply("no chunks", head: chunked, wireBody: "0\r\n\r\n", body: ""),
    WireReply("until close", head: "HTTP/1.1 200 OK\r\nServer: s", wireBody: "hello", isDelimitedByClose: true),
    WireReply("HTTP/1.0", head: "HTTP/1.0 200 OK\r\nServer: s", wireBody: "hello", isDelimitedByClose: true),
    WireReply("HTTP/1.0 length", head: "HTTP/1.0 200 OK\r\nContent-Length: 5", wireBody: "hello"),
    WireReply(
      "100 first", head: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5", wireBody: "hello"),
    WireReply(
      "103 first", head: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + chunked,
      wireBody: "5\r\nhello\r\n0\r\n\r\n",
      body: "hello"),
    WireReply("404", status: 404, head: "HTTP/1.1 404 Not Found\r\nContent-Length: 5", wireBody: "hello"),
    WireReply("500 without reason", status: 500, head: "HTTP/1.1 500 \r\nContent-Length: 5", wireBody: "hello"),
    WireReply("302", status: 302, head: "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0"),
    WireReply(
      "206", status: 206, head: "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/9\r\nContent-Length: 5",
      wireBody: "hello"),
    WireReply(
      "gzip", head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25", wireBody: gzip, body: "hello"),
    WireReply(
      "gzip chunked", head: chunked + "\r\nContent-Encoding: gzip",
      wireBody: Array("a\r\n".utf8) + gzip[..<10] + Array("\r\nf\r\n".utf8) + gzip[10...] + Array("\r\n0\r\n\r\n".utf8),
      body: "hello"),
  ]

  static let framings: [WireReply] = all.filter { ["length", "one chunk", "until close"].contains($0.testDescription) }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked"
}

@Suite("Replies that are cut", .timeLimit(.minutes(2)))
struct CutReplyTests {
  /// How the connection ends where the reply is cut.
  enum Ending: Sendable, CaseIterable {
    case orderly
    case reset
    /// TLS without close_notify.
    case truncated

    func effects(_ bytes: [UInt8], after count: Int) -> [SocketEffect] {
      switch self {
      case .orderly: [.truncate(bytes, after: count)]
      case .reset: [.sendBytes(Array(bytes[..<count])), .reset]
      case .truncated: [.sendBytes(Array(bytes[..<count])), .closeWithoutCloseNotify]
      }
    }
  }

  private struct Outcome: Equatable, CustomStringConvertible {
    var code: TransportError.Code?
    var phase: TransportError.Phase?

    static let complete = Outcome()
    var description: String { code.map { "\($0) in \(phase?.rawValue ?? "-")" } ?? "complete" }
  }

  /// What must become of the first `count` bytes of a reply.
  private func expected(_ reply: WireReply, first count: Int, _ ending: Ending) -> Outcome {
    let isInHead = count < reply.headCount
    let isWhole = !isInHead && (reply.isDelimitedByClose ? ending == .orderly : count == reply.bytes.count)
    if isWhole { return .complete }
    let phase = isInHead ? TransportError.Phase.head : .body
    if ending == .reset { return Outcome(code: .connectionLost, phase: phase) }
    return Outcome(code: count == 0 ? .emptyReply : .truncated, phase: phase)
  }

  private func run(
    _ reply: WireReply, _ ending: Ending, options: ScriptedServer.Options, configuration: HTTPClientConfiguration
  ) async throws {
    let bytes = reply.bytes
    let script = ServerScript.handler { request in
      .raw(ending.effects(bytes, after: Int(request.path.dropFirst()) ?? 0))
    }
    try await ScriptedServer.with(script, options: options) { server async throws in
      // A reply is looked at by itself.
      var configuration = configuration
      configuration.redirects = .manual
      let client = HTTPClient(configuration: configuration)
      for count in 0...bytes.count {
        let wanted = expected(reply, first: count, ending)
        var outcome = Outcome.complete
        var received: [UInt8] = []
        do throws(TransportError) {
          let response = try await client.send(HTTPRequest(method: reply.method, url: server.url("/\(count)")))
          #expect(response.status.code == reply.status)
          while let chunk = try await response.body.next() { received += chunk }
        } catch {
          outcome = Outcome(code: error.code, phase: error.phase)
          #expect(error.sent == .all)
          #expect(error.description.contains(server.authority))
        }
        #expect(outcome == wanted, "cut after \(count) of \(bytes.count) bytes")
        #expect(reply.body.starts(with: received), "cut after \(count) bytes")
        if wanted == .complete && !reply.isDelimitedByClose { #expect(received == reply.body) }
      }
      await client.shutdown()
      #expect(ClientSockets.count(toPort: server.port) == 0)
    }
  }

  @Test(
    "a reply cut at any byte is complete or exactly one error with the right phase, and nothing leaks",
    arguments: WireReply.all, [Ending.orderly, .reset])
  func cleartext(_ reply: WireReply, _ ending: Ending) async throws {
    try await run(reply, ending, options: .init(), configuration: .init())
  }

  @Test("a reply that comes byte by byte is the same reply", arguments: WireReply.all)
  func byteByByte(_ reply: WireReply) async throws {
    let bytes = reply.bytes
    let ending: [SocketEffect] = reply.isDelimitedByClose ? [.close] : []
    try await ScriptedServer.with(.handler { _ in .raw([.trickle(bytes, every: nil)] + ending) }) {
      server async throws in
      var configuration = HTTPClientConfiguration()
      configuration.redirects = .manual
      let client = HTTPClient(configuration: configuration)
      for index in 0..<2 {
        let response = try await client.send(HTTPRequest(method: reply.method, url: server.url()))
        #expect(response.status.code == reply.status)
        #expect(try await response.collect().array == reply.body)
        let isKept = !reply.isDelimitedByClose && reply.head.hasPrefix("HTTP/1.1")
        if index == 1 { #expect(response.connection.isReused == isKept) }
      }
    }
  }

  @Test(
    "bytes behind a reply are never taken for the next one: the connection is closed",
    arguments: WireReply.all.filter { !$0.isDelimitedByClose }, [[UInt8]("HTTP/1.1 200 OK\r\n\r\n".utf8), [0x58]])
  func bytesBehind(_ reply: WireReply, extra: [UInt8]) async throws {
    let bytes = reply.bytes
    let script = ServerScript.perConnection { number in
      number == 1 ? .steps([.readRequest, .sendBytes(bytes + extra), .readUntilClosed]) : .answer(Self.genuine)
    }
    try await ScriptedServer.with(script) { server async throws in
      var configuration = HTTPClientConfiguration()
      configuration.redirects = .manual
      let client = HTTPClient(configuration: configuration)
      let first = try await client.send(HTTPRequest(method: reply.method, url: server.url()))
      #expect(try await first.collect().array == reply.body)
      let second = try await client.send(.get(server.url()))
      #expect(try await second.text() == "genuine")
      #expect(!second.connection.isReused)
    }
  }

  private static let genuine = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ngenuine"

  @Test(
    "a TLS reply without close_notify is judged by its framing; only one that ends by closing needs it",
    arguments: WireReply.framings, [Ending.orderly, .truncated])
  func encrypted(_ reply: WireReply, _ ending: Ending) async throws {
    let certificates = try TestCertificates()
    try await run(
      reply, ending, options: .tls(try certificates.loopback()), configuration: .trusting(certificates))
  }
}
