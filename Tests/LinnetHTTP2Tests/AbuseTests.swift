import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import LinnetTestRandom
import Testing

@Suite("HTTP/2 abuse")
struct AbuseTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var kind: HTTP2Error.Flood
    /// What is sent again and again on stream 1, which is open.
    var frame: [UInt8]
    var burst: Int
    var testDescription: String { "\(kind), frame \(frame[3])" }
  }

  static let cases: [Case] = [
    Case(kind: .settings, frame: Frame.settings(), burst: 100),
    Case(kind: .ping, frame: Frame.ping(), burst: 1000),
    Case(kind: .ping, frame: Frame.ping(acknowledges: true), burst: 1000),
    Case(kind: .emptyData, frame: Frame.data(1, []), burst: 100),
    Case(kind: .emptyData, frame: Frame.data(1, [], padding: 20), burst: 100),
    Case(kind: .windowUpdate, frame: Frame.windowUpdate(1, 1), burst: 1000),
    Case(kind: .windowUpdate, frame: Frame.windowUpdate(0, 1), burst: 1000),
    Case(kind: .priority, frame: Frame.make(2, 0, 1, [0, 0, 0, 0, 1]), burst: 200),
    Case(kind: .goAway, frame: Frame.goAway(9, 0), burst: 10),
    // Streams that were opened and are closed: 3 was.
    Case(kind: .stray, frame: Frame.data(3, [1]), burst: 4096),
    Case(kind: .stray, frame: Frame.reset(3, 8), burst: 4096),
    Case(kind: .stray, frame: Frame.headers(3, [("x", "1")]), burst: 4096),
    Case(kind: .stray, frame: Frame.make(0xFA, 0, 0, [1, 2]), burst: 4096),
  ]

  private static func session(_ configure: (inout HTTP2SessionConfiguration) -> Void = { _ in }) throws -> LoneSession {
    var lone = try LoneSession(.client, configure)
    _ = try lone.get()
    let second = try lone.get()
    lone.session.reset(second, .cancel)
    lone.receive(Frame.headers(1, [(":status", "200")]))
    lone.events = []
    lone.sent = []
    return lone
  }

  @Test("beyond its burst ends the connection with ENHANCE_YOUR_CALM", arguments: cases)
  func burst(_ example: Case) throws {
    var lone = try Self.session()
    var count = 0
    // A WINDOW_UPDATE allowance comes with each stream that we open.
    while lone.lines.last?.hasPrefix("connectionFailed") != true, count < example.burst + 10 {
      lone.events = []
      lone.receive(example.frame)
      count += 1
    }
    #expect(lone.lines == ["connectionFailed remote ENHANCE_YOUR_CALM flood(\(Self.path).\(example.kind))"])
    #expect(count >= example.burst && count <= example.burst + 5, "\(count)")
    #expect(lone.lastFrame == "7 0 [0, 0, 0, 0, 0, 0, 0, 11]")
    // Nothing follows.
    lone.receive(example.frame + Frame.headers(1, [("x", "1")], end: true))
    #expect(lone.lines.count == 1)
    #expect(throws: HTTP2Error.self) { _ = try lone.get() }
    #expect(lone.session.wantsToSend == false)
  }

  private static let path = "LinnetHTTP2.HTTP2Error.Flood"

  @Test("of one frame every few seconds never trips, however long", arguments: cases)
  func slow(_ example: Case) throws {
    var lone = try Self.session()
    for _ in 0..<(example.burst + 500) {
      lone.now = lone.now.advanced(by: .seconds(2))
      lone.receive(example.frame)
      lone.sent = []
      lone.events = lone.events.filter { if case .connectionFailed = $0 { true } else { false } }
      if !lone.events.isEmpty { break }
    }
    #expect(lone.events.isEmpty, "\(lone.lines)")
  }

  @Test("resets of many requests trip, and the answers of a peer that refuses a hundred do not")
  func resets() throws {
    var lone = try LoneSession()
    var count = 0
    while lone.lines.last?.hasPrefix("connectionFailed") != true, count < 1100 {
      let id = try lone.get()
      lone.receive(Frame.reset(UInt32(id.rawValue), 7))
      if count < 100 { #expect(lone.lines.last == "closed \(id)") }
      count += 1
    }
    #expect(lone.lines.last == "connectionFailed remote ENHANCE_YOUR_CALM flood(\(Self.path).reset)")
    #expect(count > 1000)
  }

  @Test("CONTINUATION frames of one section have a limit, also when the section is ignored", arguments: [1, 3])
  func continuation(_ stream: UInt32) throws {
    var lone = try Self.session()
    lone.receive(Frame.make(1, 0, stream, Frame.block([("x", "1")])))
    for _ in 0..<8 { lone.receive(Frame.make(9, 0, stream, Frame.block([("x", "1")]))) }
    #expect(!lone.lines.contains { $0.hasPrefix("connectionFailed") })
    lone.receive(Frame.make(9, 0, stream, []))
    #expect(lone.lines.last == "connectionFailed remote ENHANCE_YOUR_CALM flood(\(Self.path).continuation)")
  }

  @Test("sections of eight CONTINUATION frames may come again and again")
  func continuations() throws {
    var lone = try LoneSession()
    for _ in 0..<50 {
      let id = try lone.get()
      let stream = UInt32(id.rawValue)
      lone.receive(Frame.make(1, 1, stream, Frame.block([(":status", "200")])))
      for index in 0..<8 { lone.receive(Frame.make(9, index == 7 ? 4 : 0, stream, Frame.block([("x", "1")]))) }
      #expect(lone.lines.last == "closed \(id)")
    }
  }

  @Test("answers that nobody reads are bounded")
  func unread() throws {
    var lone = try LoneSession(.client) { $0.abuseLimits.unreadReplies = 50 }
    lone.drains = false
    for _ in 0..<51 { lone.receive(Frame.ping()) }
    #expect(lone.lines.last == "connectionFailed remote ENHANCE_YOUR_CALM flood(\(Self.path).unreadReplies)")
    lone = try LoneSession(.client) { $0.abuseLimits.unreadReplies = 50 }
    for _ in 0..<500 { lone.receive(Frame.ping()) }
    #expect(lone.lines.isEmpty)
  }

  @Test("resets of our own are no answers")
  func ownResets() throws {
    var lone = try LoneSession(.client) { $0.abuseLimits.unreadReplies = 10 }
    lone.drains = false
    for _ in 0..<50 {
      let id = try lone.get()
      lone.receive(Frame.ping(acknowledges: false).prefix(0) + Frame.windowUpdate(0, 1))
      lone.session.reset(id, .cancel)
    }
    lone.receive(Frame.windowUpdate(0, 1))
    #expect(lone.lines.allSatisfy { $0.hasPrefix("closed") })
  }

  @Test("WINDOW_UPDATEs that answer our DATA are free")
  func windowUpdates() throws {
    var lone = try LoneSession(.client) { $0.abuseLimits.windowUpdate = .init(burst: 20, perSecond: 1) }
    let head = HTTP2RequestHead(method: .post, scheme: "https", authority: "a", path: "/")
    let id = try lone.session.submitRequest(head, bodyLength: nil, endsStream: false)
    for _ in 0..<500 {
      try lone.session.sendBody(ByteChunk([UInt8](repeating: 0, count: 1000)), on: id)
      lone.collect()
      lone.receive(Frame.windowUpdate(0, 1000) + Frame.windowUpdate(1, 1000))
    }
    #expect(lone.lines.isEmpty)
  }

  @Test("DATA that was under way to a cancelled stream is free")
  func underWay() throws {
    var lone = try Self.session { $0.abuseLimits.stray = .init(burst: 10, perSecond: 1) }
    for _ in 0..<200 { lone.receive(Frame.data(3, [UInt8](repeating: 0, count: 16_384))) }
    #expect(lone.lines.isEmpty)
  }

  @Test("a server counts resets that come faster than they may")
  func rapidReset() throws {
    var lone = try LoneSession(.server)
    var count: UInt32 = 0
    while lone.lines.last?.hasPrefix("connectionFailed") != true, count < 1100 {
      let stream = count * 2 + 1
      lone.receive(
        Frame.headers(
          stream, [(":method", "GET"), (":scheme", "https"), (":authority", "a"), (":path", "/")], end: true)
          + Frame.reset(stream, 8))
      count += 1
    }
    #expect(lone.lines.last == "connectionFailed remote ENHANCE_YOUR_CALM flood(\(Self.path).reset)")
    #expect(count > 999)
  }

  @Test("a server counts faults that make it reset streams")
  func provokedResets() throws {
    var lone = try LoneSession(.server)
    var count: UInt32 = 0
    while lone.lines.last?.hasPrefix("connectionFailed") != true, count < 1100 {
      lone.receive(Frame.headers(count * 2 + 1, [(":method", "GET"), ("A", "b")], end: true))
      count += 1
    }
    #expect(lone.lines.last == "connectionFailed remote ENHANCE_YOUR_CALM flood(\(Self.path).reset)")
    #expect(count > 999)
  }

  @Test("the monitor's arithmetic holds for every time and rate")
  func arithmetic() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<500 {
      var limits = AbuseLimits()
      limits.ping = .init(
        burst: [Int.min, 0, 1, 100, .max].randomElement(using: &generator) ?? 0,
        perSecond: [Int.min, 0, 1, 100, .max].randomElement(using: &generator) ?? 0)
      limits.windowUpdatesPerStream = [Int.min, 0, 2, .max].randomElement(using: &generator) ?? 0
      var monitor = AbuseMonitor(limits)
      for _ in 0..<20 {
        let now = Instant(nanoseconds: [0, 1, .max, generator.next()].randomElement(using: &generator) ?? 0)
        _ = monitor.count(.ping, now: now)
        monitor.sent(dataFrames: Int.random(in: 0...5, using: &generator), streams: .max)
      }
    }
  }
}
