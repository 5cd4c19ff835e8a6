/// One HTTP/2 frame as it is on the wire (RFC 9113 §4.1): nothing about it is checked, so it can be as wrong as a test
/// wants.
///
/// ```swift
/// try connection.send(.settings([.maxConcurrentStreams(1)]), .ping(7), .rstStream(1, .cancel))
/// ```
public struct HTTP2Frame: Sendable, Hashable {
  /// The type of a frame (RFC 9113 §6); unknown ones are possible.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The type's number.
    public let rawValue: UInt8

    /// A type by its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// DATA.
    public static let data = Kind(rawValue: 0x0)
    /// HEADERS.
    public static let headers = Kind(rawValue: 0x1)
    /// PRIORITY.
    public static let priority = Kind(rawValue: 0x2)
    /// RST_STREAM.
    public static let rstStream = Kind(rawValue: 0x3)
    /// SETTINGS.
    public static let settings = Kind(rawValue: 0x4)
    /// PUSH_PROMISE.
    public static let pushPromise = Kind(rawValue: 0x5)
    /// PING.
    public static let ping = Kind(rawValue: 0x6)
    /// GOAWAY.
    public static let goAway = Kind(rawValue: 0x7)
    /// WINDOW_UPDATE.
    public static let windowUpdate = Kind(rawValue: 0x8)
    /// CONTINUATION.
    public static let continuation = Kind(rawValue: 0x9)
    /// PRIORITY_UPDATE (RFC 9218 §7.1).
    public static let priorityUpdate = Kind(rawValue: 0x10)
  }

  /// The flags of a frame; a bit's meaning depends on the type.
  public struct Flags: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Flags by their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// ACK of SETTINGS and PING.
    public static let ack = Flags(rawValue: 0x1)
    /// END_STREAM of DATA and HEADERS.
    public static let endStream = Flags(rawValue: 0x1)
    /// END_HEADERS of HEADERS, PUSH_PROMISE and CONTINUATION.
    public static let endHeaders = Flags(rawValue: 0x4)
    /// PADDED of DATA, HEADERS and PUSH_PROMISE.
    public static let padded = Flags(rawValue: 0x8)
    /// PRIORITY of HEADERS.
    public static let priority = Flags(rawValue: 0x20)
  }

  /// An error code of RST_STREAM and GOAWAY (RFC 9113 §7).
  public struct ErrorCode: RawRepresentable, Sendable, Hashable {
    /// The code.
    public let rawValue: UInt32

    /// A code by its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// NO_ERROR.
    public static let noError = ErrorCode(rawValue: 0x0)
    /// PROTOCOL_ERROR.
    public static let protocolError = ErrorCode(rawValue: 0x1)
    /// INTERNAL_ERROR.
    public static let internalError = ErrorCode(rawValue: 0x2)
    /// FLOW_CONTROL_ERROR.
    public static let flowControlError = ErrorCode(rawValue: 0x3)
    /// SETTINGS_TIMEOUT.
    public static let settingsTimeout = ErrorCode(rawValue: 0x4)
    /// STREAM_CLOSED.
    public static let streamClosed = ErrorCode(rawValue: 0x5)
    /// FRAME_SIZE_ERROR.
    public static let frameSizeError = ErrorCode(rawValue: 0x6)
    /// REFUSED_STREAM.
    public static let refusedStream = ErrorCode(rawValue: 0x7)
    /// CANCEL.
    public static let cancel = ErrorCode(rawValue: 0x8)
    /// COMPRESSION_ERROR.
    public static let compressionError = ErrorCode(rawValue: 0x9)
    /// CONNECT_ERROR.
    public static let connectError = ErrorCode(rawValue: 0xa)
    /// ENHANCE_YOUR_CALM.
    public static let enhanceYourCalm = ErrorCode(rawValue: 0xb)
    /// INADEQUATE_SECURITY.
    public static let inadequateSecurity = ErrorCode(rawValue: 0xc)
    /// HTTP_1_1_REQUIRED.
    public static let http11Required = ErrorCode(rawValue: 0xd)
  }

  /// One parameter of a SETTINGS frame (RFC 9113 §6.5.2).
  public struct Setting: Sendable, Hashable {
    /// The parameter's number.
    public var id: UInt16
    /// Its value.
    public var value: UInt32

    /// Any parameter with any value.
    public init(id: UInt16, value: UInt32) {
      self.id = id
      self.value = value
    }

    /// SETTINGS_HEADER_TABLE_SIZE in bytes.
    public static func headerTableSize(_ value: UInt32) -> Setting { Setting(id: 0x1, value: value) }
    /// SETTINGS_ENABLE_PUSH.
    public static func enablePush(_ value: UInt32) -> Setting { Setting(id: 0x2, value: value) }
    /// SETTINGS_MAX_CONCURRENT_STREAMS.
    public static func maxConcurrentStreams(_ value: UInt32) -> Setting { Setting(id: 0x3, value: value) }
    /// SETTINGS_INITIAL_WINDOW_SIZE in bytes.
    public static func initialWindowSize(_ value: UInt32) -> Setting { Setting(id: 0x4, value: value) }
    /// SETTINGS_MAX_FRAME_SIZE in bytes.
    public static func maxFrameSize(_ value: UInt32) -> Setting { Setting(id: 0x5, value: value) }
    /// SETTINGS_MAX_HEADER_LIST_SIZE in bytes.
    public static func maxHeaderListSize(_ value: UInt32) -> Setting { Setting(id: 0x6, value: value) }
    /// SETTINGS_ENABLE_CONNECT_PROTOCOL (RFC 8441 §3).
    public static func enableConnectProtocol(_ value: UInt32) -> Setting { Setting(id: 0x8, value: value) }
    /// SETTINGS_NO_RFC7540_PRIORITIES (RFC 9218 §2.1).
    public static func noRFC7540Priorities(_ value: UInt32) -> Setting { Setting(id: 0x9, value: value) }
  }

  /// The type.
  public var kind: Kind
  /// The flags.
  public var flags: Flags
  /// The stream's number; 0 is the connection. 31 bits; the reserved bit is sent when it is set.
  public var stream: UInt32
  /// What follows the nine bytes of the frame's head, padding included.
  public var payload: [UInt8]

  /// Any frame.
  public init(_ kind: Kind, flags: Flags = [], stream: UInt32 = 0, payload: [UInt8] = []) {
    self.kind = kind
    self.flags = flags
    self.stream = stream
    self.payload = payload
  }

  /// The nine bytes of the head, then the payload. A payload of more than 2^24 - 1 bytes gets a wrong length.
  public var encoded: [UInt8] { encoded(declaring: payload.count) }

  /// The frame with a length in its head that need not be true.
  public func encoded(declaring length: Int) -> [UInt8] {
    let bits = UInt32(truncatingIfNeeded: length)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(9 + payload.count)
    bytes.append(contentsOf: Self.bytes(bits).dropFirst())
    bytes.append(kind.rawValue)
    bytes.append(flags.rawValue)
    bytes += Self.bytes(stream)
    bytes += payload
    return bytes
  }

  static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  static func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}

