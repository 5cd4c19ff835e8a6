import Linnet
import LinnetHTTP
import Testing

@Suite("Logging: the default logger")
struct DefaultNetworkLoggerTests {
  private func lines(
    _ options: NetworkLoggingOptions, isRelease: Bool = false, _ body: (DefaultNetworkLogger) -> Void
  ) -> [String] {
    let written = LineCollector()
    body(DefaultNetworkLogger(options: options, isRelease: isRelease) { written.append($0) })
    return written.lines
  }

  private static var request: HTTPRequest {
    var request = HTTPRequest.post("https://u:p@a.test/x?k=v#f", body: .text("line 1\nline 2"))
    request.headers.add("Accept", "text/plain")
    request.headers.add("Cookie", "c=1")
    return request
  }

  private static var response: Response {
    var response = ErrorSamples.response(
      201, body: "made\n", headers: ["X-A": "b", "Set-Cookie": "c=2"], request: request)
    response.attempts = 2
    response.elapsed = .milliseconds(12)
    return response
  }

  @Test("by default values, cookies and bodies are not written")
  func secure() {
    let lines = lines(.secureDefault) {
      $0.log(request: Self.request)
      $0.log(response: Self.response, isError: false)
      $0.log(error: .statusCode(Self.response))
    }
    #expect(
      lines == [
        "[linnet] --> POST https://a.test/x?k=<redacted> {Accept: <redacted>} 13 bytes",
        "[linnet] <-- 201 Created POST https://a.test/x?k=<redacted> {X-A: <redacted>} 5 bytes [attempt 2, 12 ms]",
        "[linnet] !!! http.status.201 POST https://a.test/x?k=<redacted>",
      ])
  }

  @Test("verbose writes everything on one line each, and still masks tokens and AWS keys")
  func verbose() {
    var request = Self.request
    request.headers.add("X-Key", "AKIAIOSFODNN7EXAMPLE")
    request.headers.add("Authorization", "Token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVm")
    request.headers.add("X-Amz-Security-Token", "sekret")
    let lines = lines(.verbose) {
      $0.log(request: request)
      $0.log(response: Self.response, isError: true)
    }
    #expect(
      lines == [
        "[linnet] --> POST https://a.test/x?k=v {Accept: text/plain, Cookie: c=1, X-Key: <redacted>, "
          + "Authorization: Token <redacted-jwt>, X-Amz-Security-Token: <redacted>} line 1 line 2",
        "[linnet] <!! 201 Created POST https://a.test/x?k=v {X-A: b, Set-Cookie: c=2} made  [attempt 2, 12 ms]",
      ])
  }

  @Test("bodies that are not text are counted")
  func binary() {
    var request = Self.request
    request.body = .bytes([0xFF, 0xFE, 0x00])
    let lines = lines(.verbose) {
      $0.log(request: request)
      request.body = .file("/tmp/x")
      $0.log(request: request)
      request.body = .stream { AsyncStream<ByteChunk> { $0.finish() } }
      $0.log(request: request)
    }
    #expect(lines[0].hasSuffix("} 3 bytes that are not text"))
    #expect(lines[1].hasSuffix("} file /tmp/x"))
    #expect(lines[2].hasSuffix("} a stream"))
  }

  @Test("free text of an error is not written in secure mode, facts of the transport are")
  func errors() {
    let transport = ErrorSamples.transport(.connectionRefused, reason: "the text sekret")
    let secure = lines(.secureDefault) {
      $0.log(error: NetworkError(transport))
      $0.log(error: .configuration(reason: .invalidRequest("sekret")))
      $0.log(error: .cancelled)
    }
    #expect(
      secure == [
        "[linnet] !!! reachability.connection_refused GET https://api.example.com/users?page=<redacted>: connect",
        "[linnet] !!! configuration.invalid_request", "[linnet] !!! cancelled",
      ])
    #expect(lines(.verbose) { $0.log(error: NetworkError(transport)) }[0].contains("the text sekret"))
  }

  @Test("a program that was built for release is quiet unless asked")
  func release() {
    let loud = NetworkLoggingOptions(releaseLogging: true)
    #expect(lines(.secureDefault, isRelease: true) { $0.log(request: Self.request) }.isEmpty)
    #expect(lines(.verbose, isRelease: true) { $0.log(error: .cancelled) }.isEmpty)
    #expect(lines(loud, isRelease: true) { $0.log(response: Self.response, isError: false) }.count == 1)
  }

  @Test("nothing that a server sends begins a new line")
  func lineBreaks() {
    let response = ErrorSamples.response(200, body: "a\r\n[linnet] --> forged\u{2028}\u{85}b")
    let lines = lines(.verbose) { $0.log(response: response, isError: false) }
    #expect(lines.count == 1)
    #expect(!lines[0].contains { $0.isNewline })
  }

  @Test("the options are those of their names")
  func options() {
    #expect(NetworkLoggingOptions.secureDefault == NetworkLoggingOptions())
    #expect(NetworkLoggingOptions.secureDefault.redactSensitiveData)
    let verbose = NetworkLoggingOptions.verbose
    #expect(verbose.includeRequestBody && verbose.includeResponseBody && verbose.includeCookies)
    #expect(!verbose.redactSensitiveData && !verbose.releaseLogging)
  }
}
