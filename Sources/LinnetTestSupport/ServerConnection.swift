internal import LinnetBytes

/// One accepted connection: runs the script on the thread that was made for it.
final class ServerConnection {
  /// The request whose head was read last.
  struct Current {
    var request: RecordedRequest
    var framing: RequestFraming
    /// Where it is recorded; nil when it is not.
    var place: Int?
  }

  let number: Int
  let core: ServerCore
  let stream: ServerStream
  var reader = RequestReader()
  var current: Current?
  private var requestCount = 0

  init(number: Int, descriptor: CInt, core: ServerCore) throws(ConnectionEnd) {
    self.number = number
    self.core = core
    stream = try ServerStream(descriptor: descriptor, tls: core.tlsContext)
  }

  /// Runs a connection to its end; the caller closes the descriptor.
  static func run(number: Int, descriptor: CInt, core: ServerCore) -> ConnectionEnding {
    do throws(ConnectionEnd) {
      return try ServerConnection(number: number, descriptor: descriptor, core: core).run()
    } catch {
      return error.ending
    }
  }

  private func run() -> ConnectionEnding {
    let ending: ConnectionEnding
    do throws(ConnectionEnd) {
      try stream.handshake()
      if let tls = stream.recordedTLS { core.update(number) { $0.tls = tls } }
      switch core.script.behaviour(number) {
      case .steps(let effects):
        try run(effects)
        try endWithClose()
      case .handler(let onHead, let respond):
        if try speaksHTTP2() {
          try HTTP2ServerConnection(number: number, core: core, stream: stream, onHead: onHead, respond: respond)
            .run(first: reader.takeBuffered())
        } else {
          try serve(onHead: onHead, respond: respond)
        }
      case .custom(let run):
        try run(self)
        try endWithClose()
      }
      ending = .peerClosed
    } catch {
      ending = error.ending
    }
    core.update(number) { record in
      record.receivedBytes = stream.receivedBytes
      record.sentBytes = stream.sentBytes
      record.receivedCloseNotify = stream.receivedCloseNotify
    }
    return ending
  }

  /// Whether the client and the options agree on HTTP/2; in cleartext this waits for the client's first bytes.
  private func speaksHTTP2() throws(ConnectionEnd) -> Bool {
    if let tls = stream.recordedTLS { return tls.applicationProtocol == "h2" }
    guard core.options.acceptsHTTP2PriorKnowledge else { return false }
    return try reader.begins(with: HTTP2ServerConnection.preface, from: stream)
  }

  /// Ends the connection in order.
  func endWithClose() throws(ConnectionEnd) -> Never {
    try stream.sendCloseNotify()
    throw ConnectionEnd(.serverClosed)
  }

  // MARK: Requests

  /// Reads and records a head.
  ///
  /// - Returns: False when the client closed instead of sending one.
  func readHead() throws(ConnectionEnd) -> Bool {
    guard let head = try reader.readHead(from: stream) else { return false }
    requestCount += 1
    let request = RecordedRequest(
      method: head.method, targetBytes: head.target, minorVersion: head.minorVersion, headers: head.headers,
      headBytes: head.bytes, connection: number, indexOnConnection: requestCount,
      tls: stream.recordedTLS)
    current = Current(request: request, framing: head.framing, place: core.headReceived(request))
    return true
  }

  /// Reads the rest of the present request and records it.
  func readBody(pace: RequestReader.Pace? = nil) throws(ConnectionEnd) {
    guard var request = current?.request, let framing = current?.framing, !request.isComplete else { return }
    if framing != .none {
      var recorder = BodyRecorder(limit: core.options.keptBodyBytes)
      request.trailers = try reader.readBody(framing, from: stream, into: &recorder, pace: pace)
      request.body = recorder.finish()
    }
    finish(request)
  }

  private func finish(_ request: RecordedRequest) {
    var request = request
    request.isComplete = true
    current?.request = request
    core.requestReceived(request, place: current?.place, receivedBytes: stream.receivedBytes)
  }

  // MARK: Handler mode

  private func serve(
    onHead: (@Sendable (RecordedRequest) -> ServerScript.HeadDecision)?,
    respond: @Sendable (RecordedRequest) -> ServerResponse
  ) throws(ConnectionEnd) {
    do throws(ConnectionEnd) {
      while try readHead() {
        guard let current else { return }
        let decision = onHead?(current.request) ?? .readBody
        switch decision {
        case .respond(let response):
          try answerEarly(current, with: response)
          continue
        case .resetStream: throw ConnectionEnd(.serverReset)
        default: break
        }
        try sendContinue(for: current, decision)
        if case .readBodyAfter(let gate) = decision { try stream.wait(for: gate) }
        if case .readBodySlowly(let bytes, let every) = decision {
          try readBody(pace: (max(1, bytes), every))
        } else {
          try readBody()
        }
        guard let request = self.current?.request else { return }
        try send(respond(request), to: request, bodyIsUnread: false)
      }
    } catch {
      if case .violation(let text) = error.ending {
        try? stream.send(Array("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n\(text)".utf8))
      }
      throw error
    }
  }

  private func answerEarly(_ current: Current, with response: ServerResponse) throws(ConnectionEnd) {
    let hasBody = current.framing != .none && current.framing != .length(0)
    if !hasBody { try readBody() }
    try send(response, to: current.request, bodyIsUnread: hasBody)
  }

  /// `100 Continue` for a client that waits for it (RFC 9110 §10.1.1).
  private func sendContinue(
    for current: Current, _ decision: ServerScript.HeadDecision
  ) throws(ConnectionEnd) {
    let expectations = current.request.headers.values(for: "Expect")
    guard current.framing != .none, expectations.contains(where: { $0.asciiLowercased == "100-continue" }) else {
      return
    }
    switch decision {
    case .readBody, .readBodyAfter, .readBodySlowly: break
    case .continueAfter(let gate): try stream.wait(for: gate)
    case .readBodyWithoutContinue, .respond, .resetStream: return
    }
    try stream.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
  }
}
