internal import Glibc
package import LinnetBytes

/// Why a file was not read.
package enum InputFileError: Error, Sendable, Equatable {
  case system(SystemError)
  case pool(BlockingPoolError)
  case timedOut
  case cancelled
}

/// Files that a user names and that are read once, from beginning to end: also pipes (`<(command)`), terminals and devices.
///
/// No thread waits for what may never come. A disk is read on the blocking pool; the bytes of a pipe, and the writer that a
/// named one still lacks, are waited for on a shard.
package enum InputFile {
  /// Reads a whole file.
  ///
  /// - Parameters:
  ///   - limit: A file with more bytes gives `EFBIG`.
  ///   - deadline: When to give up.
  package static func readAll(
    _ path: String, limit: Int, on shard: IOShard, until deadline: Instant = .distantFuture
  ) async throws(InputFileError) -> [UInt8] {
    try await withDeadline(deadline, on: shard, timedOut: .timedOut, cancelled: .cancelled) {
      () async throws(InputFileError) -> [UInt8] in
      let opened = try await onPool { () throws(SystemError) -> Opened in
        let file = try FileIO.openWithoutWaiting(path)
        guard try FileIO.size(file.raw).isRegular else { return .stream(try InputStream(file, on: shard)) }
        return .bytes(try FileIO.readAll(file.raw, limit: limit))
      }
      switch opened {
      case .bytes(let bytes): return bytes
      case .stream(let stream):
        var bytes: [UInt8] = []
        while true {
          let part = try await stream.next(upTo: 16 << 10)
          if part.isEmpty { return bytes }
          guard bytes.count + part.count <= limit else { throw .system(SystemError(number: EFBIG, call: "read")) }
          bytes += part
        }
      }
    }
  }

  /// What a path leads to; may wait for a disk or a network.
  package static func stamp(
    _ path: String, on shard: IOShard, until deadline: Instant = .distantFuture
  ) async throws(InputFileError) -> FileStamp {
    try await withDeadline(deadline, on: shard, timedOut: .timedOut, cancelled: .cancelled) {
      () async throws(InputFileError) -> FileStamp in
      try await onPool { () throws(SystemError) in try FileStamp(path: path) }
    }
  }

  private enum Opened: Sendable {
    case bytes([UInt8])
    case stream(InputStream)
  }

  /// Runs a call that may wait for a disk on the blocking pool.
  package static func onPool<R: Sendable>(
    _ work: @escaping @Sendable () throws(SystemError) -> R
  ) async throws(InputFileError) -> R {
    let outcome: Result<R, SystemError>
    do throws(BlockingPoolError) {
      outcome = try await BlockingPool.shared.run {
        do throws(SystemError) { return .success(try work()) } catch { return .failure(error) }
      }
    } catch {
      throw error == .cancelled ? .cancelled : .pool(error)
    }
    do throws(SystemError) { return try outcome.get() } catch { throw .system(error) }
  }
}
