import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Apache", .enabled(if: Apache.isInstalled, Comment(rawValue: Apache.reason)))
struct ApacheTests {
  @Test("bodies of every size are byte-exact in both directions", arguments: [Transport.http, .https])
  func bodies(over transport: Transport) async throws {
    let apache = try Apache()
    defer { apache.stop() }
    let client = apache.client()
    for size in PatternContent.sizes {
      let bytes = TestPattern.bytes(Int(size))
      let url = apache.url("/upload/\(size)", over: transport)
      let put = try await client.send(.put(url, body: .stream { PatternStream(count: size) }))
      #expect(put.status.code == 201)
      _ = try await put.collect()
      let get = try await client.send(.get(url))
      #expect(get.status.code == 200)
      #expect(try await get.collect().array == bytes, "\(size) bytes")
    }
  }

  @Test("a chunked gzip body is decoded")
  func gzip() async throws {
    let apache = try Apache()
    defer { apache.stop() }
    let file = apache.directory.path(of: "gzip/a")
    try PatternContent.write(300_000, to: file)
    chmod(file, 0o644)
    let response = try await apache.client().send(.get(apache.url("/gzip/a")))
    #expect(response.headers["Content-Encoding"] == "gzip")
    let (count, sha256) = try await response.digest()
    #expect(count == 300_000)
    #expect(try sha256 == PatternContent.digest(300_000))
  }

  @Test("requests succeed whenever the server closes idle connections", arguments: [Transport.http, .https])
  func idleClose(over transport: Transport) async throws {
    let apache = try Apache(keepAliveMilliseconds: 20)
    defer { apache.stop() }
    let client = apache.client()
    for pause in [0, 15, 18, 19, 20, 21, 22, 25, 150, 20, 19] {
      let response = try await client.send(.get(apache.url("/missing", over: transport)))
      #expect(response.status.code == 404)
      #expect(try await !response.collect().isEmpty)
      try await Task.sleep(for: .milliseconds(pause))
    }
  }
}
