import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import LinnetTestRandom
import Testing

/// Whatever comes and whatever is called, a session gives events in the order that ``HTTP2Event`` promises.
@Suite("HTTP/2 robustness")
struct RobustnessTests {
  /// Checks the order of a session's events.
  struct Referee {
    enum Progress {
      case open
      case head
      case ended
      case reset
      case stopped
    }

    var streams: [HTTP2StreamID: Progress] = [:]
    var closed: Set<HTTP2StreamID> = []
    var isDead = false
    var faults: [String] = []

    mutating func see(_ event: HTTP2Event, isClient: Bool) {
      if isDead { faults.append("\(event) after connectionFailed") }
      func progress(_ id: HTTP2StreamID) -> Progress { streams[id] ?? .open }
      func complain(_ id: HTTP2StreamID) { faults.append("\(event) in \(progress(id))") }
      switch event {
      case .interim(let id, _):
        if progress(id) != .open || !isClient { complain(id) }
      case .head(let id, _, _):
        if progress(id) != .open || !isClient { complain(id) }
        streams[id] = .head
      case .request(let id, _):
        if streams[id] != nil || isClient { complain(id) }
        streams[id] = .head
      case .data(let id, let chunk):
        if progress(id) != .head || chunk.isEmpty { complain(id) }
      case .end(let id, _):
        if progress(id) != .head { complain(id) }
        streams[id] = .ended
      case .reset(let id, _):
        if progress(id) != .open && progress(id) != .head { complain(id) }
        streams[id] = .reset
      case .sendingStopped(let id, _):
        if progress(id) != .ended { complain(id) }
        streams[id] = .stopped
      case .closed(let id):
        streams[id] = nil
        if !closed.insert(id).inserted { complain(id) }
      case .connectionFailed: isDead = true
      case .settings, .writable, .goAway, .pong: break
      }
      if case .data(let id, _) = event, closed.contains(id) { faults.append("\(event) behind closed") }
    }
  }

  private static func drainEvents(
    _ session: inout HTTP2Session, _ referee: inout Referee, _ generator: inout SeededGenerator, isClient: Bool
  ) -> Int {
    var bytes = 0
    while let event = session.nextEvent(now: Instant(nanoseconds: generator.next() >> 20)) {
      referee.see(event, isClient: isClient)
      if case .data(let id, let chunk) = event {
        bytes += chunk.count
        if Bool.random(using: &generator) {
          session.consumed(chunk.count, on: id, isStarved: Bool.random(using: &generator))
        }
      }
    }
    return bytes
  }

  /// Valid traffic of a server to a client with three requests, as raw material.
  private static func traffic(_ seed: Int) throws -> (toClient: [UInt8], toServer: [UInt8]) {
    var pair = try SessionPair()
    var ids: [HTTP2StreamID] = []
    for index in 0..<3 {
      ids.append(
        try pair.request(index == 1 ? .post : .get, "/\(seed)", headers: ["X-A": "b\(seed)"], endsStream: index != 1))
    }
    try pair.client.sendBody(ByteChunk([UInt8](repeating: 5, count: 100 + seed % 100)), on: ids[1])
    try pair.client.sendEnd(trailers: ["X-T": "1"], on: ids[1])
    pair.exchange()
    for id in ids {
      try pair.respond(
        id, 200, headers: ["Content-Length": "40", "X-Seed": "\(seed)"], body: [UInt8](repeating: 1, count: 40),
        trailers: seed % 2 == 0 ? ["X-T": "2"] : nil)
    }
    pair.server.ping(3)
    pair.server.goAway(.noError)
    pair.exchange()
    return (pair.toClient, pair.toServer)
  }

