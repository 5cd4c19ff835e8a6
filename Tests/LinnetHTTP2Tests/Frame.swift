import LinnetBytes
import LinnetHTTP2

/// Frames by hand, right and wrong ones.
enum Frame {
  static func make(_ type: UInt8, _ flags: UInt8 = 0, _ stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
    let count = payload.count
    return [
      UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count),
      type, flags,
    ] + word(stream) + payload
  }

  static func word(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
  }

  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  static func settings(_ entries: [(UInt16, UInt32)] = []) -> [UInt8] {
    make(4, 0, 0, entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + word($0.1) })
  }

  static let settingsAcknowledgement = make(4, 1)

  /// HEADERS with END_HEADERS.
  static func headers(_ stream: UInt32, _ fields: [(String, String)], end: Bool = false) -> [UInt8] {
    make(1, end ? 5 : 4, stream, block(fields))
  }

  static func data(_ stream: UInt32, _ bytes: [UInt8], end: Bool = false) -> [UInt8] {
    make(0, end ? 1 : 0, stream, bytes)
  }

  static func data(_ stream: UInt32, _ bytes: [UInt8], padding: Int, end: Bool = false) -> [UInt8] {
    make(0, end ? 9 : 8, stream, [UInt8(padding)] + bytes + [UInt8](repeating: 0, count: padding))
  }

  static func reset(_ stream: UInt32, _ code: UInt32) -> [UInt8] { make(3, 0, stream, word(code)) }

  static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> [UInt8] { make(8, 0, stream, word(increment)) }

  static func goAway(_ last: UInt32, _ code: UInt32, _ debug: [UInt8] = []) -> [UInt8] {
    make(7, 0, 0, word(last) + word(code) + debug)
  }

  static func ping(_ payload: UInt8 = 0, acknowledges: Bool = false) -> [UInt8] {
    make(6, acknowledges ? 1 : 0, 0, [UInt8](repeating: payload, count: 8))
  }

  /// Literal fields without indexing and without Huffman code (RFC 7541 §6.2.2).
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { [0] + string(Array($0.0.utf8)) + string(Array($0.1.utf8)) }
  }

  static func string(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.count < 127 { return [UInt8(bytes.count)] + bytes }
    var count = [UInt8(127)]
    var rest = bytes.count - 127
    while rest >= 128 {
      count.append(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    return count + [UInt8(rest)] + bytes
  }

  /// The frames of what a session has sent; the preface is left out.
  static func parse(_ bytes: [UInt8]) -> [(type: UInt8, flags: UInt8, stream: Int, payload: [UInt8])] {
    var rest = bytes[...]
    if rest.starts(with: preface) { rest = rest.dropFirst(preface.count) }
    var frames: [(type: UInt8, flags: UInt8, stream: Int, payload: [UInt8])] = []
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      let stream = Int(head[5]) << 24 | Int(head[6]) << 16 | Int(head[7]) << 8 | Int(head[8])
      frames.append((head[3], head[4], stream, Array(rest.dropFirst(9).prefix(count))))
      rest = rest.dropFirst(9 + count)
    }
    return frames
  }
}

/// One session, and a peer that is played frame by frame.
struct LoneSession: ~Copyable {
  var session: HTTP2Session
  var events: [HTTP2Event] = []
  var sent: [UInt8] = []
  var now = Instant(nanoseconds: 1_000_000_000)
  var consumes = true
  var drains = true

  /// - Parameter greets: The peer's SETTINGS (and preface) were received, and ours acknowledged.
  init(
    _ role: HTTP2SessionConfiguration.Role = .client, greets: Bool = true, settings: [(UInt16, UInt32)] = [],
    _ configure: (inout HTTP2SessionConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = HTTP2SessionConfiguration()
    configuration.role = role
    configure(&configuration)
    session = try HTTP2Session(configuration: configuration)
    guard greets else { return }
    sent += SessionPair.drain(&session)
    receive((role == .server ? Frame.preface : []) + Frame.settings(settings) + Frame.settingsAcknowledgement)
    events = []
    sent = []
  }

  mutating func receive(_ bytes: [UInt8]) {
    session.receive(bytes.span)
    collect()
  }

  mutating func collect() {
    while let event = session.nextEvent(now: now) {
      events.append(event)
      if consumes, case .data(let id, let chunk) = event { session.consumed(chunk.count, on: id, isStarved: true) }
    }
    if drains { sent += SessionPair.drain(&session) }
    while let event = session.nextEvent(now: now) { events.append(event) }
  }

  mutating func get(_ path: String = "/", method: HTTPMethod = .get) throws -> HTTP2StreamID {
    let id = try session.submitRequest(
      HTTP2RequestHead(method: method, scheme: "https", authority: "example.test", path: path), bodyLength: nil,
      endsStream: true)
    collect()
    return id
  }

  var lines: [String] { summary(events) }
  var frames: [(type: UInt8, flags: UInt8, stream: Int, payload: [UInt8])] { Frame.parse(sent) }
  /// The last frame that was sent, in words.
  var lastFrame: String { frames.last.map { "\($0.type) \($0.stream) \($0.payload)" } ?? "-" }
}

import LinnetHTTPTypes
