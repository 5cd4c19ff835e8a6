internal import LinnetBytes
internal import LinnetHTTP2
internal import LinnetHTTPTypes

/// What is left to do for one response over HTTP/2, in steps that never wait by themselves.
struct HTTP2Answer {
  enum Step {
    case head(ResponseHead, endsStream: Bool)
    case bytes(ByteChunk)
    /// That many bytes by repeating the chunk.
    case repeated(ByteChunk, UInt64)
    case end(trailers: HTTPHeaders?)
    case wait(Gate)
    case pause(Duration)
    case stall
    case open(Gate)
    case resetStream(HTTP2ErrorCode)
    /// Tells the client after an early answer not to send the rest of its request.
    case stopRequest
    /// GOAWAY.
    case goAway
    /// Ends the connection.
    case close(ConnectionEnding, withCloseNotify: Bool)
    /// Closes, and waits for the client to do the same.
    case closeInOrder
    /// The script asks for something that HTTP/2 has not.
    case violation(String)

    /// Whether everything that was sent before must have left first.
    var needsFlush: Bool {
      switch self {
      case .open, .resetStream, .stopRequest, .close, .closeInOrder: true
      case .head, .bytes, .repeated, .end, .wait, .pause, .stall, .goAway, .violation: false
      }
    }
  }

  /// The next step is the last one here.
  private(set) var reversedSteps: [Step]

  private static let patternBlock = ByteChunk(TestPattern.block)
  private static let zeroBlock = ByteChunk([UInt8](repeating: 0, count: 64 << 10))

  /// - Parameter isEarly: The request's body is not read to its end, and the client is told so at the end.
  init(_ response: ServerResponse, to request: RecordedRequest, isEarly: Bool) {
    var steps: [Step] = []
    if let gate = response.gate { steps.append(.wait(gate)) }
    if let effects = response.effects {
      steps += effects.map(Self.step)
      steps.append(.violation("raw steps without a response cannot answer over HTTP/2"))
    } else {
      steps += Self.message(response, to: request)
      if isEarly { steps.append(.stopRequest) }
      switch response.closing {
      case .keepAlive, .lingering: break
      case .abrupt: steps.append(.close(.serverClosed, withCloseNotify: true))
      case .reset: steps.append(.close(.serverReset, withCloseNotify: false))
      }
    }
    reversedSteps = steps.reversed()
  }

  /// Nothing but a reset.
  init(resettingWith code: HTTP2ErrorCode) { reversedSteps = [.resetStream(code)] }

  var isDone: Bool { reversedSteps.isEmpty }

  var endsConnectionNext: Bool {
    if case .close = reversedSteps.last { true } else { false }
  }

  mutating func next() -> Step? { reversedSteps.popLast() }

  mutating func putBack(_ step: Step) { reversedSteps.append(step) }

  // MARK: Steps of a response

  private static func message(_ response: ServerResponse, to request: RecordedRequest) -> [Step] {
    var steps: [Step] = []
    for interim in response.interim {
      guard let head = head(interim.status, interim.headers) else { return [.violation("status \(interim.status)")] }
      steps.append(.head(head, endsStream: false))
      if let gate = interim.gate { steps.append(.wait(gate)) }
    }
    if response.closing == .lingering { steps.append(.goAway) }
    guard let head = head(response.status, headers(of: response)) else {
      return [.violation("status \(response.status)")]
    }
    let mayHaveBody = request.method != "HEAD" && response.status >= 200 && ![204, 304].contains(response.status)
    let trailers = response.framing == .chunked ? response.trailers : []
    let isEmpty = !mayHaveBody || (response.body.parts.isEmpty && trailers.isEmpty)
    steps.append(.head(head, endsStream: isEmpty))
    if isEmpty { return steps }
    steps += response.body.parts.map(step)
    steps.append(.end(trailers: trailers.isEmpty ? nil : fields(trailers)))
    return steps
  }

  private static func step(_ part: ServerBody.Part) -> Step {
    switch part {
    case .bytes(let bytes): .bytes(ByteChunk(bytes))
    case .pattern(let count): .repeated(patternBlock, count)
    case .zeros(let count): .repeated(zeroBlock, count)
    case .wait(let gate): .wait(gate)
    case .pause(let duration): .pause(duration)
    case .effect(let effect): step(effect)
    case .resetStream(let code): .resetStream(HTTP2ErrorCode(rawValue: code))
    }
  }

  private static func step(_ effect: SocketEffect) -> Step {
    switch effect {
    case .wait(let gate): .wait(gate)
    case .open(let gate): .open(gate)
    case .pause(let duration): .pause(duration)
    case .stall: .stall
    case .close: .closeInOrder
    case .closeWithoutCloseNotify: .close(.serverClosed, withCloseNotify: false)
    case .reset: .close(.serverReset, withCloseNotify: false)
    default: .violation("a raw step cannot be done over HTTP/2: \("\(effect)".prefix(60))")
    }
  }

  // MARK: Heads

  /// Fields that HTTP/2 does not have (RFC 9113 §8.2.2).
  private static let connectionSpecific: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
  ]

  private static func head(_ status: Int, _ lines: [HeaderLine]) -> ResponseHead? {
    HTTPStatus(code: status).map { ResponseHead(version: .http2, status: $0, headers: fields(lines)) }
  }

  private static func headers(of response: ServerResponse) -> [HeaderLine] {
    switch response.framing {
    case .length:
      guard response.status >= 200, ![204, 304].contains(response.status) else { return response.headers }
      return response.headers + [HeaderLine("content-length", String(response.body.count))]
    case .announced(let length): return response.headers + [HeaderLine("content-length", String(length))]
    case .chunked, .close, .manual: return response.headers
    }
  }

  private static func fields(_ lines: [HeaderLine]) -> HTTPHeaders {
    var fields = HTTPHeaders()
    for line in lines {
      let name = line.name.asciiLowercased
      if !connectionSpecific.contains(name) { fields.add(name, line.value) }
    }
    return fields
  }
}
