import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import Testing

@Suite("HTTP/2 exchanges of two sessions")
struct ExchangeTests {
  static let cuts: [SessionPair.Cuts] = [.whole, .bytes, .random(1), .random(2)]

  @Test("a GET and its response arrive whatever the cuts", arguments: cuts)
  func get(_ cuts: SessionPair.Cuts) throws {
    var pair = try SessionPair(cuts: cuts)
    let id = try pair.request(.get, "/a?b", headers: ["Accept": "text/plain", "X-Two": "  2 "])
    pair.exchange()
    try pair.respond(id, 200, headers: ["Content-Length": "5", "Set-Cookie": "a=1"], body: Array("hello".utf8))
    pair.exchange()
    #expect(
      summary(pair.serverEvents) == [
        "settings 0", "request 1 GET https example.test /a?b - [accept: text/plain, x-two: 2]", "end 1 -", "closed 1",
      ])
    #expect(
      summary(pair.clientEvents) == [
        "settings 100", "head 1 200 [content-length: 5, set-cookie: a=1] 5", "data 1: 5 bytes, sum 99162322",
        "end 1 -", "closed 1",
      ])
    #expect(pair.client.openStreams == 0)
    #expect(pair.server.openStreams == 0)
  }

  @Test("large bodies go both ways, longer than every window", arguments: [SessionPair.Cuts.whole, .random(3)])
  func bodies(_ cuts: SessionPair.Cuts) throws {
    var pair = try SessionPair(cuts: cuts)
    let id = try pair.request(.post, headers: ["Content-Length": "3000000"], bodyLength: 3_000_000, endsStream: false)
    let body = [UInt8](repeating: 7, count: 1_500_000)
    try pair.client.sendBody(ByteChunk(body), on: id)
    try pair.client.sendBody(ByteChunk(body), on: id)
    #expect(pair.client.unsentBytes(on: id) == 3_000_000)
    try pair.client.sendEnd(trailers: nil, on: id)
    pair.exchange()
    #expect(pair.client.unsentBytes(on: id) == 0)
    try pair.respond(id, 200, body: body, trailers: ["X-Sum": "1"])
    pair.exchange()
    let server = pair.serverEvents.reduce(0) { if case .data(_, let chunk) = $1 { $0 + chunk.count } else { $0 } }
    let client = pair.clientEvents.reduce(0) { if case .data(_, let chunk) = $1 { $0 + chunk.count } else { $0 } }
    #expect(server == 3_000_000)
    #expect(client == 1_500_000)
    #expect(summary(pair.clientEvents).suffix(2) == ["end 1 [x-sum: 1]", "closed 1"])
    #expect(summary(pair.clientEvents).contains("writable 1"))
  }

  @Test("a reset of the peer is a reset with its code; REFUSED_STREAM is a refusal")
  func resets() throws {
    var pair = try SessionPair()
    let first = try pair.request()
    let second = try pair.request()
    pair.exchange()
    pair.server.reset(first, .internalError)
    pair.server.reset(second, .refusedStream)
    pair.exchange()
    #expect(
      summary(pair.clientEvents) == [
        "settings 100", "reset 1 remote INTERNAL_ERROR reset", "closed 1", "reset 3 remote REFUSED_STREAM refused",
        "closed 3",
      ])
  }

  @Test("GOAWAY refuses what the server did not see and lets the rest go on")
  func goAway() throws {
    var pair = try SessionPair()
    let first = try pair.request()
    pair.exchange()
    pair.server.goAway(.noError)
    let second = try pair.request()
    pair.exchange()
    try pair.respond(first, 204)
    pair.exchange()
    #expect(second.rawValue == 3)
    #expect(
      summary(pair.clientEvents) == [
        "settings 100", "goAway 1 NO_ERROR ", "reset 3 remote REFUSED_STREAM refused", "closed 3",
        "head 1 204 [] 0", "end 1 -", "closed 1",
      ])
    #expect(throws: HTTP2Error(.connection, .local, .internalError, .sessionEnded)) { _ = try pair.request() }
  }

  @Test("interim heads, a final one, bytes and trailers come in their order", arguments: cuts)
  func everything(_ cuts: SessionPair.Cuts) throws {
    var pair = try SessionPair(cuts: cuts)
    let id = try pair.request(.post, endsStream: false)
    pair.exchange()
    try pair.server.submitResponse(
      ResponseHead(version: .http2, status: .continue, reason: "", headers: HTTPHeaders()), on: id, endsStream: false)
    try pair.server.submitResponse(
      ResponseHead(version: .http2, status: .earlyHints, reason: "", headers: ["Link": "</a>"]), on: id,
      endsStream: false)
    pair.exchange()
    try pair.client.sendBody(ByteChunk("abc"), on: id)
    try pair.client.sendEnd(trailers: ["X-Sum": "9", "Connection": "close"], on: id)
    pair.exchange()
    try pair.respond(id, 200, body: Array("xyz".utf8), trailers: ["X-Sum": "8"])
    pair.exchange()
    #expect(
      summary(pair.serverEvents) == [
        "settings 0", "request 1 POST https example.test / - []", "data 1: 3 bytes, sum 96354", "end 1 [x-sum: 9]",
        "closed 1",
      ])
    #expect(
      summary(pair.clientEvents) == [
        "settings 100", "interim 1 100 []", "interim 1 103 [link: </a>]", "head 1 200 [] -",
        "data 1: 3 bytes, sum 119193", "end 1 [x-sum: 8]", "closed 1",
      ])
  }

  @Test("responses without a body by rule end with their head, whatever Content-Length says")
  func noBody() throws {
    var pair = try SessionPair()
    let head = try pair.request(.head)
    let notModified = try pair.request()
    let noContent = try pair.request()
    pair.exchange()
    try pair.respond(head, 200, headers: ["Content-Length": "5000"])
    try pair.respond(notModified, 304, headers: ["Content-Length": "7"])
    try pair.respond(noContent, 204)
    pair.exchange()
    #expect(
      summary(pair.clientEvents).filter { $0.hasPrefix("head") } == [
        "head 1 200 [content-length: 5000] 0", "head 3 304 [content-length: 7] 0", "head 5 204 [] 0",
      ])
    #expect(pair.client.openStreams == 0)
  }

  @Test("fields of the connection are not sent; sensitive ones are never indexed")
  func outgoingFields() throws {
    var lone = try LoneSession()
    let headers: HTTPHeaders = [
      "Connection": "close, X-Hop", "Keep-Alive": "1", "Proxy-Connection": "x", "Transfer-Encoding": "chunked",
      "Upgrade": "h2c", "Host": "b.test", "HTTP2-Settings": "x", "X-Hop": "1", "TE": "Trailers",
      "Authorization": "Basic abc", "Proxy-Authorization": "Basic def", "Cookie": "short=1", "X-Plain": "p",
    ]
    let head = HTTP2RequestHead(method: .get, scheme: "https", authority: "a.test", path: "/", headers: headers)
    _ = try lone.session.submitRequest(head, bodyLength: nil, endsStream: true)
    lone.collect()
    let block = try #require(lone.frames.first { $0.type == 1 }).payload
    var server = try LoneSession(.server)
    server.receive(Frame.make(1, 5, 1, block))
    #expect(
      server.lines.first
        == "request 1 GET https a.test / - [te: Trailers, authorization: Basic abc, "
        + "proxy-authorization: Basic def, cookie: short=1, x-plain: p]")
    // A second request repeats what may not be indexed and refers to the rest.
    _ = try lone.session.submitRequest(head, bodyLength: nil, endsStream: true)
    lone.sent = []
    lone.collect()
    let second = try #require(lone.frames.first { $0.type == 1 }).payload
    // 0x1F 0x08: never indexed, name 23 of the static table; 0x1F 0x22 for 49, 0x1F 0x11 for 32.
    for (name, index) in [("authorization", UInt8(23)), ("proxy-authorization", 49), ("cookie", 32)] {
      let isThere = zip(second, second.dropFirst()).contains { $0 == (0x1F, index - 15) }
      #expect(isThere, "\(name)")
    }
    #expect(second.count < block.count - 10)
  }

  @Test("a long cookie may be indexed unless somebody marked it")
  func cookies() throws {
    func secondBlock(_ headers: HTTPHeaders) throws -> Int {
      var lone = try LoneSession()
      for _ in 0..<2 {
        lone.sent = []
        let head = HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "/", headers: headers)
        _ = try lone.session.submitRequest(head, bodyLength: nil, endsStream: true)
        lone.collect()
      }
      return lone.frames.last?.payload.count ?? 0
    }
    let value = String(repeating: "c", count: 200)
    var marked = HTTPHeaders()
    try marked.add(name: "Cookie", value: value, isSensitive: true)
    let plain = try secondBlock(["Cookie": value])
    #expect(plain < 20)
    #expect(try secondBlock(marked) > 100)
  }

  @Test(
    "a head that no peer could read is refused and starts nothing",
    arguments: [
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "a"),
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "/a b"),
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "/\r\n"),
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "*"),
      HTTP2RequestHead(method: .get, scheme: "", authority: "a", path: "/"),
      HTTP2RequestHead(method: .get, scheme: nil, authority: "a", path: "/"),
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: nil),
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a\nb", path: "/"),
      HTTP2RequestHead(method: .connect, scheme: nil, authority: "", path: nil),
      HTTP2RequestHead(method: .connect, scheme: "https", authority: "a", path: "/"),
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "/", headers: ["a b": "c"]),
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "/", headers: [":x": "c"]),
      HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "/", headers: ["x": "a\0"]),
      HTTP2RequestHead(
        method: .get, scheme: "https", authority: "a", path: "/",
        headers: ["x": String(repeating: "x", count: 2 << 20)]),
    ])
  func invalidHead(_ head: HTTP2RequestHead) throws {
    var lone = try LoneSession()
    #expect(throws: HTTP2Error(.stream, .local, .internalError, .invalidHead)) {
      _ = try lone.session.submitRequest(head, bodyLength: nil, endsStream: true)
    }
    lone.collect()
    #expect(lone.frames.isEmpty)
    #expect(lone.session.openStreams == 0)
  }

  @Test("a large head goes in several frames")
  func largeHead() throws {
    var pair = try SessionPair(cuts: .random(4))
    let value = String(repeating: "~", count: 60_000)
    let id = try pair.request(headers: ["X-One": value, "X-Two": value])
    pair.exchange()
    try pair.respond(id, headers: ["X-One": value, "X-Two": value])
    pair.exchange()
    let fields = "[x-one: \(value), x-two: \(value)]"
    #expect(Frame.parse(pair.toServer).count { $0.type == 9 } >= 7)
    #expect(summary(pair.serverEvents).contains("request 1 GET https example.test / - \(fields)"))
    #expect(summary(pair.clientEvents).contains("head 1 200 \(fields) 0"))
  }

  @Test("body bytes are checked against the announced length")
  func bodyLength() throws {
    var pair = try SessionPair()
    let mismatch = HTTP2Error(.stream, .local, .internalError, .bodyLengthMismatch)
    let ended = HTTP2Error(.stream, .local, .internalError, .streamEnded)
    let id = try pair.request(.put, bodyLength: 3, endsStream: false)
    try pair.client.sendBody(ByteChunk("ab"), on: id)
    #expect(throws: mismatch) { try pair.client.sendBody(ByteChunk("cd"), on: id) }
    #expect(throws: mismatch) { try pair.client.sendEnd(trailers: nil, on: id) }
    try pair.client.sendBody(ByteChunk("c"), on: id)
    try pair.client.sendEnd(trailers: nil, on: id)
    #expect(throws: ended) { try pair.client.sendBody(ByteChunk("d"), on: id) }
    #expect(throws: ended) { try pair.client.sendEnd(trailers: nil, on: id) }
    #expect(throws: mismatch) { _ = try pair.request(.put, bodyLength: 3, endsStream: true) }
    #expect(throws: mismatch) { _ = try pair.request(.put, headers: ["Content-Length": "3"], endsStream: true) }
    #expect(throws: mismatch) {
      _ = try pair.request(.put, headers: ["Content-Length": "3"], bodyLength: 4, endsStream: false)
    }
    #expect(throws: HTTP2Error(.stream, .local, .internalError, .invalidHead)) {
      _ = try pair.request(.put, headers: ["Content-Length": "3, 3"], bodyLength: 3, endsStream: false)
    }
    let none = HTTP2StreamID(rawValue: 99)
    #expect(throws: HTTP2Error(.stream, .local, .internalError, .noSuchStream)) {
      try pair.client.sendBody(ByteChunk("d"), on: none)
    }
    pair.exchange()
    #expect(summary(pair.serverEvents).suffix(2) == ["data 1: 3 bytes, sum 96354", "end 1 -"])
  }

  @Test("a response that ends before the request stops the sender, and NO_ERROR is no failure")
  func sendingStopped() throws {
    var lone = try LoneSession()
    let head = HTTP2RequestHead(method: .post, scheme: "https", authority: "a", path: "/")
    let id = try lone.session.submitRequest(head, bodyLength: nil, endsStream: false)
    lone.collect()
    lone.receive(Frame.headers(1, [(":status", "413")], end: true) + Frame.reset(1, 0))
    #expect(lone.lines == ["head \(id) 413 [] 0", "end 1 -", "sendingStopped 1 NO_ERROR", "closed 1"])
  }

  @Test("a local reset ends with closed and nothing else, sent or not")
  func localReset() throws {
    var pair = try SessionPair(server: { $0.maximumConcurrentStreams = 1 })
    pair.exchange()
    let first = try pair.request()
    let waiting = try pair.request()
    pair.exchange()
    pair.client.reset(waiting, .cancel)
    pair.client.reset(first, .cancel)
    pair.client.reset(first, .cancel)
    pair.exchange()
    #expect(summary(pair.clientEvents) == ["settings 1", "closed 3", "closed 1"])
    #expect(
      summary(pair.serverEvents).suffix(3) == ["end 1 -", "sendingStopped 1 CANCEL", "closed 1"])
    let third = try pair.request()
    pair.exchange()
    try pair.respond(third)
    pair.exchange()
    #expect(summary(pair.clientEvents).last == "closed 5")
  }

  @Test("streams above the peer's limit wait for their turn")
  func concurrency() throws {
    var pair = try SessionPair(server: { $0.maximumConcurrentStreams = 2 })
    pair.exchange()
    let ids = [try pair.request(), try pair.request(), try pair.request()]
    pair.exchange()
    #expect(pair.server.openStreams == 2)
    try pair.respond(ids[0])
    pair.exchange()
    #expect(summary(pair.serverEvents).contains { $0.hasPrefix("request 5") })
    #expect(pair.client.peerSettings.maximumConcurrentStreams == 2)
  }

  @Test("streams that wait go out when the peer allows more")
  func moreStreams() throws {
    var lone = try LoneSession(settings: [(3, 1)])
    for _ in 0..<4 { _ = try lone.get() }
    #expect(lone.frames.filter { $0.type == 1 }.map(\.stream) == [1])
    lone.receive(Frame.settings([(3, 3)]))
    #expect(lone.frames.filter { $0.type == 1 }.map(\.stream) == [1, 3, 5])
    lone.receive(Frame.settings([(3, 0)]))
    lone.receive(Frame.headers(1, [(":status", "200")], end: true))
    #expect(lone.frames.filter { $0.type == 1 }.map(\.stream) == [1, 3, 5])
    #expect(lone.session.openStreams == 3)
  }

  @Test("GOAWAY refuses requests that wait to be sent")
  func goAwayWaiting() throws {
    var lone = try LoneSession(settings: [(3, 1)])
    let first = try lone.get()
    let waiting = try lone.get()
    lone.receive(Frame.goAway(1, 0))
    #expect(
      lone.lines == [
        "goAway \(first) NO_ERROR ", "reset \(waiting) remote REFUSED_STREAM refused", "closed 3",
      ])
    lone.receive(Frame.headers(1, [(":status", "200")], end: true))
    #expect(lone.lines.suffix(3) == ["head 1 200 [] 0", "end 1 -", "closed 1"])
    #expect(lone.frames.filter { $0.type == 1 }.map(\.stream) == [1])
  }

  @Test("what a GOAWAY says of its cause is kept to a kilobyte")
  func goAwayDebug() throws {
    var lone = try LoneSession()
    lone.receive(Frame.goAway(0, 2, [UInt8](repeating: 0x61, count: 16_000)))
    #expect(lone.lines == ["goAway 0 INTERNAL_ERROR " + String(repeating: "a", count: 1024)])
  }

  @Test("after our own GOAWAY streams go on, and none begins")
  func ownGoAway() throws {
    var pair = try SessionPair()
    let id = try pair.request()
    pair.exchange()
    pair.client.goAway(.noError)
    pair.exchange()
    #expect(summary(pair.serverEvents).last == "goAway 0 NO_ERROR ")
    try pair.respond(id, body: [1])
    pair.exchange()
    #expect(summary(pair.clientEvents).last == "closed 1")
    #expect(throws: HTTP2Error(.connection, .local, .internalError, .sessionEnded)) { _ = try pair.request() }
  }

  @Test("stream ids end at 2³¹-1")
  func streamIDs() throws {
    var lone = try LoneSession()
    lone.session.skipStreams(before: HTTP2StreamID(rawValue: .max))
    #expect(try lone.get().rawValue == .max)
    #expect(throws: HTTP2Error(.connection, .local, .noError, .streamIDsExhausted)) { _ = try lone.get() }
  }

  @Test("a ping is answered, and the answer is an event")
  func pings() throws {
    var pair = try SessionPair()
    pair.client.ping(0x0102_0304_0506_0708)
    pair.exchange()
    #expect(summary(pair.clientEvents).last == "pong \(UInt64(0x0102_0304_0506_0708))")
    #expect(Frame.parse(pair.toClient).last?.payload == [1, 2, 3, 4, 5, 6, 7, 8])
  }

  @Test("a client announces what it allows: no push, its windows, its limits")
  func announcement() throws {
    var session = try HTTP2Session(configuration: HTTP2SessionConfiguration())
    let bytes = SessionPair.drain(&session)
    #expect(bytes.starts(with: Frame.preface))
    let frames = Frame.parse(bytes)
    #expect(frames.map(\.type) == [4, 8])
    #expect(
      frames.first?.payload
        == [0, 1] + Frame.word(4096) + [0, 3] + Frame.word(0) + [0, 4] + Frame.word(256 << 10)
        + [0, 6] + Frame.word(256 << 10) + [0, 2] + Frame.word(0))
    #expect(frames.last?.payload == Frame.word((64 << 20) - 65_535))
  }

  @Test("extended CONNECT needs the peer's permission and goes both ways")
  func extendedConnect() throws {
    let head = HTTP2RequestHead(
      method: .connect, scheme: "https", authority: "a", path: "/chat", connectProtocol: "websocket")
    var pair = try SessionPair()
    pair.exchange()
    #expect(throws: HTTP2Error(.stream, .local, .internalError, .extendedConnectNotAllowed)) {
      _ = try pair.client.submitRequest(head, bodyLength: nil, endsStream: false)
    }
    pair = try SessionPair(server: { $0.allowsExtendedConnect = true })
    pair.exchange()
    #expect(pair.client.peerSettings.allowsExtendedConnect == true)
    let id = try pair.client.submitRequest(head, bodyLength: nil, endsStream: false)
    try pair.client.sendBody(ByteChunk("a"), on: id)
    pair.exchange()
    try pair.server.submitResponse(
      ResponseHead(version: .http2, status: .ok, reason: "", headers: HTTPHeaders()), on: id, endsStream: false)
    try pair.server.sendBody(ByteChunk("b"), on: id)
    pair.exchange()
    #expect(
      summary(pair.serverEvents).suffix(2) == [
        "request 1 CONNECT https a /chat websocket []", "data 1: 1 bytes, sum 97",
      ])
    #expect(summary(pair.clientEvents).suffix(2) == ["head 1 200 [] -", "data 1: 1 bytes, sum 98"])
  }

  @Test("a plain CONNECT has a method and an authority only")
  func connect() throws {
    var pair = try SessionPair()
    let head = HTTP2RequestHead(method: .connect, scheme: nil, authority: "b.test:443", path: nil)
    let id = try pair.client.submitRequest(head, bodyLength: nil, endsStream: false)
    pair.exchange()
    #expect(summary(pair.serverEvents).last == "request 1 CONNECT - b.test:443 - - []")
    try pair.server.submitResponse(
      ResponseHead(version: .http2, status: .ok, reason: "", headers: HTTPHeaders()), on: id, endsStream: false)
    pair.exchange()
    #expect(summary(pair.clientEvents).last == "head 1 200 [] -")
  }

  @Test("the length of a refused CONNECT's response is checked", arguments: [4, 5, 6])
  func refusedConnect(_ count: Int) throws {
    var lone = try LoneSession()
    let head = HTTP2RequestHead(method: .connect, scheme: nil, authority: "b.test:443", path: nil)
    _ = try lone.session.submitRequest(head, bodyLength: nil, endsStream: false)
    lone.collect()
    lone.receive(Frame.headers(1, [(":status", "403"), ("content-length", "5")]))
    lone.receive(Frame.data(1, [UInt8](repeating: 1, count: count), end: true))
    let isReset = lone.lines.contains { $0.hasPrefix("reset 1 remote PROTOCOL_ERROR contentLengthMismatch") }
    #expect(isReset == (count != 5))
    #expect(lone.lines.contains("end 1 -") == (count == 5))
  }

  @Test("a priority is sent to a peer that ignores those of RFC 7540, and to no other")
  func priority() throws {
    var lone = try LoneSession(settings: [(9, 1)])
    let id = try lone.get()
    lone.session.updatePriority("u=1, i", of: id)
    lone.session.updatePriority("u=1\n", of: id)
    lone.collect()
    #expect(lone.frames.filter { $0.type == 16 }.map(\.payload) == [Frame.word(1) + Array("u=1, i".utf8)])
    lone = try LoneSession()
    let other = try lone.get()
    lone.session.updatePriority("u=1, i", of: other)
    lone.collect()
    #expect(!lone.frames.contains { $0.type == 16 })
  }

  @Test("the peer may change the size of the field table under way")
  func tableSize() throws {
    var pair = try SessionPair(cuts: .random(6), server: { $0.headerTableBytes = 100 })
    for round in 0..<30 {
      let id = try pair.request(headers: ["X-One": "value \(round % 3)", "X-Two": "another"])
      pair.exchange()
      try pair.respond(id, headers: ["X-Three": "\(round % 2)"])
      pair.exchange()
      #expect(summary(pair.serverEvents).contains { $0.hasSuffix("[x-one: value \(round % 3), x-two: another]") })
      #expect(summary(pair.clientEvents).last == "closed \(id)")
    }
    var lone = try LoneSession()
    for size in [UInt32(0), 4096, 0, 10_000_000, 64] {
      lone.receive(Frame.settings([(1, 0), (1, size)]))
      _ = try lone.get()
    }
    #expect(lone.lines.allSatisfy { $0.hasPrefix("settings") })
  }

  @Test("the report names windows and queues of every stream")
  func report() throws {
    var lone = try LoneSession(settings: [(3, 1), (4, 10)])
    let head = HTTP2RequestHead(method: .post, scheme: "https", authority: "a", path: "/")
    let id = try lone.session.submitRequest(head, bodyLength: nil, endsStream: false)
    try lone.session.sendBody(ByteChunk("0123456789abcdef"), on: id)
    lone.collect()
    _ = try lone.get()
    #expect(
      lone.session.flowControlReport == """
        connection: receive window 67108864, send window 65525, growth budget 33554432
        stream 1: receive window 262144, unconsumed 0, send window 0, unsent 6
        stream 3: receive window -1, unconsumed 0, send window -1, unsent 0, waits for a free stream
        """)
  }
}
