extension HTTP2Attacks {
  // MARK: Messages

  /// Responses that are malformed (RFC 9113 §8): each costs its stream.
  public static let messages: [HTTP2Attack] = fieldNames + pseudoFields + lengths + order

  /// A whole response with these fields behind `:status`.
  private static func field(_ name: String, _ fields: [HeaderLine]) -> HTTP2Attack {
    malformed(name) { [head($0, fields), .data($0, Array(alive.utf8), endStream: true)] }
  }

  /// A whole response with this head.
  private static func block(_ name: String, _ fields: [HeaderLine]) -> HTTP2Attack {
    malformed(name) {
      [.headers($0, HPACKLiterals.fields(fields)), .data($0, Array(alive.utf8), endStream: true)]
    }
  }

  private static func malformed(
    _ name: String, _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) -> HTTP2Attack { .frames(name, [.streamError], [.protocolError], frames) }

  private static let fieldNames: [HTTP2Attack] = [
    field("an upper-case field name", [HeaderLine("X-Upper", "a")]),
    field("an empty field name", [HeaderLine("", "a")]),
    field("a field name with a space", [HeaderLine("x a", "a")]),
    field("a field name with a colon", [HeaderLine("x:a", "a")]),
    field("a field name with a line end", [HeaderLine("x\r\ny", "a")]),
    field("a field value with a line end", [HeaderLine("x-value", "a\r\nset-cookie: b")]),
    field("a field value with a zero byte", [HeaderLine("x-value", "a\u{0}b")]),
    field("Connection", [HeaderLine("connection", "close")]),
    field("Keep-Alive", [HeaderLine("keep-alive", "timeout=5")]),
    field("Proxy-Connection", [HeaderLine("proxy-connection", "close")]),
    field("Transfer-Encoding", [HeaderLine("transfer-encoding", "chunked")]),
    field("Upgrade", [HeaderLine("upgrade", "h2c")]),
  ]

  private static let pseudoFields: [HTTP2Attack] = [
    block("no :status", [HeaderLine("x-a", "b")]),
    .frames("an empty head", [.streamError, .connectionError], [.protocolError]) {
      [.headers($0, []), .data($0, Array(alive.utf8), endStream: true)]
    },
    block("two :status", [HeaderLine(":status", "200"), HeaderLine(":status", "200")]),
    block(":status behind a field", [HeaderLine("x-a", "b"), HeaderLine(":status", "200")]),
    block(":status that is no number", [HeaderLine(":status", "ok")]),
    block(":status with two digits", [HeaderLine(":status", "20")]),
    block(":status with four digits", [HeaderLine(":status", "2000")]),
    block(":status with a sign", [HeaderLine(":status", "+20")]),
    block("an unknown pseudo-field", [HeaderLine(":status", "200"), HeaderLine(":version", "2")]),
    block("a request's pseudo-field", [HeaderLine(":status", "200"), HeaderLine(":path", "/")]),
    block("101 Switching Protocols", [HeaderLine(":status", "101")]),
    malformed("a pseudo-field in trailers") {
      [
        head($0), .data($0, Array(alive.utf8)),
        .headers($0, HPACKLiterals.field(":status", "200"), endStream: true),
      ]
    },
    malformed("an upper-case name in trailers") {
      [head($0), .data($0, Array(alive.utf8)), .headers($0, HPACKLiterals.field("X-T", "1"), endStream: true)]
    },
  ]

  private static let lengths: [HTTP2Attack] = [
    malformed("fewer bytes than Content-Length") {
      [head($0, [HeaderLine("content-length", "6")]), .data($0, Array(alive.utf8), endStream: true)]
    },
    malformed("more bytes than Content-Length") {
      [head($0, [HeaderLine("content-length", "4")]), .data($0, Array(alive.utf8), endStream: true)]
    },
    malformed("no body although Content-Length says one") {
      [head($0, [HeaderLine("content-length", "5")], endStream: true)]
    },
    field("two Content-Length that differ", [HeaderLine("content-length", "5"), HeaderLine("content-length", "6")]),
    // RFC 9110 §8.6 allows both.
    .frames("two Content-Length that agree", [.success, .streamError], [.protocolError]) {
      let length = HeaderLine("content-length", "5")
      return [head($0, [length, length]), .data($0, Array(alive.utf8), endStream: true)]
    },
    field("a Content-Length that is no number", [HeaderLine("content-length", "five")]),
    field("a negative Content-Length", [HeaderLine("content-length", "-5")]),
    field("a Content-Length beyond 64 bits", [HeaderLine("content-length", "99999999999999999999")]),
  ]

