import FoundationEssentials
import Linnet
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("Signing")
struct SignerStageTests {
  /// A signer that keeps where the copy of the body was and what stood in it.
  private struct FileSigner: RequestSigner {
    let seen = Lock<(path: String, content: String)?>(nil)
    var onSign: @Sendable () throws -> Void = {}

    func signatureHeaders(for request: HTTPRequest, body: RequestBody) async throws -> HTTPHeaders {
      switch body {
      case .none: break
      case .data(let data): seen.withLock { $0 = ("", String(decoding: data, as: UTF8.self)) }
      case .file(let url):
        let content = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        seen.withLock { $0 = (url.path, content) }
      }
      try onSign()
      return ["X-Signature": "s"]
    }
  }

  private let mock = MockTransport.item

  private func client(_ signer: any RequestSigner) -> DefaultNetworkClient {
    .mocked(mock) { .advanced(baseURL: $0, auth: AuthPack(additionalSigners: [signer])) }
  }

  private func request(body: HTTPRequestBody?) -> HTTPRequest {
    HTTPRequest.post("https://api.example.com/a", body: body)
  }

  private static func file(_ folder: TemporaryDirectory) throws -> String {
    let path = folder.path + "/body"
    try Data("original".utf8).write(to: URL(filePath: path))
    return path
  }

  @Test("A signer sees the bytes of a body in memory, and nothing of a request without one")
  func bytes() async throws {
    let signer = FileSigner()
    _ = try await client(signer).perform(request(body: .text("hello")))
    #expect(signer.seen.withLock { $0?.content } == "hello")
    #expect(mock.capturedRequest?.headers["X-Signature"] == "s")
    let none = FileSigner()
    _ = try await client(none).request(GetItem())
    #expect(none.seen.withLock { $0 == nil })
  }

  @Test("A file is signed and sent from a private copy, which is gone afterwards; the file itself stays")
  func file() async throws {
    let folder = try TemporaryDirectory()
    let path = try Self.file(folder)
    // Changed after signing: what is sent is what was signed.
    let signer = FileSigner(onSign: { try Data("changed".utf8).write(to: URL(filePath: path)) })
    _ = try await client(signer).perform(request(body: .file(path)))
    let seen = try #require(signer.seen.withLock { $0 })
    #expect(seen.content == "original")
    #expect(seen.path != path)
    #expect(mock.capturedRequest?.body?.bytesInMemory.map { String($0) } == "original")
    #expect(!FileManager.default.fileExists(atPath: seen.path))
    #expect(!FileManager.default.fileExists(atPath: URL(filePath: seen.path).deletingLastPathComponent().path))
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test("The copy is removed when a signer fails and when the request fails")
  func failures() async throws {
    struct Own: Error {}
    let folder = try TemporaryDirectory()
    let path = try Self.file(folder)
    let failing = FileSigner(onSign: { throw Own() })
    let request = request(body: .file(path))
    let client = client(failing)
    let error = await failure { () throws(NetworkError) in try await client.perform(request) }
    guard case .underlying? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mock.capturedRequestsInOrder.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: try #require(failing.seen.withLock { $0?.path })))

    mock.setScriptedResponses([.failure(TransportError(code: .headTimeout, phase: .head, sent: .all, reason: "x"))])
    let signer = FileSigner()
    let other = self.client(signer)
    let timeout = await failure { () throws(NetworkError) in try await other.perform(request) }
    #expect(timeout?.errorCode == 4005)
    #expect(!FileManager.default.fileExists(atPath: try #require(signer.seen.withLock { $0?.path })))
  }

  @Test(
    "A file that is missing, or is none, fails before anything is sent",
    arguments: ["/nonexistent/x", "/dev/null", "/tmp"])
  func unusable(path: String) async {
    let client = client(FileSigner())
    let request = request(body: .file(path))
    let error = await failure { () throws(NetworkError) in try await client.perform(request) }
    #expect(error != nil)
    #expect(mock.capturedRequestsInOrder.isEmpty)
  }

  @Test("A stream is signed from memory")
  func stream() async throws {
    let signer = FileSigner()
    let body = HTTPRequestBody.stream {
      AsyncStream {
        $0.yield(ByteChunk("streamed")); $0.finish()
      }
    }
    _ = try await client(signer).perform(request(body: body))
    #expect(signer.seen.withLock { $0?.content } == "streamed")
    #expect(mock.capturedRequest?.body?.bytesInMemory.map { String($0) } == "streamed")
  }

  @Test("The redirect of a signed request is delivered, not followed")
  func redirect() async throws {
    mock.setScriptedResponses([.http(statusCode: 302, headers: ["Location": "https://api.example.com/b"])])
    let response = try await client(FileSigner()).perform(request(body: .text("x")), acceptableStatusCodes: [302])
    #expect(response.statusCode == 302)
    #expect(mock.capturedRequestsInOrder.count == 1)
    #expect(mock.capturedRequest?.headers["Cache-Control"] == "no-store")
  }

  @Test("Signers run again for each attempt")
  func attempts() async throws {
    let count = Lock(0)
    let signer = FileSigner(onSign: { count.withLock { $0 += 1 } })
    mock.setScriptedResponses([.http(statusCode: 503), .text("ok")])
    let client = DefaultNetworkClient.mocked(mock) {
      .advanced(
        baseURL: $0,
        resilience: ResiliencePack(
          retry: ExponentialBackoffRetryPolicy(retryDelay: 0, idempotencyPolicy: .methodAgnostic)),
        auth: AuthPack(additionalSigners: [signer]))
    }
    _ = try await client.perform(request(body: .text("x")))
    #expect(count.withLock { $0 } == 2)
  }
}
