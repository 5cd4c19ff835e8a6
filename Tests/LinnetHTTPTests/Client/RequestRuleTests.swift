import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// What the client makes of a request and of its response, beyond the plain case.
@Suite("Request rules")
struct RequestRuleTests {
  @Test("CONNECT is refused before anything is connected", arguments: WireProtocol.versions)
  func connect(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let error = await wire.client().failure(of: HTTPRequest(method: .connect, url: server.url("/")))
    #expect(error?.code == .invalidRequest)
    #expect(error?.phase == .request)
    #expect(server.snapshot.connectionCount == 0)
  }

  @Test(
    "default headers replace what the client makes, and are sent once; over HTTP/2 Host is the authority (§8.3.1)",
    arguments: WireProtocol.versions)
  func defaults(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { _ in ServerResponse.bytes([1, 2, 3]).adding("Content-Encoding", "gzip") })
    defer { server.stop() }
    let client = wire.client { $0.defaultHeaders = ["Host": "virtual.test", "Accept-Encoding": "identity"] }
    let response = try await client.send(.get(server.url("/")))
    #expect(try await response.collect().array == [1, 2, 3])
    let request = try #require(server.snapshot.requests.first)
    #expect(request.authority == "virtual.test")
    #expect(request.headers.values(for: "Host") == (wire.isHTTP2 ? [] : ["virtual.test"]))
    #expect(request.headers.values(for: "Accept-Encoding") == ["identity"])
  }

  @Test("a request without content does not expect 100 Continue (RFC 9110 §10.1.1)", arguments: WireProtocol.versions)
  func expectWithoutContent(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    var request = HTTPRequest.post(server.url("/"), body: .bytes([]))
    request.options.expectsContinue = true
    #expect(try await wire.client().send(request).text() == "ok")
    #expect(server.snapshot.requests.first?.headers["Expect"] == nil)
    #expect(server.snapshot.requests.first?.headers["Content-Length"] == "0")
  }

  @Test("a body that was read to its end is not collected again as an empty one", arguments: WireProtocol.versions)
  func collectTwice(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("once") })
    defer { server.stop() }
    let response = try await wire.client().send(.get(server.url("/")))
    #expect(try await response.text() == "once")
    let error = await #expect(throws: TransportError.self) { try await response.text() }
    #expect(error?.code == .bodyAlreadyConsumed)
    #expect(try await response.body.next() == nil)
  }

  @Test("a response without a body has the length 0, whatever coding it names", arguments: WireProtocol.versions)
  func codedNothing(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in ServerResponse(204).adding("Content-Encoding", "gzip") })
    defer { server.stop() }
    let response = try await wire.client().send(.get(server.url("/")))
    #expect(response.body.expectedLength == 0)
    #expect(try await response.collect().isEmpty)
  }

  @Test("opening a pipe without a writer blocks no other request", arguments: WireProtocol.versions)
  func pipe(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let client = wire.client()
    let url = server.url("/")
    let uploads = (0..<4).map { _ in
      Task { await client.failure(of: .post(url, body: .file(path)))?.code }
    }
    for _ in 0..<10 { #expect(try await client.send(.get(url)).text() == "ok") }
    for upload in uploads { upload.cancel() }
    for upload in uploads { #expect(await upload.value == .cancelled) }
    // Lets the threads go that still wait for a writer.
    close(open(path, O_RDWR | O_NONBLOCK))
  }
}
