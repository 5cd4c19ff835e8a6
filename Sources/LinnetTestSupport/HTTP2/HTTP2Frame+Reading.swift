// What the payloads say, for the side that received them.

extension HTTP2Frame {
  /// Whether this ends the sender's side of the stream.
  public var endsStream: Bool { (kind == .data || kind == .headers) && flags.contains(.endStream) }

  /// Whether this is the ACK of SETTINGS or PING.
  public var isAck: Bool { (kind == .settings || kind == .ping) && flags.contains(.ack) }

  /// The code of RST_STREAM or GOAWAY; nil for other frames and short payloads.
  public var errorCode: ErrorCode? {
    switch kind {
    case .rstStream where payload.count >= 4: ErrorCode(rawValue: Self.number(payload.prefix(4)))
    case .goAway where payload.count >= 8: ErrorCode(rawValue: Self.number(payload[4..<8]))
    default: nil
    }
  }

  /// The last stream of GOAWAY; nil for other frames and short payloads.
  public var lastStream: UInt32? {
    kind == .goAway && payload.count >= 4 ? Self.number(payload.prefix(4)) & 0x7FFF_FFFF : nil
  }

  /// The additional data of GOAWAY as text; empty for other frames.
  public var debugText: String { kind == .goAway ? String(decoding: payload.dropFirst(8), as: UTF8.self) : "" }

  /// The parameters of SETTINGS; a last one that is not complete is left out.
  public var settings: [Setting] {
    guard kind == .settings else { return [] }
    return stride(from: 0, to: payload.count - 5, by: 6).map { start in
      Setting(
        id: UInt16(truncatingIfNeeded: Self.number(payload[start..<(start + 2)])),
        value: Self.number(payload[(start + 2)..<(start + 6)]))
    }
  }

  /// The increment of WINDOW_UPDATE; nil for other frames and short payloads.
  public var increment: UInt32? {
    kind == .windowUpdate && payload.count >= 4 ? Self.number(payload.prefix(4)) & 0x7FFF_FFFF : nil
  }

  /// The eight bytes of PING as a number; nil for other frames and wrong sizes.
  public var pingNumber: UInt64? {
    guard kind == .ping, payload.count == 8 else { return nil }
    return UInt64(Self.number(payload.prefix(4))) << 32 | UInt64(Self.number(payload.suffix(4)))
  }

  /// The bytes of DATA, or the part of a field block of HEADERS and CONTINUATION, without padding and priority; nil when
  /// the padding is longer than the frame.
  public var content: [UInt8]? {
    guard kind == .data || kind == .headers else { return kind == .continuation ? payload : nil }
    var rest = payload[...]
    if flags.contains(.padded) {
      guard let padding = rest.popFirst(), rest.count >= Int(padding) else { return nil }
      rest = rest.dropLast(Int(padding))
    }
    if kind == .headers && flags.contains(.priority) {
      guard rest.count >= 5 else { return nil }
      rest = rest.dropFirst(5)
    }
    return Array(rest)
  }
}

extension HTTP2Frame: CustomStringConvertible {
  /// One line, such as `HEADERS stream 1, END_STREAM END_HEADERS, 12 bytes`.
  public var description: String {
    var parts = ["\(kind)" + (stream == 0 ? "" : " stream \(stream)")]
    var names: [String] = []
    if isAck { names.append("ACK") }
    if endsStream { names.append("END_STREAM") }
    if flags.contains(.endHeaders) && (kind == .headers || kind == .continuation || kind == .pushPromise) {
      names.append("END_HEADERS")
    }
    if flags.contains(.padded) { names.append("PADDED") }
    if !names.isEmpty { parts.append(names.joined(separator: " ")) }
    if let errorCode { parts.append("\(errorCode)") }
    if let increment { parts.append("+\(increment)") }
    parts += settings.map { "\($0.id)=\($0.value)" }
    parts.append("\(payload.count) bytes")
    return parts.joined(separator: ", ")
  }
}

extension HTTP2Frame.Kind: CustomStringConvertible {
  private static let names = [
    "DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
    "CONTINUATION",
  ]

  /// The name of the RFC, or the number in hexadecimal.
  public var description: String {
    if rawValue == 0x10 { return "PRIORITY_UPDATE" }
    return Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "0x" + String(rawValue, radix: 16)
  }
}

extension HTTP2Frame.ErrorCode: CustomStringConvertible {
  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  /// The name of the RFC, or the number in hexadecimal.
  public var description: String {
    Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "0x" + String(rawValue, radix: 16)
  }
}

/// Cuts a stream of bytes into frames, however the bytes are divided.
public struct HTTP2FrameDecoder: Sendable {
  private var bytes: [UInt8] = []
  private var start = 0

  /// A decoder that has seen nothing. The connection preface is not its business.
  public init() {}

  /// Bytes that belong to no complete frame yet.
  public var bufferedCount: Int { bytes.count - start }

  /// Adds what came.
  public mutating func feed(_ more: some Collection<UInt8>) {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      start = 0
    } else if start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// The next frame, or nil when its bytes are not all there. The reserved bit of the stream number is dropped.
  public mutating func next() -> HTTP2Frame? {
    guard bufferedCount >= 9 else { return nil }
    let length = Int(HTTP2Frame.number(bytes[start..<(start + 3)]))
    guard bufferedCount >= 9 + length else { return nil }
    let frame = HTTP2Frame(
      HTTP2Frame.Kind(rawValue: bytes[start + 3]), flags: HTTP2Frame.Flags(rawValue: bytes[start + 4]),
      stream: HTTP2Frame.number(bytes[(start + 5)..<(start + 9)]) & 0x7FFF_FFFF,
      payload: Array(bytes[(start + 9)..<(start + 9 + length)]))
    start += 9 + length
    return frame
  }

  /// Takes the first `count` bytes that no frame used, when they are there: the connection preface.
  mutating func takeBytes(_ count: Int) -> [UInt8]? {
    guard bufferedCount >= count else { return nil }
    defer { start += count }
    return Array(bytes[start..<(start + count)])
  }

  /// The bytes that no frame used, without taking them.
  var buffered: ArraySlice<UInt8> { bytes[start...] }
}
