import Glibc
import LinnetBytes
import LinnetHTTP
import LinnetIO
import LinnetTestSupport
import Testing

/// User reports about bodies that do not fit into a buffer.
@Suite("Reports: streaming", .timeLimit(.minutes(1)))
struct StreamingReportTests {
  // MARK: STR-01

  @Test(
    "STR-01: collecting a body without end stops at the client's cap, or at that of the request or of the call",
    arguments: WireProtocol.versions)
  func endlessBody(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { _ in ServerResponse.pattern(1 << 50).framed(.close) })
    defer { server.stop() }
    var configuration = wire.configuration
    #expect(configuration.maximumCollectedBytes == 64 << 20)
    configuration.maximumCollectedBytes = 1_000_000
    let client = HTTPClient(configuration: configuration)

    func check(cap: Int, _ body: () async throws(TransportError) -> Void) async {
      var thrown: TransportError?
      do throws(TransportError) { try await body() } catch { thrown = error }
      guard let error = thrown else {
        Issue.record("nothing was thrown")
        return
      }
      #expect(error.code == .bodyTooLarge)
      #expect(error.phase == .decode)
      let seen = error.reason.split(separator: " ").compactMap { Int($0) }.last ?? 0
      #expect(error.reason.contains("cap of \(cap) bytes: at least \(seen) bytes came"), "\(error.reason)")
      // Not much more than the cap was taken in.
      #expect(seen > cap && seen < cap + 2_000_000)
    }
    await check(cap: 1_000_000) { () throws(TransportError) in
      _ = try await client.send(.get(server.url("/"))).collect()
    }
    await check(cap: 5) { () throws(TransportError) in _ = try await client.send(.get(server.url("/"))).collect(upTo: 5)
    }
    await check(cap: 0) { () throws(TransportError) in
      _ = try await client.send(.get(server.url("/"))).body.collect(upTo: 0)
    }
    await check(cap: 70_000) { () throws(TransportError) in
      _ = try await client.send(.get(server.url("/")).with { $0.options.maximumCollectedBytes = 70_000 }).text()
    }
    if wire.isHTTP2 {
      try await server.wait(for: "four resets") { $0.streamResets.count == 4 }
      #expect(server.snapshot.connectionCount == 1)
    } else {
      try await server.waitForConnectionsClosed(4)
    }
  }

  @Test("STR-01: a Content-Length above the cap fails before the body is read", arguments: WireProtocol.versions)
  func announcedTooLarge(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(
      .handler { _ in ServerResponse(body: ServerBody([.effect(.stall)])).framed(.announced(67_108_865)) })
    defer { server.stop() }
    let client = wire.client()
    let error = try #require(await client.failure(of: .get(server.url("/"))))
    #expect(error.code == .bodyTooLarge)
    #expect(error.reason.contains("cap of 67108864 bytes: Content-Length says 67108865 bytes"))
    if wire.isHTTP2 {
      try await server.wait(for: "a reset") { !$0.streamResets.isEmpty }
    } else {
      try await server.waitForConnectionsClosed(1)
    }
  }

  // MARK: STR-02

  @Test("STR-02: a slow consumer of a fast server costs a bounded amount of memory", arguments: [false, true])
  func slowConsumer(isSecure: Bool) async {
    if isSecure {
      await #expect(processExitsWith: .success) { await recordingErrors { try await Self.readSlowly(isSecure: true) } }
    } else {
      await #expect(processExitsWith: .success) { await recordingErrors { try await Self.readSlowly(isSecure: false) } }
    }
  }

  @Test("STR-02: nor does it over HTTP/2, where the other exchanges share its connection", arguments: [false, true])
  func slowConsumerOverHTTP2(isSecure: Bool) async {
    if isSecure {
      await #expect(processExitsWith: .success) { await recordingErrors { try await Self.readSlowly(over: .http2TLS) } }
    } else {
      await #expect(processExitsWith: .success) { await recordingErrors { try await Self.readSlowly(over: .http2) } }
    }
  }

  private static func readSlowly(isSecure: Bool) async throws {
    try await readSlowly(over: isSecure ? .http1TLS : .http1)
  }

  private static func readSlowly(over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let server = try wire.start(.handler { $0.path == "/tick" ? .text("x") : .pattern(4 << 30) })
    defer { server.stop() }
    let client = wire.client()
    let response = try await client.send(.get(server.url("/")))
    var received: UInt64 = 0
    var ticked: UInt64 = 0
    var before = 0
    // Between two chunks a whole exchange passes, in which the server could send far more than is read.
    while received < UInt64(TestSize.of(150, long: 2000)) << 20, let chunk = try await response.body.next() {
      #expect(TestPattern.firstMismatch(in: chunk.prefix(16), from: received) == nil)
      received += UInt64(chunk.count)
      // A chunk over HTTP/2 is no larger than a frame, and time is the only thing that one exchange for each would cost.
      if !wire.isHTTP2 || received - ticked >= 64 << 10 {
        _ = try await client.send(.get(server.url("/tick"))).collect()
        ticked = received
      }
      if before == 0, received > 8 << 20 { before = ResidentMemory.bytes }
    }
    let growth = ResidentMemory.peakBytes - before
    // Over HTTP/2 it is the window of the stream that stops the server, which may have grown to its limit.
    let window = wire.isHTTP2 ? wire.configuration.http2.maximumStreamWindowBytes : 0
    #expect(growth < 16 << 20 + window, "grew by \(growth >> 20) MiB")
  }

  // MARK: STR-05

  @Test(
    "STR-05: bodies larger than the socket's buffer reach a server that reads slowly",
    arguments: [65_535, 65_536, 200_000, 1_000_000], WireProtocol.allCases)
  func slowServer(size: Int, over version: WireProtocol) async throws {
    let wire = try Wire(version)
    let size = size == 1_000_000 ? TestSize.of(size, long: 10_000_000) : size
    let server = try wire.start(
      .handler(onHead: { _ in .readBodySlowly(bytes: 4096, every: .milliseconds(1)) }) { _ in .text("ok") }
    ) {
      $0.receiveBufferBytes = 4096
      $0.http2.initialWindowBytes = 4096
    }
    defer { server.stop() }
    let client = wire.client()
    let bytes = TestPattern.bytes(size)
    let stream = HTTPRequestBody.stream {
      AsyncStream { continuation in
        for start in stride(from: 0, to: size, by: 50_000) {
          continuation.yield(ByteChunk(Array(bytes[start..<min(start + 50_000, size)])))
        }
        continuation.finish()
      }
    }
    for body in [HTTPRequestBody.bytes(bytes), stream] {
      #expect(try await client.send(.post(server.url("/"), body: body)).text() == "ok")
    }
    let snapshot = server.snapshot
    #expect(snapshot.violations.isEmpty)
    #expect(snapshot.connectionCount == 1)
    for request in snapshot.requests {
      #expect(request.body.count == UInt64(size))
      #expect(request.body.matchesTestPattern)
    }
  }

  // MARK: STR-06

  @Test("STR-06: a connection that breaks under a write is an error, whatever the process does about SIGPIPE")
  func brokenPipe() async {
    // The default action of the signal ends the process, which is what this would show.
    await #expect(processExitsWith: .success) {
      await recordingErrors { try await Self.writeIntoBroken(signalAction: SIG_DFL) }
    }
    await #expect(processExitsWith: .success) {
      await recordingErrors { try await Self.writeIntoBroken(signalAction: SIG_IGN) }
    }
  }

  private static func writeIntoBroken(signalAction: __sighandler_t?) async throws {
    _ = signal(SIGPIPE, signalAction)
    let before = Self.currentAction
    let certificates = try TestCertificates()
    for isSecure in [false, true] {
      for effect in [SocketEffect.reset, .close, .closeWithoutCloseNotify] {
        let server = try ScriptedServer.start(
          .steps([.readHead, .readBytes(100_000), effect]),
          options: isSecure ? .tls(try certificates.loopback()) : ScriptedServer.Options())
        let client = HTTPClient(configuration: .trusting(certificates))
        for round in 0..<TestSize.of(10, long: 1000) {
          let bytes = HTTPRequestBody.bytes([UInt8](repeating: 1, count: 5_000_000))
          // A body that goes on after the end of the connection writes into it again and again.
          let stream = HTTPRequestBody.stream(length: 5_000_000) {
            AsyncStream(unfolding: Pieces(count: 5000).next)
          }
          let request = HTTPRequest.post(server.url("/"), body: round % 2 == 0 ? bytes : stream)
          let error = try #require(await client.failure(of: request))
          #expect([.connectionLost, .emptyReply].contains(error.code), "\(error)")
          #expect(error.sent == .maybe)
        }
        await client.shutdown()
        server.stop()
      }
    }
    #expect(Self.currentAction == before)
  }

  /// The address of the present action for SIGPIPE: 0 the default, 1 to ignore it.
  private static var currentAction: Int {
    var action = sigaction()
    sigaction(SIGPIPE, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
  }

  /// A body of that many pieces of 1,000 bytes.
  private final class Pieces: Sendable {
    private let left: Lock<Int>

    init(count: Int) { left = Lock(count) }

    func next() async -> ByteChunk? {
      let hasMore = left.withLock { left in
        left -= 1
        return left >= 0
      }
      return hasMore ? ByteChunk([UInt8](repeating: 1, count: 1000)) : nil
    }
  }
}
