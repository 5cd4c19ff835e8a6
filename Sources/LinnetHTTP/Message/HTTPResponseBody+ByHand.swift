internal import LinnetBytes
internal import LinnetHTTPTypes

extension HTTPResponseBody {
  /// A body without a byte.
  public static var empty: HTTPResponseBody { .bytes(ByteChunk()) }

  /// A body made by hand from bytes in memory, which behaves as one that came from the network in one piece: it is read
  /// once, and ``collect(upTo:)`` has its limit.
  ///
  /// It is not decoded: give the bytes as the reader shall see them.
  public static func bytes(_ chunk: ByteChunk) -> HTTPResponseBody {
    let channel = ResponseChannel()
    if !chunk.isEmpty { _ = channel.append(chunk) }
    _ = channel.finish(.finished(trailers: nil))
    return HTTPResponseBody(channel: channel, expectedLength: UInt64(chunk.count))
  }

  /// A body made by hand from a stream, which behaves as one that comes from the network: nothing is taken from the
  /// stream before the body is read, then a piece at a time; it is read once, by one task at a time; and dropping the
  /// last copy of it, or cancelling the task that reads it, cancels the stream.
  ///
  /// - Parameters:
  ///   - chunks: The stream. It is iterated in a task of its own. A `TransportError` that it throws is what the reader
  ///     gets, a `CancellationError` becomes `cancelled`, and any other error `connectionLost` with that error as the
  ///     underlying one.
  ///   - expectedLength: What a `Content-Length` would announce. A stream that ends earlier fails the reader with
  ///     `truncated`, and what comes beyond it is not read. `nil`: unknown, as with chunked coding.
  public static func stream<S: AsyncSequence & Sendable>(
    _ chunks: S, expectedLength: UInt64? = nil
  ) -> HTTPResponseBody where S.Element == ByteChunk {
    let channel = ResponseChannel()
    let driver = BodyStreamDriver(ChunkStream(chunks), expectedLength: expectedLength, channel: channel)
    _ = channel.attach(driver, exchange: ExchangeID(value: 0))
    return HTTPResponseBody(channel: channel, expectedLength: expectedLength)
  }

  private init(channel: ResponseChannel, expectedLength: UInt64?) {
    reader = BodyReader(
      channel: channel, expectedLength: expectedLength, decoder: nil,
      origin: .byHand(Lock(TransportError.Context())))
  }
}