// MARK: - Every type

extension HTTP2Frame {
  /// SETTINGS.
  public static func settings(_ settings: [Setting] = []) -> HTTP2Frame {
    HTTP2Frame(
      .settings,
      payload: settings.flatMap { setting in
        [UInt8(truncatingIfNeeded: setting.id >> 8), UInt8(truncatingIfNeeded: setting.id)] + bytes(setting.value)
      })
  }

  /// The acknowledgement of SETTINGS.
  public static let settingsAck = HTTP2Frame(.settings, flags: .ack)

  /// HEADERS with a part of a field block; `padding` bytes go with it, and nil, the default, sends no PADDED flag.
  public static func headers(
    _ stream: UInt32, _ block: [UInt8], endStream: Bool = false, endHeaders: Bool = true, padding: UInt8? = nil
  ) -> HTTP2Frame {
    padded(.headers, stream, block, padding, [endStream ? .endStream : [], endHeaders ? .endHeaders : []])
  }

  /// CONTINUATION with the next part of a field block.
  public static func continuation(_ stream: UInt32, _ block: [UInt8], endHeaders: Bool = true) -> HTTP2Frame {
    HTTP2Frame(.continuation, flags: endHeaders ? .endHeaders : [], stream: stream, payload: block)
  }

  /// DATA; `padding` bytes go with it, and nil, the default, sends no PADDED flag.
  public static func data(
    _ stream: UInt32, _ bytes: [UInt8] = [], endStream: Bool = false, padding: UInt8? = nil
  ) -> HTTP2Frame {
    padded(.data, stream, bytes, padding, endStream ? .endStream : [])
  }

