import LinnetBytes
import LinnetHTTP2
import LinnetHTTPTypes
import LinnetTestSupport

/// A blocking HTTP/2 client in cleartext: the session of the engine, and nothing else of it.
final class SessionClient {
  /// What came on one stream.
  struct Answer {
    var interim: [Int] = []
    var status: Int?
    var headers = HTTPHeaders()
    var body: [UInt8] = []
    var trailers: HTTPHeaders?
    var isComplete = false
    /// The code of the server's RST_STREAM, before or after the end.
    var resetCode: HTTP2ErrorCode?

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private let socket: RawClient
  private var session: HTTP2Session
  private var time = Instant(nanoseconds: 0)
  private(set) var answers: [HTTP2StreamID: Answer] = [:]
  private(set) var peerSettings: HTTP2PeerSettings?
  private(set) var goAway: (last: HTTP2StreamID, code: HTTP2ErrorCode)?
  private(set) var hasEnded = false
  /// False: body bytes stay in the windows.
  var readsBodies = true

  init(_ server: ScriptedServer, windowBytes: Int = 256 << 10) throws {
    socket = try RawClient(server)
    var configuration = HTTP2SessionConfiguration()
    configuration.initialStreamWindowBytes = windowBytes
    session = try HTTP2Session(configuration: configuration)
  }

  // MARK: Sending

  /// Starts a request; with `body` nil it ends with its head.
  func start(
    _ path: String, method: HTTPMethod = .get, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]? = nil,
    endsBody: Bool = true, trailers: HTTPHeaders? = nil
  ) throws -> HTTP2StreamID {
    let head = HTTP2RequestHead(
      method: method, scheme: "http", authority: "server.test", path: path, headers: headers)
    let id = try session.submitRequest(head, bodyLength: nil, endsStream: body == nil)
    answers[id] = Answer()
    if let body {
      try session.sendBody(ByteChunk(body), on: id)
      if endsBody { try session.sendEnd(trailers: trailers, on: id) }
    }
    try flush()
    return id
  }

  func send(_ bytes: [UInt8], on id: HTTP2StreamID, ends: Bool) throws {
    try session.sendBody(ByteChunk(bytes), on: id)
    if ends { try session.sendEnd(trailers: nil, on: id) }
    try flush()
  }

  func reset(_ id: HTTP2StreamID, _ code: HTTP2ErrorCode) throws {
    session.reset(id, code)
    try flush()
  }

  func sendGoAway(_ code: HTTP2ErrorCode) throws {
    session.goAway(code)
    try flush()
  }

  func unsentBytes(on id: HTTP2StreamID) -> Int { session.unsentBytes(on: id) }

  func close() { socket.close() }

  private func flush() throws {
    while session.wantsToSend {
      var output = WriteBuffer()
      session.drain(into: &output, upTo: 1 << 20)
      if output.isEmpty { return }
      try socket.send(output.takeAll())
    }
  }

  // MARK: Receiving

  /// The answer on a stream, once it is complete or reset.
  func answer(on id: HTTP2StreamID) throws -> Answer {
    try receive { $0.answers[id]?.isComplete == true || $0.answers[id]?.resetCode != nil }
    return answers[id] ?? Answer()
  }

  func get(_ path: String, method: HTTPMethod = .get) throws -> Answer {
    try answer(on: try start(path, method: method))
  }

  /// Receives until something is there, or the server closed.
  func receive(until isThere: (SessionClient) -> Bool) throws {
    while !isThere(self) && !hasEnded {
      let bytes = try socket.receiveSome()
      if bytes.isEmpty {
        hasEnded = true
        return
      }
      session.receive(bytes.span)
      // A second for each receive: how often the server may do something is no matter here.
      time = time.advanced(by: .seconds(1))
      while let event = session.nextEvent(now: time) { handle(event) }
      // A server that has reset the connection takes nothing more.
      do { try flush() } catch { hasEnded = true }
    }
  }

  private func handle(_ event: HTTP2Event) {
    switch event {
    case .settings(let settings): peerSettings = settings
    case .interim(let id, let head): answers[id]?.interim.append(head.status.code)
    case .head(let id, let head, _):
      answers[id]?.status = head.status.code
      answers[id]?.headers = head.headers
    case .data(let id, let bytes):
      answers[id]?.body += bytes
      if readsBodies { session.consumed(bytes.count, on: id, isStarved: false) }
    case .end(let id, let trailers):
      answers[id]?.trailers = trailers
      answers[id]?.isComplete = true
    case .reset(let id, let error): answers[id]?.resetCode = error.code
    case .sendingStopped(let id, let code): answers[id]?.resetCode = code
    case .goAway(let last, let code, _): goAway = (last, code)
    case .connectionFailed: hasEnded = true
    case .request, .closed, .writable, .pong: break
    }
  }
}
