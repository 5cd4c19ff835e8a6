internal import LinnetBytes

extension ServerConnection {
  /// Sends a response and ends the connection if the response, the request or the framing says so.
  func send(
    _ response: ServerResponse, to request: RecordedRequest, bodyIsUnread: Bool
  ) throws(ConnectionEnd) {
    if let gate = response.gate { try stream.wait(for: gate) }
    if let effects = response.effects {
      try run(effects)
      // A body that neither the decision nor the effects have read would be taken for the next request.
      if bodyIsUnread && current?.request.isComplete == false { try end(.lingering) }
      return
    }
    for interim in response.interim {
      try stream.send(Self.headBytes(interim.status, nil, interim.headers))
      if let gate = interim.gate { try stream.wait(for: gate) }
    }
    var closing = response.closing
    if closing == .keepAlive && (bodyIsUnread || response.framing == .close || !Self.staysOpen(request)) {
      closing = .lingering
    }
    let mayHaveBody = request.method != "HEAD" && response.status >= 200 && ![204, 304].contains(response.status)
    var output = Self.headBytes(
      response.status, response.reason, Self.headers(of: response, closing: closing, request: request))
    if mayHaveBody {
      try send(response.body, chunked: response.framing == .chunked, trailers: response.trailers, after: &output)
    }
    if !output.isEmpty { try stream.send(output) }
    try end(closing)
  }

  private func end(_ closing: ServerResponse.Closing) throws(ConnectionEnd) {
    switch closing {
    case .keepAlive: return
    case .lingering:
      try stream.finishSending()
      // Closing with unread input would send a reset, which can destroy the response on its way (RFC 9112 §9.6).
      try stream.discardUntilClosed()
      throw ConnectionEnd(.serverClosed)
    case .abrupt: try endWithClose()
    case .reset: throw ConnectionEnd(.serverReset)
    }
  }

  private static func staysOpen(_ request: RecordedRequest) -> Bool {
    let options = request.headers.values(for: "Connection").flatMap { $0.split(separator: ",") }
      .map { String($0.filter { $0 != " " }).asciiLowercased }
    if options.contains("close") { return false }
    return request.minorVersion == 1 || options.contains("keep-alive")
  }

  private static func headers(
    of response: ServerResponse, closing: ServerResponse.Closing, request: RecordedRequest
  ) -> [HeaderLine] {
    var headers = response.headers
    switch response.framing {
    case .length:
      if response.status >= 200 && ![204, 304].contains(response.status) {
        headers.append(HeaderLine("Content-Length", String(response.body.count)))
      }
    case .announced(let length): headers.append(HeaderLine("Content-Length", String(length)))
    case .chunked: headers.append(HeaderLine("Transfer-Encoding", "chunked"))
    case .close, .manual: break
    }
    guard headers["Connection"] == nil else { return headers }
    if closing == .lingering {
      headers.append(HeaderLine("Connection", "close"))
    } else if request.minorVersion == 0 {
      headers.append(HeaderLine("Connection", "keep-alive"))
    }
    return headers
  }

  private static func headBytes(_ status: Int, _ reason: String?, _ headers: [HeaderLine]) -> [UInt8] {
    var bytes = Array("HTTP/1.1 \(status) \(reason ?? ServerResponse.usualReason(status))\r\n".utf8)
    for line in headers {
      bytes.append(contentsOf: line.name.utf8)
      bytes.append(contentsOf: ": ".utf8)
      bytes.append(contentsOf: line.value.utf8)
      bytes.append(contentsOf: "\r\n".utf8)
    }
    bytes.append(contentsOf: "\r\n".utf8)
    return bytes
  }

  // MARK: Body

  /// Appends the body to `output`, which holds the head; sends it whenever it gets large or the body waits.
  private func send(
    _ body: ServerBody, chunked: Bool, trailers: [HeaderLine], after output: inout [UInt8]
  ) throws(ConnectionEnd) {
    for part in body.parts {
      switch part {
      case .bytes(let bytes): try send(bytes[...], chunked: chunked, after: &output)
      case .pattern(let count): try send(count, of: TestPattern.block, chunked: chunked, after: &output)
      case .zeros(let count): try send(count, of: Self.zeroBlock, chunked: chunked, after: &output)
      case .wait(let gate):
        try flush(&output)
        try stream.wait(for: gate)
      case .pause(let duration):
        try flush(&output)
        try stream.pause(duration)
      case .effect(let effect):
        try flush(&output)
        try run([effect])
      case .resetStream:
        try flush(&output)
        throw ConnectionEnd(.serverReset)
      }
    }
    guard chunked else { return }
    output.append(contentsOf: "0\r\n".utf8)
    for line in trailers { output.append(contentsOf: "\(line.name): \(line.value)\r\n".utf8) }
    output.append(contentsOf: "\r\n".utf8)
  }

  private static let zeroBlock = [UInt8](repeating: 0, count: 64 << 10)

  /// Sends `count` bytes by repeating `block`.
  private func send(
    _ count: UInt64, of block: [UInt8], chunked: Bool, after output: inout [UInt8]
  ) throws(ConnectionEnd) {
    var left = count
    while left > 0 {
      let length = Int(min(left, UInt64(block.count)))
      try send(block[..<length], chunked: chunked, after: &output)
      left -= UInt64(length)
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>, chunked: Bool, after output: inout [UInt8]) throws(ConnectionEnd) {
    guard !bytes.isEmpty else { return }
    if chunked { output.append(contentsOf: "\(String(bytes.count, radix: 16))\r\n".utf8) }
    if output.count + bytes.count <= 16 << 10 {
      output.append(contentsOf: bytes)
    } else {
      try flush(&output)
      try stream.send(bytes)
    }
    if chunked { output.append(contentsOf: "\r\n".utf8) }
  }

  private func flush(_ output: inout [UInt8]) throws(ConnectionEnd) {
    guard !output.isEmpty else { return }
    try stream.send(output)
    output.removeAll(keepingCapacity: true)
  }
}
