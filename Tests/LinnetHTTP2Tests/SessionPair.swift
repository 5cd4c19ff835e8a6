import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes

/// A client and a server that are joined back to back, and what each of them has heard.
struct SessionPair: ~Copyable {
  var client: HTTP2Session
  var server: HTTP2Session
  var clientEvents: [HTTP2Event] = []
  var serverEvents: [HTTP2Event] = []
  /// Bytes that were sent in each direction and not looked at by a test.
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []
  /// How the bytes are cut.
  var cuts: Cuts
  var now = Instant(nanoseconds: 1_000_000_000)
  /// Body bytes that arrive are consumed at once.
  var consumes = true

  enum Cuts: Sendable {
    case whole
    case bytes
    case random(Int)
  }

  init(
    cuts: Cuts = .whole, client: (inout HTTP2SessionConfiguration) -> Void = { _ in },
    server: (inout HTTP2SessionConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = HTTP2SessionConfiguration()
    client(&configuration)
    let first = try HTTP2Session(configuration: configuration)
    configuration = HTTP2SessionConfiguration()
    configuration.role = .server
    server(&configuration)
    let second = try HTTP2Session(configuration: configuration)
    self.cuts = cuts
    self.client = first
    self.server = second
  }

  /// Sends everything that can be sent, in both directions, until nothing moves any more.
  mutating func exchange(limit: Int = 65_536) {
    var generator = SeededGenerator(seed: { if case .random(let seed) = $0 { seed } else { 1 } }(cuts))
    while true {
      let up = Self.drain(&client, limit)
      toServer += up
      for piece in pieces(of: up, &generator) {
        server.receive(piece.span)
        collectServer()
      }
      let down = Self.drain(&server, limit)
      toClient += down
      for piece in pieces(of: down, &generator) {
        client.receive(piece.span)
        collectClient()
      }
      collectClient()
      collectServer()
      if up.isEmpty && down.isEmpty { return }
    }
  }

  mutating func collectClient() {
    while let event = client.nextEvent(now: now) {
      clientEvents.append(event)
      if consumes, case .data(let id, let chunk) = event { client.consumed(chunk.count, on: id, isStarved: true) }
    }
  }

  mutating func collectServer() {
    while let event = server.nextEvent(now: now) {
      serverEvents.append(event)
      if consumes, case .data(let id, let chunk) = event { server.consumed(chunk.count, on: id, isStarved: true) }
    }
  }

  static func drain(_ session: inout HTTP2Session, _ limit: Int = 65_536) -> [UInt8] {
    var buffer = WriteBuffer()
    session.drain(into: &buffer, upTo: limit)
    return buffer.takeAll()
  }

  private func pieces(of bytes: [UInt8], _ generator: inout SeededGenerator) -> [[UInt8]] {
    switch cuts {
    case .whole: return bytes.isEmpty ? [] : [bytes]
    case .bytes: return bytes.map { [$0] }
    case .random:
      var pieces: [[UInt8]] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = min(rest.count, Int.random(in: 1...40, using: &generator))
        pieces.append(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      return pieces
    }
  }

  /// Starts a request of the client.
  mutating func request(
    _ method: HTTPMethod = .get, _ path: String = "/", headers: HTTPHeaders = HTTPHeaders(),
    bodyLength: UInt64? = nil, endsStream: Bool = true
  ) throws -> HTTP2StreamID {
    let head = HTTP2RequestHead(
      method: method, scheme: "https", authority: "example.test", path: path, headers: headers)
    return try client.submitRequest(head, bodyLength: bodyLength, endsStream: endsStream)
  }

  mutating func respond(
    _ id: HTTP2StreamID, _ status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]? = nil,
    trailers: HTTPHeaders? = nil
  ) throws {
    let head = ResponseHead(
      version: .http2, status: try #require(HTTPStatus(code: status)), reason: "", headers: headers)
    try server.submitResponse(head, on: id, endsStream: body == nil && trailers == nil)
    if body == nil && trailers == nil { return }
    if let body { try server.sendBody(ByteChunk(body), on: id) }
    try server.sendEnd(trailers: trailers, on: id)
  }
}

import LinnetTestRandom
import Testing

/// What happened, as text: neighbouring DATA of one stream is one, so that cuts make no difference.
func summary(_ events: [HTTP2Event]) -> [String] {
  var lines: [String] = []
  var data: (id: HTTP2StreamID, bytes: Int, sum: UInt64)?
  func flush() {
    if let data { lines.append("data \(data.id): \(data.bytes) bytes, sum \(data.sum)") }
    data = nil
  }
  for event in events {
    if case .data(let id, let chunk) = event {
      if data?.id != id { flush() }
      var current = data ?? (id, 0, 0)
      for byte in chunk { current.sum = current.sum &* 31 &+ UInt64(byte) }
      current.bytes += chunk.count
      data = current
      continue
    }
    flush()
    lines.append(line(event))
  }
  flush()
  return lines
}

private func line(_ event: HTTP2Event) -> String {
  switch event {
  case .settings(let settings): "settings \(settings.maximumConcurrentStreams)"
  case .interim(let id, let head): "interim \(id) \(head.status.code) \(text(head.headers))"
  case .head(let id, let head, let length):
    "head \(id) \(head.status.code) \(text(head.headers)) \(length.map(String.init) ?? "-")"
  case .request(let id, let head):
    "request \(id) \(head.method) \(head.scheme ?? "-") \(head.authority) \(head.path ?? "-") "
      + "\(head.connectProtocol ?? "-") \(text(head.headers))"
  case .data: ""
  case .end(let id, let trailers): "end \(id) \(trailers.map(text) ?? "-")"
  case .reset(let id, let error): "reset \(id) \(error.side) \(error.code) \(error.reason)"
  case .sendingStopped(let id, let code): "sendingStopped \(id) \(code)"
  case .closed(let id): "closed \(id)"
  case .writable(let id): "writable \(id)"
  case .goAway(let last, let code, let debug): "goAway \(last) \(code) \(String(debug))"
  case .pong(let payload): "pong \(payload)"
  case .connectionFailed(let error): "connectionFailed \(error.side) \(error.code) \(error.reason)"
  }
}

private func text(_ headers: HTTPHeaders) -> String {
  "[" + headers.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "]"
}
