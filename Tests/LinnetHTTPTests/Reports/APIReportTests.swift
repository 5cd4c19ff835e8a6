import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// User reports about the interface of the client.
@Suite("Reports: API", .timeLimit(.minutes(1)))
struct APIReportTests {
  // MARK: API-01

  @Test(
    "API-01: get, post JSON, stream, upload, download and cancel as an introduction would show them",
    arguments: WireProtocol.versions)
  func introduction(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let upload = try TemporaryDirectory()
    let file = try upload.write(TestPattern.bytes(100_000), to: "photo.jpg")
    let script = ServerScript.handler { request in
      switch request.path {
      case "/big": .pattern(1_000_000)
      case "/slow": .never
      default: .text("\(request.method) \(request.body.count)")
      }
    }
    try await ScriptedServer.with(script, options: wire.options) { server async throws in
      let client = wire.client()

      // Get a text.
      let response = try await client.send(.get(server.url("/hello")))
      #expect(response.status == .ok)
      #expect(try await response.text() == "GET 0")

      // Post JSON.
      var request = HTTPRequest.post(server.url("/items"), body: .text(#"{"name":"a"}"#))
      try request.headers.add(name: "Content-Type", value: "application/json")
      #expect(try await client.send(request).text() == "POST 12")

      // Stream a body as it arrives.
      var received = 0
      for try await chunk in try await client.send(.get(server.url("/big"))).body { received += chunk.count }
      #expect(received == 1_000_000)

      // Upload a file, and a stream.
      #expect(try await client.send(.put(server.url("/photo"), body: .file(file))).text() == "PUT 100000")
      let lines = HTTPRequestBody.stream {
        AsyncStream { continuation in
          for line in 1...3 { continuation.yield(ByteChunk("line \(line)\n")) }
          continuation.finish()
        }
      }
      #expect(try await client.send(.post(server.url("/log"), body: lines)).text() == "POST 21")

      // Look at the status only.
      let status = try await client.withResponse(to: .head(server.url("/big"))) { $0.status }
      #expect(status == .ok)

      // Cancel.
      let slow = server.url("/slow")
      let task = Task { try await client.send(.get(slow)) }
      try await server.wait(for: "the slow request") { $0.requests.contains { $0.path == "/slow" } }
      task.cancel()
      await #expect(throws: TransportError.self) { _ = try await task.value }

      await client.shutdown()
    }
  }

  // MARK: API-02

  @Test(
    "API-02: a request without timeouts has the client's, and one that says unlimited has none",
    arguments: WireProtocol.versions)
  func unlimitedTimeout(over version: WireProtocol) async throws {
    let gate = Gate()
    let wire = try Wire(version)
    let script = ServerScript.handler { _ in ServerResponse.text("late").waiting(for: gate) }
    try await ScriptedServer.with(script, options: wire.options) { server async throws in
      var configuration = wire.configuration
      configuration.timeouts.responseHead = .milliseconds(50)
      let client = HTTPClient(configuration: configuration)
      var request = HTTPRequest.get(server.url("/unlimited"))
      request.options.timeouts.responseHead = .unlimited
      async let unlimited = client.send(request).text()
      try await server.waitForRequests(1)
      // It was sent later and has its timeout behind it: so has the unlimited one.
      #expect(await client.failure(of: .get(server.url("/inherited")))?.code == .headTimeout)
      gate.open()
      #expect(try await unlimited == "late")
    }
  }

  // MARK: API-03

  @Test(
    "API-03: User-Agent is sent by default, can be replaced, and can be left out", arguments: WireProtocol.versions)
  func userAgent(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(.handler { _ in .text("") }, options: wire.options) { server async throws in
      let client = wire.client()
      func seen(_ request: HTTPRequest, by client: HTTPClient) async throws -> [String] {
        _ = try await client.send(request).collect()
        return try #require(server.snapshot.requests.last).headers.values(for: "User-Agent")
      }
      #expect(try await seen(.get(server.url()), by: client) == ["linnet/\(LinnetLibrary.version)"])
      #expect(try await seen(.get(server.url(), headers: ["user-agent": "mine/1"]), by: client) == ["mine/1"])
      var omitted = HTTPRequest.get(server.url())
      omitted.options.omittedDefaultHeaders = ["USER-AGENT"]
      #expect(try await seen(omitted, by: client) == [])
      var configuration = wire.configuration
      configuration.defaultHeaders["User-Agent"] = "app/2"
      #expect(try await seen(.get(server.url()), by: HTTPClient(configuration: configuration)) == ["app/2"])
      configuration.defaultHeaders["User-Agent"] = nil
      #expect(try await seen(.get(server.url()), by: HTTPClient(configuration: configuration)) == [])
    }
  }

  // MARK: API-04

  @Test("API-04: a Unix socket is an option beside a normal URL", arguments: [true, false], WireProtocol.versions)
  func unixSocket(isAbstract: Bool, over version: WireProtocol) async throws {
    var wire = try Wire(version)
    let directory = try TemporaryDirectory()
    let name = isAbstract ? directory.path.split(separator: "/").joined(separator: "-") : directory.path(of: "x.sock")
    let address: ScriptedServer.Address = isAbstract ? .abstract(name: name) : .unix(path: name)
    wire.options.address = address
    try await ScriptedServer.with(.handler { .text("docker \($0.target)") }, options: wire.options) {
      server async throws in
      var request = HTTPRequest.get("http://localhost/v1/info?all=1")
      request.options.connectTarget = .unixSocket(isAbstract ? "@\(name)" : name)
      let client = wire.client()
      for isReused in [false, true] {
        let response = try await client.send(request)
        #expect(try await response.text() == "docker /v1/info?all=1")
        #expect(response.connection.isReused == isReused)
        #expect(response.connection.peerAddress == "unix:\(isAbstract ? "@" : "")\(name)")
      }
      #expect(server.snapshot.requests.first?.authority == "localhost")
    }
  }

  @Test("API-04: TLS over a Unix socket checks the name of the URL")
  func unixSocketTLS() async throws {
    let certificates = try TestCertificates()
    let path = certificates.directory.path(of: "tls.sock")
    let tls = ServerTLS(try certificates.loopback())
    try await ScriptedServer.with(.handler { _ in .text("x") }, options: .at(.unix(path: path), tls: tls)) {
      server async throws in
      var configuration = HTTPClientConfiguration.trusting(certificates)
      configuration.connectTarget = .unixSocket(path)
      let client = HTTPClient(configuration: configuration)
      #expect(try await client.send(.get("https://localhost/")).text() == "x")
      #expect(server.snapshot.requests.first?.tls?.serverName == "localhost")
      #expect(await client.failure(of: .get("https://other.test/"))?.code == .certificateRejected)
    }
  }

  @Test("API-04: the errors of Unix sockets name the path and what is wrong with it")
  func unixSocketErrors() async throws {
    let directory = try TemporaryDirectory()
    func failure(_ path: String) async throws -> TransportError {
      var request = HTTPRequest.get("http://localhost/")
      request.options.connectTarget = .unixSocket(path)
      return try #require(await HTTPClient().failure(of: request))
    }
    let long = try await failure(directory.path(of: String(repeating: "x", count: 108)))
    #expect(long.code == .invalidConfiguration)
    #expect(long.description.contains("at most 107 fit"))

    let missing = try await failure(directory.path(of: "missing.sock"))
    #expect(missing.code == .connectFailed)
    #expect(missing.phase == .connect)
    #expect(missing.peers.map(\.address) == ["unix:\(directory.path)/missing.sock"])
    #expect(missing.description.contains("no such file or directory"))

    let dead = try await failure(try directory.write("", to: "dead.sock"))
    #expect(dead.code == .connectionRefused)
    #expect(dead.description.contains("unix:\(directory.path)/dead.sock"))

    #if DEBUG
      let denied = try await SyscallFaultPlan().failing("connect", at: 1, with: EACCES).during {
        try await failure(directory.path(of: "denied.sock"))
      }
      #expect(denied.code == .connectFailed)
      #expect(denied.description.contains("permission denied"))
    #endif
  }
}

/// What a caller passes on from strangers must not become a header field or a request of its own.
@Suite("Reports: injection on the way out", .timeLimit(.minutes(1)))
struct InjectionReportTests {
  private static let values = [
    "a\r\nX-Injected: 1", "a\nX-Injected: 1", "a\rX-Injected: 1", "a\r\n\r\nGET /second HTTP/1.1\r\n\r\n", "a\u{0}b",
    "\r\n", "a\r\n X-Folded: 1", "a\u{7F}",
  ]
  private static let names = ["X Injected", "X-A:", "", "X\r\nX-Injected", "Ünï", "X\u{0}", "(comment)"]

  private func expectRefusal(_ request: HTTPRequest, of client: HTTPClient = HTTPClient()) async throws {
    let error = try #require(await client.failure(of: request))
    #expect(error.code == .invalidRequest)
    #expect(error.phase == .request)
    #expect(error.sent == .nothing)
    #expect(!error.description.contains { $0.isNewline })
    #expect(!error.description.contains("X-Injected: 1"), "the value is not repeated")
  }

  @Test(
    "a header value with a line break or another control byte is refused before anything is connected",
    arguments: values, WireProtocol.versions)
  func value(_ value: String, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: wire.options) { server async throws in
      var request = HTTPRequest.get(server.url())
      #expect(throws: HTTPHeaderError.self) { try request.headers.add(name: "X-Name", value: value + "!") }
      request.headers.add("X-Name", value + "!")
      try await expectRefusal(request, of: wire.client())
      try await expectRefusal(.get(server.url(), headers: ["Host": value + "!"]), of: wire.client())
      try await expectRefusal(.get(server.url(), headers: ["Cookie": value + "!"]), of: wire.client())
      var configuration = wire.configuration
      configuration.defaultHeaders["User-Agent"] = value + "!"
      try await expectRefusal(.get(server.url()), of: HTTPClient(configuration: configuration))
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test(
    "a header name that is no token is refused before anything is connected", arguments: names, WireProtocol.versions)
  func name(_ name: String, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: wire.options) { server async throws in
      var request = HTTPRequest.get(server.url())
      request.headers.add(name, "1")
      try await expectRefusal(request, of: wire.client())
      #expect(server.snapshot.connectionCount == 0)
    }
  }

  @Test(
    "a method that is no token cannot be made", arguments: ["GET /x HTTP/1.1\r\nX:", "G T", "", "GET\n", "GE\u{0}T"])
  func method(_ name: String) {
    #expect(HTTPMethod(rawValue: name) == nil)
  }

  @Test(
    "a line break in a URL never reaches the wire",
    arguments: [
      "/a\r\nX-Injected: 1", "/a\nb", "/a b", "/?q=a\r\n\r\nGET /second HTTP/1.1", "/a\u{0}", "/#f\r\ng", "/a\tb",
    ], WireProtocol.versions)
  func url(_ path: String, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(.handler { _ in .text("one") }, options: wire.options) { server async throws in
      #expect(try await wire.client().send(.get(server.url(path))).text() == "one")
      #expect(server.snapshot.requestCount == 1)
      #expect(server.snapshot.violations.isEmpty)
      let request = try #require(server.snapshot.requests.first)
      #expect(request.headers["X-Injected"] == nil)
      #expect(request.targetBytes.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
  }

  @Test(
    "framing fields that contradict the body are refused",
    arguments: [
      HTTPHeader("Content-Length", "2"), HTTPHeader("Content-Length", "5, 6"), HTTPHeader("Content-Length", "+5"),
      HTTPHeader("Transfer-Encoding", "chunked"), HTTPHeader("Transfer-Encoding", "gzip"),
    ], WireProtocol.versions)
  func framing(_ header: HTTPHeader, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    try await ScriptedServer.with(.handler { _ in .text("never") }, options: wire.options) { server async throws in
      var request = HTTPRequest.post(server.url(), body: .text("12345"))
      request.headers.add(header)
      let error = try #require(await wire.client().failure(of: request))
      #expect(error.code == .invalidRequest)
      #expect(error.sent == .nothing)
      #expect(server.snapshot.headCount == 0)
    }
  }
}
