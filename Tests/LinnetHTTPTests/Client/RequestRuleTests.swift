import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// What the client makes of a request and of its response, beyond the plain case.
@Suite("Request rules")
struct RequestRuleTests {
  @Test("CONNECT is refused before anything is connected")
  func connect() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let error = await HTTPClient().failure(of: HTTPRequest(method: .connect, url: server.url("/")))
    #expect(error?.code == .invalidRequest)
    #expect(error?.phase == .request)
    #expect(server.snapshot.connectionCount == 0)
  }

  @Test("default headers replace what the client makes, and are sent once")
  func defaults() async throws {
    let server = try ScriptedServer.start(
      .handler { _ in ServerResponse.bytes([1, 2, 3]).adding("Content-Encoding", "gzip") })
    defer { server.stop() }
    var configuration = HTTPClientConfiguration()
    configuration.defaultHeaders = ["Host": "virtual.test", "Accept-Encoding": "identity"]
    let response = try await HTTPClient(configuration: configuration).send(.get(server.url("/")))
    #expect(try await response.collect().array == [1, 2, 3])
    let request = try #require(server.snapshot.requests.first)
    #expect(request.headers.values(for: "Host") == ["virtual.test"])
    #expect(request.headers.values(for: "Accept-Encoding") == ["identity"])
  }

  @Test("a request without content does not expect 100 Continue (RFC 9110 §10.1.1)")
  func expectWithoutContent() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    var request = HTTPRequest.post(server.url("/"), body: .bytes([]))
    request.options.expectsContinue = true
    #expect(try await HTTPClient().send(request).text() == "ok")
    #expect(server.snapshot.requests.first?.headers["Expect"] == nil)
    #expect(server.snapshot.requests.first?.headers["Content-Length"] == "0")
  }

  @Test("a body that was read to its end is not collected again as an empty one")
  func collectTwice() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("once") })
    defer { server.stop() }
    let response = try await HTTPClient().send(.get(server.url("/")))
    #expect(try await response.text() == "once")
    let error = await #expect(throws: TransportError.self) { try await response.text() }
    #expect(error?.code == .bodyAlreadyConsumed)
    #expect(try await response.body.next() == nil)
  }

  @Test("a response without a body has the length 0, whatever coding it names")
  func codedNothing() async throws {
    let server = try ScriptedServer.start(.answer("HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n"))
    defer { server.stop() }
    let response = try await HTTPClient().send(.get(server.url("/")))
    #expect(response.body.expectedLength == 0)
    #expect(try await response.collect().isEmpty)
  }

  @Test("opening a pipe without a writer blocks no other request")
  func pipe() async throws {
    let server = try ScriptedServer.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "pipe")
    try #require(mkfifo(path, 0o600) == 0)
    let client = HTTPClient()
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
