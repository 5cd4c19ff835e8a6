internal import Glibc
internal import LinnetHTTP

/// A request's body that is read by the command itself: from an offset on, at a limited rate, or with somebody looking on.
struct UploadStream: AsyncSequence, Sendable {
  enum Source: Sendable {
    case bytes(ByteChunk)
    /// A file from an offset on, with so many bytes; nil: to its end.
    case file(path: String, offset: UInt64, count: UInt64?)
    case standardInput
  }

  let source: Source
  let bytesPerSecond: UInt64?
  /// Called with each piece when it is handed to the client.
  let onPiece: @Sendable (ByteChunk) async -> Void

  func makeAsyncIterator() -> Iterator { Iterator(self) }

  struct Iterator: AsyncIteratorProtocol {
    private let stream: UploadStream
    private var pace: TransferPace?
    private let start = ContinuousClock.now
    private var wait: Duration = .zero
    private var file: OpenedFile?
    private var offset: UInt64

    /// Pieces are of this size: few calls, and little memory for an upload of any length.
    private static let pieceBytes = 256 << 10

    init(_ stream: UploadStream) {
      self.stream = stream
      pace = stream.bytesPerSecond.map { TransferPace(bytesPerSecond: $0) }
      offset = if case .file(_, let offset, _) = stream.source { offset } else { 0 }
    }

    mutating func next() async throws -> ByteChunk? {
      if wait > .zero { try await Task.sleep(for: wait) }
      let piece = try await read(upTo: Swift.min(Self.pieceBytes, pace?.pieceBytes ?? .max))
      guard !piece.isEmpty else { return nil }
      offset += UInt64(piece.count)
      let now = start.duration(to: .now)
      wait = pace?.take(piece.count, at: now) ?? .zero
      await stream.onPiece(piece)
      return piece
    }

    private mutating func read(upTo limit: Int) async throws -> ByteChunk {
      switch stream.source {
      case .bytes(let bytes): return bytes.dropFirst(Int(clamping: offset)).prefix(limit)
      case .standardInput:
        return try await Self.read(limit, "-") { limit throws(SystemFailure) in
          try Descriptor.read(0, upTo: limit)
        }
      case .file(let path, let start, let count):
        let opened = try await opened(path)
        let position = offset
        let end = count.map { start + $0 }
        let wanted = end.map { Int(Swift.min(UInt64(limit), $0 - Swift.min(position, $0))) } ?? limit
        guard wanted > 0 else { return ByteChunk() }
        // A pipe has no positions.
        let isSeekable = count != nil
        return try await Self.read(wanted, path) { wanted throws(SystemFailure) in
          if isSeekable { return try opened.read(at: position, wanted) }
          _ = InputFile.waitUntilReadable(opened.descriptor)
          return try Descriptor.read(opened.descriptor, upTo: wanted)
        }
      }
    }

    private mutating func opened(_ path: String) async throws -> OpenedFile {
      if let file { return file }
      // On a thread of its own: it may wait for a disk or a network.
      let outcome = await BlockingThread.run { () -> Result<OpenedFile, CommandError> in
        do throws(CommandError) { return .success(try OpenedFile(path)) } catch { return .failure(error) }
      }
      let opened = try outcome.get()
      file = opened
      return opened
    }

    /// Reads on a thread of its own: a read may wait for a person or a disk.
    private static func read(
      _ limit: Int, _ name: String, _ call: @escaping @Sendable (Int) throws(SystemFailure) -> [UInt8]
    ) async throws -> ByteChunk {
      let outcome = await BlockingThread.run { () -> Result<[UInt8], SystemFailure> in
        do throws(SystemFailure) { return .success(try call(limit)) } catch { return .failure(error) }
      }
      do throws(SystemFailure) {
        return ByteChunk(try outcome.get())
      } catch {
        throw InputFile.unreadable(Argument(name), error.number)
      }
    }
  }

  /// A file that is open until nobody reads it any more.
  private final class OpenedFile: Sendable {
    let descriptor: CInt

    init(_ path: String) throws(CommandError) { descriptor = try InputFile.open(Argument(path)) }

    deinit { close(descriptor) }

    func read(at offset: UInt64, _ limit: Int) throws(SystemFailure) -> [UInt8] {
      var failure: CInt = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: limit) { room, count in
        var result = pread(descriptor, room.baseAddress, room.count, off_t(clamping: offset))
        while result < 0 && errno == EINTR {
          result = pread(descriptor, room.baseAddress, room.count, off_t(clamping: offset))
        }
        if result < 0 { failure = errno }
        count = Swift.max(0, result)
      }
      guard failure == 0 else { throw SystemFailure(number: failure) }
      return bytes
    }
  }
}
