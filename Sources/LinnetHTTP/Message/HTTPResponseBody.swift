internal import LinnetCompression
public import LinnetBytes
public import LinnetHTTPTypes

/// The body of a response: chunks as they arrive, decoded when the client decodes.
///
/// ```swift
/// for try await chunk in response.body { consume(chunk) }
/// ```
///
/// Nothing is read from the network faster than the body is consumed, beyond a bounded buffer. It can be read once, by
/// one task at a time. When the last copy of the response and its body is dropped before the end, the rest is discarded.
public struct HTTPResponseBody: AsyncSequence, Sendable {
  /// A run of bytes, as large as it came.
  public typealias Element = ByteChunk
  /// What reading throws.
  public typealias Failure = TransportError

  let reader: BodyReader

  /// The number of bytes that ``next()`` will yield in all, when it is known: nil for chunked and close-delimited bodies,
  /// and for bodies that are being decoded, whose `Content-Length` counts encoded bytes.
  public var expectedLength: UInt64? { reader.expectedLength }

  /// The number of body bytes received from the network so far, before decoding.
  public var receivedWireBytes: UInt64 { reader.receivedWireBytes }

  /// The trailer fields (RFC 9110 §6.5), once the end of the body was reached.
  public var trailers: HTTPHeaders? { reader.trailers }

  /// The next run of bytes; nil at the end.
  ///
  /// - Throws: `truncated` when the body ends early, `connectionLost`, `idleTimeout`, `totalTimeout`, `invalidResponse`,
  ///   `decodingFailed` or `decompressionLimit`. A cancelled task gives `cancelled`, and the connection is closed.
  public func next() async throws(TransportError) -> ByteChunk? {
    try await reader.next()
  }

  /// The whole rest of the body.
  ///
  /// - Parameter limit: The most bytes (after decoding) that are collected.
  /// - Throws: `bodyTooLarge`, with the limit and the bytes seen, and any error of ``next()``.
  public func collect(upTo limit: Int) async throws(TransportError) -> ByteChunk {
    try await reader.collect(upTo: limit)
  }

  /// Iterates over the chunks.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }

  /// Yields the chunks of one body.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: BodyReader

    /// See ``HTTPResponseBody/next()``.
    public mutating func next() async throws(TransportError) -> ByteChunk? {
      try await reader.next()
    }

    /// See ``HTTPResponseBody/next()``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(TransportError) -> ByteChunk? {
      try await reader.next()
    }
  }
}
