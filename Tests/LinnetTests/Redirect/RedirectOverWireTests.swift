import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetTestSupport
import Testing

/// Redirections between real servers, through the raw client.
@Suite struct RedirectOverWireTests {
  /// A client that leaves redirections to the stage under test.
  private func notFollowing() -> HTTPClient {
    var configuration = HTTPClientConfiguration()
    configuration.redirects = .manual
    return HTTPClient(configuration: configuration)
  }

  private func exchange(_ client: HTTPClient) -> NextStage {
    { request throws(NetworkError) in
      do throws(TransportError) {
        let response = try await client.send(request)
        let body = try await response.collect(upTo: 1 << 20)
        return Response(
          statusCode: response.status.code, data: Data(body), request: request, response: response.head)
      } catch {
        throw NetworkError(error)
      }
    }
  }

  @Test("method, body and headers arrive as each hop's origin may see them")
  func chain() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end") })
    defer { foreign.stop() }
    let target = foreign.url("/end?x=%2F")
    let home = try ScriptedServer.start(
      .handler { request in
        switch request.path {
        case "/1": .redirect(307, to: "2")
        case "/2": .redirect(303, to: "/3?y")
        default: .redirect(302, to: target)
        }
      })
    defer { home.stop() }
    let request = HTTPRequest.post(
      home.url("/1"), headers: ["Authorization": "Bearer secret", "X-Tenant": "7", "Content-Type": "text/plain"],
      body: .text("hello"))
    let client = notFollowing()
    let response = try await RedirectStage().execute(
      request, call: CallContext(allowsInsecureHTTP: true), next: exchange(client))
    #expect(response.text == "end")
    #expect(response.redirects.map(\.statusCode) == [307, 303, 302])
    let seen = try await home.waitForRequests(3)
    #expect(seen.map(\.method) == ["POST", "POST", "GET"])
    #expect(seen.map(\.body.text) == ["hello", "hello", ""])
    #expect(seen.allSatisfy { $0.headers["Authorization"] == "Bearer secret" })
    #expect(seen[2].headers["Content-Type"] == nil)
    let last = try #require(try await foreign.waitForRequests(1).first)
    #expect(String(decoding: last.targetBytes, as: UTF8.self) == "/end?x=%2F")
    for name in ["Authorization", "X-Tenant", "Content-Type", "Referer"] {
      #expect(last.headers[name] == nil, "\(name)")
    }
    #expect(last.headers["Host"] == foreign.authority)
    await client.shutdown(grace: .zero)
  }

  @Test("a foreign origin is refused an unsafe method, and hears nothing of it")
  func refused() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end") })
    defer { foreign.stop() }
    let target = foreign.url("/")
    let home = try ScriptedServer.start(.handler { _ in .redirect(308, to: target) })
    defer { home.stop() }
    let client = notFollowing()
    let response = try await RedirectStage().execute(
      .post(home.url("/1"), body: .text("secret")), call: CallContext(allowsInsecureHTTP: true), next: exchange(client))
    #expect(response.statusCode == 308)
    #expect(foreign.snapshot.connections.isEmpty)
    await client.shutdown(grace: .zero)
  }

  @Test("a target that is not admitted is neither resolved nor connected to")
  func notAdmitted() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end") })
    defer { foreign.stop() }
    let target = "http://user:hunter2@\(foreign.authority)/"
    let home = try ScriptedServer.start(.handler { _ in .redirect(302, to: target) })
    defer { home.stop() }
    let client = notFollowing()
    let error = await #expect(throws: NetworkError.self) {
      try await RedirectStage().execute(
        .get(home.url("/")), call: CallContext(allowsInsecureHTTP: true), next: exchange(client))
    }
    guard case .configuration? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!"\(String(describing: error))".contains("hunter2"))
    #expect(foreign.snapshot.connections.isEmpty)
    await client.shutdown(grace: .zero)
  }
}

