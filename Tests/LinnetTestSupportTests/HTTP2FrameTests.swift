import LinnetHTTP2
import LinnetTestRandom
import LinnetTestSupport
import Testing

@Suite("HTTP2Frame")
struct HTTP2FrameTests {
  static let samples: [HTTP2Frame] = [
    .settings(), .settings([.headerTableSize(0), .initialWindowSize(0x7FFF_FFFF)]), .settingsAck,
    .headers(1, [0x88], endStream: true), .headers(0x7FFF_FFFF, [], endHeaders: false),
    .headers(3, [1, 2, 3], padding: 255), .continuation(3, [9]), .continuation(3, [9], endHeaders: false),
    .data(1), .data(1, Array(0...255), endStream: true), .data(5, [7], padding: 0), .data(5, [], padding: 3),
    .rstStream(1, .cancel), .goAway(lastStream: 7, .enhanceYourCalm, debug: "debug"), .ping(0x0102_0304_0506_0708),
    .ping(.max, ack: true), .windowUpdate(0, 1), .windowUpdate(9, 0x7FFF_FFFF), .pushPromise(1, promised: 2, [0x82]),
    .priority(1, dependsOn: 3, isExclusive: true, weight: 200), .priorityUpdate(prioritized: 1, "u=0"),
    .unknown(0xab, stream: 4, payload: [1]), .data(1, [UInt8](repeating: 5, count: 100_000)),
  ]

  private func decode(_ pieces: [[UInt8]]) -> [HTTP2Frame] {
    var decoder = HTTP2FrameDecoder()
    var frames: [HTTP2Frame] = []
    for piece in pieces {
      decoder.feed(piece)
      while let frame = decoder.next() { frames.append(frame) }
    }
    #expect(decoder.bufferedCount == 0)
    return frames
  }

  @Test("every kind of frame survives encoding and decoding: whole, byte by byte and cut at random")
  func roundTrip() {
    let bytes = Self.samples.flatMap(\.encoded)
    #expect(decode([bytes]) == Self.samples)
    #expect(decode(bytes.map { [$0] }) == Self.samples)
    var random = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      var pieces: [[UInt8]] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = min(rest.count, Int.random(in: 1...(Bool.random(using: &random) ? 20 : 20_000), using: &random))
        pieces.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      #expect(decode(pieces) == Self.samples)
    }
  }

  @Test("the bytes are those of RFC 9113")
  func bytes() {
    #expect(HTTP2Frame.settingsAck.encoded == [0, 0, 0, 4, 1, 0, 0, 0, 0])
    #expect(HTTP2Frame.settings([.maxFrameSize(0x10203)]).encoded == [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 5, 0, 1, 2, 3])
    #expect(
      HTTP2Frame.headers(0x01020304, [0x88], endStream: true, padding: 2).encoded
        == [0, 0, 4, 1, 0x0D, 1, 2, 3, 4, 2, 0x88, 0, 0])
    #expect(HTTP2Frame.data(1, [7], endStream: true).encoded == [0, 0, 1, 0, 1, 0, 0, 0, 1, 7])
    #expect(HTTP2Frame.rstStream(3, .cancel).encoded == [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 8])
    #expect(
      HTTP2Frame.goAway(lastStream: 5, .protocolError, debug: "x").encoded
        == [0, 0, 9, 7, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1, 0x78])
    #expect(HTTP2Frame.ping(1, ack: true).encoded == [0, 0, 8, 6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(HTTP2Frame.windowUpdate(0, 256).encoded == [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    #expect(
      HTTP2Frame.priority(1, dependsOn: 3, isExclusive: true, weight: 9).encoded
        == [0, 0, 5, 2, 0, 0, 0, 0, 1, 0x80, 0, 0, 3, 9])
    #expect(
      HTTP2Frame.pushPromise(1, promised: 2, [0x82]).encoded == [0, 0, 5, 5, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0x82])
    #expect(HTTP2Frame.data(1, [7]).encoded(declaring: 0x010203) == [1, 2, 3, 0, 0, 0, 0, 0, 1, 7])
  }

  @Test("payloads are read back")
  func payloads() {
    #expect(HTTP2Frame.settings([.enablePush(0), .maxFrameSize(7)]).settings == [.enablePush(0), .maxFrameSize(7)])
    #expect(HTTP2Frame(.settings, payload: [0, 1, 0, 0, 0]).settings.isEmpty)
    let goAway = HTTP2Frame.goAway(lastStream: 7, .enhanceYourCalm, debug: "why")
    #expect(goAway.lastStream == 7 && goAway.errorCode == .enhanceYourCalm && goAway.debugText == "why")
    #expect(HTTP2Frame(.goAway, payload: [0, 0, 0, 1]).errorCode == nil)
    #expect(HTTP2Frame.rstStream(1, .refusedStream).errorCode == .refusedStream)
    #expect(HTTP2Frame.windowUpdate(1, 77).increment == 77)
    #expect(HTTP2Frame.ping(0x0102_0304_0506_0708).pingNumber == 0x0102_0304_0506_0708)
    #expect(HTTP2Frame.data(1, [1, 2], padding: 9).content == [1, 2])
    #expect(HTTP2Frame(.data, flags: .padded, payload: [3, 0, 0]).content == nil)
    #expect(HTTP2Frame(.data, flags: .padded).content == nil)
    let withPriority = HTTP2Frame(.headers, flags: [.padded, .priority], payload: [1, 0, 0, 0, 0, 9, 0x88, 0])
    #expect(withPriority.content == [0x88])
    #expect(HTTP2Frame.data(1, endStream: true).endsStream && !HTTP2Frame.settingsAck.endsStream)
    #expect(HTTP2Frame.rstStream(3, .cancel).description == "RST_STREAM stream 3, CANCEL, 4 bytes")
    #expect(
      HTTP2Frame.headers(1, [], endStream: true).description == "HEADERS stream 1, END_STREAM END_HEADERS, 0 bytes")
  }

  @Test("blocks that are written by hand are what a decoder reads")
  func literals() throws {
    var decoder = try FieldBlockDecoder(maximumSectionBytes: 1 << 20)
    func read(_ block: [UInt8]) throws -> [HPACKField] {
      var fields: [HPACKField] = []
      try decoder.decode(block, endsBlock: true, into: &fields)
      return fields
    }
    let long = String(repeating: "v", count: 5000)
    let block =
      HPACKLiterals.status(200) + HPACKLiterals.field("Upper", "a", .incremental)
      + HPACKLiterals.field("secret", long, .never) + HPACKLiterals.indexed(62) + HPACKLiterals.indexed(8)
    #expect(
      try read(block) == [
        HPACKField(":status", "200"), HPACKField("Upper", "a"), HPACKField("secret", long, isNeverIndexed: true),
        HPACKField("Upper", "a"), HPACKField(":status", "200"),
      ])
    #expect(
      try read(HPACKLiterals.tableSize(100) + HPACKLiterals.fields([HeaderLine("a", "")])) == [HPACKField("a", "")])
    #expect(try read(HPACKLiterals.tableSize(4096)).isEmpty)
    let bomb = HPACKLiterals.bomb(valueBytes: 1000, references: 100)
    #expect(bomb.count < 1200)
    #expect(try read(bomb).count == 101)
    #expect(HPACKLiterals.integer(1337, bits: 5) == [31, 154, 10])
    #expect(HPACKLiterals.integer(127, bits: 7) == [127, 0])
  }
}
