import LinnetHTTP2
import LinnetTestSupport

/// The smallest HTTP/2 client: it sends what it is told and keeps no state but HPACK's.
final class RawHTTP2Client {
  let connection: RawClient
  private var decoder = HTTP2FrameDecoder()
  private var fields: FieldBlockDecoder

  init(_ server: HTTP2FrameServer) throws {
    connection = try RawClient(server)
    fields = try FieldBlockDecoder()
  }

  /// Sends the preface and SETTINGS, and the acknowledgement once the server's SETTINGS are there.
  static func connected(
    to server: HTTP2FrameServer, _ settings: [HTTP2Frame.Setting] = []
  ) throws -> RawHTTP2Client {
    let client = try RawHTTP2Client(server)
    try client.connection.send(HTTP2FrameConnection.preface + HTTP2Frame.settings(settings).encoded)
    _ = try client.read { $0.kind == .settings && !$0.isAck }
    try client.send(.settingsAck)
    return client
  }

  func send(_ frames: HTTP2Frame...) throws { try connection.send(frames.flatMap(\.encoded)) }

  static func head(_ more: [HeaderLine] = [], path: String = "/", method: String = "GET") -> [UInt8] {
    HPACKLiterals.fields(
      [
        HeaderLine(":method", method), HeaderLine(":scheme", "http"), HeaderLine(":authority", "test"),
        HeaderLine(":path", path),
      ] + more)
  }

  /// The next frame, or nil at the end.
  func read() throws -> HTTP2Frame? {
    while true {
      if let frame = decoder.next() { return frame }
      let bytes = try connection.receiveSome()
      if bytes.isEmpty { return nil }
      decoder.feed(bytes)
    }
  }

  /// The next frame that is wanted, or nil at the end.
  func read(where isWanted: (HTTP2Frame) -> Bool) throws -> HTTP2Frame? {
    while let frame = try read() {
      if isWanted(frame) { return frame }
    }
    return nil
  }

  /// All DATA of a stream up to its end.
  func readBody(of stream: UInt32) throws -> [UInt8] {
    var body: [UInt8] = []
    while let frame = try read(where: { $0.stream == stream }) {
      if frame.kind == .data { body += frame.content ?? [] }
      if frame.endsStream { break }
    }
    return body
  }

  /// The fields of the next head or trailers of a stream.
  func readFields(of stream: UInt32) throws -> [HeaderLine] {
    guard let frame = try read(where: { $0.kind == .headers && $0.stream == stream }) else { return [] }
    var decoded: [HPACKField] = []
    try fields.decode(frame.content ?? [], endsBlock: true, into: &decoded)
    return decoded.map {
      HeaderLine(String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
    }
  }
}