  private static func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...20, using: &generator)))
      case 3: bytes.insert(contentsOf: generator.bytes(Int.random(in: 1...20, using: &generator)), at: index)
      default:
        let end = min(bytes.count, index + Int.random(in: 1...60, using: &generator))
        bytes.insert(contentsOf: Array(bytes[index..<end]), at: Int.random(in: 0...bytes.count, using: &generator))
      }
    }
    return bytes
  }

  private static func feed(
    _ bytes: [UInt8], to session: inout HTTP2Session, _ referee: inout Referee, _ generator: inout SeededGenerator,
    isClient: Bool
  ) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...max(1, bytes.count), using: &generator))
      session.receive(Array(rest.prefix(count)).span)
      rest = rest.dropFirst(count)
      _ = drainEvents(&session, &referee, &generator, isClient: isClient)
      if Int.random(in: 0..<4, using: &generator) == 0 { _ = SessionPair.drain(&session) }
    }
    session.receiveEOF()
    _ = drainEvents(&session, &referee, &generator, isClient: isClient)
    _ = SessionPair.drain(&session)
    _ = drainEvents(&session, &referee, &generator, isClient: isClient)
  }

  private static func client(_ generator: inout SeededGenerator) throws -> HTTP2Session {
    var session = try HTTP2Session(configuration: HTTP2SessionConfiguration())
    for index in 0..<3 {
      let head = HTTP2RequestHead(
        method: index == 1 ? .post : .get, scheme: "https", authority: "example.test", path: "/")
      _ = try session.submitRequest(head, bodyLength: nil, endsStream: index != 1)
    }
    if Bool.random(using: &generator) { _ = SessionPair.drain(&session) }
    return session
  }

  @Test("mutated responses give events in order, or one failure", arguments: 0..<20)
  func mutatedResponses(_ seed: Int) throws {
    var generator = SeededGenerator(seed: seed)
    let material = try Self.traffic(seed).toClient
    for round in 0..<600 {
      var session = try Self.client(&generator)
      var referee = Referee()
      let bytes = Self.mutate(material, &generator)
      Self.feed(bytes, to: &session, &referee, &generator, isClient: true)
      #expect(referee.faults.isEmpty, "seed \(seed), round \(round): \(referee.faults)")
      if !referee.faults.isEmpty { return }
    }
  }

  @Test("mutated requests do so on the server's side", arguments: 0..<20)
  func mutatedRequests(_ seed: Int) throws {
    var generator = SeededGenerator(seed: 1000 + seed)
    let material = try Self.traffic(seed).toServer
    var configuration = HTTP2SessionConfiguration()
    configuration.role = .server
    for round in 0..<600 {
      var session = try HTTP2Session(configuration: configuration)
      var referee = Referee()
      // The preface is left whole more often than not: behind a broken one nothing is looked at.
      let whole = Int.random(in: 0..<10, using: &generator) == 0 ? 0 : Frame.preface.count
      let bytes = Array(material.prefix(whole)) + Self.mutate(Array(material.dropFirst(whole)), &generator)
      Self.feed(bytes, to: &session, &referee, &generator, isClient: false)
      #expect(referee.faults.isEmpty, "seed \(seed), round \(round): \(referee.faults)")
      if !referee.faults.isEmpty { return }
    }
  }

  /// A frame that may well be legal, of any type, on streams that may well be there.
  private static func randomFrame(_ generator: inout SeededGenerator) -> [UInt8] {
    let streams: [UInt32] = [0, 1, 1, 3, 3, 5, 5, 2, 7, 9]
    let stream = streams.randomElement(using: &generator) ?? 0
    let fields: [(String, String)] = [
      (":status", ["200", "103", "204", "304", "101", "x"].randomElement(using: &generator) ?? ""),
      ("content-length", "\(Int.random(in: 0...9, using: &generator))"), ("x", "y"), ("connection", "z"), ("A", "b"),
    ]
    let flags = UInt8.random(in: 0...15, using: &generator)
    switch Int.random(in: 0..<14, using: &generator) {
    case 0, 1, 2:
      let count = Int.random(in: 0...fields.count, using: &generator)
      return Frame.make(1, flags & 1 | 4, stream, Frame.block(Array(fields.prefix(max(1, count - 2)))))
    case 3: return Frame.make(1, flags, stream, generator.bytes(Int.random(in: 0...30, using: &generator)))
    case 4, 5, 6:
      return Frame.data(stream, generator.bytes(Int.random(in: 0...9, using: &generator)), end: flags & 1 != 0)
    case 7: return Frame.data(stream, [1], padding: Int.random(in: 0...40, using: &generator), end: flags & 1 != 0)
    case 8: return Frame.reset(stream, UInt32.random(in: 0...20, using: &generator))
    case 9: return Frame.windowUpdate(stream, UInt32.random(in: 0...70_000, using: &generator))
    case 10:
      return Frame.settings([
        (UInt16.random(in: 0...10, using: &generator), UInt32.random(in: 0...70_000, using: &generator))
      ])
    case 11: return Frame.ping(flags)
    case 12: return Frame.goAway([0, 1, 3, 5].randomElement(using: &generator) ?? 0, UInt32(flags & 1))
    default:
      return Frame.make(
        UInt8.random(in: 0...20, using: &generator), flags, stream,
        generator.bytes(Int.random(in: 0...20, using: &generator)))
    }
  }

  @Test("any frames and any calls in any order", arguments: 0..<20)
  func frames(_ seed: Int) throws {
    var generator = SeededGenerator(seed: 2000 + seed)
    for round in 0..<400 {
      var session = try Self.client(&generator)
      var referee = Referee()
      session.receive(Frame.settings().span)
      for _ in 0..<40 {
        if Bool.random(using: &generator) {
          session.receive(Self.randomFrame(&generator).span)
        } else {
          Self.randomCall(&session, &referee, &generator)
        }
        _ = Self.drainEvents(&session, &referee, &generator, isClient: true)
        if referee.isDead { break }
      }
      #expect(referee.faults.isEmpty, "seed \(seed), round \(round): \(referee.faults)")
      if !referee.faults.isEmpty { return }
    }
  }

  private static func randomCall(
    _ session: inout HTTP2Session, _ referee: inout Referee, _ generator: inout SeededGenerator
  ) {
    let id = HTTP2StreamID(rawValue: [0, 1, 3, 5, 7, -1, .max, 2].randomElement(using: &generator) ?? 0)
    let chunk = ByteChunk([UInt8](repeating: 1, count: Int.random(in: 0...40_000, using: &generator)))
    switch Int.random(in: 0..<11, using: &generator) {
    case 0:
      let head = HTTP2RequestHead(method: .get, scheme: "https", authority: "a", path: "/")
      _ = try? session.submitRequest(head, bodyLength: nil, endsStream: Bool.random(using: &generator))
    case 1: try? session.sendBody(chunk, on: id)
    case 2: try? session.sendEnd(trailers: Bool.random(using: &generator) ? ["X": "1"] : nil, on: id)
    case 3: session.consumed(Int.random(in: -5...100, using: &generator), on: id, isStarved: true)
    case 4:
      session.reset(id, .cancel)
      // What it had to say is not to be said any more.
      if referee.streams[id] != nil, !referee.closed.contains(id) { referee.streams[id] = .reset }
    case 5: session.updatePriority("u=2", of: id)
    case 6: session.ping(1)
    case 7 where Int.random(in: 0..<20, using: &generator) == 0: session.goAway(.noError)
    case 8: _ = session.flowControlReport
    case 9: session.skipStreams(before: id)
    default: _ = SessionPair.drain(&session, Int.random(in: 0...50_000, using: &generator))
    }
  }

  @Test("noise behind a good beginning never does harm", arguments: 0..<10)
  func noise(_ seed: Int) throws {
    var generator = SeededGenerator(seed: 3000 + seed)
    for _ in 0..<500 {
      var session = try Self.client(&generator)
      var referee = Referee()
      let bytes =
        (Bool.random(using: &generator) ? Frame.settings() : [])
        + generator.bytes(Int.random(in: 0...200, using: &generator))
      Self.feed(bytes, to: &session, &referee, &generator, isClient: true)
      #expect(referee.faults.isEmpty)
    }
  }

  @Test("a session that is dropped in the middle leaves nothing behind")
  func dropped() throws {
    for count in 0..<60 {
      var pair = try SessionPair()
      let id = try pair.request(.post, endsStream: false)
      try pair.client.sendBody(ByteChunk([UInt8](repeating: 1, count: 1 << 20)), on: id)
      let bytes = SessionPair.drain(&pair.client, 30_000)
      pair.server.receive(Array(bytes.prefix(count * 5)).span)
      pair.collectServer()
    }
  }
}
