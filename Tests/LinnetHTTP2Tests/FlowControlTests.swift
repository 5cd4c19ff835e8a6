import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import Testing

@Suite("HTTP/2 flow control")
struct FlowControlTests {
  private static func bytes(_ events: [HTTP2Event], _ id: HTTP2StreamID? = nil) -> Int {
    events.reduce(0) {
      if case .data(let stream, let chunk) = $1, id == nil || stream == id { $0 + chunk.count } else { $0 }
    }
  }

  @Test("a consumer that takes nothing holds no more than its stream's window, and stops nobody else")
  func slowConsumer() throws {
    var pair = try SessionPair(client: { $0.initialStreamWindowBytes = 100_000 })
    let slow = try pair.request()
    pair.exchange()
    pair.consumes = false
    try pair.respond(slow, body: [UInt8](repeating: 1, count: 5_000_000))
    pair.exchange()
    #expect(Self.bytes(pair.clientEvents, slow) == 100_000)
    pair.consumes = true
    for _ in 0..<20 {
      let quick = try pair.request()
      pair.exchange()
      try pair.respond(quick, body: [UInt8](repeating: 2, count: 5_000_000))
      pair.exchange()
      #expect(Self.bytes(pair.clientEvents, quick) == 5_000_000)
    }
    #expect(Self.bytes(pair.clientEvents, slow) == 100_000)
    // It goes on where it was.
    pair.client.consumed(100_000, on: slow, isStarved: true)
    pair.exchange()
    #expect(Self.bytes(pair.clientEvents, slow) == 5_000_000)
    #expect(pair.client.openStreams == 0)
  }

  @Test("a starved consumer's window doubles up to its limit")
  func growth() throws {
    var pair = try SessionPair(
      client: {
        $0.initialStreamWindowBytes = 100_000
        $0.maximumStreamWindowBytes = 300_000
      })
    let id = try pair.request()
    pair.exchange()
    pair.consumes = false
    try pair.respond(id, body: [UInt8](repeating: 1, count: 3_000_000))
    pair.exchange()
    #expect(Self.bytes(pair.clientEvents) == 100_000)
    pair.client.consumed(100_000, on: id, isStarved: true)
    pair.exchange()
    #expect(Self.bytes(pair.clientEvents) == 300_000)
    pair.client.consumed(200_000, on: id, isStarved: true)
    pair.exchange()
    #expect(Self.bytes(pair.clientEvents) == 600_000)
    pair.client.consumed(300_000, on: id, isStarved: true)
    pair.exchange()
    #expect(Self.bytes(pair.clientEvents) == 900_000)
    // More than was delivered is not credited.
    pair.client.consumed(.max, on: id, isStarved: false)
    pair.exchange()
    #expect(Self.bytes(pair.clientEvents) == 1_200_000)
  }

  @Test("without a starved consumer the window keeps its size")
  func noGrowth() throws {
    var pair = try SessionPair(client: { $0.initialStreamWindowBytes = 100_000 })
    let id = try pair.request()
    pair.exchange()
    pair.consumes = false
    try pair.respond(id, body: [UInt8](repeating: 1, count: 3_000_000))
    pair.exchange()
    for round in 1...5 {
      #expect(Self.bytes(pair.clientEvents) == round * 100_000)
      pair.client.consumed(100_000, on: id, isStarved: false)
      pair.exchange()
    }
  }

  @Test("growth comes out of one budget and goes back with the stream")
  func budget() throws {
    var pair = try SessionPair(
      client: {
        $0.initialStreamWindowBytes = 100_000
        $0.windowGrowthBudgetBytes = 150_000
      })
    func received(_ pair: borrowing SessionPair, _ id: HTTP2StreamID) -> Int { Self.bytes(pair.clientEvents, id) }
    var ids: [HTTP2StreamID] = []
    pair.consumes = false
    for _ in 0..<3 {
      let id = try pair.request()
      ids.append(id)
      pair.exchange()
      try pair.respond(id, body: [UInt8](repeating: 1, count: 2_000_000))
    }
    pair.exchange()
    for id in ids { pair.client.consumed(100_000, on: id, isStarved: true) }
    pair.exchange()
    #expect(received(pair, ids[0]) == 300_000)
    #expect(received(pair, ids[1]) == 250_000)
    #expect(received(pair, ids[2]) == 200_000)
    pair.client.reset(ids[0], .cancel)
    pair.client.consumed(100_000, on: ids[2], isStarved: true)
    pair.exchange()
    #expect(received(pair, ids[2]) == 400_000)
  }

  @Test("what comes for a stream that is gone goes back to the connection's window")
  func goneStream() throws {
    var lone = try LoneSession { $0.connectionWindowBytes = 100_000 }
    for index in 0..<20 {
      let id = try lone.get()
      lone.receive(Frame.headers(UInt32(id.rawValue), [(":status", "200")]))
      lone.session.reset(id, .cancel)
      lone.collect()
      for _ in 0..<4 { lone.receive(Frame.data(UInt32(id.rawValue), [UInt8](repeating: 0, count: 16_000))) }
      #expect(lone.lines.suffix(2) == ["head \(id) 200 [] -", "closed \(id)"], "round \(index)")
    }
    let increments = lone.frames.filter { $0.type == 8 && $0.stream == 0 }
    #expect(increments.count >= 20)
    #expect(!lone.lines.contains { $0.hasPrefix("connectionFailed") })
  }

