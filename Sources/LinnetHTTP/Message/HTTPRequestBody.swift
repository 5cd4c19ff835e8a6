public import LinnetBytes

/// The body of a request. Whether it can be sent a second time (after a redirect, a retry, a stale connection) is part
/// of what it is, not a flag that can be wrong.
public struct HTTPRequestBody: Sendable {
  enum Source: Sendable {
    case bytes(ByteChunk)
    case file(path: String, ReadMark)
    case replayable(length: UInt64?, make: @Sendable () -> any AsyncSequence<ByteChunk, any Error> & Sendable)
    case oneShot(length: UInt64?, OneShotStream)
  }

  let source: Source

  /// Bytes in memory. Sent with `Content-Length`; can be replayed.
  public static func bytes(_ bytes: [UInt8]) -> HTTPRequestBody { HTTPRequestBody(source: .bytes(ByteChunk(bytes))) }

  /// Bytes in memory. Sent with `Content-Length`; can be replayed.
  public static func chunk(_ chunk: ByteChunk) -> HTTPRequestBody { HTTPRequestBody(source: .bytes(chunk)) }

  /// The UTF-8 bytes of a text. No `Content-Type` is added. Can be replayed.
  public static func text(_ text: String) -> HTTPRequestBody { HTTPRequestBody(source: .bytes(ByteChunk(text))) }

  /// A file, read while it is sent. A regular file is sent with `Content-Length`, which is its size when the request
  /// starts; anything else (a pipe, a device) chunked. A regular file can be replayed, anything else only until its
  /// first byte was read. A file that cannot be opened or that shrinks
  /// meanwhile is a `requestBodyFailed` error.
  public static func file(_ path: String) -> HTTPRequestBody { HTTPRequestBody(source: .file(path: path, ReadMark())) }

  /// A stream that can be made again.
  ///
  /// - Parameters:
  ///   - length: The exact number of bytes, sent as `Content-Length`; a stream that yields more or fewer fails the
  ///     request. `nil`: sent with chunked coding.
  ///   - make: Makes the stream; called once for each time the request is sent, never on an I/O shard.
  public static func stream<S: AsyncSequence & Sendable>(
    length: UInt64? = nil, _ make: @escaping @Sendable () -> S
  ) -> HTTPRequestBody where S.Element == ByteChunk {
    HTTPRequestBody(source: .replayable(length: length) { ChunkStream(make()) })
  }

  /// A stream that exists once: it cannot be replayed, so a request with it is not sent a second time.
  ///
  /// - Parameters:
  ///   - length: As in ``stream(length:_:)``.
  ///   - stream: The chunks.
  public static func oneShot<S: AsyncSequence & Sendable>(
    length: UInt64? = nil, _ stream: S
  ) -> HTTPRequestBody where S.Element == ByteChunk {
    HTTPRequestBody(source: .oneShot(length: length, OneShotStream(ChunkStream(stream))))
  }

  /// No byte will come from it.
  var isKnownEmpty: Bool {
    switch source {
    case .bytes(let bytes): bytes.isEmpty
    case .replayable(let length, _), .oneShot(let length, _): length == 0
    case .file: false
    }
  }

  var isOneShot: Bool {
    if case .oneShot = source { return true }
    return false
  }

  /// Whether the body can be sent again.
  public var isReplayable: Bool {
    switch source {
    case .bytes, .replayable: true
    case .file(_, let mark): !mark.isSet
    case .oneShot(_, let stream): !stream.isTaken
    }
  }

  /// The bytes of a body that is in memory; nil for files and streams.
  public var bytesInMemory: ByteChunk? {
    if case .bytes(let bytes) = source { return bytes }
    return nil
  }

  /// The path of a body that is a file; nil for others.
  public var filePath: String? {
    if case .file(let path, _) = source { return path }
    return nil
  }

  /// The number of bytes, when it is known without reading: of bytes in memory, and of a stream that was given a length.
  /// Nil for files, whose size is looked up when the request starts.
  public var knownLength: UInt64? {
    switch source {
    case .bytes(let bytes): UInt64(bytes.count)
    case .replayable(let length, _), .oneShot(let length, _): length
    case .file: nil
    }
  }
}

/// Erases the failure type of a user's stream.
struct ChunkStream<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == ByteChunk {
  typealias Element = ByteChunk
  typealias Failure = any Error

  let base: Base

  init(_ base: Base) { self.base = base }

  struct AsyncIterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator

    mutating func next() async throws -> ByteChunk? { try await next(isolation: #isolation) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ByteChunk? {
      do { return try await base.next(isolation: actor) } catch { throw error }
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }
}

/// Whether a file that can be read only once, such as a pipe, was read.
final class ReadMark: Sendable {
  private let mark = Lock(false)

  var isSet: Bool { mark.withLock { $0 } }

  func set() { mark.withLock { $0 = true } }
}

/// A stream that is handed out once.
final class OneShotStream: Sendable {
  private let stream: Lock<(any AsyncSequence<ByteChunk, any Error> & Sendable)?>

  init(_ stream: any AsyncSequence<ByteChunk, any Error> & Sendable) { self.stream = Lock(stream) }

  var isTaken: Bool { stream.withLock { $0 == nil } }

  func take() -> (any AsyncSequence<ByteChunk, any Error> & Sendable)? {
    stream.withLock { value in
      defer { value = nil }
      return value
    }
  }
}
