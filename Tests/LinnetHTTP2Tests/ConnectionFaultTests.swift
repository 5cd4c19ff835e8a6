import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import Testing

@Suite("HTTP/2 connection faults")
struct ConnectionFaultTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var frames: [UInt8]
    var reason: HTTP2Error.Reason
    var code = HTTP2ErrorCode.protocolError
    var testDescription: String { name }
  }

  /// Behind SETTINGS, with stream 1 open.
  static let cases: [Case] = [
    Case(
      name: "PUSH_PROMISE", frames: Frame.make(5, 4, 1, [0, 0, 0, 2] + Frame.block([(":method", "GET")])),
      reason: .pushed),
    Case(
      name: "a frame above 16 KiB", frames: [0, 64, 1, 0, 0, 0, 0, 0, 1], reason: .invalidFrameSize,
      code: .frameSizeError),
    Case(
      name: "PING of 7 bytes", frames: Frame.make(6, 0, 0, [1, 2, 3, 4, 5, 6, 7]), reason: .invalidFrameSize,
      code: .frameSizeError),
    Case(
      name: "SETTINGS of 5 bytes", frames: Frame.make(4, 0, 0, [1, 2, 3, 4, 5]), reason: .invalidFrameSize,
      code: .frameSizeError),
    Case(
      name: "RST_STREAM of 3 bytes", frames: Frame.make(3, 0, 1, [1, 2, 3]), reason: .invalidFrameSize,
      code: .frameSizeError),
    Case(
      name: "WINDOW_UPDATE of 5 bytes", frames: Frame.make(8, 0, 0, [0, 0, 0, 1, 0]), reason: .invalidFrameSize,
      code: .frameSizeError),
    Case(
      name: "GOAWAY of 7 bytes", frames: Frame.make(7, 0, 0, [0, 0, 0, 0, 0, 0, 0]), reason: .invalidFrameSize,
      code: .frameSizeError),
    Case(
      name: "an acknowledgement with a payload", frames: Frame.make(4, 1, 0, [0, 1, 0, 0, 0, 0]),
      reason: .invalidFrameSize, code: .frameSizeError),
    Case(name: "an acknowledgement of nothing", frames: Frame.settingsAcknowledgement, reason: .invalidSettings),
    Case(name: "SETTINGS on a stream", frames: Frame.make(4, 0, 1), reason: .invalidFrame),
    Case(name: "PING on a stream", frames: Frame.make(6, 0, 1, [0, 0, 0, 0, 0, 0, 0, 0]), reason: .invalidFrame),
    Case(name: "GOAWAY on a stream", frames: Frame.make(7, 0, 1, [0, 0, 0, 0, 0, 0, 0, 0]), reason: .invalidFrame),
    Case(name: "DATA without a stream", frames: Frame.data(0, [1]), reason: .invalidFrame),
    Case(name: "HEADERS without a stream", frames: Frame.headers(0, [(":status", "200")]), reason: .invalidFrame),
    Case(name: "RST_STREAM without a stream", frames: Frame.reset(0, 0), reason: .invalidFrame),
    Case(name: "DATA on a stream that was never opened", frames: Frame.data(7, [1]), reason: .invalidFrame),
    Case(name: "HEADERS on one", frames: Frame.headers(7, [(":status", "200")]), reason: .invalidFrame),
    Case(
      name: "HEADERS on a stream of the server", frames: Frame.headers(2, [(":status", "200")]),
      reason: .invalidFrame),
    Case(name: "RST_STREAM on one", frames: Frame.reset(7, 0), reason: .invalidFrame),
    Case(name: "WINDOW_UPDATE on one", frames: Frame.windowUpdate(7, 1), reason: .invalidFrame),
    Case(name: "WINDOW_UPDATE of nothing", frames: Frame.windowUpdate(0, 0), reason: .invalidFrame),
    Case(name: "WINDOW_UPDATE of nothing for a stream", frames: Frame.windowUpdate(1, 0), reason: .invalidFrame),
    Case(
      name: "a window above 2³¹-1", frames: Frame.windowUpdate(0, 0x7FFF_FFFF), reason: .flowControl,
      code: .flowControlError),
    Case(name: "CONTINUATION of nothing", frames: Frame.make(9, 4, 1, []), reason: .invalidFrame),
    Case(name: "a frame inside a field section", frames: Frame.make(1, 0, 1, []) + Frame.ping(), reason: .invalidFrame),
    Case(
      name: "CONTINUATION of another stream", frames: Frame.make(1, 0, 1, []) + Frame.make(9, 4, 3, []),
      reason: .invalidFrame),
    Case(
      name: "more padding than payload", frames: Frame.headers(1, [(":status", "200")]) + Frame.make(0, 8, 1, [9, 0]),
      reason: .invalidFrame),
    Case(
      name: "an index that is not in the table", frames: Frame.make(1, 4, 1, [0xFF, 0x80, 0x01]),
      reason: .compression, code: .compressionError),
    Case(
      name: "a block that is cut off", frames: Frame.make(1, 4, 1, [0, 5, 0x61]), reason: .compression,
      code: .compressionError),
    Case(
      name: "a Huffman code with wrong padding", frames: Frame.make(1, 4, 1, [0, 0x81, 0x00, 0x01, 0x61]),
      reason: .compression, code: .compressionError),
    Case(
      name: "a table that is made too large", frames: Frame.make(1, 4, 1, [0x3F, 0xE2, 0x1F]), reason: .compression,
      code: .compressionError),
    Case(name: "ENABLE_PUSH from a server", frames: Frame.settings([(2, 1)]), reason: .invalidSettings),
    Case(name: "ENABLE_PUSH 2", frames: Frame.settings([(2, 2)]), reason: .invalidSettings),
    Case(
      name: "an initial window of 2³¹", frames: Frame.settings([(4, 0x8000_0000)]), reason: .invalidSettings,
      code: .flowControlError),
    Case(name: "a maximum frame of 1", frames: Frame.settings([(5, 1)]), reason: .invalidSettings),
    Case(name: "extended CONNECT 2", frames: Frame.settings([(8, 2)]), reason: .invalidSettings),
    Case(
      name: "33 settings", frames: Frame.settings([(UInt16, UInt32)](repeating: (0x99, 1), count: 33)),
      reason: .flood(.settings), code: .enhanceYourCalm),
    Case(
      name: "a second GOAWAY with a higher stream", frames: Frame.goAway(1, 0) + Frame.goAway(3, 0),
      reason: .invalidFrame),
    Case(name: "GOAWAY that names the server's stream", frames: Frame.goAway(2, 0), reason: .invalidFrame),
    Case(
      name: "DATA behind the end",
      frames: Frame.headers(1, [(":status", "200")]) + Frame.data(1, [], end: true) + Frame.data(1, [1]),
      reason: .invalidFrame, code: .streamClosed),
  ]

  private static func lone() throws -> LoneSession {
    var lone = try LoneSession()
    let head = HTTP2RequestHead(method: .post, scheme: "https", authority: "a", path: "/")
    _ = try lone.session.submitRequest(head, bodyLength: nil, endsStream: false)
    lone.collect()
    return lone
  }

  @Test("end the connection once, and the peer is told why", arguments: cases)
  func fault(_ example: Case) throws {
    var lone = try Self.lone()
    lone.receive(example.frames)
    Self.check(lone, example)
    // Nothing follows, whatever comes and whatever is asked for.
    let count = lone.events.count
    lone.receive(example.frames + Frame.ping())
    lone.session.receiveEOF()
    lone.session.ping(1)
    lone.session.goAway(.noError)
    lone.session.reset(HTTP2StreamID(rawValue: 1), .cancel)
    lone.session.consumed(5, on: HTTP2StreamID(rawValue: 1), isStarved: true)
    lone.session.updatePriority("u=1", of: HTTP2StreamID(rawValue: 1))
    #expect(throws: HTTP2Error.self) { try lone.session.sendBody(ByteChunk([1]), on: HTTP2StreamID(rawValue: 1)) }
    lone.collect()
    #expect(lone.events.count == count)
    #expect(lone.session.wantsToSend == false)
    #expect(lone.session.openStreams == 0)
  }

  @Test("end it byte by byte too", arguments: cases)
  func bytewise(_ example: Case) throws {
    var lone = try Self.lone()
    for byte in example.frames { lone.receive([byte]) }
    Self.check(lone, example)
  }

  private static func check(_ lone: borrowing LoneSession, _ example: Case) {
    let failures = lone.events.compactMap { if case .connectionFailed(let error) = $0 { error } else { nil } }
    #expect(failures == [HTTP2Error(.connection, .remote, example.code, example.reason)])
    if case .connectionFailed? = lone.events.last {} else { Issue.record("something follows: \(lone.lines)") }
    let last = lone.frames.last
    #expect(last?.type == 7)
    #expect(last.map { Array($0.payload.dropFirst(4).prefix(4)) } == Frame.word(example.code.rawValue))
  }

  @Test(
    "what does not begin with SETTINGS is not HTTP/2",
    arguments: [
      Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), Frame.ping(), Frame.settingsAcknowledgement,
      [UInt8](repeating: 0xFF, count: 20), [UInt8](repeating: 0, count: 9),
    ])
  func notHTTP2(_ bytes: [UInt8]) throws {
    var lone = try LoneSession(greets: false)
    lone.receive(bytes)
    #expect(lone.lines == ["connectionFailed remote PROTOCOL_ERROR notHTTP2"])
  }

  @Test("a client that has another preface does not speak HTTP/2 either")
  func preface() throws {
    var lone = try LoneSession(.server, greets: false)
    lone.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    #expect(lone.lines == ["connectionFailed remote PROTOCOL_ERROR notHTTP2"])
    lone = try LoneSession(.server, greets: false)
    lone.receive(Frame.preface + Frame.ping())
    #expect(lone.lines == ["connectionFailed remote PROTOCOL_ERROR notHTTP2"])
  }

  @Test("the end of the bytes is a fault only while streams are open")
  func endOfInput() throws {
    var lone = try LoneSession()
    lone.session.receiveEOF()
    lone.collect()
    #expect(lone.lines.isEmpty)
    #expect(throws: HTTP2Error.self) { _ = try lone.get() }
    lone = try LoneSession()
    _ = try lone.get()
    lone.session.receiveEOF()
    lone.collect()
    #expect(lone.lines == ["connectionFailed remote NO_ERROR endOfInput"])
    lone = try LoneSession()
    _ = try lone.get()
    lone.receive(Frame.goAway(1, 2, Array("out of disk".utf8)))
    lone.session.receiveEOF()
    lone.collect()
    #expect(
      lone.lines == ["goAway 1 INTERNAL_ERROR out of disk", "connectionFailed remote INTERNAL_ERROR goAway"])
  }

  @Test("what was received before the end is delivered before it")
  func endBehindData() throws {
    var lone = try LoneSession()
    let id = try lone.get()
    let response = Frame.headers(1, [(":status", "200")]) + Frame.data(1, [1, 2])
    lone.session.receive((response + [0, 0]).span)
    lone.session.receiveEOF()
    lone.collect()
    #expect(
      lone.lines == [
        "head \(id) 200 [] -", "data 1: 2 bytes, sum 33", "connectionFailed remote NO_ERROR endOfInput",
      ])
  }

  @Test("unknown frames, settings and flags are ignored")
  func unknown() throws {
    var lone = try LoneSession()
    _ = try lone.get()
    lone.receive(Frame.make(0x0B, 0xFF, 1, [1, 2, 3]) + Frame.make(0x0A, 0, 0, [0, 1, 0x61]) + Frame.make(0x0C, 0, 0))
    lone.receive(Frame.settings([(0x99, 7), (0xFFFF, 1)]))
    lone.receive(Frame.make(1, 0xD5, 1, Frame.block([(":status", "200")])))
    #expect(lone.lines.suffix(3) == ["head 1 200 [] 0", "end 1 -", "closed 1"])
  }
}
