internal import LinnetBytes
internal import LinnetCompression
internal import LinnetHTTPTypes

/// The consumer's end of a response body: takes batches from the channel, decodes, counts, and lets go of the exchange
/// when the last reference is dropped.
final class BodyReader: Sendable {
  fileprivate struct State: ~Copyable {
    var batch: [ByteChunk] = []
    var position = 0
    var decoder: ContentDecoder?
    var isDecoderFed = false
    var end: Result<HTTPHeaders?, TransportFailure>?
    var wireBytes: UInt64 = 0
    /// A task is inside `next`; a second one is refused.
    var isReading = false
  }

  let expectedLength: UInt64?
  private let channel: ResponseChannel
  private let context: ExchangeContext
  private let state: Lock<State>

  init(
    channel: ResponseChannel, expectedLength: UInt64?, decoder: consuming ContentDecoder?, context: ExchangeContext
  ) {
    self.channel = channel
    self.context = context
    self.expectedLength = decoder == nil ? expectedLength : nil
    var initial = State()
    initial.decoder = decoder
    state = Lock(initial)
  }

  deinit { channel.abandon() }

  /// Lets go of the rest of the body.
  func discard() { channel.abandon() }

  var receivedWireBytes: UInt64 { state.withLock { $0.wireBytes } }

  var trailers: HTTPHeaders? {
    state.withLock { state in
      guard case .success(let trailers) = state.end else { return nil }
      return trailers
    }
  }

  func next() async throws(TransportError) -> ByteChunk? {
    do throws(TransportFailure) {
      return try await nextChunk()
    } catch {
      throw context.error(error)
    }
  }

  private func nextChunk() async throws(TransportFailure) -> ByteChunk? {
    guard beginReading() else {
      throw TransportFailure(
        code: .bodyAlreadyConsumed, phase: .body, reason: "the body is being read by another task")
    }
    defer { state.withLock { $0.isReading = false } }
    while true {
      switch step() {
      case .chunk(let chunk): return chunk
      case .end: return nil
      case .failed(let failure):
        channel.abandon()
        throw failure.code == .cancelled ? failure.at(.body).with(sent: .all) : failure
      case .needsBatch: break
      }
      let batch = await channel.nextBatch()
      accept(batch)
    }
  }

  private func beginReading() -> Bool {
    state.withLock { state in
      guard !state.isReading else { return false }
      state.isReading = true
      return true
    }
  }

  fileprivate enum Step {
    case chunk(ByteChunk)
    case end
    case failed(TransportFailure)
    case needsBatch
  }

  /// Produces the next chunk from what is at hand.
  private func step() -> Step {
    state.withLock { state in
      guard state.decoder == nil else { return state.decodeStep() }
      if let chunk = state.takeWireChunk() { return .chunk(chunk) }
      return state.endStep()
    }
  }

  private func accept(_ batch: ResponseChannel.BodyBatch) {
    state.withLock { state in
      switch batch {
      case .chunks(let chunks):
        state.batch = chunks
        state.position = 0
      case .end(let trailers):
        state.end = .success(trailers)
      case .failed(let failure):
        state.end = .failure(failure)
      }
    }
  }

  func collect(upTo limit: Int) async throws(TransportError) -> ByteChunk {
    if let expectedLength, expectedLength > UInt64(clamping: limit) {
      channel.abandon()
      throw context.error(Self.tooLarge(limit: limit, seen: "Content-Length says \(expectedLength) bytes"))
    }
    guard let first = try await next() else { return ByteChunk() }
    var total = first.count
    var all: [UInt8]?
    while total <= limit, let chunk = try await next() {
      total += chunk.count
      guard total <= limit else { break }
      if all == nil {
        var bytes = [UInt8]()
        bytes.reserveCapacity(max(Int(clamping: min(expectedLength ?? 0, UInt64(limit))), total))
        bytes.append(contentsOf: first)
        all = bytes
      }
      all?.append(contentsOf: chunk)
    }
    guard total <= limit else {
      channel.abandon()
      throw context.error(Self.tooLarge(limit: limit, seen: "at least \(total) bytes came"))
    }
    return all.map { ByteChunk($0) } ?? first
  }

  private static func tooLarge(limit: Int, seen: String) -> TransportFailure {
    TransportFailure(
      code: .bodyTooLarge, phase: .decode, reason: "the body exceeds the cap of \(limit) bytes: \(seen)", sent: .all)
  }
}

extension BodyReader.State {
  fileprivate mutating func takeWireChunk() -> ByteChunk? {
    guard position < batch.count else { return nil }
    let chunk = batch[position]
    position += 1
    if position == batch.count {
      batch = []
      position = 0
    }
    wireBytes += UInt64(chunk.count)
    return chunk
  }

  fileprivate func endStep() -> BodyReader.Step {
    switch end {
    case .success: .end
    case .failure(let failure): .failed(failure)
    case nil: .needsBatch
    }
  }

  fileprivate mutating func decodeStep() -> BodyReader.Step {
    do throws(CompressionError) {
      while true {
        if let chunk = try decoder?.next() { return .chunk(chunk) }
        if let wire = takeWireChunk() {
          decoder?.feed(wire)
          continue
        }
        if case .success = end { try decoder?.finish() }
        return endStep()
      }
    } catch {
      let failure = TransportFailure(error)
      end = .failure(failure)
      return .failed(failure)
    }
  }
}
