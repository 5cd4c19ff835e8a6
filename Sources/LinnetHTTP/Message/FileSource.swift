internal import LinnetBytes
internal import LinnetIO

/// A regular file as it was when it was looked at: bodies that are made of files read it later, and must notice when it
/// has become another one meanwhile.
package struct FileSource: Sendable, Hashable {
  package let path: String
  private let identity: FileIdentity

  /// The number of bytes.
  package var size: UInt64 { identity.size }

  /// Why a file cannot be read.
  package enum Problem: Error, Sendable, Hashable {
    /// The system says so.
    case unreadable(String)
    /// It is a directory, a pipe or a device.
    case notAFile
    /// It is another file, or has another size, than when the source was made.
    case changed
    /// The task was cancelled.
    case cancelled
  }

  /// Looks at a file without opening it. May wait for a disk, but for nothing else.
  package init(path: String) throws(Problem) {
    self.path = path
    do throws(SystemError) { identity = try FileIdentity(path: path) } catch { throw Problem(error) }
    guard identity.isRegular else { throw .notAFile }
  }

  /// The whole file, read in the calling thread.
  package func readAll() throws(Problem) -> ByteChunk {
    let file = try open()
    guard let count = Int(exactly: size) else { throw .unreadable("File too large") }
    return try file.read(at: 0, count: count)
  }

  /// The content in pieces of at most `pieceBytes`, each read on the blocking pool when it is asked for.
  package func pieces(of pieceBytes: Int = 65_536) -> Pieces {
    Pieces(source: self, pieceBytes: Swift.max(1, pieceBytes))
  }

  fileprivate func open() throws(Problem) -> OpenFile {
    let file: OpenFile
    let opened: FileIdentity
    // The first look keeps from opening a pipe, which would wait for its writer.
    guard try FileSource(path: path) == self else { throw .changed }
    do throws(SystemError) {
      file = OpenFile(try FileIO.openForReading(path))
      opened = try file.identity()
    } catch {
      throw Problem(error)
    }
    guard opened == identity else { throw .changed }
    return file
  }

  /// The pieces of a ``FileSource``; each iteration opens the file again.
  package struct Pieces: AsyncSequence, Sendable {
    package typealias Element = ByteChunk
    package typealias Failure = Problem

    fileprivate let source: FileSource
    fileprivate let pieceBytes: Int

    package func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Reads one piece after the other; holds the file open from the first to the last.
    package struct Iterator: AsyncIteratorProtocol {
      private let sequence: Pieces
      private var file: OpenFile?
      private var offset: UInt64 = 0
      private var isAtEnd = false

      fileprivate init(sequence: Pieces) { self.sequence = sequence }

      package mutating func next() async throws(Problem) -> ByteChunk? { try await next(isolation: #isolation) }

      package mutating func next(isolation actor: isolated (any Actor)?) async throws(Problem) -> ByteChunk? {
        if isAtEnd { return nil }
        let file = try await opened()
        let count = Int(Swift.min(UInt64(sequence.pieceBytes), sequence.source.size - offset))
        if count == 0 {
          isAtEnd = true
          self.file = nil
          return nil
        }
        let position = offset
        let piece = try await Self.onPool { () throws(Problem) in try file.read(at: position, count: count) }
        offset += UInt64(count)
        return piece
      }

      private mutating func opened() async throws(Problem) -> OpenFile {
        if let file { return file }
        let source = sequence.source
        let opened = try await Self.onPool { () throws(Problem) in try source.open() }
        file = opened
        return opened
      }

      private static func onPool<R: Sendable>(
        _ work: @escaping @Sendable () throws(Problem) -> R
      ) async throws(Problem) -> R {
        let outcome: Result<R, Problem>
        do throws(BlockingPoolError) {
          outcome = try await BlockingPool.shared.run {
            do throws(Problem) { return .success(try work()) } catch { return .failure(error) }
          }
        } catch {
          throw error == .cancelled ? .cancelled : .unreadable("\(error)")
        }
        return try outcome.get()
      }
    }
  }
}

/// A file that is open for reading until nobody holds it.
private final class OpenFile: Sendable {
  private let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

  func identity() throws(SystemError) -> FileIdentity { try FileIdentity(descriptor: descriptor.raw) }

  /// - Throws: ``FileSource/Problem/changed`` when the file ends before.
  func read(at offset: UInt64, count: Int) throws(FileSource.Problem) -> ByteChunk {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, initialised in
      do throws(SystemError) {
        initialised = try FileIO.read(
          descriptor.raw, at: Int64(clamping: offset), into: UnsafeMutableRawBufferPointer(room))
      } catch {
        failure = error
      }
    }
    if let failure { throw FileSource.Problem(failure) }
    guard bytes.count == count else { throw .changed }
    return ByteChunk(bytes)
  }
}

extension FileSource.Problem {
  fileprivate init(_ error: SystemError) { self = .unreadable(error.text) }
}

extension FileSource.Problem: CustomStringConvertible {
  /// The problem in a few words, without the path.
  package var description: String {
    switch self {
    case .unreadable(let text): text
    case .notAFile: "it is not a regular file"
    case .changed: "it is not the file that it was, or has another size"
    case .cancelled: "the task was cancelled"
    }
  }
}
