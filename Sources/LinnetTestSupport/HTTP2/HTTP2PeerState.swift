internal import LinnetHTTP2

/// One stream that is not closed.
final class HTTP2StreamState {
  var request: HTTP2FrameRequest
  /// Where the request is recorded; nil when it is not.
  var place: Int?
  var body: BodyRecorder
  /// What Content-Length says.
  let expectedLength: UInt64?
  /// What we may still send.
  var sendWindow: Int
  /// What the client has sent, and what we gave beyond the initial window.
  var received = 0
  var granted = 0
  var clientEnded = false
  var serverEnded = false
  /// The script has got the request.
  var isDelivered = false

  init(_ request: HTTP2FrameRequest, keptBodyBytes: Int, sendWindow: Int) {
    self.request = request
    self.sendWindow = sendWindow
    body = BodyRecorder(limit: keptBodyBytes)
    expectedLength = request.fields["content-length"].flatMap { UInt64($0) }
  }
}

/// What is known about both ends of a connection from the frames that went over it: follows every frame, records what the
/// client does, and notes each rule that it breaks. It never objects to what the server does.
final class HTTP2PeerState {
  /// Settings of the server that limit the client.
  private struct Limits {
    var initialWindow = 65_535
    var maximumStreams = Int.max
    var maximumFrame = 16_384
    var headerTable = 4096
  }

  let recorder: HTTP2Recorder
  private(set) var streams: [UInt32: HTTP2StreamState] = [:]
  /// Streams that are over: whether the client has ended its side, so that nothing may come any more.
  private var closed: [UInt32: Bool] = [:]
  private(set) var lastStream: UInt32 = 0
  private var headQueue: [UInt32] = []
  private var completeQueue: [UInt32] = []

  // What the client allows.
  private(set) var connectionSendWindow = 65_535
  private(set) var clientInitialWindow = 65_535
  private(set) var clientMaximumFrame = 16_384
  private(set) var clientHeaderTable: Int?

  // What we allow: as the client has acknowledged it, and after each SETTINGS that is under way.
  private var acknowledged = Limits()
  private var pending: [Limits] = []
  private var connectionGranted = 65_535
  private var connectionReceived = 0

  private var pings: [UInt64] = []
  private var decoder: FieldBlockDecoder
  private var isDecodable = true
  private var block: (stream: UInt32, bytes: [UInt8], endsStream: Bool)?
  private var hasSettings = false

  init(_ recorder: HTTP2Recorder) throws(ConnectionEnd) {
    self.recorder = recorder
    do throws(HTTP2Error) { decoder = try FieldBlockDecoder() } catch { throw ConnectionEnd(.failed(0)) }
  }

  private func limit(_ value: (Limits) -> Int) -> Int {
    pending.reduce(value(acknowledged)) { max($0, value($1)) }
  }

  private func violation(_ text: String) { recorder.violation(text) }

  // MARK: Requests

  /// The next request whose head has come and that nobody got yet.
  func takeHead() -> HTTP2FrameRequest? { take(from: &headQueue) }

  /// The next request that came to its end and that nobody got yet.
  func takeComplete() -> HTTP2FrameRequest? { take(from: &completeQueue) }

  private func take(from queue: inout [UInt32]) -> HTTP2FrameRequest? {
    while !queue.isEmpty {
      // One that is gone was reset or answered already.
      guard let stream = streams[queue.removeFirst()], !stream.isDelivered else { continue }
      stream.isDelivered = true
      return stream.request
    }
    return nil
  }

  // MARK: The client's frames

  func received(_ frame: HTTP2Frame) {
    recorder.received(frame)
    if !hasSettings {
      if frame.kind != .settings || frame.isAck { violation("\(frame.kind) before SETTINGS") }
      hasSettings = true
    }
    let maximum = limit { $0.maximumFrame }
    if frame.payload.count > maximum { violation("\(frame.kind) of \(frame.payload.count) bytes, above \(maximum)") }
    if let problem = HTTP2ClientChecks.frame(frame) { violation(problem) }
    if let block, frame.kind != .continuation || frame.stream != block.stream {
      violation("\(frame.kind) on stream \(frame.stream) inside of a field block of stream \(block.stream)")
    }
    switch frame.kind {
    case .data: receivedData(frame)
    case .headers:
      block = (frame.stream, frame.content ?? [], frame.endsStream)
      if frame.flags.contains(.endHeaders) { finishBlock() }
    case .continuation:
      guard block != nil else { return violation("CONTINUATION without HEADERS on stream \(frame.stream)") }
      block?.bytes += frame.payload
      if frame.flags.contains(.endHeaders) { finishBlock() }
    case .rstStream: receivedReset(frame)
    case .settings: receivedSettings(frame)
    case .ping where frame.isAck:
      guard let number = frame.pingNumber, let index = pings.firstIndex(of: number) else {
        return violation("an answer to no PING")
      }
      pings.remove(at: index)
    case .windowUpdate: receivedWindowUpdate(frame)
    default: break
    }
  }

