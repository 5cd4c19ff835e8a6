import LinnetBytes
import LinnetHTTP
import LinnetTestSupport
import Testing

/// A peer on an HTTP/2 implementation that shares nothing with ours, in good and in bad manners.
@Suite(
  "HTTP/2 with Python's h2", .timeLimit(.minutes(1)),
  .enabled(if: PythonHTTP2Peer.isInstalled, Comment(rawValue: PythonHTTP2Peer.reason)))
struct HTTP2PythonPeerTests {
  private static func client(_ change: (inout HTTPClientConfiguration) -> Void = { _ in }) -> HTTPClient {
    var configuration = HTTPClientConfiguration()
    configuration.httpVersion = .http2PriorKnowledge
    change(&configuration)
    return HTTPClient(configuration: configuration)
  }

  private static func error(of request: HTTPRequest, _ client: HTTPClient) async -> TransportError? {
    do throws(TransportError) {
      _ = try await client.send(request).collect()
      return nil
    } catch {
      return error
    }
  }

  /// The connection is as good as before.
  private static func expectEcho(_ client: HTTPClient, _ peer: PythonHTTP2Peer, isReused: Bool = true) async throws {
    let response = try await client.send(.post(peer.url("/echo"), body: .text("still here")))
    #expect(response.connection.isReused == isReused)
    #expect(try await response.text() == "still here")
  }

