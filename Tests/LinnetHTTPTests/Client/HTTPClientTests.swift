import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

@Suite("HTTPClient")
struct HTTPClientTests {
  @Test(
    "a GET returns status, headers and body, and the second one reuses the connection",
    arguments: WireProtocol.allCases)
  func getAndReuse(_ version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { .text("hello \($0.path)") })
    defer { server.stop() }
    let client = wire.client()
    for index in 0..<3 {
      let response = try await client.send(.get(server.url("/\(index)")))
      #expect(response.status.code == 200)
      #expect(response.version == (wire.isHTTP2 ? .http2 : .http1_1))
      #expect(response.connection.isReused == (index > 0))
      #expect(try await response.text() == "hello /\(index)")
    }
    #expect(server.snapshot.connectionCount == 1)
    #expect(server.snapshot.violations.isEmpty)
    #expect(server.snapshot.requests.allSatisfy { $0.came(over: version) })
    #expect(server.snapshot.requests.first?.authority == server.authority)
    #expect(server.snapshot.requests.first?.headers["User-Agent"] == "linnet/\(LinnetLibrary.version)")
  }

  enum BodyKind: String, CaseIterable, Sendable {
    case bytes, knownStream, chunkedStream, oneShot, file, empty
  }

  @Test(
    "every kind of request body arrives byte-exact with its framing", arguments: BodyKind.allCases,
    WireProtocol.allCases)
  func requestBodies(_ kind: BodyKind, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let directory = try TemporaryDirectory()
    let bytes = kind == .empty ? [] : TestPattern.bytes(300_000)
    let parts = stride(from: 0, to: bytes.count, by: 7_000).map {
      ByteChunk(Array(bytes[$0..<min($0 + 7_000, bytes.count)]))
    }
    let stream: @Sendable () -> AsyncStream<ByteChunk> = {
      AsyncStream { continuation in
        for part in parts { continuation.yield(part) }
        continuation.finish()
      }
    }
    let body: HTTPRequestBody =
      switch kind {
      case .bytes, .empty: .bytes(bytes)
      case .knownStream: .stream(length: UInt64(bytes.count), stream)
      case .chunkedStream: .stream(stream)
      case .oneShot: .oneShot(stream())
      case .file: .file(try directory.write(bytes, to: "upload"))
      }
    let response = try await wire.client().send(.post(server.url("/up"), body: body))
    #expect(try await response.text() == "ok")
    let request = try #require(server.snapshot.requests.first)
    #expect(request.body.count == UInt64(bytes.count))
    #expect(request.body.matchesTestPattern)
    let isLengthUnknown = kind == .chunkedStream || kind == .oneShot
    // HTTP/2 frames every body itself (RFC 9113 §8.1) and has no Transfer-Encoding.
    #expect(request.headers["Transfer-Encoding"] == (isLengthUnknown && !wire.isHTTP2 ? "chunked" : nil))
    #expect(request.headers["Content-Length"] == (isLengthUnknown ? nil : "\(bytes.count)"))
    #expect(server.snapshot.violations.isEmpty)
  }

  @Test("a large body is streamed in order", arguments: [false, true], WireProtocol.allCases)
  func largeBody(isChunked: Bool, over version: WireProtocol) async throws {
    let size: UInt64 = version.isSecure ? 500_000 : 4_000_000
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { _ in isChunked ? ServerResponse.pattern(size).chunked() : .pattern(size) })
    defer { server.stop() }
    let response = try await wire.client().send(.get(server.url("/")))
    #expect(response.body.expectedLength == (isChunked ? nil : size))
    var offset: UInt64 = 0
    for try await chunk in response.body {
      #expect(TestPattern.firstMismatch(in: chunk, from: offset) == nil)
      offset += UInt64(chunk.count)
    }
    #expect(offset == size)
    #expect(response.body.receivedWireBytes == size)
  }

  @Test("trailers are there after the end of the body", arguments: WireProtocol.versions)
  func trailers(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { _ in ServerResponse.text("abc").chunked(trailers: [HeaderLine("X-Sum", "42")]) })
    defer { server.stop() }
    let response = try await wire.client().send(.get(server.url("/")))
    #expect(response.body.trailers == nil)
    #expect(try await response.text() == "abc")
    #expect(response.body.trailers?["X-Sum"] == "42")
  }

  @Test(
    "a cancelled request ends with cancelled and closes its connection; over HTTP/2 it resets its stream only",
    arguments: WireProtocol.allCases)
  func cancel(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/quick" ? .text("quick") : .never })
    defer { server.stop() }
    let client = wire.client()
    let url = server.url("/")
    let task = Task { () -> TransportError? in
      do throws(TransportError) {
        _ = try await client.send(.get(url))
        return nil
      } catch { return error }
    }
    _ = try await server.waitForRequests(1)
    task.cancel()
    #expect(await task.value?.code == .cancelled)
    if wire.isHTTP2 {
      let snapshot = try await server.wait(for: "a reset") { !$0.streamResets.isEmpty }
      #expect(snapshot.streamResets.map(\.code) == [.cancel])
      #expect(try await client.send(.get(server.url("/quick"))).text() == "quick")
      #expect(server.snapshot.connectionCount == 1)
    } else {
      _ = try await server.waitForConnectionsClosed(1)
    }
  }

  @Test("a body outlives the client that asked for it", arguments: WireProtocol.versions)
  func bodyOutlivesClient(over version: WireProtocol) async throws {
    let gate = Gate()
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { _ in ServerResponse(body: ServerBody([.pattern(1000), .wait(gate), .pattern(1_000_000)])) })
    defer { server.stop() }
    let response = try await wire.client().send(.get(server.url("/")))
    gate.open()
    #expect(try await response.collect().count == 1_001_000)
    _ = try await server.waitForConnectionsClosed(1)
  }

  @Test("https with a private authority, reused and resumed", arguments: WireProtocol.secure)
  func https(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let certificates = try #require(wire.certificates)
    let server = try wire.start(
      .handler { $0.path == "/close" ? ServerResponse.text("bye").closing(.lingering) : .text("secret") })
    defer { server.stop() }
    let client = wire.client { $0.tls.trustRoots = .only([.file(certificates.authorityFile)]) }
    let first = try await client.send(.get(server.url("/")))
    #expect(first.connection.tls?.version == "TLSv1.3")
    #expect(try await first.text() == "secret")
    #expect(try await client.send(.get(server.url("/close"))).text() == "bye")
    let third = try await client.send(.get(server.url("/")))
    #expect(third.connection.isReused == false)
    #expect(third.connection.tls?.isResumed == true)
    #expect(try await third.text() == "secret")
    await client.shutdown()
    _ = try await server.waitForConnectionsClosed(2)
    #expect(server.snapshot.connections.last?.receivedCloseNotify == true)
  }

  @Test("an untrusted certificate is refused before any request byte is sent", arguments: WireProtocol.secure)
  func untrusted(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("x") })
    defer { server.stop() }
    let client = wire.client { $0.tls = TLSConfiguration() }
    let error = await #expect(throws: TransportError.self) { try await client.send(.get(server.url("/"))) }
    #expect(error?.code == .certificateRejected)
    #expect(error?.phase == .tls)
    #expect(server.snapshot.headCount == 0)
  }

  @Test(
    "shutdown with requests in flight fails them with clientShutDown, and later requests too",
    arguments: WireProtocol.versions)
  func shutdown(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .never })
    defer { server.stop() }
    let client = wire.client()
    let url = server.url("/")
    let tasks = (0..<10).map { _ in
      Task { () -> TransportError.Code? in
        do throws(TransportError) {
          _ = try await client.send(.get(url))
          return nil
        } catch { return error.code }
      }
    }
    _ = try await server.waitForRequests(10)
    async let second: Void = client.shutdown(grace: .zero)
    await client.shutdown(grace: .zero)
    await second
    for task in tasks { #expect(await task.value == .clientShutDown) }
    let error = await #expect(throws: TransportError.self) { try await client.send(.get(url)) }
    #expect(error?.code == .clientShutDown)
  }

  @Test("Expect: 100-continue holds the body back until the server agrees", arguments: WireProtocol.versions)
  func expectContinue(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    var request = HTTPRequest.post(server.url("/"), body: .text("payload"))
    request.options.expectsContinue = true
    let interim = EventRecorder<Int>()
    request.options.onEvent = { event in
      if case .interim(let head) = event { interim.record(head.status.code) }
    }
    let response = try await wire.client().send(request)
    #expect(try await response.text() == "ok")
    #expect(interim.events == [100])
    #expect(server.snapshot.requests.first?.body.text == "payload")
  }

  @Test("a server that refuses an expected body gets none", arguments: WireProtocol.versions)
  func expectationRefused(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler(onHead: { _ in .respond(ServerResponse(417, body: "no")) }) { _ in .text("unused") })
    defer { server.stop() }
    let read = EventRecorder<Int>()
    let body = HTTPRequestBody.stream(length: 3) {
      AsyncStream(unfolding: {
        read.record(1)
        return ByteChunk("abc")
      })
    }
    var request = HTTPRequest.post(server.url("/"), body: body)
    request.options.expectsContinue = true
    // Not the timeout of the expectation sends it.
    let response = try await wire.client { $0.expectContinueTimeout = .seconds(3600) }.send(request)
    #expect(response.status.code == 417)
    #expect(try await response.text() == "no")
    #expect(read.events.isEmpty)
  }

  @Test("an early final response is delivered although the body was not sent", arguments: WireProtocol.allCases)
  func earlyResponse(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler(onHead: { _ in .respond(ServerResponse(413, body: "too large")) }) { _ in .text("unused") })
    defer { server.stop() }
    let body = HTTPRequestBody.bytes([UInt8](repeating: 7, count: 30_000_000))
    let client = wire.client()
    let response = try await client.send(.post(server.url("/"), body: body))
    #expect(response.status.code == 413)
    #expect(try await response.text() == "too large")
    if wire.isHTTP2 {
      // The reset with NO_ERROR that follows is no failure (RFC 9113 §8.1), and the connection stays.
      #expect(try await client.send(.get(server.url("/"))).status.code == 413)
      #expect(server.snapshot.connectionCount == 1)
    }
  }

  @Test(
    "a file that is not regular is sent with unknown length, and cannot be replayed once it was read",
    arguments: WireProtocol.versions)
  func pipeBody(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in .text("ok") })
    defer { server.stop() }
    let body = HTTPRequestBody.file("/dev/null")
    #expect(body.isReplayable)
    let client = wire.client()
    #expect(try await client.send(.post(server.url("/"), body: body)).text() == "ok")
    #expect(server.snapshot.requests.first?.headers["Transfer-Encoding"] == (wire.isHTTP2 ? nil : "chunked"))
    #expect(server.snapshot.requests.first?.headers["Content-Length"] == nil)
    #expect(!body.isReplayable)
    let error = await #expect(throws: TransportError.self) {
      try await client.send(.post(server.url("/"), body: body))
    }
    #expect(error?.code == .bodyNotReplayable)
  }
}
