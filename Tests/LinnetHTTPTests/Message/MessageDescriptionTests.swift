import LinnetBytes
import LinnetHTTP
import Testing

@Suite("What messages print of themselves")
struct MessageDescriptionTests {
  private static func shown(_ value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), dumped]
  }

  @Test("a request shows neither values of headers and query, nor user information, fragment and content")
  func request() throws {
    var request = HTTPRequest.post(
      "https://sekret:sekret@h.test/a?key=sekret&flag#sekret", headers: ["X-Custom-Key": "sekret", "Cookie": "sekret"],
      body: .text("sekret"))
    #expect("\(request)" == "POST https://h.test/a?key=<redacted>&flag [X-Custom-Key, Cookie] with 6 bytes")
    for text in Self.shown(request) + Self.shown([request]) + Self.shown(HTTPRequest?.some(request) as Any) {
      #expect(!text.contains("sekret"), "\(text)")
      // The bytes of the headers' storage, as a mirror would list them.
      #expect(!text.contains("- 115"), "\(text)")
    }
    request = .get("http://[sekret")
    #expect("\(request)" == "GET <not a URL>")
  }

  @Test("a body shows its kind and size")
  func bodies() {
    #expect("\(HTTPRequestBody.text("sekret"))" == "6 bytes")
    #expect("\(HTTPRequestBody.file("/a/b"))" == "the file /a/b")
    #expect("\(HTTPRequestBody.stream(length: 5) { AsyncStream<ByteChunk> { $0.finish() } })" == "a stream of 5 bytes")
    #expect("\(HTTPRequestBody.stream { AsyncStream<ByteChunk> { $0.finish() } })" == "a stream")
    for text in Self.shown(HTTPRequestBody.text("sekret")) { #expect(!text.contains("- 115")) }
  }

  @Test("a response shows status, URL and the names of its headers")
  func response() throws {
    let response = HTTPResponse(
      status: .ok, headers: ["Set-Cookie": "sekret", "X-Session": "sekret"],
      url: try HTTPURL("https://h.test/a?key=sekret"), body: .bytes(ByteChunk("sekret")))
    #expect("\(response)" == "200 OK https://h.test/a?key=<redacted> [Set-Cookie, X-Session]")
    for text in Self.shown(response) { #expect(!text.contains("sekret"), "\(text)") }
  }

  @Test("headers and URLs are dumped as they are described")
  func parts() throws {
    let headers: HTTPHeaders = ["Authorization": "sekret"]
    for text in Self.shown(headers) + Self.shown(Array(headers)) {
      #expect(text.contains("Authorization: <redacted>"))
      #expect(!text.contains("sekret") && !text.contains("- 115"), "\(text)")
    }
    let url = try HTTPURL("https://sekret:sekret@h.test/")
    for text in Self.shown(url).dropFirst() { #expect(!text.contains("sekret") && !text.contains("- 115"), "\(text)") }
  }

  @Test("a client identity does not show its pass phrase or its key")
  func identity() {
    var configuration = HTTPClientConfiguration()
    configuration.tls.clientIdentity = TLSConfiguration.ClientIdentity(
      certificates: .file("/c.pem"), privateKey: .bytes(Array("sekret".utf8)), passphrase: "sekret")
    for text in Self.shown(configuration) + Self.shown(HTTPClient(configuration: configuration)) {
      #expect(!text.contains("sekret") && !text.contains("- 115"), "\(text)")
    }
  }
}
