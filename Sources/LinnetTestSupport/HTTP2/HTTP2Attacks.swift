/// Ready-made misbehaviour of servers at the level of frames, each with the outcomes that are right.
///
/// Every attack is a value, so one parameterised test plays all of them. To play one among ordinary requests, use its
/// ``HTTP2Attack/script``.
public enum HTTP2Attacks {
  /// All of them.
  public static let all = floods + framing + flowControl + messages + endings + notHTTP2 + legal

  static let alive = HTTP2Attack.aliveBody

  /// A head with this status that does not end the stream.
  static func head(_ stream: UInt32, _ more: [HeaderLine] = [], endStream: Bool = false) -> HTTP2Frame {
    .headers(stream, HPACKLiterals.fields([HeaderLine(":status", "200")] + more), endStream: endStream)
  }

  /// A block as HEADERS and CONTINUATION frames of 16 KiB.
  static func split(_ stream: UInt32, _ block: [UInt8], endStream: Bool) -> [HTTP2Frame] {
    let pieces = stride(from: 0, to: block.count, by: 16_384).map { Array(block[$0..<min($0 + 16_384, block.count)]) }
    return pieces.enumerated().map { index, piece in
      let isLast = index == pieces.count - 1
      return index == 0
        ? .headers(stream, piece, endStream: endStream, endHeaders: isLast)
        : .continuation(stream, piece, endHeaders: isLast)
    }
  }

  // MARK: Floods

  /// Too much of what moves nothing forward, and a little that becomes a lot.
  public static let floods: [HTTP2Attack] = [
    .flood("SETTINGS flood") { _, index in [.settings([.maxConcurrentStreams(UInt32(index & 1) + 100)])] },
    .flood("empty SETTINGS flood") { _, _ in [.settings()] },
    .flood("PING flood") { _, index in [.ping(UInt64(index))] },
    .flood("PING flood whose answers are not read", readsReplies: false) { _, index in [.ping(UInt64(index))] }
      .with(receiveBufferBytes: 4096),
    .flood("SETTINGS flood whose answers are not read", readsReplies: false) { _, _ in [.settings()] }
      .with(receiveBufferBytes: 4096),
    .flood("PING ACK flood") { _, index in [.ping(UInt64(index), ack: true)] },
    .flood("empty DATA flood", [.connectionError, .streamError], begin: { [head($0)] }) { stream, _ in
      [.data(stream)]
    },
    .flood("DATA flood of nothing but padding", [.connectionError, .streamError], begin: { [head($0)] }) { stream, _ in
      [.data(stream, padding: 0)]
    },
    .flood("WINDOW_UPDATE flood on the connection") { _, _ in [.windowUpdate(0, 1)] },
    .flood("WINDOW_UPDATE flood on a stream", [.connectionError, .streamError]) { stream, _ in
      [.windowUpdate(stream, 1)]
    },
    .flood("RST_STREAM flood", [.streamError, .connectionError]) { stream, _ in [.rstStream(stream, .cancel)] },
    .flood("GOAWAY flood") { stream, _ in [.goAway(lastStream: stream)] },
    .flood("PRIORITY flood") { stream, index in [.priority(stream, weight: UInt8(truncatingIfNeeded: index))] },
    .flood("flood of unknown frames") { _, _ in [.unknown()] },
    .flood("flood on a stream that is over", [.streamError, .connectionError], begin: { [.rstStream($0, .cancel)] }) {
      stream, _ in [.data(stream, [0])]
    },
    .flood(
      "flood of empty CONTINUATION", begin: { [.headers($0, HPACKLiterals.status(200), endHeaders: false)] }
    ) { stream, _ in [.continuation(stream, [], endHeaders: false)] },
    .flood(
      "flood of CONTINUATION with fields", count: 20_000,
      begin: { [.headers($0, HPACKLiterals.status(200), endHeaders: false)] }
    ) { stream, index in
      [.continuation(stream, HPACKLiterals.field("x-\(index)", "more and more"), endHeaders: false)]
    },
    .flood(
      "flood of CONTINUATION within one field", count: 20_000,
      begin: { [.headers($0, [0x00, 0x01, 0x78, 0x7F, 0xFF, 0xFF, 0xFF, 0x7F], endHeaders: false)] }
    ) { stream, _ in [.continuation(stream, [UInt8](repeating: 0x61, count: 1000), endHeaders: false)] },
    .flood("endless interim responses", [.streamError, .connectionError], count: 20_000) { stream, _ in
      [.headers(stream, HPACKLiterals.status(103))]
    },
    oversized("HPACK bomb in one frame", HPACKLiterals.bomb(valueBytes: 4000, references: 12_000)),
    oversized("HPACK bomb in many frames", HPACKLiterals.bomb(valueBytes: 4000, references: 200_000)),
    oversized("a field of one MiB", HPACKLiterals.field("x-large", String(repeating: "a", count: 1 << 20))),
    oversized(
      "a section of one MiB",
      (0..<64).flatMap { HPACKLiterals.field("x-\($0)", String(repeating: "a", count: 16_384)) }),
    oversized("fields without end", (0..<3000).flatMap { _ in HPACKLiterals.field("a", "b") }),
  ]