  private static let order: [HTTP2Attack] = [
    .frames("DATA before HEADERS", [.streamError, .connectionError], [.protocolError, .streamClosed]) {
      [.data($0, [0]), head($0), .data($0, Array(alive.utf8), endStream: true)]
    },
    malformed("two final heads") { [head($0), head($0), .data($0, Array(alive.utf8), endStream: true)] },
    malformed("an interim head behind the final head") {
      [head($0), .headers($0, HPACKLiterals.status(103)), .data($0, Array(alive.utf8), endStream: true)]
    },
    malformed("an interim head that ends the stream") { [.headers($0, HPACKLiterals.status(103), endStream: true)] },
    malformed("DATA behind an interim head") {
      [.headers($0, HPACKLiterals.status(103)), .data($0, Array(alive.utf8), endStream: true)]
    },
    malformed("trailers that do not end the stream") {
      [
        head($0), .data($0, Array(alive.utf8)), .headers($0, HPACKLiterals.field("x-t", "1")),
        .data($0, endStream: true),
      ]
    },
  ]

  // MARK: Legal

  /// What is odd but legal, so that the request must succeed.
  public static let legal: [HTTP2Attack] = [
    legal("frames of unknown types") { [.unknown(), .unknown(0xfe, stream: $0, payload: [1, 2, 3])] },
    legal("unknown settings") { _ in [.settings([HTTP2Frame.Setting(id: 0xfafa, value: 7)])] },
    legal("unknown flags") { _ in
      [HTTP2Frame(.ping, flags: [HTTP2Frame.Flags(rawValue: 0xF0)], payload: [0, 0, 0, 0, 0, 0, 0, 0])]
    },
    legal("PRIORITY on streams of all kinds") { [.priority($0), .priority($0 + 10), .priority(2)] },
    legal("settings again and again, a few times") { _ in
      [.settings([.initialWindowSize(0)]), .settings([.initialWindowSize(1 << 20), .headerTableSize(0)])]
        + [.settings([.headerTableSize(4096), .maxFrameSize(1 << 20), .maxHeaderListSize(1 << 16)])]
    },
    legal("windows as large as they may be") { [.windowUpdate(0, 0x7FFF_0000), .windowUpdate($0, 0x7FFF_0000)] },
    legal("PING") { _ in [.ping(1), .ping(2), .ping(0xFFFF_FFFF_FFFF_FFFF)] },
    legal("interim heads") {
      [
        .headers($0, HPACKLiterals.status(100)),
        .headers($0, HPACKLiterals.status(103) + HPACKLiterals.field("a", "b")),
      ]
    },
    legalAnswer("padded frames") {
      [
        .headers($0, HPACKLiterals.status(200), padding: 255), .data($0, padding: 255),
        .data($0, Array(alive.utf8), padding: 0), .data($0, endStream: true, padding: 7),
      ]
    },
    legalAnswer("a head in pieces") { stream in
      let block = HPACKLiterals.status(200) + HPACKLiterals.field("x-a", "b")
      return [
        .headers(stream, [], endHeaders: false), .continuation(stream, Array(block.prefix(3)), endHeaders: false),
        .continuation(stream, Array(block.dropFirst(3))), .data(stream, Array(alive.utf8), endStream: true),
      ]
    },
    legalAnswer("HEADERS with a priority") { stream in
      let head = HTTP2Frame(
        .headers, flags: [.priority, .endHeaders], stream: stream,
        payload: [0, 0, 0, 0, 9] + HPACKLiterals.status(200))
      return [head, .data(stream, Array(alive.utf8), endStream: true)]
    },
    legalAnswer("a body byte by byte, with empty frames") { stream in
      [head(stream)] + alive.utf8.flatMap { [.data(stream, [$0]), .data(stream)] } + [.data(stream, endStream: true)]
    },
    legalAnswer("trailers") { stream in
      [
        head(stream), .data(stream, Array(alive.utf8)),
        .headers(stream, HPACKLiterals.field("x-t", "1"), endStream: true),
      ]
    },
    legalAnswer("RST_STREAM with NO_ERROR behind the answer") { stream in
      [head(stream), .data(stream, Array(alive.utf8), endStream: true), .rstStream(stream, .noError)]
    },
    .onRequest("GOAWAY, then the answer", [.success], []) { connection, stream in
      try connection.send(.goAway(lastStream: 0x7FFF_FFFF), .goAway(lastStream: stream))
      try connection.respond(stream, .text(alive))
    },
    .onRequest("the answer byte by byte", [.success], []) { connection, stream in
      let frames = [head(stream), .data(stream, Array(alive.utf8), endStream: true)]
      try connection.sendPieces(frames.flatMap(\.encoded).map { [$0] })
    },
    .onRequest("the reserved bit", [.success], []) { connection, stream in
      let frames = [head(stream | 1 << 31), .data(stream | 1 << 31, Array(alive.utf8), endStream: true)]
      try connection.sendRaw(frames.flatMap(\.encoded))
    },
  ]

  private static func legal(
    _ name: String, _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) -> HTTP2Attack { .answered("legal: " + name, [.success], [], frames) }

  private static func legalAnswer(
    _ name: String, _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) -> HTTP2Attack { .frames("legal: " + name, [.success], [], frames) }
}
