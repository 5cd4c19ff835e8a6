import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// Transfers that are larger than memory may be. Each runs in a process of its own, whose resident memory is the
/// client's and the test bundle's and nobody else's.
@Suite("Memory", .serialized)
struct MemoryTests {
  /// 256 MiB; with `LINNET_LONG=1` in the environment 1 GiB.
  static let size: UInt64 = getenv("LINNET_LONG") == nil ? 256 << 20 : 1 << 30
  static let limit = 64 << 20

  @Test(
    "a download that is read slowly stays below 64 MiB of memory",
    .enabled(if: Nginx.isInstalled, Comment(rawValue: Nginx.reason)), arguments: [Transport.http, .https])
  func slowConsumer(transport: Transport) async throws {
    let nginx = try Nginx()
    defer { nginx.stop() }
    let size = Self.size
    truncate(try nginx.directory.write("", to: "sparse"), Int(size))
    let (url, authority) = (nginx.url("/sparse", over: transport), nginx.certificates.authorityFile)
    await #expect(processExitsWith: .success) {
      [url = url as String, authority = authority as String, size = size as UInt64] in
      var configuration = HTTPClientConfiguration()
      configuration.tls.trustRoots = .only([.file(authority)])
      let response = try await HTTPClient(configuration: configuration).send(.get(url))
      var count: UInt64 = 0
      while let chunk = try await response.body.next() {
        // In this time a client that reads ahead without bound would have everything in memory.
        if count == 0 { try await Task.sleep(for: .milliseconds(500)) }
        count += UInt64(chunk.count)
      }
      #expect(count == size)
      #expect(ResidentMemory.peakBytes < MemoryTests.limit, "\(ResidentMemory.peakBytes >> 10) KiB")
    }
  }

  @Test(
    "an upload to a server that reads late stays below 64 MiB of memory",
    .enabled(if: PythonServer.isInstalled, Comment(rawValue: PythonServer.reason)))
  func slowServer() async throws {
    let server = try PythonServer.digesting()
    defer { server.stop() }
    let (url, size) = (server.url("/"), Self.size)
    await #expect(processExitsWith: .success) { [url = url as String, size = size as UInt64] in
      let body = HTTPRequestBody.stream(length: size) { PatternStream(count: size) }
      let response = try await HTTPClient().send(.put(url, headers: ["X-Stall": "0.5"], body: body))
      #expect(response.status.code == 200)
      #expect(try await response.text().count == 64)
      #expect(ResidentMemory.peakBytes < MemoryTests.limit, "\(ResidentMemory.peakBytes >> 10) KiB")
    }
  }
}
