internal import LinnetBytes

/// The nine bytes in front of every frame (RFC 9113 §4.1).
///
/// The session reads them itself, although nghttp2 does so too: nghttp2 tells nothing about frames that it skips, and
/// those have to be counted.
struct FrameHeader: Hashable, Sendable {
  static let byteCount = 9

  var length: Int
  var type: UInt8
  var flags: UInt8
  var streamID: Int32

  /// Reads the header at the front of `bytes`; nil when there are fewer than nine.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= Self.byteCount else { return nil }
    length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
    type = bytes[3]
    flags = bytes[4]
    let high = UInt32(bytes[5] & 0x7F) << 24 | UInt32(bytes[6]) << 16
    streamID = Int32(bitPattern: high | UInt32(bytes[7]) << 8 | UInt32(bytes[8]))
  }

  // Types (RFC 9113 §6, RFC 9218 §7.1).
  static let data: UInt8 = 0x0
  static let headers: UInt8 = 0x1
  static let priority: UInt8 = 0x2
  static let resetStream: UInt8 = 0x3
  static let settings: UInt8 = 0x4
  static let pushPromise: UInt8 = 0x5
  static let ping: UInt8 = 0x6
  static let goAway: UInt8 = 0x7
  static let windowUpdate: UInt8 = 0x8
  static let continuation: UInt8 = 0x9
  static let priorityUpdate: UInt8 = 0x10

  var isAcknowledgement: Bool { flags & 0x1 != 0 }
  var endsStream: Bool { flags & 0x1 != 0 }
  var endsHeaders: Bool { flags & 0x4 != 0 }
}

/// A GOAWAY frame that is written without nghttp2, for when nghttp2 may not be used any more.
func appendGoAway(lastStream: Int32, code: HTTP2ErrorCode, to output: inout WriteBuffer) {
  output.append(bytes: [0, 0, 8, FrameHeader.goAway, 0, 0, 0, 0, 0])
  appendBigEndian(UInt32(bitPattern: lastStream) & 0x7FFF_FFFF, to: &output)
  appendBigEndian(code.rawValue, to: &output)
}

private func appendBigEndian(_ value: UInt32, to output: inout WriteBuffer) {
  for shift in [UInt32(24), 16, 8, 0] { output.append(byte: UInt8(truncatingIfNeeded: value >> shift)) }
}