  @Test("padding costs the windows nothing")
  func padding() throws {
    var lone = try LoneSession { $0.initialStreamWindowBytes = 70_000 }
    lone.consumes = false
    let id = try lone.get()
    lone.receive(Frame.headers(1, [(":status", "200")]))
    for _ in 0..<2000 { lone.receive(Frame.data(1, [9], padding: 255)) }
    lone.receive(Frame.data(1, [], padding: 10, end: true))
    #expect(Self.bytes(lone.events, id) == 2000)
    #expect(lone.lines.suffix(2) == ["end 1 -", "closed 1"])
  }

  @Test("more than the window allows ends the stream")
  func windowExceeded() throws {
    var lone = try LoneSession { $0.initialStreamWindowBytes = 30_000 }
    lone.consumes = false
    _ = try lone.get()
    lone.receive(Frame.headers(1, [(":status", "200")]))
    for _ in 0..<4 { lone.receive(Frame.data(1, [UInt8](repeating: 0, count: 16_000))) }
    #expect(lone.lines.suffix(2) == ["reset 1 remote FLOW_CONTROL_ERROR windowExceeded", "closed 1"])
    #expect(lone.frames.contains { $0.type == 3 && $0.payload == Frame.word(3) })
    #expect(Self.bytes(lone.events) <= 32_000)
  }

  @Test("more than the connection's window allows ends the connection")
  func connectionWindowExceeded() throws {
    var lone = try LoneSession()
    lone.receive(Frame.windowUpdate(0, 0x7FFF_FFFF))
    #expect(lone.lines == ["connectionFailed remote FLOW_CONTROL_ERROR flowControl"])
  }

  @Test("a window that the peer makes smaller under way becomes negative and is waited for")
  func shrinking() throws {
    var lone = try LoneSession(settings: [(4, 50_000)])
    let head = HTTP2RequestHead(method: .post, scheme: "https", authority: "a", path: "/")
    let id = try lone.session.submitRequest(head, bodyLength: nil, endsStream: false)
    try lone.session.sendBody(ByteChunk([UInt8](repeating: 1, count: 200_000)), on: id)
    lone.receive([])
    lone.collect()
    func sent(_ lone: borrowing LoneSession) -> Int {
      lone.frames.filter { $0.type == 0 }.reduce(0) { $0 + $1.payload.count }
    }
    #expect(sent(lone) == 50_000)
    lone.receive(Frame.settings([(4, 10_000)]))
    lone.receive(Frame.windowUpdate(1, 40_000) + Frame.windowUpdate(0, 100_000))
    #expect(sent(lone) == 50_000)
    lone.receive(Frame.windowUpdate(1, 5000))
    #expect(sent(lone) == 55_000)
    #expect(lone.session.unsentBytes(on: id) == 145_000)
    lone.receive(Frame.settings([(4, 60_000)]))
    #expect(sent(lone) == 105_000)
  }

  @Test("one large upload does not hold up small requests, and several take turns")
  func turns() throws {
    var pair = try SessionPair(server: { $0.initialStreamWindowBytes = 16 << 20 })
    pair.exchange()
    func upload() throws -> HTTP2StreamID {
      let id = try pair.request(.post, endsStream: false)
      try pair.client.sendBody(ByteChunk([UInt8](repeating: 1, count: 10 << 20)), on: id)
      return id
    }
    let first = try upload()
    var start = Frame.parse(SessionPair.drain(&pair.client, 100_000))
    let second = try upload()
    let small = try pair.request(.get)
    start = Frame.parse(SessionPair.drain(&pair.client, 200_000))
    #expect(start.prefix(2).map(\.type) == [1, 1])
    #expect(start.prefix(2).map(\.stream) == [Int(second.rawValue), Int(small.rawValue)])
    let data = start.filter { $0.type == 0 }.map(\.stream)
    #expect(abs(data.count { $0 == Int(first.rawValue) } - data.count { $0 == Int(second.rawValue) }) <= 1)
    // The limit is kept to a frame.
    #expect(start.reduce(0) { $0 + $1.payload.count + 9 } < 200_000 + 16_384 + 9)
  }

  @Test("the limit holds also behind what the buffer has")
  func limit() throws {
    var pair = try SessionPair()
    pair.exchange()
    let id = try pair.request(.post, endsStream: false)
    try pair.client.sendBody(ByteChunk([UInt8](repeating: 1, count: 60_000)), on: id)
    var buffer = WriteBuffer()
    buffer.append(bytes: [1, 2, 3])
    pair.client.ping(7)
    pair.client.drain(into: &buffer, upTo: 1)
    #expect(pair.client.wantsToSend == true)
    let bytes = buffer.takeAll()
    #expect(bytes.prefix(3) == [1, 2, 3])
    #expect(Frame.parse(Array(bytes.dropFirst(3))).map(\.type) == [6, 1])
    pair.client.drain(into: &buffer, upTo: 100_000)
    #expect(pair.client.wantsToSend == false)
    #expect(Frame.parse(buffer.takeAll()).map(\.payload.count) == [16_384, 16_384, 16_384, 10_848])
  }
}