  private func finishBlock() {
    guard let (id, bytes, endsStream) = block else { return }
    block = nil
    var decoded: [HPACKField] = []
    do throws(HTTP2Error) {
      try decoder.decode(bytes, endsBlock: true, into: &decoded)
    } catch {
      // One report: every block after it fails too.
      if isDecodable { violation("a field block of stream \(id) cannot be decoded") }
      isDecodable = false
      return
    }
    let fields = decoded.map {
      HeaderLine(String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
    }
    if let stream = streams[id] {
      receivedTrailers(fields, on: stream, endsStream: endsStream)
    } else if id <= lastStream {
      if closed[id] == nil {
        violation("stream \(id) opened after \(lastStream)")
      } else if closed[id] == true {
        violation("HEADERS on stream \(id), which is closed")
      }
    } else {
      let neverIndexed = decoded.filter(\.isNeverIndexed).map { String(decoding: $0.name, as: UTF8.self) }
      open(id, fields, neverIndexed: neverIndexed, endsStream: endsStream)
    }
  }

  private func open(_ id: UInt32, _ fields: [HeaderLine], neverIndexed: [String], endsStream: Bool) {
    if id % 2 == 0 { violation("a client's stream \(id) is even") }
    let maximum = limit { $0.maximumStreams }
    if streams.count >= maximum { violation("stream \(id) is one more than the \(maximum) that are allowed") }
    for problem in HTTP2ClientChecks.head(fields) { violation("\(problem) on stream \(id)") }
    lastStream = id
    let request = HTTP2FrameRequest(
      connection: recorder.number, stream: id, fields: fields, neverIndexed: neverIndexed)
    let stream = HTTP2StreamState(
      request, keptBodyBytes: recorder.options.socket.keptBodyBytes, sendWindow: clientInitialWindow)
    streams[id] = stream
    headQueue.append(id)
    stream.place = recorder.began(request)
    if endsStream { end(stream) }
  }

  private func receivedTrailers(_ fields: [HeaderLine], on stream: HTTP2StreamState, endsStream: Bool) {
    let id = stream.request.stream
    if stream.clientEnded { return violation("HEADERS after END_STREAM on stream \(id)") }
    if !endsStream { violation("trailers without END_STREAM on stream \(id)") }
    for problem in HTTP2ClientChecks.trailers(fields) { violation("\(problem) on stream \(id)") }
    stream.request.trailers = fields
    if endsStream { end(stream) }
  }

  private func receivedData(_ frame: HTTP2Frame) {
    let id = frame.stream
    connectionReceived += frame.payload.count
    if connectionReceived > connectionGranted && !frame.payload.isEmpty {
      violation("DATA beyond the connection's window by \(connectionReceived - connectionGranted) bytes")
    }
    guard let stream = streams[id] else {
      if id > lastStream || closed[id] != false { violation("DATA on stream \(id), which is closed or idle") }
      return
    }
    if stream.clientEnded { return violation("DATA after END_STREAM on stream \(id)") }
    stream.received += frame.payload.count
    let allowed = limit { $0.initialWindow } + stream.granted
    if stream.received > allowed && !frame.payload.isEmpty {
      violation("DATA beyond the window of stream \(id) by \(stream.received - allowed) bytes")
    }
    let content = frame.content ?? []
    content.withUnsafeBufferPointer { stream.body.append($0) }
    stream.request.bodyBytes += UInt64(content.count)
    if frame.endsStream { end(stream) }
  }

  private func end(_ stream: HTTP2StreamState) {
    let id = stream.request.stream
    stream.clientEnded = true
    stream.request.isComplete = true
    stream.request.body = stream.body.finish()
    if let expected = stream.expectedLength, expected != stream.request.bodyBytes {
      violation("\(stream.request.bodyBytes) bytes of a body of \(expected) on stream \(id)")
    }
    completeQueue.append(id)
    recorder.changed(stream.request, place: stream.place, completed: true)
    if stream.serverEnded { close(id, clientEnded: true) }
  }

  private func receivedReset(_ frame: HTTP2Frame) {
    guard frame.stream <= lastStream else { return violation("RST_STREAM on stream \(frame.stream), which is idle") }
    if let stream = streams[frame.stream] {
      stream.request.resetCode = frame.errorCode
      recorder.changed(stream.request, place: stream.place)
    }
    close(frame.stream, clientEnded: true)
  }

  private func receivedSettings(_ frame: HTTP2Frame) {
    if frame.isAck {
      guard !pending.isEmpty else { return violation("an acknowledgement of no SETTINGS") }
      acknowledged = pending.removeFirst()
      try? decoder.setTableBytes(acknowledged.headerTable)
      return
    }
    for setting in frame.settings {
      let value = Int(setting.value)
      switch setting.id {
      case 0x1: clientHeaderTable = value
      case 0x4:
        for stream in streams.values { stream.sendWindow += value - clientInitialWindow }
        clientInitialWindow = value
      case 0x5: clientMaximumFrame = max(1, value)
      default: break
      }
    }
  }

  private func receivedWindowUpdate(_ frame: HTTP2Frame) {
    let increment = Int(frame.increment ?? 0)
    let window: Int
    if frame.stream == 0 {
      connectionSendWindow += increment
      window = connectionSendWindow
    } else if let stream = streams[frame.stream] {
      stream.sendWindow += increment
      window = stream.sendWindow
    } else {
      if frame.stream > lastStream { violation("WINDOW_UPDATE on stream \(frame.stream), which is idle") }
      return
    }
    if window > 0x7FFF_FFFF { violation("WINDOW_UPDATE makes the window of stream \(frame.stream) too large") }
  }

  // MARK: Our frames

  /// Follows a frame that is about to be sent, right or wrong.
  func sent(_ frame: HTTP2Frame) {
    recorder.update { $0.sentFrames += 1 }
    switch frame.kind {
    case .settings where !frame.isAck: sentSettings(frame)
    case .ping where !frame.isAck: if let number = frame.pingNumber { pings.append(number) }
    case .windowUpdate:
      let increment = Int(frame.increment ?? 0)
      if frame.stream == 0 { connectionGranted += increment } else { streams[frame.stream]?.granted += increment }
    case .rstStream: close(frame.stream, clientEnded: streams[frame.stream]?.clientEnded ?? false)
    case .data:
      connectionSendWindow -= frame.payload.count
      streams[frame.stream]?.sendWindow -= frame.payload.count
    default: break
    }
    if frame.endsStream, let stream = streams[frame.stream] {
      stream.serverEnded = true
      if stream.clientEnded { close(frame.stream, clientEnded: true) }
    }
  }

  private func sentSettings(_ frame: HTTP2Frame) {
    var limits = pending.last ?? acknowledged
    for setting in frame.settings {
      let value = Int(setting.value)
      switch setting.id {
      case 0x1: limits.headerTable = value
      case 0x3: limits.maximumStreams = value
      case 0x4: limits.initialWindow = value
      case 0x5: limits.maximumFrame = value
      default: break
      }
    }
    pending.append(limits)
  }

  private func close(_ id: UInt32, clientEnded: Bool) {
    // What the client ended stays ended.
    if id <= lastStream { closed[id] = clientEnded || closed[id] == true }
    streams[id] = nil
  }

  /// How much of a stream's window, or with 0 of the connection's, should be given back now; 0 for nothing. Half of the
  /// window is let pass, so that not every DATA frame is answered.
  func owedWindow(of id: UInt32) -> UInt32 {
    if id == 0 {
      let left = connectionGranted - connectionReceived
      return left < 32_768 ? UInt32(clamping: 65_535 - left) : 0
    }
    guard let stream = streams[id], !stream.clientEnded else { return 0 }
    let window = (pending.last ?? acknowledged).initialWindow
    let left = window + stream.granted - stream.received
    return left <= window / 2 ? UInt32(clamping: window - left) : 0
  }
}