  /// RST_STREAM.
  public static func rstStream(_ stream: UInt32, _ code: ErrorCode) -> HTTP2Frame {
    HTTP2Frame(.rstStream, stream: stream, payload: bytes(code.rawValue))
  }

  /// GOAWAY.
  ///
  /// - Parameters:
  ///   - lastStream: The highest stream that was or will be processed.
  ///   - code: Why.
  ///   - debug: Additional data for humans.
  public static func goAway(
    lastStream: UInt32, _ code: ErrorCode = .noError, debug: String = ""
  ) -> HTTP2Frame {
    HTTP2Frame(.goAway, payload: bytes(lastStream) + bytes(code.rawValue) + Array(debug.utf8))
  }

  /// PING with a number as its eight bytes.
  public static func ping(_ number: UInt64, ack: Bool = false) -> HTTP2Frame {
    let high = UInt32(truncatingIfNeeded: number >> 32)
    let payload = bytes(high) + bytes(UInt32(truncatingIfNeeded: number))
    return HTTP2Frame(.ping, flags: ack ? .ack : [], payload: payload)
  }

  /// WINDOW_UPDATE of a stream, or of the connection with 0.
  public static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> HTTP2Frame {
    HTTP2Frame(.windowUpdate, stream: stream, payload: bytes(increment))
  }

  /// PUSH_PROMISE.
  public static func pushPromise(
    _ stream: UInt32, promised: UInt32, _ block: [UInt8], endHeaders: Bool = true
  ) -> HTTP2Frame {
    HTTP2Frame(
      .pushPromise, flags: endHeaders ? .endHeaders : [], stream: stream, payload: bytes(promised) + block)
  }

  /// PRIORITY as RFC 7540 §6.3 had it.
  public static func priority(
    _ stream: UInt32, dependsOn parent: UInt32 = 0, isExclusive: Bool = false, weight: UInt8 = 15
  ) -> HTTP2Frame {
    HTTP2Frame(.priority, stream: stream, payload: bytes(isExclusive ? parent | 1 << 31 : parent) + [weight])
  }

  /// PRIORITY_UPDATE (RFC 9218 §7.1), such as `u=1, i`. Only clients may send it.
  public static func priorityUpdate(prioritized stream: UInt32, _ value: String) -> HTTP2Frame {
    HTTP2Frame(.priorityUpdate, payload: bytes(stream) + Array(value.utf8))
  }

  /// A frame of a type that no RFC defines, which must be ignored (RFC 9113 §5.5).
  public static func unknown(_ kind: UInt8 = 0xfa, stream: UInt32 = 0, payload: [UInt8] = []) -> HTTP2Frame {
    HTTP2Frame(Kind(rawValue: kind), stream: stream, payload: payload)
  }

  private static func padded(
    _ kind: Kind, _ stream: UInt32, _ content: [UInt8], _ padding: UInt8?, _ flags: Flags
  ) -> HTTP2Frame {
    guard let padding else { return HTTP2Frame(kind, flags: flags, stream: stream, payload: content) }
    let payload = [padding] + content + [UInt8](repeating: 0, count: Int(padding))
    return HTTP2Frame(kind, flags: flags.union(.padded), stream: stream, payload: payload)
  }
}
