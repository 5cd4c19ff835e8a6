import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// What a redirection makes of the method and the body.
@Suite("Redirect methods and bodies")
struct RedirectBodyTests {
  /// A body of each kind, and what a server hears of it.
  enum Body: String, CaseIterable, Sendable {
    case none, bytes, file, stream, lengthStream

    func make(in directory: TemporaryDirectory) throws -> HTTPRequestBody? {
      let chunks = Chunks(texts: ["some ", "body"])
      return switch self {
      case .none: nil
      case .bytes: .text("some body")
      case .file: .file(try directory.write("some body", to: "body"))
      case .stream: .stream { chunks }
      case .lengthStream: .stream(length: 9) { chunks }
      }
    }
  }

  private struct Chunks: AsyncSequence, Sendable {
    let texts: [String]

    struct AsyncIterator: AsyncIteratorProtocol {
      var rest: ArraySlice<String>
      mutating func next() async -> ByteChunk? { rest.popFirst().map { ByteChunk($0) } }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: texts[...]) }
  }

  /// By RFC 9110 §15.4 and what every browser does: the method after a redirection, and whether the body stays.
  private static func expected(_ status: Int, _ method: HTTPMethod) -> (method: HTTPMethod, keepsBody: Bool) {
    switch (status, method) {
    case (303, .head): (.head, false)
    case (303, _), (301, .post), (302, .post): (.get, false)
    default: (method, true)
    }
  }

  @Test(
    "RED-08: 301 and 302 turn POST into GET, 303 everything but HEAD; 307 and 308 repeat method and body",
    arguments: WireProtocol.versions, [301, 302, 303, 307, 308])
  func methods(over version: WireProtocol, status: Int) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/b" ? .text("b") : .redirect(status, to: "/b") })
    defer { server.stop() }
    let client = wire.client()
    let directory = try TemporaryDirectory()
    for method in [HTTPMethod.get, .head, .post, .put, .patch, .delete, .options] {
      for kind in Body.allCases where kind == .none || method.allowsBody {
        let before = server.snapshot.requestCount
        let request = HTTPRequest(
          method: method, url: server.url("/a"),
          headers: ["Content-Type": "text/plain", "Content-Language": "en", "X-Kept": "1"],
          body: try kind.make(in: directory))
        let response = try await client.send(request)
        _ = try await response.collect()
        let seen = Array(server.snapshot.requests.dropFirst(before))
        try #require(seen.count == 2, "\(method) \(kind)")
        let (next, keepsBody) = Self.expected(status, method)
        #expect(seen[1].method == next.rawValue, "\(method) \(kind)")
        #expect(seen[1].body.text == (keepsBody ? seen[0].body.text : ""), "\(method) \(kind)")
        #expect(seen[0].body.text == (kind == .none ? "" : "some body"), "\(method) \(kind)")
        #expect(seen[1].headers["X-Kept"] == "1")
        let described = seen[1].headers.filter {
          $0.name.utf8.starts(with: "Content-".utf8) || $0.name == "content-type"
        }
        #expect(keepsBody || described.isEmpty, "\(method) \(kind): \(described)")
        #expect(!keepsBody || seen[1].headers == seen[0].headers, "\(method) \(kind)")
        #expect(response.history.map(\.method) == [next])
      }
    }
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("RED-08: on request, 301 and 302 repeat a POST", arguments: [301, 302, 303])
  func keepsPost(status: Int) async throws {
    let server = try ScriptedServer.start(.handler { $0.path == "/b" ? .text("b") : .redirect(status, to: "/b") })
    defer { server.stop() }
    var request = HTTPRequest.post(server.url("/a"), body: .text("some body"))
    request.options.redirects = .follow
    request.options.redirects?.keepsPostOnMovedPermanently = true
    request.options.redirects?.keepsPostOnFound = true
    _ = try await HTTPClient().send(request).collect()
    #expect(server.snapshot.requests.map(\.method) == (status == 303 ? ["POST", "GET"] : ["POST", "POST"]))
    #expect(server.snapshot.requests.last?.body.text == (status == 303 ? "" : "some body"))
    request.options.redirects?.keepsPostOnSeeOther = true
    _ = try await HTTPClient().send(request).collect()
    #expect(server.snapshot.requests.last?.method == "POST" && server.snapshot.requests.last?.body.text == "some body")
  }

  @Test(
    "RED-08: a body that exists once and is needed again is an error, never an empty body",
    arguments: WireProtocol.versions, [307, 308])
  func oneShot(over version: WireProtocol, status: Int) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/b" ? .text("b") : .redirect(status, to: "/b") })
    defer { server.stop() }
    let request = HTTPRequest.post(server.url("/a"), body: .oneShot(Chunks(texts: ["only ", "once"])))
    let error = await wire.client().failure(of: request)
    #expect(error?.code == .bodyNotReplayable)
    #expect(error?.phase == .head)
    #expect(error?.sent == .all)
    #expect(server.snapshot.requests.map(\.body.text) == ["only once"])
  }

  @Test("RED-08: a body that exists once is no hindrance where it is dropped", arguments: WireProtocol.versions)
  func oneShotDropped(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/b" ? .text("b") : .redirect(303, to: "/b") })
    defer { server.stop() }
    let request = HTTPRequest.post(server.url("/a"), body: .oneShot(Chunks(texts: ["only ", "once"])))
    #expect(try await wire.client().send(request).text() == "b")
  }

  @Test(
    "RED-08: a body that was held back for 100 Continue, and of which nothing was read, goes to where it is redirected",
    arguments: WireProtocol.versions)
  func heldBack(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler(onHead: { $0.path == "/b" ? .readBody : .respond(.redirect(307, to: "/b")) }) { _ in .text("b") })
    defer { server.stop() }
    var request = HTTPRequest.put(server.url("/a"), body: .oneShot(Chunks(texts: ["only ", "once"])))
    request.options.expectsContinue = true
    let client = wire.client { $0.expectContinueTimeout = .seconds(600) }
    #expect(try await client.send(request).text() == "b")
    #expect(server.snapshot.requests.last?.body.text == "only once")
  }

  @Test("a pipe cannot be sent again", arguments: [307, 308])
  func pipe(status: Int) async throws {
    let server = try ScriptedServer.start(.handler { _ in .redirect(status, to: "/b") })
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "pipe")
    try #require(mkfifo(path, 0o600) == 0)
    // Opened for both, so that neither end waits for the other.
    let writer = open(path, O_RDWR | O_CLOEXEC)
    let text = Array("piped".utf8)
    #expect(write(writer, text, text.count) == text.count)
    let task = Task { await HTTPClient().failure(of: .put(server.url("/a"), body: .file(path))) }
    let seen = try await server.waitForHeads(1)
    #expect(seen.count >= 1)
    close(writer)
    #expect(await task.value?.code == .bodyNotReplayable)
  }

  @Test(
    "another origin is refused what changes something, and every body; nothing reaches it",
    arguments: [(HTTPMethod.post, true), (.put, false), (.delete, false), (.patch, true), (.options, true)])
  func acrossOrigins(method: HTTPMethod, hasBody: Bool) async throws {
    let other = try ScriptedServer.start(.handler { _ in .text("there") })
    defer { other.stop() }
    let target = other.url("/")
    let server = try ScriptedServer.start(.handler { _ in .redirect(307, to: target) })
    defer { server.stop() }
    var request = HTTPRequest(
      method: method, url: server.url("/"), headers: ["Content-Type": "text/x", "X-Key": "k"],
      body: hasBody ? .text("some body") : nil)
    #expect(await HTTPClient().failure(of: request)?.code == .redirectRefused)
    #expect(other.snapshot.connectionCount == 0)
    request.options.redirects = .follow
    request.options.redirects?.allowsUnsafeMethodsAcrossOrigins = true
    #expect(try await HTTPClient().send(request).text() == "there")
    let seen = try #require(other.snapshot.requests.first)
    #expect(seen.method == method.rawValue)
    #expect(seen.body.text == (hasBody ? "some body" : ""))
    #expect(seen.headers["Content-Type"] == (hasBody ? "text/x" : nil))
    #expect(seen.headers["X-Key"] == nil)
  }

  @Test("a POST that becomes a GET may go to another origin: nothing of it is left")
  func postToGet() async throws {
    let other = try ScriptedServer.start(.handler { _ in .text("there") })
    defer { other.stop() }
    let target = other.url("/")
    let server = try ScriptedServer.start(.handler { _ in .redirect(302, to: target) })
    defer { server.stop() }
    let request = HTTPRequest.post(server.url("/"), headers: ["Content-Type": "text/x"], body: .text("some body"))
    #expect(try await HTTPClient().send(request).text() == "there")
    let seen = try #require(other.snapshot.requests.first)
    #expect(seen.method == "GET")
    #expect(seen.headers["Content-Type"] == nil)
    #expect(seen.headers["Content-Length"] == nil)
  }
}
