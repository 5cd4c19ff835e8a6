import LinnetHTTP
import LinnetTestSupport
import Testing

/// The seam between those who make requests and what answers them.
@Suite("HTTPTransport")
struct HTTPTransportTests {
  /// A transport as a user would write it.
  struct Echo: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
      HTTPResponse(status: .accepted, headers: ["X-Method": request.method.rawValue], url: try request.admittedURL())
    }
  }

  @Test("a transport of one's own and the client answer through the same protocol")
  func anyTransport() async throws {
    let server = try ScriptedServer.start(.handler { .text("hello \($0.path)") })
    defer { server.stop() }
    let transports: [any HTTPTransport] = [Echo(), HTTPClient()]
    var codes: [Int] = []
    for transport in transports { codes.append(try await transport.send(.get(server.url("/a"))).status.code) }
    #expect(codes == [202, 200])
  }

  @Test(
    "a URL that cannot be requested is refused as the client refuses it",
    arguments: ["no url at all", "ftp://example.com/", "http://example.com:0/", "http://"])
  func admission(url: String) async {
    let client = await #expect(throws: TransportError.self) { try await HTTPClient().send(.get(url)) }
    let own = await #expect(throws: TransportError.self) { try await Echo().send(.get(url)) }
    #expect(own == client)
    #expect(own?.phase == .request)
    #expect(own?.reason == client?.reason)
  }

  @Test("a request that must not be sent is refused as the client refuses it", arguments: [true, false])
  func invalidRequest(hasBadHeader: Bool) async {
    var request = HTTPRequest(method: hasBadHeader ? .get : .connect, url: "http://127.0.0.1:9/")
    if hasBadHeader { request.headers.add("X", "a\r\nInjected: b") }
    let sent = request
    let client = await #expect(throws: TransportError.self) { try await HTTPClient().send(sent) }
    let own = await #expect(throws: TransportError.self) { try await Echo().send(sent) }
    #expect(own?.code == .invalidRequest)
    #expect(own == client)
    #expect(own?.reason == client?.reason)
  }

  @Test("parsedURL gives the URL that was put in, and parses a text")
  func parsedURL() throws {
    let url = try HTTPURL("https://user:secret@example.com/a?b")
    #expect(try HTTPRequest(url: url).parsedURL() == url)
    #expect(try HTTPRequest.get("https://example.com/a").parsedURL().description == "https://example.com/a")
    #expect(throws: HTTPURLError.self) { try HTTPRequest.get("").parsedURL() }
    var request = HTTPRequest(url: url)
    request.url = "http://other.test/"
    #expect(try request.parsedURL().description == "http://other.test/")
  }

  @Test("an unconfigured transport fails at once and names what is missing", arguments: ["http://a.test/x", "no url"])
  func unconfigured(url: String) async {
    let transport = UnconfiguredTransport(missing: "Backend.configure(baseURL:)")
    let error = await #expect(throws: TransportError.self) { try await transport.send(.get(url)) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.phase == .request)
    #expect(error?.sent == .nothing)
    #expect(error?.description.contains("Backend.configure(baseURL:) is missing") == true)
  }

  @Test("an error made by hand says what it was given, on one line and with the password masked")
  func errorByHand() throws {
    struct Cause: Error {}
    let error = TransportError(
      code: .connectionLost, phase: .body, sent: .all, reason: "it\nbroke", method: .put,
      url: try HTTPURL("http://me:secret@a.test/x"), underlying: Cause())
    #expect(error.attempts == 0)
    #expect(error.underlying is Cause)
    #expect(!error.description.contains("secret"))
    #expect(!error.description.contains("\n"))
    #expect(error.description.hasPrefix("PUT http://"))
    #expect(error.shortDescription == "body: connectionLost")
  }
}
