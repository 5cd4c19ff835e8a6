import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Where redirections lead, and which of them are none.
@Suite("Redirect targets")
struct RedirectTargetTests {
  /// A `Location` of the response to `/a/b?q` and the target of the next request.
  static let relative: [(location: String, target: String)] = [
    ("/c", "/c"), ("c", "/a/c"), ("./c", "/a/c"), ("../c", "/c"), ("../../c", "/c"), ("?p=1", "/a/b?p=1"),
    ("c?x=%2F#frag", "/a/c?x=%2F"), ("/c d", "/c%20d"), ("/c\\d", "/c/d"), ("\\c", "/c"), ("/%7Ec/%2e%2E/d", "/d"),
    ("/c;p=1,2", "/c;p=1,2"), ("/%", "/%"), ("/c?a=b?c=d", "/c?a=b?c=d"), ("  /c  ", "/c"), ("/c?\"<>", "/c?%22%3C%3E"),
    ("http:/c", "/c"), ("http:c", "/a/c"), ("/c//d", "/c//d"), ("/c/?%E4%F6", "/c/?%E4%F6"),
  ]

  @Test("a relative Location is resolved against the request's URL", arguments: relative.indices)
  func resolved(_ index: Int) async throws {
    let (location, target) = Self.relative[index]
    let server = try ScriptedServer.start(
      .handler { $0.target == "/a/b?q" ? .redirect(to: location) : .text("end") })
    defer { server.stop() }
    let response = try await HTTPClient().send(.get(server.url("/a/b?q")))
    #expect(try await response.text() == "end")
    #expect(server.snapshot.requests.map(\.target) == ["/a/b?q", target])
  }

  @Test("bytes beyond ASCII are requested as they came", arguments: WireProtocol.versions)
  func rawBytes(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/a" ? .redirect(to: "/ä?ö") : .text("end") })
    defer { server.stop() }
    #expect(try await wire.client().send(.get(server.url("/a"))).text() == "end")
    #expect(server.snapshot.requests.last?.target == "/%C3%A4?%C3%B6")
  }

  @Test("bytes that are not UTF-8 are requested as they came")
  func notUTF8() async throws {
    let head: [UInt8] = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /".utf8) + [0xE4, 0x80]
    let server = try ScriptedServer.start(
      .handler { request in
        request.path == "/a" ? .raw([.sendBytes(head + Array("\r\n\r\n".utf8))]) : .text("end")
      })
    defer { server.stop() }
    #expect(try await HTTPClient().send(.get(server.url("/a"))).text() == "end")
    #expect(server.snapshot.requests.last?.target == "/%E4%80")
  }

  @Test("an address without a scheme leads to another host by the same scheme")
  func networkPath() async throws {
    let other = try ScriptedServer.start(.handler { _ in .text("there") })
    defer { other.stop() }
    let authority = other.authority
    let server = try ScriptedServer.start(
      .handler { $0.path == "/1" ? .redirect(to: "\\\\\(authority)\\x") : .redirect(to: "//\(authority)/y") })
    defer { server.stop() }
    let client = HTTPClient()
    #expect(try await client.send(.get(server.url("/1"))).text() == "there")
    #expect(try await client.send(.get(server.url("/2"))).text() == "there")
    #expect(other.snapshot.requests.map(\.target) == ["/x", "/y"])
  }

  @Test("a fragment stays unless the Location has one, and is never sent")
  func fragment() async throws {
    let server = try ScriptedServer.start(
      .handler { request in
        switch request.path {
        case "/1": .redirect(to: "/2")
        case "/2": .redirect(to: "/3#own")
        default: .text("end")
        }
      })
    defer { server.stop() }
    let response = try await HTTPClient().send(.get(server.url("/1#top")))
    #expect(response.history.map(\.to.fragment) == ["top", "own"])
    #expect(response.url.fragment == "own")
    #expect(server.snapshot.requests.map(\.target) == ["/1", "/2", "/3"])
  }

  @Test(
    "what is no redirection is a response",
    arguments: [
      ServerResponse(302), ServerResponse(301, headers: [HeaderLine("Location", "")]), .redirect(300, to: "/b"),
      .redirect(304, to: "/b"), .redirect(305, to: "/b"), .redirect(306, to: "/b"), .redirect(309, to: "/b"),
      .redirect(399, to: "/b"), .redirect(201, to: "/b"), .redirect(404, to: "/b"),
    ])
  func delivered(response: ServerResponse) async throws {
    let server = try ScriptedServer.start(.handler { _ in response })
    defer { server.stop() }
    let received = try await HTTPClient().send(.get(server.url("/a")))
    #expect(received.status.code == response.status)
    #expect(received.history.isEmpty)
    _ = try await received.collect()
    #expect(server.snapshot.requestCount == 1)
  }

