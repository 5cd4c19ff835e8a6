import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Python's servers", .enabled(if: PythonServer.isInstalled, Comment(rawValue: PythonServer.reason)))
struct PythonServerTests {
  @Test("an HTTP/1.0 server is understood, and its connections are not used again")
  func http10() async throws {
    let directory = try TemporaryDirectory()
    let server = try PythonServer.files(in: directory)
    defer { server.stop() }
    let client = HTTPClient()
    for size in PatternContent.sizes {
      try PatternContent.write(size, to: directory.path(of: "\(size)"))
      let response = try await client.send(.get(server.url("/\(size)")))
      #expect(response.status.code == 200)
      #expect(response.version == .http1_0)
      #expect(!response.connection.isReused)
      #expect(try await response.digest().sha256 == PatternContent.digest(size), "\(size) bytes")
    }
    let missing = try await client.send(.get(server.url("/missing")))
    #expect(missing.status.code == 404)
  }

  @Test("100 MiB are uploaded byte-exact, with a length and chunked", arguments: [true, false])
  func largeUpload(hasLength: Bool) async throws {
    let server = try PythonServer.digesting()
    defer { server.stop() }
    let size = PatternContent.large
    let body = HTTPRequestBody.stream(length: hasLength ? size : nil) {
      PatternStream(count: size, pieceBytes: 100_000)
    }
    let response = try await HTTPClient().send(.put(server.url("/"), body: body))
    #expect(response.status.code == 200)
    #expect(try await response.text() == PatternContent.digest(size).hex)
  }
}
