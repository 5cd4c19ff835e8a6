internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO
internal import LinnetProtocols

/// The body of one sending of a request: at hand at once, or pumped by a task of its own.
///
/// User code (streams) runs in that task, never on a shard; back-pressure is that the pump awaits `sendBody`.
struct RequestUpload: Sendable {
  let length: RequestBodyLength
  let immediate: ByteChunk?
  private let source: HTTPRequestBody.Source?
  private let file: UploadFile?

  /// File parts are read in pieces of this size: few calls, and little memory for an upload of any length.
  private static var filePartBytes: Int { 256 << 10 }

  init(_ body: HTTPRequestBody?, shards: ShardGroup) async throws(TransportFailure) {
    source = body?.source
    var immediate: ByteChunk?
    var file: UploadFile?
    switch body?.source {
    case nil:
      length = .none
    case .bytes(let bytes):
      length = .known(UInt64(bytes.count))
      immediate = bytes
    case .file(let path, let mark):
      // Opening a pipe again would wait for a writer that may never come.
      if mark.isSet { throw HTTPRequestBody.notReplayable }
      let opened = try await UploadFile.open(path: path, shards: shards)
      file = opened
      length = opened.size.map { .known($0) } ?? .chunked
    case .replayable(let count, _):
      length = count.map { .known($0) } ?? .chunked
    case .oneShot(let count, let stream):
      if stream.isTaken { throw HTTPRequestBody.notReplayable }
      length = count.map { .known($0) } ?? .chunked
    }
    self.immediate = immediate
    self.file = file
  }

  var isImmediate: Bool { source == nil || immediate != nil }

  /// Starts the task that produces the body. It ends with the exchange.
  func startPump(on connection: any PooledConnection, _ exchange: ExchangeID) {
    guard connection.carries(exchange) else { return }
    // Taken here and not in the task: when the exchange fails it must be clear whether the stream can still be sent.
    var taken: (any AsyncSequence<ByteChunk, any Error> & Sendable)?
    if case .oneShot(_, let stream) = source { taken = stream.take() }
    if case .file(_, let mark) = source, file?.size == nil { mark.set() }
    let pump = Task { [taken] in
      do throws(TransportFailure) {
        try await run(connection, exchange, oneShot: taken)
      } catch {
        // The connection has ended the exchange already, except when the source itself failed.
        if error.code == .requestBodyFailed || error.code == .bodyNotReplayable {
          connection.failBody(error, for: exchange)
        }
      }
    }
    connection.setPump(pump, for: exchange)
  }

  private func run(
    _ connection: any PooledConnection, _ exchange: ExchangeID,
    oneShot: (any AsyncSequence<ByteChunk, any Error> & Sendable)?
  ) async throws(TransportFailure) {
    switch source {
    case nil: break
    case .bytes(let bytes): try await connection.sendBody(bytes, for: exchange)
    case .file: try await sendFile(connection, exchange)
    case .replayable(_, let make): try await send(make(), connection, exchange)
    case .oneShot:
      guard let oneShot else { throw HTTPRequestBody.notReplayable }
      try await send(oneShot, connection, exchange)
    }
    try await connection.sendBody(nil, for: exchange)
  }

  private func send(
    _ stream: any AsyncSequence<ByteChunk, any Error> & Sendable, _ connection: any PooledConnection,
    _ exchange: ExchangeID
  ) async throws(TransportFailure) {
    do {
      for try await chunk in stream {
        try await connection.sendBody(chunk, for: exchange)
      }
    } catch let failure as TransportFailure {
      throw failure
    } catch {
      throw TransportFailure(
        code: .requestBodyFailed, phase: .send, reason: "the request's body stream failed", underlying: error)
    }
  }

  private func sendFile(_ connection: any PooledConnection, _ exchange: ExchangeID) async throws(TransportFailure) {
    guard let file else { return }
    var offset: UInt64 = 0
    while true {
      let part = try await file.read(at: offset, upTo: Self.filePartBytes)
      guard !part.isEmpty else { break }
      offset += UInt64(part.count)
      try await connection.sendBody(part, for: exchange)
    }
    if let size = file.size, offset < size {
      throw TransportFailure(
        code: .requestBodyFailed, phase: .send,
        reason: "\(file.path) ended after \(offset) of \(size) bytes: it was changed while it was sent")
    }
  }
}
