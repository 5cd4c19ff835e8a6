import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// What those who look at a body before it is sent can learn about it.
@Suite("HTTPRequestBody")
struct HTTPRequestBodyTests {
  private func stream(_ texts: [String]) -> AsyncStream<ByteChunk> {
    AsyncStream { continuation in
      for text in texts { continuation.yield(ByteChunk(text)) }
      continuation.finish()
    }
  }

  @Test("bytes in memory, file and length are told for the kinds that have them")
  func kinds() {
    #expect(HTTPRequestBody.text("abc").bytesInMemory.map { String($0) } == "abc")
    #expect(HTTPRequestBody.text("abc").knownLength == 3)
    #expect(HTTPRequestBody.text("abc").filePath == nil)
    #expect(HTTPRequestBody.file("/x/y").filePath == "/x/y")
    #expect(HTTPRequestBody.file("/x/y").bytesInMemory == nil)
    #expect(HTTPRequestBody.file("/x/y").knownLength == nil)
    #expect(HTTPRequestBody.stream(length: 7) { AsyncStream<ByteChunk> { $0.finish() } }.knownLength == 7)
    #expect(HTTPRequestBody.oneShot(AsyncStream<ByteChunk> { $0.finish() }).knownLength == nil)
  }

  @Test("every kind collects to its bytes; a one-shot stream once")
  func collecting() async throws {
    let directory = try TemporaryDirectory()
    let parts = ["ab", "", "cde"]
    let bodies: [HTTPRequestBody] = [
      .text("abcde"), .file(try directory.write("abcde", to: "body")), .stream { self.stream(parts) },
      .stream(length: 5) { self.stream(parts) }, .oneShot(stream(parts)),
    ]
    for body in bodies { #expect(String(try await body.collect(upTo: 5)) == "abcde") }
    #expect(bodies.map(\.isReplayable) == [true, true, true, true, false])
    let again = await #expect(throws: TransportError.self) { try await bodies[4].collect(upTo: 5) }
    #expect(again?.code == .bodyNotReplayable)
    #expect(again?.sent == .nothing)
  }

  @Test("a body above the limit is refused", arguments: 0..<5)
  func limit(kind: Int) async throws {
    let directory = try TemporaryDirectory()
    let body: HTTPRequestBody =
      switch kind {
      case 0: .text("abcde")
      case 1: .file(try directory.write("abcde", to: "body"))
      case 2: .stream { self.stream(["abc", "de"]) }
      case 3: .stream(length: 5) { self.stream(["abc", "de"]) }
      default: .oneShot(stream(["abcde"]))
      }
    let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: 4) }
    #expect(error?.code == .bodyTooLarge)
    #expect(error?.phase == .request)
  }

  @Test("a file that is not there, a stream that throws or lies about its length fail the body", arguments: 0..<3)
  func failures(kind: Int) async throws {
    struct Cause: Error {}
    let directory = try TemporaryDirectory()
    let body: HTTPRequestBody =
      switch kind {
      case 0: .file(directory.path(of: "none"))
      case 1: .stream { AsyncThrowingStream<ByteChunk, any Error> { $0.finish(throwing: Cause()) } }
      default: .stream(length: 6) { self.stream(["abcde"]) }
      }
    let error = await #expect(throws: TransportError.self) { try await body.collect(upTo: 100) }
    #expect(error?.code == .requestBodyFailed)
    #expect(error?.phase == .request)
    if kind == 1 { #expect(error?.underlying is Cause) }
  }

  @Test("a body of a cancelled task is not taken for a short one")
  func cancellation() async {
    let (stream, _) = AsyncStream.makeStream(of: ByteChunk.self)
    let reader = Task { try await HTTPRequestBody.oneShot(stream).collect(upTo: 10) }
    reader.cancel()
    let error = await #expect(throws: TransportError.self) { try await reader.value }
    #expect(error?.code == .cancelled)
  }

  @Test("uploads of pipes without a writer end with their requests, and leave no thread behind")
  func silentPipes() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("content", to: "file")
    try await ScriptedServer.with(.handler { .text($0.body.text) }) { server async throws in
      let client = HTTPClient()
      // More than the blocking pool has threads.
      for number in 0..<20 {
        let path = directory.path(of: "pipe\(number)")
        try #require(mkfifo(path, 0o600) == 0)
        let task = Task { await client.failure(of: .put(server.url("/"), body: .file(path))) }
        // It is open for reading now.
        let writer = try await openWriter(path)
        #expect(writer >= 0)
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        var event = pollfd(fd: writer, events: 0, revents: 0)
        while event.revents & Int16(POLLERR) == 0 {
          poll(&event, 1, 0)
          try await Task.sleep(for: .milliseconds(1))
        }
        close(writer)
      }
      #expect(try await client.send(.put(server.url("/"), body: .file(file))).text() == "content")
    }
  }
}
