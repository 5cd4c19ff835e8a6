/// A correct answer of an ``HTTP2FrameServer``.
public struct HTTP2FrameResponse: Sendable, Hashable {
  /// What a body consists of.
  public enum Body: Sendable, Hashable {
    /// These bytes.
    case bytes([UInt8])
    /// That many bytes of ``TestPattern``, generated while they are sent.
    case pattern(UInt64)

    /// The number of bytes.
    public var count: UInt64 {
      switch self {
      case .bytes(let bytes): UInt64(bytes.count)
      case .pattern(let count): count
      }
    }

    func bytes(_ count: Int, from offset: UInt64) -> [UInt8] {
      switch self {
      case .bytes(let bytes): Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
      case .pattern: TestPattern.bytes(count, from: offset)
      }
    }
  }

  /// The status code.
  public var status: Int
  /// The fields behind `:status`, in order.
  public var fields: [HeaderLine]
  /// The body; empty by default.
  public var body = Body.bytes([])
  /// The trailer fields; none by default.
  public var trailers: [HeaderLine] = []
  /// Heads of interim responses that are sent before: status code and fields.
  public var interim: [Interim] = []
  /// The largest DATA frame in bytes; 16,384 by default.
  public var frameBytes = 16_384
  /// The padding of each DATA frame that the client's windows allow; none by default.
  public var padding: UInt8?
  /// Ends the stream early with RST_STREAM; nil, the default, sends the whole body.
  public var reset: Reset?

  /// The early end of an answer.
  public struct Reset: Sendable, Hashable {
    /// How many bytes of the body are sent before.
    public var offset: UInt64
    /// The code.
    public var code: HTTP2Frame.ErrorCode

    /// The early end of an answer.
    public init(at offset: UInt64, _ code: HTTP2Frame.ErrorCode) {
      self.offset = offset
      self.code = code
    }
  }

  /// A 1xx head.
  public struct Interim: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The fields behind `:status`.
    public var fields: [HeaderLine]

    /// A 1xx head.
    public init(_ status: Int, _ fields: [HeaderLine] = []) {
      self.status = status
      self.fields = fields
    }
  }

  /// An answer without a body.
  public init(_ status: Int, _ fields: [HeaderLine] = []) {
    self.status = status
    self.fields = fields
  }

  /// An answer with a body and its Content-Length.
  public init(_ status: Int, _ fields: [HeaderLine] = [], body: Body) {
    self.status = status
    self.fields = fields + [HeaderLine("content-length", String(body.count))]
    self.body = body
  }

  /// 200 with a text.
  public static func text(_ text: String, status: Int = 200) -> HTTP2FrameResponse {
    HTTP2FrameResponse(status, [HeaderLine("content-type", "text/plain")], body: .bytes(Array(text.utf8)))
  }

  /// 200 with that many bytes of ``TestPattern``.
  public static func pattern(_ count: UInt64) -> HTTP2FrameResponse { HTTP2FrameResponse(200, body: .pattern(count)) }

  /// Without Content-Length: the end of the stream is the end of the body.
  public func withoutLength() -> HTTP2FrameResponse {
    var copy = self
    copy.fields.removeAll { $0.name == "content-length" }
    return copy
  }
}

extension HTTP2FrameConnection {
  /// An answer that is on its way.
  private struct Sending {
    let stream: UInt32
    let response: HTTP2FrameResponse
    var offset: UInt64 = 0
  }

  /// Sends a whole answer, within the client's windows: reads frames while it has to wait. Ends early when the client
  /// resets the stream.
  public func respond(_ stream: UInt32, _ response: HTTP2FrameResponse) throws(ConnectionEnd) {
    try sendHeads(of: response, on: stream)
    var sending = Sending(stream: stream, response: response)
    while try !advance(&sending) {
      // Nothing more fits into the windows: wait for a WINDOW_UPDATE.
      try readFrame()
    }
  }

