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
    var end: ResponseChannel.End?
    var wireBytes: UInt64 = 0
    /// A task waits for the next batch; a second one is refused.
    var isWaiting = false
    /// The consumer was told that the body is over.
    var isEndTold = false
  }

  let expectedLength: UInt64?
  private let channel: ResponseChannel
  private let origin: BodyOrigin
  private let state: Lock<State>

  init(
    channel: ResponseChannel, expectedLength: UInt64?, decoder: consuming ContentDecoder?, origin: BodyOrigin
  ) {
    self.channel = channel
    self.origin = origin
    self.expectedLength = decoder == nil ? expectedLength : nil
    var initial = State()
    initial.decoder = decoder
    state = Lock(initial)
  }

  deinit { channel.abandon() }

  /// Makes the errors of a body that was made by hand speak of this request.
  func bind(to url: HTTPURL, method: HTTPMethod?) { origin.bind(to: url, method: method) }

  /// Lets go of the rest of the body.
  func discard() { channel.abandon() }

  /// The same for a response that is not delivered; reads a small rest first when that frees its connection for the next
  /// request. See ``ResponseChannel/drain(upTo:)``.
  func drain(upTo limit: Int) async {
    await channel.drain(upTo: limit)
    discard()
  }

  func updatePriority(_ value: String) { channel.updatePriority(value) }

  var receivedWireBytes: UInt64 { state.withLock { $0.wireBytes } }

  var trailers: HTTPHeaders? {
    state.withLock { state in
      // The end may be known while bytes before it were not read yet.
      guard state.isEndTold, case .finished(let trailers) = state.end else { return nil }
      return trailers
    }
  }

  func next() async throws(TransportError) -> ByteChunk? {
    do throws(TransportFailure) {
      return try await nextChunk()
    } catch {
      throw origin.error(error)
    }
  }

  private func nextChunk() async throws(TransportFailure) -> ByteChunk? {
    var batch: ResponseChannel.BodyBatch?
    while true {
      switch step(accepting: batch) {
      case .chunk(let chunk): return chunk
      case .end: return nil
      case .failed(let failure):
        channel.abandon()
        throw failure.code == .cancelled ? failure.at(.body).with(sent: .all) : failure
      case .busy:
        throw TransportFailure(
          code: .bodyAlreadyConsumed, phase: .body, reason: "the body is being read by another task", sent: .all)
      case .needsBatch: break
      }
      batch = await channel.nextBatch()
    }
  }

  fileprivate enum Step {
    case chunk(ByteChunk)
    case end
    case failed(TransportFailure)
    /// The caller waits for a batch and brings it; until then others find the body busy.
    case needsBatch
    case busy
  }

  /// Produces the next chunk from what is at hand.
  private func step(accepting batch: ResponseChannel.BodyBatch?) -> Step {
    state.withLock { state in
      if let batch {
        state.accept(batch)
      } else if state.isWaiting {
        return .busy
      }
      if state.decoder != nil { return state.decodeStep() }
      if let chunk = state.takeWireChunk() { return .chunk(chunk) }
      return state.endStep()
    }
  }

  /// At most this much of the body, for an error that shows it; what fails, is more, or does not come within
  /// ``ResponseChannel/restPatience`` is left out.
  func beginning(upTo limit: Int) async -> ByteChunk {
    channel.hurry()
    var bytes: [UInt8] = []
    while bytes.count <= limit, let chunk = try? await next() {
      bytes.append(contentsOf: chunk.prefix(limit + 1 - bytes.count))
    }
    discard()
    return ByteChunk(Array(bytes.prefix(limit)))
  }

  func collect(upTo limit: Int) async throws(TransportError) -> ByteChunk {
    // An empty result would pass for an empty body.
    guard !state.withLock({ $0.isEndTold }) else {
      throw origin.error(
        TransportFailure(
          code: .bodyAlreadyConsumed, phase: .body, reason: "the body was read to its end before", sent: .all))
    }
    if let expectedLength, expectedLength > UInt64(clamping: limit) {
      channel.abandon()
      throw origin.error(Self.tooLarge(limit: limit, seen: "Content-Length says \(expectedLength) bytes"))
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
      throw origin.error(Self.tooLarge(limit: limit, seen: "at least \(total) bytes came"))
    }
    return all.map { ByteChunk($0) } ?? first
  }

  private static func tooLarge(limit: Int, seen: String) -> TransportFailure {
    TransportFailure(
      code: .bodyTooLarge, phase: .decode, reason: "the body exceeds the cap of \(limit) bytes: \(seen)", sent: .all)
  }
}

extension BodyReader.State {
  fileprivate mutating func accept(_ received: ResponseChannel.BodyBatch) {
    isWaiting = false
    batch = received.chunks
    position = 0
    end = received.end
  }

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

  fileprivate mutating func endStep() -> BodyReader.Step {
    switch end {
    case .finished:
      isEndTold = true
      return .end
    case .failed(let failure):
      return .failed(failure)
    case nil:
      isWaiting = true
      return .needsBatch
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
        if case .finished = end { try decoder?.finish() }
        return endStep()
      }
    } catch {
      let failure = TransportFailure(error)
      end = .failed(failure)
      return .failed(failure)
    }
  }
}
