/// A correct answer of an ``HTTP2FrameServer``.
public struct HTTP2FrameResponse: Sendable {
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
  /// Set, the final head is sent once the gate is open. Other streams go on meanwhile.
  public var gate: Gate?
  /// Set, the body is sent once the gate is open.
  public var bodyGate: Gate?
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

  /// The same, held back until the gate is open; other streams go on meanwhile.
  public func waiting(for gate: Gate) -> HTTP2FrameResponse {
    var copy = self
    copy.gate = gate
    return copy
  }

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
    var hasHead = false
    var offset: UInt64 = 0

    /// The gate that it waits for.
    var closedGate: Gate? {
      guard let gate = hasHead ? response.bodyGate : response.gate, !gate.isOpen else { return nil }
      return gate
    }
  }

  /// Sends a whole answer, within the client's windows: reads frames while it has to wait. Ends early when the client
  /// resets the stream.
  public func respond(_ stream: UInt32, _ response: HTTP2FrameResponse) throws(ConnectionEnd) {
    guard isOpen(stream) else { return }
    var sending = Sending(stream: stream, response: response)
    try sendInterim(of: sending)
    while try !advance(&sending) {
      // A gate is closed, or nothing more fits into the windows: wait for a WINDOW_UPDATE.
      try readFrames(orWaitForOneOf: sending.closedGate.map { [$0] } ?? [])
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
        open.append(Sending(stream: request.stream, response: respond(request)))
        try sendInterim(of: open[open.count - 1])
      }
      var isBlocked = true
      var remaining: [Sending] = []
      for var sending in open {
        let before = (sending.hasHead, sending.offset)
        let isDone = try advance(&sending, once: true)
        if isDone { left -= 1 } else { remaining.append(sending) }
        if isDone || before != (sending.hasHead, sending.offset) { isBlocked = false }
      }
      open = remaining
      if left == 0 { return }
      if isBlocked {
        try readFrames(orWaitForOneOf: open.compactMap(\.closedGate))
      } else {
        try readAvailableFrames()
      }
    }
  }

  private func sendInterim(of sending: Sending) throws(ConnectionEnd) {
    for interim in sending.response.interim {
      try sendFields([HeaderLine(":status", String(interim.status))] + interim.fields, on: sending.stream)
    }
  }

  private func sendHead(of response: HTTP2FrameResponse, on stream: UInt32) throws(ConnectionEnd) {
    let endStream = response.body.count == 0 && response.trailers.isEmpty && response.reset == nil
    let fields = [HeaderLine(":status", String(response.status))] + response.fields
    try sendFields(fields, on: stream, endStream: endStream)
  }

  /// Sends what the gates and windows allow.
  ///
  /// - Parameter once: At most one DATA frame.
  /// - Returns: Whether the answer is complete, or its stream over.
  private func advance(_ sending: inout Sending, once: Bool = false) throws(ConnectionEnd) -> Bool {
    let (id, response) = (sending.stream, sending.response)
    while let window = sendWindow(of: id) {
      guard sending.closedGate == nil else { return false }
      if !sending.hasHead {
        try sendHead(of: response, on: id)
        sending.hasHead = true
        continue
      }
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

  /// Sends DATA, in frames of at most the size that the client takes. With `ignoresWindows` all is sent at once, whether
  /// the client allows it or not; without, this waits.
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
