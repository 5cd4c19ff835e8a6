import FoundationEssentials
import Linnet
import LinnetHTTP
import LinnetTestSupport
import Testing

/// User reports about the interface of clients, for the typed one.
@Suite("Reports: typed API", .timeLimit(.minutes(1)))
struct TypedAPIReportTests {
  private struct PostPhoto: MultipartAPIDefinition {
    typealias APIResponse = String
    var method: HTTPMethod { .post }
    var path: String { "/photos" }
    var sessionAuthentication: SessionAuthentication { .anonymous }
    var multipartFormData: MultipartFormData { MultipartFormData { TextField("title", value: "cat") } }
  }

  // MARK: API-01

  @Test("API-01: request, tag, response, upload, closure, sequence, raw request and cancellation")
  func entryPoints() async throws {
    let script = ServerScript.handler { request in
      switch request.path {
      case "/api/photos": .text("\(request.method) \(request.headers["Content-Type"]?.prefix(19) ?? "")")
      case "/api/slow": .raw([.stall])
      default: ServerResponse.item.adding("X-Request-ID", "r1")
      }
    }
    try await ClientFixture.with(script) { fixture in
      let client = fixture.client
      #expect(try await client.request(GetItem()) == Item())
      #expect(try await client.request(GetItem(), tag: "profile") == Item())
      let (item, response) = try await client.requestWithResponse(GetItem())
      #expect(item == Item())
      #expect(response.requestID == "r1")

      #expect(try await client.upload(PostPhoto()) == "POST multipart/form-data")

      let completed = EventRecorder<Item?>()
      client.request(GetItem()) { result in completed.record(try? result.get()) }
      #expect(try await completed.waitForCount(1) == [Item()])

      var elements: [Item] = []
      for try await element in client.responses(for: GetItem()) { elements.append(element) }
      #expect(elements == [Item()])

      #expect(try await client.perform(.get(fixture.server.url("/other"))).statusCode == 200)

      let slow = EndpointBuilder<Data>.get("/slow")
      let task = Task { await failure { () throws(NetworkError) in try await client.request(slow) } }
      let cancelled = EventRecorder<Bool>()
      let handle = client.request(slow) { result in
        if case .failure(.cancelled) = result { cancelled.record(true) } else { cancelled.record(false) }
      }
      let tagged = Task { await failure { () throws(NetworkError) in try await client.request(slow, tag: "feed") } }
      try await fixture.server.wait(for: "three slow requests") {
        $0.requests.filter { $0.path == "/api/slow" }.count == 3
      }
      task.cancel()
      handle.cancel()
      await client.cancelAll(matching: "feed")
      #expect(await task.value.isCancelled)
      #expect(await tagged.value.isCancelled)
      #expect(try await cancelled.waitForCount(1) == [true])
    }
  }

  // MARK: API-02

  @Test("API-02: an endpoint without a timeout has the client's, and one of infinity has none")
  func timeouts() async throws {
    let gate = Gate()
    let script = ServerScript.handler { _ in ServerResponse.item.waiting(for: gate) }
    try await ClientFixture.with(
      script, configuration: { .local($0, transport: TransportPack(timeout: 0.05, allowsInsecureHTTP: true)) }
    ) { fixture in
      let client = fixture.client
      async let unlimited = client.request(EndpointBuilder<Item>.get("/unlimited").timeout(.infinity))
      try await fixture.server.waitForRequests(1)
      // It was sent later and has its timeout behind it: so has the unlimited one.
      let error = await failure { () throws(NetworkError) in try await client.request(GetItem()) }
      #expect(error?.isTimeout == true)
      gate.open()
      #expect(try await unlimited == Item())
    }
  }

  // MARK: API-03

  @Test("API-03: User-Agent is sent by default, can be replaced at three places, and can be left out")
  func userAgent() async throws {
    try await ScriptedServer.with(.handler { _ in .item }) { server async throws in
      func seen(
        _ provider: (@Sendable () -> String?)? = nil, headers: HTTPHeaders = HTTPHeaders(), endpoint: String? = nil
      ) async throws -> [String] {
        let client = DefaultNetworkClient(
          configuration: .local(
            .test(server.url()), transport: TransportPack(allowsInsecureHTTP: true, userAgentProvider: provider)
          ).defaultHeaders(headers))
        var request = EndpointBuilder<Item>.get("/")
        if let endpoint { request = request.header("user-agent", value: endpoint) }
        _ = try await client.request(request)
        await client.shutdown()
        return try #require(server.snapshot.requests.last).headers.values(for: "User-Agent")
      }
      let standard = try await seen()
      #expect(standard == [HTTPHeader.defaultUserAgent.value])
      #expect(standard.first?.contains("linnet/\(LinnetLibrary.version)") == true)
      #expect(try await seen { "provider/1" } == ["provider/1"])
      #expect(try await seen({ "provider/1" }, headers: ["User-Agent": "client/2"]) == ["client/2"])
      #expect(try await seen({ "provider/1" }, headers: ["User-Agent": "client/2"], endpoint: "mine/3") == ["mine/3"])
      #expect(try await seen { nil } == [])
    }
  }

  // MARK: API-04

  @Test("API-04: a Unix socket is a setting beside a normal base URL", arguments: [true, false])
  func unixSocket(isAbstract: Bool) async throws {
    let directory = try TemporaryDirectory()
    let name = isAbstract ? directory.path.split(separator: "/").joined(separator: "-") : directory.path(of: "x.sock")
    var options = ScriptedServer.Options()
    options.address = isAbstract ? .abstract(name: name) : .unix(path: name)
    try await ScriptedServer.with(.handler { .text("docker \($0.target)") }, options: options) { server async throws in
      var engine = HTTPClientConfiguration()
      engine.connectTarget = .unixSocket(isAbstract ? "@\(name)" : name)
      let client = DefaultNetworkClient(configuration: .local(.test("http://localhost/v1.47")).engine(engine))
      let endpoint = EndpointBuilder<String>.get("/info").query(["all": true])
      let (text, response) = try await client.requestWithResponse(endpoint)
      #expect(text == "docker /v1.47/info?all=true")
      #expect(response.connection?.peerAddress == "unix:\(isAbstract ? "@" : "")\(name)")
      #expect(server.snapshot.requests.first?.headers["Host"] == "localhost")
      await client.shutdown()
    }
  }

  @Test("API-04: the error of a Unix socket names its path and what is wrong with it")
  func unixSocketMissing() async throws {
    let directory = try TemporaryDirectory()
    var engine = HTTPClientConfiguration()
    engine.connectTarget = .unixSocket(directory.path(of: "missing.sock"))
    let client = DefaultNetworkClient(configuration: .local(.test("http://localhost/v1.47")).engine(engine))
    let error = try #require(await failure { () throws(NetworkError) in try await client.request(GetItem()) })
    #expect("\(error)".contains("unix:\(directory.path)/missing.sock"))
    #expect("\(error)".contains("no such file or directory"))
    await client.shutdown()
  }
}