  /// Answers requests until the client closes, streams interleaved: each open answer sends one DATA frame in turn, within
  /// the windows.
  ///
  /// - Parameters:
  ///   - count: Return once that many answers were sent; nil, the default, ends with the connection only.
  ///   - respond: Makes the answer to a complete request.
  public func serve(
    count: Int? = nil, _ respond: (HTTP2FrameRequest) -> HTTP2FrameResponse
  ) throws(ConnectionEnd) {
    var open: [Sending] = []
    var left = count ?? .max
    while left > 0 {
      while open.count < left, let request = takeRequest() {
        let response = respond(request)
        try sendHeads(of: response, on: request.stream)
        open.append(Sending(stream: request.stream, response: response))
      }
      var isBlocked = true
      var remaining: [Sending] = []
      for var sending in open {
        let before = sending.offset
        if try advance(&sending, once: true) {
          left -= 1
          isBlocked = false
        } else {
          if sending.offset > before { isBlocked = false }
          remaining.append(sending)
        }
      }
      open = remaining
      if left == 0 { return }
      if isBlocked { try readFrame() } else { try readAvailableFrames() }
    }
  }

  private func sendHeads(of response: HTTP2FrameResponse, on stream: UInt32) throws(ConnectionEnd) {
    for interim in response.interim {
      try sendFields([HeaderLine(":status", String(interim.status))] + interim.fields, on: stream)
    }
    let endStream = response.body.count == 0 && response.trailers.isEmpty && response.reset == nil
    let fields = [HeaderLine(":status", String(response.status))] + response.fields
    try sendFields(fields, on: stream, endStream: endStream)
  }

  /// Sends what the windows allow.
  ///
  /// - Parameter once: At most one DATA frame.
  /// - Returns: Whether the answer is complete, or its stream over.
  private func advance(_ sending: inout Sending, once: Bool = false) throws(ConnectionEnd) -> Bool {
    let (id, response) = (sending.stream, sending.response)
    while let window = sendWindow(of: id) {
      if let reset = response.reset, sending.offset >= reset.offset {
        try send(.rstStream(id, reset.code))
        return true
      }
      let left = min(response.body.count, response.reset?.offset ?? .max) - sending.offset
      if left == 0 {
        // A stream whose END_STREAM went out with the head or the last DATA is done.
        if !response.trailers.isEmpty { try sendFields(response.trailers, on: id, endStream: true) }
        return true
      }
      let room = min(window, sendWindow, response.frameBytes, clientMaximumFrame)
      guard room > 0 else { return false }
      // The length of the padding, and the padding.
      let overhead = response.padding.map { Int($0) + 1 } ?? 0
      let isPadded = overhead > 0 && room > overhead
      let size = min(isPadded ? room - overhead : room, Int(clamping: left))
      let isLast = UInt64(size) == left && response.trailers.isEmpty && response.reset == nil
      let bytes = response.body.bytes(size, from: sending.offset)
      try send(.data(id, bytes, endStream: isLast, padding: isPadded ? response.padding : nil))
      sending.offset += UInt64(size)
      if isLast { return true }
      if once { return false }
      try readAvailableFrames()
    }
    return true
  }

  /// Sends DATA, in frames of at most the size that the client takes.
  ///
  /// - Parameter ignoresWindows: True sends all at once, whether the client allows it or not; false waits.
  public func sendData(
    _ bytes: [UInt8], on id: UInt32, endStream: Bool = false, ignoresWindows: Bool = false
  ) throws(ConnectionEnd) {
    var rest = bytes[...]
    while !rest.isEmpty {
      var size = min(rest.count, clientMaximumFrame)
      if !ignoresWindows {
        guard let window = sendWindow(of: id) else { return }
        size = min(size, window, sendWindow)
        guard size > 0 else {
          try readFrame()
          continue
        }
      }
      try send(.data(id, Array(rest.prefix(size)), endStream: endStream && size == rest.count))
      rest = rest.dropFirst(size)
    }
    if bytes.isEmpty && endStream { try send(.data(id, endStream: true)) }
  }
}
