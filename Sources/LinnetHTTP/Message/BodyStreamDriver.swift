internal import LinnetBytes

/// Stands where the connection stands for a body that is made from a stream: each time the consumer finds the channel
/// empty, one more piece is taken from the stream.
///
/// The stream is iterated in one task, because its iterator cannot move between tasks. The channel holds the driver
/// until the end, so the two free each other when the stream or its reader is done.
final class BodyStreamDriver: ExchangeDriver {
  private enum State {
    /// *Exits:* running, over.
    case idle(any AsyncSequence<ByteChunk, any Error> & Sendable)
    /// *Exits:* over.
    case running(Task<Void, Never>)
    case over
  }

  private let channel: ResponseChannel
  private let expectedLength: UInt64?
  private let state: Lock<State>
  private let demand: AsyncStream<Void>
  private let asker: AsyncStream<Void>.Continuation

  init(
    _ stream: any AsyncSequence<ByteChunk, any Error> & Sendable, expectedLength: UInt64?, channel: ResponseChannel
  ) {
    self.channel = channel
    self.expectedLength = expectedLength
    state = Lock(.idle(stream))
    (demand, asker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func requestMore(_ exchange: ExchangeID) {
    asker.yield()
    state.withLock { state in
      guard case .idle(let stream) = state else { return }
      state = .running(Task { [self] in await run(stream) })
    }
  }

  func abandon(_ exchange: ExchangeID, isCancelled: Bool) {
    asker.finish()
    // A stream that was never read dies here, outside the lock: its end may run code of the caller.
    let former = state.withLock { state in
      let former = state
      state = .over
      return former
    }
    if case .running(let task) = former { task.cancel() }
  }

  private func run(_ stream: any AsyncSequence<ByteChunk, any Error> & Sendable) async {
    var end = ResponseChannel.End.finished(trailers: nil)
    do {
      try await pump(stream)
    } catch {
      end = .failed(TransportFailure(ofBodyStream: error))
    }
    state.withLock { $0 = .over }
    channel.finish(end)?.resume()
  }

  private func pump<S: AsyncSequence<ByteChunk, any Error>>(_ stream: S) async throws {
    var iterator = stream.makeAsyncIterator()
    var rest = expectedLength
    var requests = demand.makeAsyncIterator()
    while rest != 0, await requests.next() != nil {
      guard let next = try await iterator.next(isolation: #isolation) else {
        guard let rest else { return }
        throw TransportFailure(
          code: .truncated, phase: .body, reason: "the body ended \(rest) bytes before its announced end", sent: .all)
      }
      let chunk = rest.map { next.prefix(Int(clamping: $0)) } ?? next
      rest = rest.map { $0 - UInt64(chunk.count) }
      // An empty piece wakes nobody: ask again on behalf of the consumer, who still waits.
      if chunk.isEmpty { asker.yield() } else { channel.append(chunk).waiter?.resume() }
    }
  }
}

extension TransportFailure {
  /// What the reader of a body made by hand is told when its stream throws.
  fileprivate init(ofBodyStream error: any Error) {
    switch error {
    case let failure as TransportFailure:
      self = failure
    case let error as TransportError:
      self.init(
        code: error.code, phase: error.phase, reason: error.reason, sent: error.sent, peers: error.peers,
        underlying: error.underlying)
    case is CancellationError:
      self = .cancelled.at(.body).with(sent: .all)
    default:
      self.init(
        code: .connectionLost, phase: .body, reason: "the body's stream failed", sent: .all, underlying: error)
    }
  }
}
