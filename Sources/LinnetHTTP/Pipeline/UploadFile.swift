internal import LinnetBytes
internal import LinnetIO

/// A file that is sent as a request's body, open for the time of one sending.
final class UploadFile: Sendable {
  let path: String
  /// The size of a regular file when it was opened; nil for a pipe or a device, which is read to its end.
  let size: UInt64?
  private let content: Content

  private enum Content {
    case regular(OpenedFile)
    /// Read as its bytes come; nobody waits for its writer but the exchange, with its timeouts.
    case stream(InputStream)
  }

  private final class OpenedFile: Sendable {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }
  }

  /// Opens a file on the blocking pool: one on a network waits for that.
  static func open(path: String, shards: ShardGroup) async throws(TransportFailure) -> UploadFile {
    let outcome: Result<UploadFile, TransportFailure>
    do throws(BlockingPoolError) {
      outcome = try await BlockingPool.shared.run {
        do throws(TransportFailure) { return .success(try UploadFile(path: path, shards)) } catch {
          return .failure(error)
        }
      }
    } catch {
      if error == .cancelled { throw .cancelled }
      throw TransportFailure(code: .requestBodyFailed, phase: .request, reason: "cannot read \(path): \(error)")
    }
    return try outcome.get()
  }

  private init(path: String, _ shards: ShardGroup) throws(TransportFailure) {
    self.path = path
    do throws(SystemError) {
      let opened = try FileIO.openWithoutWaiting(path)
      let (bytes, isRegular) = try FileIO.size(opened.raw)
      if isRegular {
        size = UInt64(clamping: bytes)
        content = .regular(OpenedFile(opened))
      } else {
        size = nil
        content = .stream(try InputStream(opened, on: shards.next()))
      }
    } catch {
      throw TransportFailure(
        code: .requestBodyFailed, phase: .request, reason: "cannot read \(path): \(error.text.asciiLowercasedFirst)")
    }
  }

  /// The next part; empty at the end. A regular file is read no further than its size at the start.
  func read(at offset: UInt64, upTo limit: Int) async throws(TransportFailure) -> ByteChunk {
    let wanted = size.map { Int(min(UInt64(limit), $0 - min(offset, $0))) } ?? limit
    guard wanted > 0 else { return ByteChunk() }
    do throws(InputFileError) {
      switch content {
      case .stream(let stream): return ByteChunk(try await stream.next(upTo: wanted))
      case .regular(let file):
        return try await InputFile.onPool { () throws(SystemError) in try Self.read(file, at: offset, wanted) }
      }
    } catch {
      let cause =
        switch error {
        case .system(let error): error.text.asciiLowercasedFirst
        case .pool(let error): "\(error)"
        case .cancelled, .timedOut: throw TransportFailure.cancelled
        }
      throw TransportFailure(code: .requestBodyFailed, phase: .send, reason: "cannot read \(path): \(cause)")
    }
  }

  private static func read(
    _ file: OpenedFile, at offset: UInt64, _ wanted: Int
  ) throws(SystemError) -> ByteChunk {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { room, count in
      do throws(SystemError) {
        count = try FileIO.read(
          file.descriptor.raw, at: Int64(clamping: offset), into: UnsafeMutableRawBufferPointer(room))
      } catch {
        failure = error
        count = 0
      }
    }
    if let failure { throw failure }
    return ByteChunk(bytes)
  }
}
