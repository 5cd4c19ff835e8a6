import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// Large bodies, early ends and reuse through TLS inside TLS and the other tunnels.
@Suite("Proxy transfers", .timeLimit(.minutes(2)))
struct ProxyTransferTests {
  private static let size = 8 << 20

  @Test(
    "Large bodies pass in both directions at once through every tunnel", arguments: HTTPProxy.Kind.allCases,
    WireProtocol.allCases)
  func large(kind: HTTPProxy.Kind, version: WireProtocol) async throws {
    let scene = try ProxyScene(kind, to: version, .handler { _ in .pattern(UInt64(Self.size)) })
    let client = scene.client()
    var request = HTTPRequest(method: .put, url: scene.url)
    request.body = .bytes(TestPattern.bytes(Self.size))
    let response = try await client.send(request)
    var count = 0
    for try await chunk in response.body {
      #expect(TestPattern.firstMismatch(in: chunk.array, from: UInt64(count)) == nil)
      count += chunk.count
    }
    #expect(count == Self.size)
    let seen = try #require(scene.origin.snapshot.requests.first)
    #expect(seen.body.count == UInt64(Self.size) && seen.body.matchesTestPattern)
    await client.shutdown(grace: .zero)
  }
}
