import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Reports about other clients' redirections, by their ids.
@Suite("Redirect reports")
struct RedirectReportTests {
  /// What a request of RED-01 carries, each with a secret of its own.
  private static let secrets: HTTPHeaders = [
    HTTPHeader("Authorization", "Bearer secret-token"), HTTPHeader("Cookie", "session=secret-cookie"),
    HTTPHeader("Proxy-Authorization", "Basic secret-proxy"), HTTPHeader("X-Company-Key", "secret-named"),
    HTTPHeader(name: "Accept-Language", value: "secret-marked", isSensitive: true),
    HTTPHeader("X-Api-Key", "secret-key"),
    HTTPHeader("Referer", "http://intranet.test/secret-path"), HTTPHeader("Origin", "http://secret-origin.test"),
    HTTPHeader("Accept", "text/plain"), HTTPHeader("Range", "bytes=0-9"),
  ]

  @Test(
    "RED-01: another port is another origin: nothing but harmless fields go there", arguments: WireProtocol.versions)
  func otherPort(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let other = try wire.start(.handler { _ in .text("there") })
    defer { other.stop() }
    let target = other.url("/there")
    let server = try wire.start(.handler { _ in .redirect(to: target) })
    defer { server.stop() }
    var request = HTTPRequest.get(server.url("/"), headers: Self.secrets)
    request.options.credentials = .bearer("secret-option")
    let client = wire.client { $0.defaultHeaders.add("X-Default-Key", "secret-default") }
    let response = try await client.send(request)
    #expect(try await response.text() == "there")
    #expect(response.url.description == target)
    #expect(response.history.map(\.to.description) == [target])
    let first = try #require(server.snapshot.requests.first)
    for header in Self.secrets { #expect(first.headers[header.name] == header.value) }
    #expect(first.headers["X-Default-Key"] == "secret-default")
    let second = try #require(other.snapshot.requests.first)
    #expect(!second.headers.description.utf8.hasRun(of: "secret"))
    #expect(second.headers["Accept"] == "text/plain")
    #expect(second.headers["Range"] == "bytes=0-9")
    #expect(second.authority == other.authority)
  }

  @Test(
    "RED-01: what was dropped does not come back when the way leads back to the first origin",
    arguments: WireProtocol.versions)
  func backAgain(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let home = Lock("")
    let other = try wire.start(.handler { _ in .redirect(to: home.withLock { $0 } + "/back") })
    defer { other.stop() }
    let away = other.url("/away")
    let server = try wire.start(.handler { $0.path == "/back" ? .text("back") : .redirect(to: away) })
    defer { server.stop() }
    home.withLock { $0 = server.url("") }
    let client = wire.client { $0.defaultHeaders.add("X-Default-Key", "secret-default") }
    let response = try await client.send(.get(server.url("/"), headers: Self.secrets))
    #expect(try await response.text() == "back")
    let requests = server.snapshot.requests
    try #require(requests.count == 2)
    #expect(requests[0].headers.description.utf8.hasRun(of: "secret-default"))
    #expect(!requests[1].headers.description.utf8.hasRun(of: "secret"))
  }

  @Test("RED-01: within an origin everything is kept", arguments: WireProtocol.allCases)
  func sameOrigin(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/b" ? .text("b") : .redirect(to: "/b") })
    defer { server.stop() }
    let client = wire.client { $0.defaultHeaders.add("X-Default-Key", "secret-default") }
    let response = try await client.send(.get(server.url("/a"), headers: Self.secrets))
    #expect(try await response.text() == "b")
    let requests = server.snapshot.requests
    try #require(requests.count == 2)
    #expect(requests[0].headers == requests[1].headers)
  }

  @Test("RED-01: an opt-in sends everything, but for the name of the first host")
  func optIn() async throws {
    let other = try ScriptedServer.start(.handler { _ in .text("there") })
    defer { other.stop() }
    let target = other.url("/there")
    let server = try ScriptedServer.start(.handler { _ in .redirect(to: target) })
    defer { server.stop() }
    var request = HTTPRequest.get(server.url("/"), headers: Self.secrets)
    request.headers.add("Host", "first.test")
    request.options.redirects = .follow
    request.options.redirects?.sendsCredentialsAcrossOrigins = true
    _ = try await HTTPClient().send(request).collect()
    let second = try #require(other.snapshot.requests.first)
    for header in Self.secrets { #expect(second.headers[header.name] == header.value) }
    #expect(second.authority == other.authority)
    #expect(server.snapshot.requests.first?.authority == "first.test")
  }

  @Test("RED-01: http after https is refused unless asked for, and then it is another origin")
  func downgrade() async throws {
    let certificates = try TestCertificates()
    let plain = try ScriptedServer.start(.handler { _ in .text("plain") })
    defer { plain.stop() }
    let target = plain.url("/plain?secret=query")
    let server = try ScriptedServer.start(
      .handler { _ in .redirect(to: target) }, options: .tls(try certificates.loopback()))
    defer { server.stop() }
    let client = HTTPClient(configuration: .trusting(certificates))
    var request = HTTPRequest.get(server.url("/"), headers: Self.secrets)
    let error = await client.failure(of: request)
    #expect(error?.code == .redirectRefused)
    #expect(error?.phase == .head)
    #expect(error?.sent == .all)
    #expect(error?.description.utf8.hasRun(of: "it would leave TLS") == true)
    #expect(error?.description.utf8.hasRun(of: "query") == false)
    #expect(plain.snapshot.connectionCount == 0)
    request.options.redirects = .follow
    request.options.redirects?.allowsHTTPSDowngrade = true
    #expect(try await client.send(request).text() == "plain")
    #expect(plain.snapshot.requests.first.map { $0.headers.description.utf8.hasRun(of: "secret") } == false)
  }

  @Test("RED-06: the target is requested byte for byte", arguments: WireProtocol.versions)
  func bytes(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let target = "/t?next=http%3A//x.test/%3Fa%3Db&sig=a%2Bb%2F"
    let server = try wire.start(.handler { $0.path == "/t" ? .text("t") : .redirect(to: target) })
    defer { server.stop() }
    #expect(try await wire.client().send(.get(server.url("/"))).text() == "t")
    #expect(server.snapshot.requests.map(\.target) == ["/", target])
  }

  @Test("RED-09: a policy sees the response and the next request, and may follow, stop, change or refuse")
  func decisions() async throws {
    let other = try ScriptedServer.start(.handler { _ in .text("c") })
    defer { other.stop() }
    let foreign = other.url("/c")
    let server = try ScriptedServer.start(
      .handler { request in
        switch request.path {
        case "/a": .redirect(301, to: "/b")
        case "/b": .redirect(302, to: foreign)
        default: .text("elsewhere")
        }
      })
    defer { server.stop() }
    let client = HTTPClient()
    let seen = EventRecorder<String>()
    func send(_ decide: @escaping @Sendable (HTTPRedirect) async throws -> HTTPRedirectDecision) async -> Result<
      HTTPResponse, TransportError
    > {
      var request = HTTPRequest.get(server.url("/a"), headers: ["Authorization": "Bearer x"])
      request.options.redirects = .following { redirect in
        seen.record("\(redirect.response.status.code) \(redirect.history.count) \(redirect.request.headers.count)")
        return try await decide(redirect)
      }
      do throws(TransportError) { return .success(try await client.send(request)) } catch { return .failure(error) }
    }

    let followed = try await send { _ in .follow }.get()
    #expect(followed.history.map(\.status) == [.movedPermanently, .found])
    #expect(followed.history.map(\.from.path) == ["/a", "/b"])
    #expect(try await followed.text() == "c")
    #expect(seen.takeAll() == ["301 0 1", "302 1 0"])

    let stopped = try await send { $0.history.count == 1 ? .deliver : .follow }.get()
    #expect(stopped.status == .found)
    #expect(stopped.headers["Location"] == foreign)
    #expect(stopped.history.count == 1)

    let home = server.url("/")
    let allowed = await send { $0.request.url.hasPrefix(home) ? .follow : .refuse(reason: "not on the list") }
    guard case .failure(let refused) = allowed else { return #expect(Bool(false), "it was followed") }
    #expect(refused.code == .redirectRefused)
    #expect(refused.description.utf8.hasRun(of: "not on the list"))
    #expect(refused.history.count == 1)
    #expect(refused.url == server.url("/b"))

    let changed = try await send { $0.history.isEmpty ? .follow : .followInstead(.get(home + "d")) }.get()
    #expect(try await changed.text() == "elsewhere")
    #expect(changed.history.last?.to.path == "/d")
  }
}

extension String.UTF8View {
  /// Whether the text occurs. `contains(_: String)` would do but for the size of what it links.
  func hasRun(of text: String) -> Bool {
    let wanted = Array(text.utf8)
    let all = Array(self)
    guard wanted.count <= all.count else { return false }
    return (0...(all.count - wanted.count)).contains { all[$0..<($0 + wanted.count)].elementsEqual(wanted) }
  }
}
