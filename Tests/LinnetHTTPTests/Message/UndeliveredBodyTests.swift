import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// What becomes of the body of a response that is not delivered: nobody waits for it longer than a second, and only when that
/// keeps its connection.
@Suite("Undelivered bodies", .timeLimit(.minutes(1)))
struct UndeliveredBodyTests {
  /// A response behind which the next request comes, or an error.
  enum Occasion: CaseIterable, Sendable {
    case redirect, challenge, forwardChallenge, forwardRefusal

    var head: String {
      switch self {
      case .redirect: "HTTP/1.1 302 Found\r\nLocation: /b\r\n"
      case .challenge: "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\n"
      case .forwardChallenge, .forwardRefusal: "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\n"
      }
    }

    func client(_ server: ScriptedServer, _ environment: EngineEnvironment = EngineEnvironment()) -> HTTPClient {
      var configuration = HTTPClientConfiguration()
      // No deadline but the one that is looked for.
      configuration.timeouts = TimeoutConfiguration(connect: nil, connectionWait: nil, responseHead: nil, idle: nil)
      switch self {
      case .redirect, .challenge: break
      case .forwardChallenge:
        configuration.proxy = .fixed(.local(.http, server.port, .any(user: "u", password: "p")))
      case .forwardRefusal: configuration.proxy = .fixed(.local(.http, server.port))
      }
      return HTTPClient(configuration: configuration, environment: environment)
    }

    func request(_ server: ScriptedServer) -> HTTPRequest {
      var request = HTTPRequest.get(server.url("/a"))
      if self == .challenge { request.options.credentials = .any(user: "u", password: "p") }
      return request
    }
  }

  /// The first connection gets these effects, the others `end`.
  private func start(_ effects: [SocketEffect]) throws -> ScriptedServer {
    try ScriptedServer.start(
      .perConnection { $0 == 1 ? .steps([.readRequest] + effects) : .handler { _ in .text("end") } })
  }

  private func result(of request: HTTPRequest, _ client: HTTPClient) async -> Result<String, TransportError> {
    do throws(TransportError) { return .success(try await client.send(request).text()) } catch {
      return .failure(error)
    }
  }

