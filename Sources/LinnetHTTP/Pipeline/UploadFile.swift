internal import LinnetBytes
internal import LinnetIO

/// A file that is sent as a request's body, open for the time of one sending.
final class UploadFile: Sendable {
  let path: String
  /// The size of a regular file when it was opened; nil for a pipe or a device, which is read to its end.
  let size: UInt64?
  private let descriptor: OwnedDescriptor

  /// Opens a file on the blocking pool: the open of a pipe waits for its writer, and one on a network waits for that.
  static func open(path: String) async throws(TransportFailure) -> UploadFile {
    let outcome: Result<UploadFile, TransportFailure>
    do throws(BlockingPoolError) {
      outcome = try await BlockingPool.shared.run {
        do throws(TransportFailure) { return .success(try UploadFile(path: path)) } catch { return .failure(error) }
      }
    } catch {
      if error == .cancelled { throw .cancelled }
      throw TransportFailure(code: .requestBodyFailed, phase: .request, reason: "cannot read \(path): \(error)")
    }
    return try outcome.get()
  }

  private init(path: String) throws(TransportFailure) {
    self.path = path
    do throws(SystemError) {
      let opened = try FileIO.openForReading(path)
      let (bytes, isRegular) = try FileIO.size(opened.raw)
      size = isRegular ? UInt64(clamping: bytes) : nil
      descriptor = opened
    } catch {
      throw TransportFailure(
        code: .requestBodyFailed, phase: .request, reason: "cannot read \(path): \(error.text.asciiLowercasedFirst)")
    }
  }

  /// The next part; empty at the end. A regular file is read no further than its size at the start.
  func read(at offset: UInt64, upTo limit: Int) async throws(TransportFailure) -> ByteChunk {
    let wanted = size.map { Int(min(UInt64(limit), $0 - min(offset, $0))) } ?? limit
    guard wanted > 0 else { return ByteChunk() }
    let outcome: Result<ByteChunk, SystemError>
    do throws(BlockingPoolError) {
      outcome = try await BlockingPool.shared.run { self.readNow(at: offset, wanted) }
    } catch {
      throw TransportFailure(code: .requestBodyFailed, phase: .send, reason: "cannot read \(path): \(error)")
    }
    do throws(SystemError) {
      return try outcome.get()
    } catch {
      throw TransportFailure(
        code: .requestBodyFailed, phase: .send, reason: "cannot read \(path): \(error.text.asciiLowercasedFirst)")
    }
  }

  private func readNow(at offset: UInt64, _ wanted: Int) -> Result<ByteChunk, SystemError> {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { room, count in
      do throws(SystemError) {
        count =
          size == nil
          ? try FileIO.readNext(descriptor.raw, into: UnsafeMutableRawBufferPointer(room))
          : try FileIO.read(descriptor.raw, at: Int64(clamping: offset), into: UnsafeMutableRawBufferPointer(room))
      } catch {
        failure = error
        count = 0
      }
    }
    return failure.map { .failure($0) } ?? .success(ByteChunk(bytes))
  }
}