/// Requests that a policy makes anew, and what the engine would add to them.
@Suite(.timeLimit(.minutes(1)))
struct RemadeRequestTests {
  /// Goes on with a request of its own.
  private struct Remaking: RedirectPolicy {
    func redirect(request: HTTPRequest, response: Response, originalRequest: HTTPRequest) -> HTTPRequest? {
      .get(request.url)
    }
  }

  /// Where the first request goes, and where the redirection leads; the client's own server is the first.
  enum Way: CaseIterable {
    case away, awayAndBack, withinForeign
  }

  @Test("they get neither the engine's headers, nor its netrc, nor its client certificate", arguments: Way.allCases)
  func engineDefaults(_ way: Way) async throws {
    let certificates = try TestCertificates()
    let files = try certificates.write(try certificates.client(commonName: "ann"))
    let directory = try TemporaryDirectory()
    var options = ScriptedServer.Options()
    options.tls = ServerTLS(try certificates.loopback())
    options.tls?.clientAuthority = certificates.authority
    options.tls?.acceptsMissingClientCertificate = true
    let ports = EventRecorder<String>()
    let script = ServerScript.handler { request in
      switch request.path {
      case "/away": .redirect(302, to: "\(ports.events[1])/end")
      case "/awayAndBack": .redirect(302, to: "\(ports.events[1])/back")
      case "/back": .redirect(302, to: "\(ports.events[0])/end")
      case "/withinForeign": .redirect(302, to: "/end")
      default: .text("end")
      }
    }
    let home = try ScriptedServer.start(script, options: options)
    defer { home.stop() }
    let foreign = try ScriptedServer.start(script, options: options)
    defer { foreign.stop() }
    ports.record("https://127.0.0.1:\(home.port)")
    ports.record("https://127.0.0.1:\(foreign.port)")
    var engine = HTTPClientConfiguration()
    engine.tls.trustRoots = .only([.file(certificates.authorityFile)])
    engine.tls.clientIdentity = .init(certificates: .file(files.chain), privateKey: .file(files.privateKey))
    engine.defaultHeaders["X-Api-Key"] = "secret"
    engine.netrc = .file(try directory.write("default login ann password secret", to: "netrc"))
    let client = DefaultNetworkClient(
      configuration: NetworkConfiguration.advanced(
        baseURL: .test(ports.events[0]), transport: TransportPack(redirectPolicy: Remaking())
      ).engine(engine))
    let start = way == .withinForeign ? foreign : home
    #expect(try await client.perform(.get(start.url("/\(way)"))).text == "end")
    let first = try #require(start.snapshot.requests.first)
    #expect(first.headers["X-Api-Key"] == (way == .withinForeign ? nil : "secret"))
    let later = (home.snapshot.requests + foreign.snapshot.requests).filter { $0.path == "/end" || $0.path == "/back" }
    #expect(later.count == (way == .awayAndBack ? 2 : 1))
    for request in later {
      #expect(request.headers["X-Api-Key"] == nil)
      // Within an origin that the caller named, the entry for all others counts as it did for the first request.
      #expect(request.headers["Authorization"] == (way == .withinForeign ? first.headers["Authorization"] : nil))
      #expect(request.tls?.clientCertificateSubject == nil)
    }
    await client.shutdown()
  }

  @Test("a place to connect to is that of the origin that it was given for")
  func connectTarget() async throws {
    let foreign = try ScriptedServer.start(.handler { _ in .text("end") })
    defer { foreign.stop() }
    let target = foreign.url("/")
    let home = try ScriptedServer.start(.handler { _ in .redirect(302, to: target) })
    defer { home.stop() }
    let client = DefaultNetworkClient(configuration: .local(.test("http://home.test")))
    var request = HTTPRequest.get("http://home.test/")
    request.options.connectTarget = .host("127.0.0.1", port: Int(home.port))
    #expect(try await client.perform(request).text == "end")
    #expect(home.snapshot.requests.count == 1)
    await client.shutdown()
  }
}
