import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import Testing

@Suite("HTTP/2 malformed messages")
struct MalformedMessageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var frames: [UInt8]
    var reason: HTTP2Error.Reason
    var code = HTTP2ErrorCode.protocolError
    var testDescription: String { name }
  }

  private static func head(_ fields: [(String, String)]) -> [UInt8] { Frame.headers(1, fields) }
  private static let ok = (":status", "200")

  static let responses: [Case] = [
    Case(name: "upper case in a name", frames: head([ok, ("X-A", "1")]), reason: .malformed(.upperCaseName)),
    Case(name: "a space in a name", frames: head([ok, ("x a", "1")]), reason: .malformed(.invalidName)),
    Case(name: "an empty name", frames: head([ok, ("", "1")]), reason: .malformed(.invalidName)),
    Case(name: "a line feed in a value", frames: head([ok, ("x", "a\nb")]), reason: .malformed(.invalidValue)),
    Case(name: "NUL in a value", frames: head([ok, ("x", "a\0b")]), reason: .malformed(.invalidValue)),
    Case(name: "Connection", frames: head([ok, ("connection", "x")]), reason: .malformed(.connectionSpecificField)),
    Case(
      name: "Transfer-Encoding", frames: head([ok, ("transfer-encoding", "chunked")]),
      reason: .malformed(.connectionSpecificField)),
    Case(name: "Keep-Alive", frames: head([ok, ("keep-alive", "1")]), reason: .malformed(.connectionSpecificField)),
    Case(
      name: "Proxy-Connection", frames: head([ok, ("proxy-connection", "x")]),
      reason: .malformed(.connectionSpecificField)),
    Case(name: "Upgrade", frames: head([ok, ("upgrade", "h2c")]), reason: .malformed(.connectionSpecificField)),
    Case(name: "TE: gzip", frames: head([ok, ("te", "gzip")]), reason: .malformed(.connectionSpecificField)),
    Case(name: "no :status", frames: head([("x", "1")]), reason: .malformed(.missingPseudoField)),
    Case(name: "no field at all", frames: head([]), reason: .malformed(.missingPseudoField)),
    Case(name: "two :status", frames: head([ok, ok]), reason: .malformed(.repeatedPseudoField)),
    Case(name: ":status behind a field", frames: head([("x", "1"), ok]), reason: .malformed(.misplacedPseudoField)),
    Case(name: "an unknown pseudo-field", frames: head([ok, (":x", "1")]), reason: .malformed(.unknownPseudoField)),
    Case(name: ":path in a response", frames: head([ok, (":path", "/")]), reason: .malformed(.unknownPseudoField)),
    Case(name: ":status with letters", frames: head([(":status", "2x0")]), reason: .malformed(.invalidStatus)),
    Case(name: ":status with four digits", frames: head([(":status", "2000")]), reason: .malformed(.invalidStatus)),
    Case(name: ":status below 100", frames: head([(":status", "099")]), reason: .malformed(.invalidStatus)),
    Case(name: "101", frames: head([(":status", "101")]), reason: .malformed(.invalidStatus)),
    Case(
      name: "two lengths that differ", frames: head([ok, ("content-length", "1"), ("content-length", "2")]),
      reason: .malformed(.invalidContentLength)),
    Case(
      name: "a length that is no number", frames: head([ok, ("content-length", "1,1")]),
      reason: .malformed(.invalidContentLength)),
    Case(
      name: "a negative length", frames: head([ok, ("content-length", "-1")]),
      reason: .malformed(.invalidContentLength)),
    Case(
      name: "a length with 30 digits", frames: head([ok, ("content-length", String(repeating: "9", count: 30))]),
      reason: .malformed(.invalidContentLength)),
    Case(name: "DATA before a head", frames: Frame.data(1, [1]), reason: .invalidFrameOrder),
    Case(name: "an end before a head", frames: Frame.data(1, [], end: true), reason: .invalidFrameOrder),
    Case(
      name: "an interim head that ends the stream", frames: Frame.headers(1, [(":status", "103")], end: true),
      reason: .invalidFrameOrder),
    Case(
      name: "DATA behind an interim head only", frames: Frame.headers(1, [(":status", "103")]) + Frame.data(1, [1]),
      reason: .invalidFrameOrder),
    Case(
      name: "trailers that do not end", frames: head([ok]) + Frame.headers(1, [("x", "1")]),
      reason: .invalidFrameOrder),
    Case(
      name: "a pseudo-field in trailers", frames: head([ok]) + Frame.headers(1, [(":status", "200")], end: true),
      reason: .malformed(.misplacedPseudoField)),
    Case(
      name: "Connection in trailers", frames: head([ok]) + Frame.headers(1, [("connection", "x")], end: true),
      reason: .malformed(.connectionSpecificField)),
    Case(
      name: "fewer bytes than the length", frames: head([ok, ("content-length", "3")]) + Frame.data(1, [1], end: true),
      reason: .contentLengthMismatch(expected: 3, received: 1)),
    Case(
      name: "none of the bytes", frames: Frame.headers(1, [ok, ("content-length", "3")], end: true),
      reason: .contentLengthMismatch(expected: 3, received: 0)),
    Case(
      name: "trailers after too few bytes",
      frames: head([ok, ("content-length", "3")]) + Frame.data(1, [1]) + Frame.headers(1, [("x", "1")], end: true),
      reason: .contentLengthMismatch(expected: 3, received: 1)),
    Case(
      name: "more bytes than the length", frames: head([ok, ("content-length", "3")]) + Frame.data(1, [1, 2, 3, 4]),
      reason: .contentLengthMismatch(expected: 3, received: 4)),
    Case(
      name: "bytes behind 204", frames: head([(":status", "204")]) + Frame.data(1, [1]),
      reason: .contentLengthMismatch(expected: 0, received: 1)),
    Case(
      name: "bytes behind 304", frames: head([(":status", "304")]) + Frame.data(1, [1]),
      reason: .contentLengthMismatch(expected: 0, received: 1)),
  ]

  @Test("end their stream with one reset, and the peer is told", arguments: responses)
  func response(_ example: Case) throws {
    var lone = try LoneSession()
    _ = try lone.get()
    lone.receive(example.frames)
    let error = HTTP2Error(.stream, .remote, example.code, example.reason)
    let resets = lone.events.compactMap { if case .reset(_, let error) = $0 { error } else { nil } }
    #expect(resets == [error])
    #expect(lone.lines.last == "closed 1")
    #expect(!lone.lines.contains { $0.hasPrefix("end") })
    #expect(lone.lastFrame == "3 1 \(Frame.word(example.code.rawValue))")
    #expect(lone.session.openStreams == 0)
    // The connection lives, and its field table is in step.
    let next = try lone.get()
    lone.receive(Frame.headers(UInt32(next.rawValue), [Self.ok], end: true))
    #expect(lone.lines.suffix(3) == ["head 3 200 [] 0", "end 3 -", "closed 3"])
  }

  @Test("are reset whatever the cuts", arguments: responses)
  func bytewise(_ example: Case) throws {
    var lone = try LoneSession()
    _ = try lone.get()
    for byte in example.frames { lone.receive([byte]) }
    let resets = lone.events.compactMap { if case .reset(_, let error) = $0 { error.reason } else { nil } }
    #expect(resets == [example.reason])
    #expect(lone.lines.last == "closed 1")
  }

  private static let request = [
    (":method", "GET"), (":scheme", "https"), (":authority", "a.test"), (":path", "/"),
  ]

  static let requests: [Case] = [
    Case(name: "no :path", frames: head(Array(request.prefix(3))), reason: .malformed(.missingPseudoField)),
    Case(name: "no :method", frames: head(Array(request.dropFirst())), reason: .malformed(.missingPseudoField)),
    Case(name: "two :path", frames: head(request + [(":path", "/")]), reason: .malformed(.repeatedPseudoField)),
    Case(name: ":status", frames: head(request + [(":status", "200")]), reason: .malformed(.unknownPseudoField)),
    Case(name: "upper case", frames: head(request + [("X", "1")]), reason: .malformed(.upperCaseName)),
    Case(
      name: "a pseudo-field behind a field", frames: head([("x", "1")] + request),
      reason: .malformed(.misplacedPseudoField)),
    Case(
      name: ":protocol that was not offered", frames: head([(":method", "CONNECT"), (":protocol", "websocket")]),
      reason: .malformed(.invalidValue)),
  ]

  @Test("of a request reset it", arguments: requests)
  func request(_ example: Case) throws {
    var lone = try LoneSession(.server)
    lone.receive(example.frames)
    let resets = lone.events.compactMap { if case .reset(_, let error) = $0 { error.reason } else { nil } }
    #expect(resets == [example.reason])
    #expect(lone.lines.last == "closed 1")
    #expect(lone.lastFrame == "3 1 \(Frame.word(1))")
  }

  @Test("whitespace around a value is no part of it")
  func whitespace() throws {
    var lone = try LoneSession()
    _ = try lone.get()
    lone.receive(Frame.headers(1, [Self.ok, ("x", " \t a b \t"), ("y", "  ")], end: true))
    #expect(lone.lines == ["head 1 200 [x: a b, y: ] 0", "end 1 -", "closed 1"])
  }

  @Test("several cookies and equal lengths stay")
  func repeats() throws {
    var lone = try LoneSession()
    _ = try lone.get()
    lone.receive(Frame.headers(1, [Self.ok, ("set-cookie", "a=1"), ("set-cookie", "b=2")]))
    #expect(lone.lines == ["head 1 200 [set-cookie: a=1, set-cookie: b=2] -"])
  }

  @Test("a section above the limits ends the stream, and the table stays in step")
  func limits() throws {
    var lone = try LoneSession { $0.maximumFieldSectionBytes = 1000 }
    _ = try lone.get()
    lone.receive(Frame.headers(1, [Self.ok, ("x", String(repeating: "a", count: 970)), ("y", "1")]))
    #expect(
      lone.lines == ["reset 1 remote PROTOCOL_ERROR fieldSectionTooLarge(limit: 1000)", "closed 1"])
    lone = try LoneSession { $0.maximumFields = 3 }
    _ = try lone.get()
    lone.receive(Frame.headers(1, [Self.ok, ("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")]))
    #expect(lone.lines == ["reset 1 remote PROTOCOL_ERROR tooManyFields(limit: 3)", "closed 1"])
    // Indexed literals of a refused section are in the table all the same (0x40: with indexing; 0xBE: index 62).
    lone = try LoneSession { $0.maximumFields = 1 }
    _ = try lone.get()
    let indexed = [0x40] + Frame.string(Array("p".utf8)) + Frame.string(Array("q".utf8))
    lone.receive(Frame.make(1, 4, 1, Frame.block([Self.ok, ("a", "1"), ("b", "2")]) + indexed))
    _ = try lone.get()
    lone.receive(Frame.make(1, 5, 3, Frame.block([Self.ok]) + [0xBE]))
    #expect(lone.lines.suffix(3) == ["head 3 200 [p: q] 0", "end 3 -", "closed 3"])
  }

  @Test("an HPACK bomb stops at the limit")
  func bomb() throws {
    var lone = try LoneSession()
    _ = try lone.get()
    // One entry of 4000 bytes, named sixteen thousand times.
    let entry = [0x40] + Frame.string(Array("x".utf8)) + Frame.string([UInt8](repeating: 0x61, count: 4000))
    lone.receive(Frame.make(1, 0, 1, Frame.block([Self.ok]) + entry + [UInt8](repeating: 0xBE, count: 12_000)))
    lone.receive(Frame.make(9, 4, 1, [UInt8](repeating: 0xBE, count: 16_000)))
    #expect(
      lone.lines == ["reset 1 remote PROTOCOL_ERROR fieldSectionTooLarge(limit: 262144)", "closed 1"])
  }

  @Test("interim heads have a limit")
  func interim() throws {
    var lone = try LoneSession { $0.maximumInterimResponses = 2 }
    _ = try lone.get()
    for _ in 0..<3 { lone.receive(Frame.headers(1, [(":status", "103"), ("link", "a")])) }
    #expect(
      lone.lines == [
        "interim 1 103 [link: a]", "interim 1 103 [link: a]",
        "reset 1 remote ENHANCE_YOUR_CALM tooManyInterimResponses(limit: 2)", "closed 1",
      ])
  }
}