  /// A whole response whose head is too large to be kept.
  private static func oversized(_ name: String, _ fields: [UInt8]) -> HTTP2Attack {
    .frames(
      name, [.streamError, .connectionError],
      [.enhanceYourCalm, .protocolError, .cancel, .compressionError, .refusedStream, .internalError]
    ) {
      split($0, HPACKLiterals.status(200) + fields, endStream: false) + [.data($0, Array(alive.utf8), endStream: true)]
    }
  }

  // MARK: Endings

  /// Ways to end a stream or the connection before the response is complete.
  public static let endings: [HTTP2Attack] = [
    .frames("RST_STREAM instead of an answer", [.streamError], []) { [.rstStream($0, .internalError)] },
    .frames("RST_STREAM with a code that no RFC has", [.streamError], []) {
      [.rstStream($0, HTTP2Frame.ErrorCode(rawValue: 0xdead_beef))]
    },
    .frames("RST_STREAM with NO_ERROR before the head", [.streamError], []) { [.rstStream($0, .noError)] },
    .frames("RST_STREAM within the body", [.streamError], []) {
      [head($0, [HeaderLine("content-length", "10")]), .data($0, [1, 2, 3]), .rstStream($0, .cancel)]
    },
    .onRequest("GOAWAY with an error, and the end", [.connectionError], []) { connection, stream in
      try connection.send(.goAway(lastStream: stream, .enhanceYourCalm, debug: "too much"))
      try connection.halfClose()
      try connection.readUntilClosed()
    },
    .onRequest("the connection closed within the body", [.connectionError], []) { connection, stream in
      try connection.send(head(stream), .data(stream, [1, 2, 3]))
      try connection.halfClose()
      try connection.readUntilClosed()
    },
    .onRequest("the connection closed instead of an answer", [.connectionError], []) { connection, _ in
      try connection.halfClose()
      try connection.readUntilClosed()
    },
    .onRequest("the connection reset instead of an answer", [.connectionError], []) { connection, _ in
      try connection.reset()
    },
    .onRequest("the connection closed within a frame", [.connectionError], []) { connection, stream in
      try connection.sendRaw(Array(head(stream).encoded.dropLast(2)))
      try connection.halfClose()
      try connection.readUntilClosed()
    },
  ]

  // MARK: Not HTTP/2

  /// Servers that do not speak HTTP/2, or do not begin with SETTINGS.
  public static let notHTTP2: [HTTP2Attack] = [
    beginning("an HTTP/1.1 answer to the preface", Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".utf8)),
    beginning("garbage", (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }),
    beginning("zeros", [UInt8](repeating: 0, count: 1000)),
    beginning("PING before SETTINGS", HTTP2Frame.ping(1).encoded + HTTP2Frame.settings().encoded),
    beginning("an acknowledgement instead of SETTINGS", HTTP2Frame.settingsAck.encoded),
    beginning("GOAWAY before SETTINGS", HTTP2Frame.goAway(lastStream: 0, .inadequateSecurity).encoded),
    HTTP2Attack("the connection closed after the preface", [.connectionError]) { connection in
      try connection.readPreface()
      try connection.halfClose()
      try connection.readUntilClosed()
    },
    HTTP2Attack("silence after the preface", [.connectionError]) { connection in
      connection.acknowledges = false
      try connection.readPreface()
      try connection.readUntilClosed()
    }.with(hangs: true),
    HTTP2Attack("silence after SETTINGS", [.connectionError, .streamError], [.cancel, .noError]) { connection in
      try connection.handshake()
      connection.acknowledges = false
      try connection.readUntilClosed()
    }.with(hangs: true),
  ]

  private static func beginning(_ name: String, _ bytes: [UInt8]) -> HTTP2Attack {
    HTTP2Attack(name, [.connectionError], [.protocolError, .frameSizeError]) { connection in
      try connection.readPreface()
      try connection.sendRaw(bytes)
      try connection.readUntilClosed()
    }
  }
}