  private func check(_ result: Result<String, TransportError>, _ occasion: Occasion, body: String) throws {
    guard occasion == .forwardRefusal else { return #expect(try result.get() == "end") }
    guard case .failure(let error) = result else { return #expect(Bool(false), "no error") }
    #expect(error.code == .proxyAuthenticationRequired)
    #expect(error.proxyResponse.map { String(decoding: $0.body.array, as: UTF8.self) } == body)
  }

  @Test("a body that stalls holds up what follows for one second", arguments: Occasion.allCases, [true, false])
  func stalls(_ occasion: Occasion, hasLength: Bool) async throws {
    let gate = Gate()
    let framing = hasLength ? "Content-Length: 1000\r\n\r\npart" : "Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n"
    let server = try start([.send(occasion.head + framing), .open(gate), .stall])
    defer { server.stop() }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = occasion.client(server, EngineEnvironment(shards: shards, clock: clock))
    let task = Task { await result(of: occasion.request(server), client) }
    try await gate.opened()
    // The only one that there is.
    try await clock.waitForTimers(1)
    clock.advance(by: .seconds(1))
    try check(await task.value, occasion, body: "part")
    try await server.waitForConnectionsClosed(1)
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }

  @Test("a request that is cancelled meanwhile ends at once", arguments: Occasion.allCases)
  func cancelled(_ occasion: Occasion) async throws {
    let gate = Gate()
    let server = try start([.send(occasion.head + "Content-Length: 1000\r\n\r\npart"), .open(gate), .stall])
    defer { server.stop() }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = occasion.client(server, EngineEnvironment(shards: shards, clock: clock))
    let task = Task { await client.failure(of: occasion.request(server)) }
    try await gate.opened()
    try await clock.waitForTimers(1)
    task.cancel()
    let code = await task.value?.code
    #expect(code == (occasion == .forwardRefusal ? .proxyAuthenticationRequired : .cancelled))
    try await server.waitForConnectionsClosed(1)
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }

  @Test(
    "nothing is waited for when it does not keep the connection",
    arguments: Occasion.allCases.filter { $0 != .forwardRefusal },
    ["Connection: close\r\nContent-Length: 10\r\n\r\npart", "\r\npart", "Content-Length: 1000000\r\n\r\npart"])
  func unusable(_ occasion: Occasion, framing: String) async throws {
    let server = try start([.send(occasion.head + framing), .stall])
    defer { server.stop() }
    // With a clock that stands still.
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = occasion.client(server, EngineEnvironment(shards: shards, clock: clock))
    try check(await result(of: occasion.request(server), client), occasion, body: "")
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }

  @Test("an answer to what was not sent completely frees no connection and is not waited for")
  func earlyAnswer() async throws {
    let server = try ScriptedServer.start(
      .perConnection { number in
        number == 1
          ? .steps([.readHead, .send("HTTP/1.1 303 X\r\nLocation: /b\r\nContent-Length: 10\r\n\r\npart"), .stall])
          : .handler { _ in .text("end") }
      })
    defer { server.stop() }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = Occasion.redirect.client(server, EngineEnvironment(shards: shards, clock: clock))
    let never = Gate()
    let body = HTTPRequestBody.stream {
      AsyncStream<ByteChunk>(unfolding: {
        try? await never.opened(within: .seconds(60))
        return nil
      })
    }
    #expect(try await client.send(.post(server.url("/a"), body: body)).text() == "end")
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }

  @Test(
    "the limit of a redirection's body is the last size that keeps the connection",
    arguments: [4095, 4096, 4097], [true, false])
  func limit(count: Int, hasLength: Bool) async throws {
    let followed = Gate()
    let size = String(count, radix: hasLength ? 10 : 16)
    let head =
      "HTTP/1.1 302 Found\r\nLocation: /b\r\n"
      + (hasLength ? "Content-Length: \(size)\r\n\r\n" : "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n")
    // What tells the end comes when the rest is waited for already.
    let body = [UInt8](repeating: 0x20, count: count)[...]
    let rest: [SocketEffect] =
      count > 4096
      ? [.sendBytes(Array(hasLength ? body.dropLast() : body)), .stall]
      : hasLength
        ? [.sendBytes(Array(body.dropLast())), .wait(followed), .sendBytes([0x20])]
        : [.sendBytes(Array(body)), .wait(followed), .send("\r\n0\r\n\r\n")]
    let server = try start(
      [.send(head)] + rest + [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend")])
    defer { server.stop() }
    var request = HTTPRequest.get(server.url("/a"))
    request.options.onEvent = { if case .redirected = $0 { followed.open() } }
    let clock = ManualClock()
    let shards = clock.makeGroup()
    let client = HTTPClient(
      configuration: HTTPClientConfiguration(), environment: EngineEnvironment(shards: shards, clock: clock))
    #expect(try await client.send(request).text() == "end")
    #expect(server.snapshot.connectionCount == (count <= 4096 ? 1 : 2))
    await client.shutdown(grace: .zero)
    await shards.shutDown()
  }

  @Test("over HTTP/2 the stream is reset and nothing is waited for", arguments: [WireProtocol.http2, .http2TLS])
  func streams(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let stalling = ServerBody([.bytes(Array("part".utf8)), .effect(.stall)])
    let server = try wire.start(
      .handler { request in
        switch (request.path, request.headers["Authorization"]) {
        case ("/a", _):
          var response = ServerResponse.redirect(to: "/b")
          response.body = stalling
          return response.framed(.announced(1000))
        case ("/b", nil):
          var response = ServerResponse(401, headers: [HeaderLine("WWW-Authenticate", "Basic realm=\"r\"")])
          response.body = stalling
          return response.framed(.announced(1000))
        default: return .text("end")
        }
      })
    defer { server.stop() }
    let client = wire.client {
      $0.timeouts = TimeoutConfiguration(connect: nil, connectionWait: nil, responseHead: nil, idle: nil)
    }
    var request = HTTPRequest.get(server.url("/a"))
    request.options.credentials = .any(user: "u", password: "p")
    #expect(try await client.send(request).text() == "end")
    #expect(server.snapshot.connectionCount == 1)
    await client.shutdown(grace: .zero)
  }
}
