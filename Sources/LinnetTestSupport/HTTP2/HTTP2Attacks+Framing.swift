extension HTTP2Attacks {
  // MARK: Frames

  /// Frames that are malformed, of a wrong size, on a wrong stream or in a wrong order (RFC 9113 §4 to §6).
  public static let framing: [HTTP2Attack] = sizes + places + settings + compression

  private static func connection(
    _ name: String, _ codes: Set<HTTP2Frame.ErrorCode>, _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) -> HTTP2Attack { .answered(name, [.connectionError], codes, frames) }

  /// Frames that an implementation may ignore as well as object to.
  private static func tolerable(
    _ name: String, _ codes: Set<HTTP2Frame.ErrorCode>, _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) -> HTTP2Attack { .answered(name, [.success, .streamError, .connectionError], codes, frames) }

  private static let sizes: [HTTP2Attack] = [
    .onRequest("DATA larger than MAX_FRAME_SIZE", [.streamError, .connectionError], [.frameSizeError]) {
      connection, stream in
      try connection.send(head(stream))
      let size = connection.clientMaximumFrame + 1
      try connection.send(.data(stream, [UInt8](repeating: 0, count: size), endStream: true))
    },
    .onRequest("HEADERS larger than MAX_FRAME_SIZE", [.connectionError], [.frameSizeError]) { connection, stream in
      let filler = String(repeating: "a", count: connection.clientMaximumFrame)
      try connection.send(head(stream, [HeaderLine("x", filler)], endStream: true))
    },
    .onRequest("a frame that claims 16 MiB", [.connectionError], [.frameSizeError]) { connection, stream in
      try connection.sendRaw(HTTP2Frame.data(stream).encoded(declaring: 0xFF_FFFF))
      try connection.sendRaw([UInt8](repeating: 0, count: 1 << 20))
    },
    connection("SETTINGS of five bytes", [.frameSizeError]) { _ in
      [HTTP2Frame(.settings, payload: [0, 3, 0, 0, 0])]
    },
    connection("an acknowledgement of SETTINGS with a payload", [.frameSizeError]) { _ in
      [HTTP2Frame(.settings, flags: .ack, payload: [0, 3, 0, 0, 0, 100])]
    },
    connection("PING of seven bytes", [.frameSizeError]) { _ in
      [HTTP2Frame(.ping, payload: [UInt8](repeating: 0, count: 7))]
    },
    connection("GOAWAY of four bytes", [.frameSizeError]) { _ in [HTTP2Frame(.goAway, payload: [0, 0, 0, 1])] },
    connection("WINDOW_UPDATE of three bytes", [.frameSizeError]) { _ in
      [HTTP2Frame(.windowUpdate, payload: [0, 0, 1])]
    },
    connection("RST_STREAM of five bytes", [.frameSizeError]) {
      [HTTP2Frame(.rstStream, stream: $0, payload: [0, 0, 0, 8, 0])]
    },
    .answered("PRIORITY of four bytes", [.streamError, .connectionError], [.frameSizeError]) {
      [HTTP2Frame(.priority, stream: $0, payload: [0, 0, 0, 0])]
    },
    connection("HEADERS with more padding than bytes", [.protocolError, .frameSizeError]) {
      [HTTP2Frame(.headers, flags: [.padded, .endHeaders], stream: $0, payload: [200, 0x88])]
    },
    connection("DATA with more padding than bytes", [.protocolError, .frameSizeError]) {
      [head($0), HTTP2Frame(.data, flags: .padded, stream: $0, payload: [5, 0, 0])]
    },
    connection("padded DATA without a padding length", [.protocolError, .frameSizeError]) {
      [head($0), HTTP2Frame(.data, flags: .padded, stream: $0)]
    },
  ]

  private static let places: [HTTP2Attack] = [
    connection("PUSH_PROMISE", [.protocolError]) { stream in
      [
        .pushPromise(
          stream, promised: 2,
          HPACKLiterals.fields([
            HeaderLine(":method", "GET"), HeaderLine(":scheme", "http"), HeaderLine(":authority", "a.test"),
            HeaderLine(":path", "/pushed"),
          ]))
      ]
    },
    connection("HEADERS on an even stream", [.protocolError]) { _ in [head(2)] },
    connection("HEADERS on a stream that nobody opened", [.protocolError, .streamClosed]) { [head($0 + 100)] },
    connection("DATA on a stream that nobody opened", [.protocolError, .streamClosed]) { [.data($0 + 100, [0])] },
    connection("RST_STREAM on a stream that nobody opened", [.protocolError]) { [.rstStream($0 + 100, .cancel)] },
    connection("WINDOW_UPDATE on a stream that nobody opened", [.protocolError]) { [.windowUpdate($0 + 100, 1)] },
    connection("HEADERS on stream 0", [.protocolError]) { _ in [head(0)] },
    connection("DATA on stream 0", [.protocolError]) { _ in [.data(0, [0])] },
    connection("RST_STREAM on stream 0", [.protocolError]) { _ in [.rstStream(0, .cancel)] },
    connection("CONTINUATION on stream 0", [.protocolError]) { _ in [.continuation(0, [])] },
    connection("SETTINGS on a stream", [.protocolError]) { [HTTP2Frame(.settings, stream: $0)] },
    connection("PING on a stream", [.protocolError]) {
      [HTTP2Frame(.ping, stream: $0, payload: [UInt8](repeating: 0, count: 8))]
    },
    connection("GOAWAY on a stream", [.protocolError]) {
      [HTTP2Frame(.goAway, stream: $0, payload: [UInt8](repeating: 0, count: 8))]
    },
    connection("CONTINUATION without HEADERS", [.protocolError]) { [.continuation($0, HPACKLiterals.status(200))] },
    connection("CONTINUATION behind END_HEADERS", [.protocolError]) {
      [.headers($0, HPACKLiterals.status(200)), .continuation($0, HPACKLiterals.field("a", "b"))]
    },
    connection("PING inside of a field block", [.protocolError]) {
      [.headers($0, HPACKLiterals.status(200), endHeaders: false), .ping(1), .continuation($0, [])]
    },
    connection("DATA inside of a field block", [.protocolError]) {
      [.headers($0, HPACKLiterals.status(200), endHeaders: false), .data($0, [0]), .continuation($0, [])]
    },
    connection("an unknown frame inside of a field block", [.protocolError]) {
      [.headers($0, HPACKLiterals.status(200), endHeaders: false), .unknown(), .continuation($0, [])]
    },
    connection("HEADERS of another stream inside of a field block", [.protocolError]) {
      [.headers($0, HPACKLiterals.status(200), endHeaders: false), head($0 + 2), .continuation($0, [])]
    },
    connection("CONTINUATION of another stream", [.protocolError]) {
      [.headers($0, HPACKLiterals.status(200), endHeaders: false), .continuation($0 + 2, [])]
    },
    tolerable("PRIORITY_UPDATE from a server", [.protocolError]) { [.priorityUpdate(prioritized: $0, "u=1")] },
    tolerable("an acknowledgement of SETTINGS that nobody sent", [.protocolError]) { _ in [.settingsAck] },
    tolerable("an answer to a PING that nobody sent", [.protocolError]) { _ in [.ping(99, ack: true)] },
    tolerable("a stream that depends on itself", [.protocolError]) { [.priority($0, dependsOn: $0)] },
    finished("DATA behind END_STREAM") { [.data($0, [1, 2, 3])] },
    finished("HEADERS behind END_STREAM") { [head($0, endStream: true)] },
    finished("RST_STREAM behind RST_STREAM") { [.rstStream($0, .noError), .rstStream($0, .cancel)] },
    finished("WINDOW_UPDATE behind END_STREAM") { [.windowUpdate($0, 1)] },
  ]

  /// A whole answer and, in the same packet, frames on the stream that is over now.
  private static func finished(
    _ name: String, _ frames: @escaping @Sendable (UInt32) -> [HTTP2Frame]
  ) -> HTTP2Attack {
    .frames(name, [.success, .connectionError], [.streamClosed, .protocolError]) { stream in
      [head(stream), .data(stream, Array(alive.utf8), endStream: true)] + frames(stream)
    }
  }

  private static let settings: [HTTP2Attack] = [
    connection("SETTINGS that enable push", [.protocolError]) { _ in [.settings([.enablePush(1)])] },
    connection("SETTINGS with an impossible ENABLE_PUSH", [.protocolError]) { _ in [.settings([.enablePush(2)])] },
    connection("SETTINGS with a window of 2^31", [.flowControlError]) { _ in
      [.settings([.initialWindowSize(1 << 31)])]
    },
    connection("SETTINGS with too small a MAX_FRAME_SIZE", [.protocolError]) { _ in
      [.settings([.maxFrameSize(16_383)])]
    },
    connection("SETTINGS with too large a MAX_FRAME_SIZE", [.protocolError]) { _ in
      [.settings([.maxFrameSize(1 << 24)])]
    },
    tolerable("SETTINGS with an impossible ENABLE_CONNECT_PROTOCOL", [.protocolError]) { _ in
      [.settings([.enableConnectProtocol(2)])]
    },
    tolerable("SETTINGS that take extended CONNECT back", [.protocolError]) { _ in
      [.settings([.enableConnectProtocol(1)]), .settings([.enableConnectProtocol(0)])]
    },
  ]

  private static let compression: [HTTP2Attack] = [
    connection("an index that no table has", [.compressionError]) { [.headers($0, [0xFF, 0xFF, 0x7F])] },
    connection("index 0", [.compressionError]) { [.headers($0, [0x80])] },
    connection("a field block that ends in a field", [.compressionError]) {
      [.headers($0, HPACKLiterals.status(200) + [0x00, 0x05, 0x61])]
    },
    connection("a table larger than allowed", [.compressionError]) {
      [.headers($0, HPACKLiterals.tableSize(1 << 20) + HPACKLiterals.status(200))]
    },
    connection("a change of the table behind a field", [.compressionError]) {
      [.headers($0, HPACKLiterals.status(200) + HPACKLiterals.tableSize(0))]
    },
    connection("an integer without end", [.compressionError]) {
      [.headers($0, [UInt8](repeating: 0xFF, count: 100))]
    },
    connection("Huffman code that is cut", [.compressionError]) {
      [.headers($0, HPACKLiterals.status(200) + [0x00, 0x81, 0x18, 0x01, 0x61])]
    },
  ]

  // MARK: Windows

  /// Windows that are exceeded, overflow or do not move (RFC 9113 §6.9).
  public static let flowControl: [HTTP2Attack] = [
    connection("WINDOW_UPDATE of the connection beyond 2^31 - 1", [.flowControlError]) { _ in
      [.windowUpdate(0, 0x7FFF_FFFF), .windowUpdate(0, 0x7FFF_FFFF)]
    },
    .answered("WINDOW_UPDATE of a stream beyond 2^31 - 1", [.streamError, .connectionError], [.flowControlError]) {
      [.windowUpdate($0, 0x7FFF_FFFF), .windowUpdate($0, 0x7FFF_FFFF)]
    },
    // RFC 9113 §6.9.2 wants the connection to end; nghttp2 ends the stream.
    .answered(
      "SETTINGS that let a stream's window overflow", [.streamError, .connectionError], [.flowControlError]
    ) {
      [.windowUpdate($0, 0x7FFF_FFFF - 65_535), .settings([.initialWindowSize(0x7FFF_FFFF)])]
    },
    connection("WINDOW_UPDATE of the connection with 0", [.protocolError]) { _ in [.windowUpdate(0, 0)] },
    .answered("WINDOW_UPDATE of a stream with 0", [.streamError, .connectionError], [.protocolError]) {
      [.windowUpdate($0, 0)]
    },
    .onRequest("DATA beyond the stream's window", [.streamError, .connectionError], [.flowControlError]) {
      connection, stream in
      try connection.send(head(stream))
      let window = connection.sendWindow(of: stream) ?? 0
      let bytes = [UInt8](repeating: 0, count: max(0, window) + 1)
      try connection.sendData(bytes, on: stream, endStream: true, ignoresWindows: true)
    }.with(needsUnreadBody: true),
  ]
}
