internal import Glibc
internal import LinnetHTTP

/// Files that options name.
enum InputFile {
  static func open(_ path: Argument) throws(CommandError) -> CInt {
    let descriptor = path.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    return descriptor
  }

  /// The whole file; `-` is standard input.
  static func contents(of path: Argument) throws(CommandError) -> [UInt8] {
    let descriptor = path.isDash ? 0 : try open(path)
    defer { if descriptor != 0 { close(descriptor) } }
    do throws(SystemFailure) {
      return try Descriptor.readAll(descriptor)
    } catch {
      throw unreadable(path, error.number)
    }
  }

  static func unreadable(_ path: Argument, _ number: CInt) -> CommandError {
    CommandError(.readError, "cannot read \(path.isDash ? "standard input" : "'\(path.text)'"): \(systemText(number))")
  }
}

/// Standard input as a body, read while it is sent.
///
/// Each read runs on a thread of its own: it may block for as long as a person types, and must not keep a thread from
/// the tasks that receive the response.
struct StandardInputStream: AsyncSequence, Sendable {
  let onRead: @Sendable (Int) -> Void

  struct Iterator: AsyncIteratorProtocol {
    let onRead: @Sendable (Int) -> Void

    mutating func next() async throws -> ByteChunk? {
      let part = await BlockingThread.run { () -> Result<[UInt8], SystemFailure> in
        do throws(SystemFailure) {
          return .success(try Descriptor.read(0, upTo: 256 << 10))
        } catch {
          return .failure(error)
        }
      }
      let bytes: [UInt8]
      do throws(SystemFailure) {
        bytes = try part.get()
      } catch {
        throw InputFile.unreadable(Argument("-"), error.number)
      }
      onRead(bytes.count)
      return bytes.isEmpty ? nil : ByteChunk(bytes)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(onRead: onRead) }
}

/// Runs one blocking call on a new thread.
enum BlockingThread {
  private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  static func run<R: Sendable>(_ call: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      let work = Unmanaged.passRetained(Work { continuation.resume(returning: call()) })
      var thread = pthread_t()
      let failure = pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
          return nil
        }, work.toOpaque())
      if failure == 0 {
        pthread_detach(thread)
      } else {
        // No thread to be had: better to block this one than to fail.
        work.takeRetainedValue().run()
      }
    }
  }
}