  @Test("manual: the redirection itself, with its body; by request or by client", arguments: WireProtocol.versions)
  func manual(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { _ in
        var response = ServerResponse.redirect(to: "/b")
        response.body = ServerBody(bytes: Array("moved".utf8))
        return response
      })
    defer { server.stop() }
    var request = HTTPRequest.get(server.url("/a"))
    request.options.redirects = .manual
    let response = try await wire.client().send(request)
    #expect(response.status == .found)
    #expect(try await response.text() == "moved")
    let other = wire.client { $0.redirects = .manual }
    #expect(try await other.send(.get(server.url("/a"))).text() == "moved")
    #expect(server.snapshot.requestCount == 2)
  }

  @Test(
    "a Location that leads out of HTTP is refused",
    arguments: [
      "ftp://a.test/", "file:///etc/passwd", "unix:/run/docker.sock", "http+unix://%2Frun%2Fdocker.sock/",
      "ws://a.test/",
      "wss://a.test/", "javascript:alert(1)", "mailto:a@b.test", "data:text/plain,x", "about:blank",
    ])
  func otherScheme(location: String) async throws {
    let server = try ScriptedServer.start(.handler { _ in .redirect(to: location) })
    defer { server.stop() }
    let error = await HTTPClient().failure(of: .get(server.url("/a")))
    #expect(error?.code == .redirectRefused)
    #expect(error?.phase == .head)
    #expect(server.snapshot.requestCount == 1)
  }

  @Test(
    "a Location that is no URL is an error, as are two that differ",
    arguments: ["http://", "http://a b/", "http://[::1/", "http://a.test:99999/", "http://a.test:0/", "http://%00/"])
  func invalid(location: String) async throws {
    let server = try ScriptedServer.start(.handler { _ in .redirect(to: location) })
    defer { server.stop() }
    #expect(await HTTPClient().failure(of: .get(server.url("/a")))?.code == .invalidRedirect)
    #expect(server.snapshot.requestCount == 1)
  }

  @Test("two Locations must be the same", arguments: WireProtocol.versions)
  func twice(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { request in
        switch request.path {
        case "/same": .redirect(to: "/b").adding("Location", "/b")
        case "/differ": .redirect(to: "/b").adding("location", "/c")
        default: .text("b")
        }
      })
    defer { server.stop() }
    let client = wire.client()
    #expect(try await client.send(.get(server.url("/same"))).text() == "b")
    #expect(await client.failure(of: .get(server.url("/differ")))?.code == .invalidRedirect)
  }

  @Test(
    "a user name and password of the request's URL stay with its origin; those of a Location never count")
  func userinfo() async throws {
    let server = try ScriptedServer.start(
      .handler { request in
        switch request.path {
        case "/1": .redirect(to: "http://\(request.authority ?? "")/2")
        case "/2": .redirect(to: "http://other:pw@\(request.authority ?? "")/3")
        case "/3": .redirect(to: "http://evil:pw@localhost:1/4")
        default: .text("end")
        }
      })
    defer { server.stop() }
    let seen = Lock<[HTTPRedirect]>([])
    var request = HTTPRequest.get("http://me:mine@\(server.authority)/1")
    request.options.redirects = .following { redirect in
      seen.withLock { $0.append(redirect) }
      return redirect.history.count < 2 ? .follow : .deliver
    }
    let response = try await HTTPClient().send(request)
    #expect(response.history.map(\.to.hasUserinfo) == [false, false])
    let urls = seen.withLock { $0 }.map(\.request.url)
    #expect(
      urls == [
        "http://me:mine@\(server.authority)/2", "http://me:mine@\(server.authority)/3", "http://localhost:1/4",
      ])
    // `me:mine` each time.
    #expect(
      server.snapshot.requests.map { $0.headers["Authorization"] } == Array(repeating: "Basic bWU6bWluZQ==", count: 3))
  }

  @Test("a user name and password of a Location are not sent to its own origin either", arguments: [false, true])
  func userinfoOfLocation(sendsCredentials: Bool) async throws {
    let server = try ScriptedServer.start(
      .handler { $0.path == "/1" ? .redirect(to: "http://evil:pw@\($0.authority ?? "")/2") : .text("end") })
    defer { server.stop() }
    var request = HTTPRequest.get(server.url("/1"))
    request.options.redirects = .follow
    request.options.redirects?.sendsCredentialsAcrossOrigins = sendsCredentials
    let response = try await HTTPClient().send(request)
    #expect(try await response.text() == "end")
    #expect(!response.url.hasUserinfo)
    #expect(server.snapshot.requests.map { $0.headers["Authorization"] } == [nil, nil])
  }
}
