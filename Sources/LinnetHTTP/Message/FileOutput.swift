internal import LinnetBytes
internal import LinnetIO

/// A file that is written piece by piece beside its place and takes its name when it is complete, so that nobody ever
/// sees a part of it. A symbolic link in that place is replaced, not followed.
package final class FileOutput: Sendable {
  package let path: String
  private let temporaryPath: String
  private let state: Lock<State>

  private enum State: Sendable {
    case open(SharedDescriptor, offset: UInt64)
    case closed
  }

  /// The system's words for what went wrong.
  package struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// Makes the file beside `path`, readable by its owner only.
  package init(path: String) async throws(Problem) {
    let temporaryPath = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
    self.path = path
    self.temporaryPath = temporaryPath
    let descriptor = try await Self.onPool { () throws(SystemError) in
      SharedDescriptor(try FileIO.create(temporaryPath))
    }
    state = Lock(.open(descriptor, offset: 0))
  }

  /// Appends a piece. Calls come one after the other.
  package func append(_ piece: ByteChunk) async throws(Problem) {
    let (file, offset) = try current()
    try await Self.onPool { () throws(SystemError) in try file.write(piece, at: offset) }
    state.withLock { $0 = .open(file, offset: offset &+ UInt64(piece.count)) }
  }

  /// Gives the file its name.
  ///
  /// - Parameter isDurable: Whether to wait until content and name are on the disk.
  package func finish(isDurable: Bool) async throws(Problem) {
    let (file, _) = try current()
    let (temporaryPath, path) = (temporaryPath, path)
    try await Self.onPool { () throws(SystemError) in
      if isDurable { try file.sync() }
      try FileIO.rename(temporaryPath, to: path)
      if isDurable { try FileIO.syncDirectory(of: path) }
    }
    state.withLock { $0 = .closed }
  }

  /// An output that was not finished leaves nothing behind.
  deinit {
    if case .open = state.withLock({ $0 }) { try? FileIO.remove(temporaryPath) }
  }

  private func current() throws(Problem) -> (SharedDescriptor, offset: UInt64) {
    switch state.withLock({ $0 }) {
    case .open(let file, let offset): return (file, offset)
    case .closed: throw Problem(description: "the file is finished")
    }
  }

  private static func onPool<R: Sendable>(
    _ work: @escaping @Sendable () throws(SystemError) -> R
  ) async throws(Problem) -> R {
    let outcome: Result<R, SystemError>
    do throws(BlockingPoolError) {
      outcome = try await BlockingPool.shared.run {
        do throws(SystemError) { return .success(try work()) } catch { return .failure(error) }
      }
    } catch {
      throw Problem(description: error == .cancelled ? "the task was cancelled" : "\(error)")
    }
    do throws(SystemError) { return try outcome.get() } catch { throw Problem(description: error.text) }
  }
}

/// A descriptor that calls on several threads share, closed when the last is over.
private final class SharedDescriptor: Sendable {
  private let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

  func write(_ bytes: ByteChunk, at offset: UInt64) throws(SystemError) {
    try bytes.withUnsafeBytes { buffer throws(SystemError) in
      try FileIO.write(descriptor.raw, at: Int64(clamping: offset), buffer)
    }
  }

  func sync() throws(SystemError) { try FileIO.sync(descriptor.raw) }
}