  @Test("bodies of every size go both ways, many at a time")
  func echo() async throws {
    let peer = try PythonHTTP2Peer()
    defer { peer.stop() }
    let client = Self.client()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for size in [0, 1, 16_383, 16_384, 16_385, 65_535, 65_536, 200_000, 1_000_000] {
        for _ in 0..<4 {
          group.addTask {
            let body = HTTPRequestBody.bytes(TestPattern.bytes(size))
            let echo = try await client.send(.post(peer.url("/echo"), body: body)).collect()
            #expect(echo.count == size)
            #expect(TestPattern.firstMismatch(in: echo) == nil)
            let pattern = try await client.send(.get(peer.url("/pattern/\(size)"))).collect()
            #expect(pattern.count == size)
            #expect(TestPattern.firstMismatch(in: pattern) == nil)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("interim heads and trailers arrive")
  func sections() async throws {
    let peer = try PythonHTTP2Peer()
    defer { peer.stop() }
    let client = Self.client()
    let interim = EventRecorder<Int>()
    var request = HTTPRequest.get(peer.url("/interim"))
    request.options.onEvent = { if case .interim(let head) = $0 { interim.record(head.status.code) } }
    #expect(try await client.send(request).text() == "done")
    #expect(interim.events == [102, 103])
    let response = try await client.send(.get(peer.url("/trailers")))
    #expect(try await response.text() == "hello")
    #expect(response.body.trailers?["x-sum"] == "42")
  }

  /// All codes of RFC 9113 §7 but REFUSED_STREAM and HTTP_1_1_REQUIRED, which mean more, and one that nobody knows.
  @Test(
    "a stream that is reset keeps its code, and costs nobody else", arguments: [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 99])
  func reset(code: UInt32) async throws {
    let peer = try PythonHTTP2Peer()
    defer { peer.stop() }
    let client = Self.client()
    let other = try await client.send(.get(peer.url("/pattern/1000000")))
    let response = try await client.send(.get(peer.url("/reset/\(code)/20000")))
    var received: UInt64 = 0
    var error: TransportError?
    do throws(TransportError) {
      while let chunk = try await response.body.next() {
        #expect(TestPattern.firstMismatch(in: chunk, from: received) == nil)
        received += UInt64(chunk.count)
      }
    } catch let thrown {
      error = thrown
    }
    #expect(error?.code == .streamReset)
    #expect(error?.http2ErrorCode == code)
    #expect(received == 20_000)
    let whole = try await other.collect()
    #expect(whole.count == 1_000_000)
    #expect(TestPattern.firstMismatch(in: whole) == nil)
    try await Self.expectEcho(client, peer)
  }

  @Test("what the peer refuses is sent again, whatever the method is, and no more often than that", arguments: [1, 3])
  func refused(times: Int) async throws {
    let peer = try PythonHTTP2Peer()
    defer { peer.stop() }
    let client = Self.client()
    #expect(try await client.send(.get(peer.url("/refuse/\(times)"))).text() == "\(times + 1)")
    #expect(try await client.send(.post(peer.url("/refuse/\(times)"), body: .text("x"))).text() == "\(times + 2)")
    #expect(await Self.error(of: .get(peer.url("/refuse/100000")), client)?.code == .streamRefused)
  }

  @Test("a peer that goes away again and again loses no request and gets none twice")
  func goAway() async throws {
    let peer = try PythonHTTP2Peer()
    defer { peer.stop() }
    let client = Self.client()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for size in [0, 1, 100_000, 600_000, 2_000_000] {
          let body = try await client.send(.get(peer.url("/goaway/\(size)"))).collect()
          #expect(body.count == size)
          #expect(TestPattern.firstMismatch(in: body) == nil)
        }
      }
      for worker in 0..<10 {
        group.addTask {
          for number in 0..<20 {
            let request = HTTPRequest.post(peer.url("/count/\(worker)/\(number)"), body: .text("x"))
            let text = try await client.send(request).text()
            #expect(text == "1", "\(worker)/\(number)")
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("requests that went out before the peer's SETTINGS came are answered")
  func lateSettings() async throws {
    let peer = try PythonHTTP2Peer(heldRequests: 3)
    defer { peer.stop() }
    let client = Self.client()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<3 {
        group.addTask {
          let body = HTTPRequestBody.text("number \(number)")
          let text = try await client.send(.post(peer.url("/echo"), body: body)).text()
          #expect(text == "number \(number)")
        }
      }
      try await group.waitForAll()
    }
    try await Self.expectEcho(client, peer)
  }

  @Test("an upload goes on in whatever steps the peer allows, and one that it starves holds up nobody")
  func starved() async throws {
    let peer = try PythonHTTP2Peer()
    defer { peer.stop() }
    let client = Self.client()
    let size = 70_000
    var starving = HTTPRequest.post(peer.url("/starve"), body: .bytes(TestPattern.bytes(size)))
    starving.options.timeouts.idle = .after(.milliseconds(300))
    let request = starving
    async let starved = Self.error(of: request, client)
    let echo = try await client.send(.post(peer.url("/trickle"), body: .bytes(TestPattern.bytes(size)))).collect()
    #expect(echo.count == size)
    #expect(TestPattern.firstMismatch(in: echo) == nil)
    #expect(await starved?.code == .idleTimeout)
    try await Self.expectEcho(client, peer)
  }

  /// A frame that h2 would not send.
  struct RawFrame: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: Int
    var flags = 0
    var stream = "0"
    let payload: String
    let code: TransportError.Code

    var testDescription: String { name }

    static let all = [
      RawFrame(name: "DATA on stream 0", kind: 0, payload: "00", code: .protocolViolation),
      RawFrame(
        name: "HEADERS that do not decompress", kind: 1, flags: 4, stream: "own", payload: "ff",
        code: .protocolViolation),
      RawFrame(name: "RST_STREAM of 3 bytes", kind: 3, stream: "own", payload: "000000", code: .protocolViolation),
      RawFrame(
        name: "RST_STREAM on a stream that never was", kind: 3, stream: "999", payload: "00000008",
        code: .protocolViolation),
      RawFrame(name: "SETTINGS of 5 bytes", kind: 4, payload: "0003000000", code: .protocolViolation),
      RawFrame(
        name: "SETTINGS with a window above the maximum", kind: 4, payload: "0004ffffffff", code: .protocolViolation),
      RawFrame(
        name: "a pushed stream", kind: 5, flags: 4, stream: "own", payload: "0000000288", code: .protocolViolation),
      RawFrame(name: "PING of 7 bytes", kind: 6, payload: "00000000000000", code: .protocolViolation),
      RawFrame(name: "GOAWAY of 4 bytes", kind: 7, payload: "00000000", code: .protocolViolation),
      RawFrame(
        name: "WINDOW_UPDATE of nothing for the connection", kind: 8, payload: "00000000", code: .protocolViolation),
      RawFrame(name: "WINDOW_UPDATE above the maximum", kind: 8, payload: "7fffffff", code: .protocolViolation),
      RawFrame(
        name: "CONTINUATION of nothing", kind: 9, flags: 4, stream: "own", payload: "88", code: .protocolViolation),
      RawFrame(
        name: "DATA that is all padding and more", kind: 0, flags: 8, stream: "own", payload: "05",
        code: .protocolViolation),
    ]
  }

  @Test(
    "frames that must not be sent end in a typed error, and the next request has a new connection",
    arguments: RawFrame.all)
  func invalidFrame(_ frame: RawFrame) async throws {
    let peer = try PythonHTTP2Peer()
    defer { peer.stop() }
    let client = Self.client()
    let other = try await client.send(.get(peer.url("/pattern/100000000")))
    let path = "/raw/\(frame.kind)/\(frame.flags)/\(frame.stream)/\(frame.payload)"
    #expect(await Self.error(of: .get(peer.url(path)), client)?.code == frame.code)
    // The whole connection is lost, and those who used it are told so.
    await #expect(throws: TransportError.self) { _ = try await other.collect(upTo: .max) }
    try await Self.expectEcho(client, peer, isReused: false)
  }

  @Test("frames of unknown types are ignored")
  func unknownFrame() async throws {
    let peer = try PythonHTTP2Peer()
    defer { peer.stop() }
    let client = Self.client()
    let response = try await client.send(.get(peer.url("/raw/250/255/own/0102030405")))
    try await Self.expectEcho(client, peer)
    _ = response
    try await Self.expectEcho(client, peer)
  }
}
