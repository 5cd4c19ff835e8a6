internal import Glibc
internal import LinnetHTTP

/// Files that options name: also pipes (`<(command)`), terminals and devices. None is opened only to look at it: what was
/// written into a pipe meanwhile would be lost.
enum InputFile {
  /// Opened without waiting for the writer that a pipe still lacks. Such a file looks as if it were at its end until
  /// ``waitUntilReadable(_:until:)`` has returned.
  static func open(_ path: Argument) throws(CommandError) -> CInt {
    let descriptor = path.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    return descriptor
  }

  /// `O_PATH`, which Glibc declares in a way that is not imported: the file itself is not opened.
  private static let pathOnly: CInt = 0o10_000_000

  /// A path that is text, for the library, and leads to a file whose own path is not: that of a descriptor which only stands
  /// for the file, and stays open. Nil and `errno` when there is none.
  static func standIn(for path: Argument) -> String? {
    let descriptor = path.withCString { Glibc.open($0, pathOnly | O_CLOEXEC) }
    return descriptor >= 0 ? "/proc/self/fd/\(descriptor)" : nil
  }

  /// What a file is, after a look whether it may be read.
  static func status(of path: Argument) throws(CommandError) -> stat {
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0,
      path.withCString({ faccessat(AT_FDCWD, $0, R_OK, AT_EACCESS) }) == 0
    else { throw unreadable(path, errno) }
    return status
  }

  /// The whole file; `-` is standard input.
  ///
  /// - Parameter limit: How long is waited for it at most; nil: without end.
  /// - Throws: The status of a timeout after that.
  static func contents(of path: Argument, within limit: Duration?) throws(CommandError) -> [UInt8] {
    let descriptor = path.isDash ? 0 : try open(path)
    defer { if descriptor != 0 { close(descriptor) } }
    let deadline = limit.map { ContinuousClock.now + $0 }
    var content: [UInt8] = []
    while true {
      guard waitUntilReadable(descriptor, until: deadline) else {
        throw CommandError(
          .timeout,
          "\(name(path)) was not read within \(fixed(limit?.inSeconds ?? 0, digits: 1)) s (--max-time)")
      }
      do throws(SystemFailure) {
        let part = try Descriptor.read(descriptor, upTo: 64 << 10)
        if part.isEmpty { return content }
        content += part
      } catch {
        throw unreadable(path, error.number)
      }
    }
  }

  /// Waits for bytes or the end. Returns false when the time is over.
  static func waitUntilReadable(_ descriptor: CInt, until deadline: ContinuousClock.Instant? = nil) -> Bool {
    while true {
      var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Rounded up: the time is over when it is.
      let left = deadline.map { ContinuousClock.now.duration(to: $0).inSeconds * 1000 + 1 } ?? -1
      if deadline != nil && left <= 1 { return poll(&interest, 1, 0) > 0 }
      let count = poll(&interest, 1, CInt(min(left, 1_000_000)))
      if count > 0 || count < 0 && errno != EINTR { return true }
    }
  }

  private static func name(_ path: Argument) -> String { path.isDash ? "standard input" : "'\(path.text)'" }

  static func unreadable(_ path: Argument, _ number: CInt) -> CommandError {
    CommandError(.readError, "cannot read \(name(path)): \(systemText(number))")
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
