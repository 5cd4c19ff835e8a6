internal import CLinnetPOSIX
internal import Glibc

/// Regular files: opened close-on-exec, moved in whole pieces, replaced atomically.
///
/// All of it may block on a disk, so tasks call it through ``BlockingPool``.
package enum FileIO {
  /// Files that this project writes are readable by their owner only: they hold bodies, cookies and tickets.
  package static var privateMode: UInt32 { 0o600 }

  // MARK: Opening

  package static func openForReading(_ path: String) throws(SystemError) -> OwnedDescriptor {
    try open(path, O_RDONLY, mode: 0)
  }

  /// The same for what may be a pipe, whose opening would wait for its writer. Reads of such a file do not wait either.
  package static func openWithoutWaiting(_ path: String) throws(SystemError) -> OwnedDescriptor {
    try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, mode: 0)
  }

  /// Opens an existing file, or makes one, for reading and writing; a symbolic link in the last place is refused.
  package static func openForWriting(_ path: String, truncate: Bool = false) throws(SystemError) -> OwnedDescriptor {
    try open(path, O_RDWR | O_CREAT | O_NOFOLLOW | (truncate ? O_TRUNC : 0), mode: privateMode)
  }

  /// Makes a file that must not exist yet.
  package static func create(_ path: String, mode: UInt32 = privateMode) throws(SystemError) -> OwnedDescriptor {
    try open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
  }

  static func open(_ path: String, _ flags: CInt, mode: UInt32) throws(SystemError) -> OwnedDescriptor {
    // SAFETY: the path ends with a zero byte.
    OwnedDescriptor(
      owning: CInt(truncatingIfNeeded: try Syscalls.call("open") { unsafe linnet_open(path, flags, mode) }))
  }

  // MARK: Moving bytes

  package static func size(_ fd: CInt) throws(SystemError) -> (bytes: Int64, isRegular: Bool) {
    var size: Int64 = 0
    var isRegular: CInt = 0
    // SAFETY: the call writes the two variables.
    _ = try Syscalls.call("fstat", fd: fd) { unsafe linnet_file_size(fd, &size, &isRegular) }
    return (size, isRegular != 0)
  }

  /// Reads until the buffer is full or the file ends.
  ///
  /// - Returns: The number of bytes read; fewer than the buffer's only at the end of the file.
  package static func read(
    _ fd: CInt, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let position = done
      // SAFETY: the kernel writes at most `allowed` bytes from `position` on, inside the buffer.
      guard
        let count = try Syscalls.transfer(
          "pread", fd: fd, count: buffer.count - done,
          { allowed in
            unsafe linnet_pread(
              fd, buffer.baseAddress.map { unsafe $0 + position }, allowed, off_t(offset &+ Int64(position)))
          })
      else { throw SystemError(number: EAGAIN, call: "pread") }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all bytes.
  package static func write(_ fd: CInt, at offset: Int64, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let position = done
      // SAFETY: the kernel reads at most `allowed` bytes from `position` on, inside the buffer.
      guard
        let count = try Syscalls.transfer(
          "pwrite", fd: fd, count: bytes.count - done,
          { allowed in
            unsafe linnet_pwrite(
              fd, bytes.baseAddress.map { unsafe $0 + position }, allowed, off_t(offset &+ Int64(position)))
          })
      else { throw SystemError(number: EAGAIN, call: "pwrite") }
      done += count
    }
  }

  /// Reads what there is next in a stream such as standard input; 0 at its end. Not for sockets.
  package static func readNext(_ fd: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    // SAFETY: the kernel writes at most `allowed` bytes.
    guard
      let count = try Syscalls.transfer(
        "read", fd: fd, count: buffer.count, { allowed in unsafe linnet_read(fd, buffer.baseAddress, allowed) })
    else { throw SystemError(number: EAGAIN, call: "read") }
    return count
  }

  /// Writes all bytes to a stream such as standard output. Not for sockets: it raises `SIGPIPE`.
  package static func writeNext(_ fd: CInt, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let position = done
      // SAFETY: the kernel reads at most `allowed` bytes from `position` on, inside the buffer.
      guard
        let count = try Syscalls.transfer(
          "write", fd: fd, count: bytes.count - done,
          { allowed in unsafe linnet_write(fd, bytes.baseAddress.map { unsafe $0 + position }, allowed) })
      else { throw SystemError(number: EAGAIN, call: "write") }
      done += count
    }
  }

  /// Waits until the file's bytes are on the disk.
  package static func sync(_ fd: CInt) throws(SystemError) {
    _ = try Syscalls.call("fsync", fd: fd) { linnet_fsync(fd) }
  }

  package static func truncate(_ fd: CInt, to size: Int64) throws(SystemError) {
    _ = try Syscalls.call("ftruncate", fd: fd) { linnet_truncate(fd, off_t(size)) }
  }

  // MARK: Whole files

  /// - Throws: `EFBIG` for a file with more than `limit` bytes.
  package static func readAll(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try openForReading(path)
    return try readAll(file.raw, limit: limit)
  }

  /// The rest of an open file.
  static func readAll(_ fd: CInt, limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      var count = 0
      var failure: SystemError?
      // SAFETY: the pointer is used only during the call.
      unsafe chunk.withUnsafeMutableBytes { buffer in
        do throws(SystemError) { count = try unsafe readNext(fd, into: buffer) } catch { failure = error }
      }
      if let failure { throw failure }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw SystemError(number: EFBIG, call: "read") }
      bytes.append(contentsOf: chunk.prefix(count))
    }
  }

  /// Puts a file in place in one step: a reader sees the former content or the new one, also after a crash when
  /// `isDurable`.
  ///
  /// The bytes go into a new file beside it, which then takes its name.
  ///
  /// - Throws: ELOOP for a symbolic link, which is neither followed nor replaced; EPERM for a device, a pipe or a socket, which
  ///   a process that may do everything must not take from the system.
  package static func replace(
    _ path: String, with bytes: [UInt8], mode: UInt32 = privateMode, isDurable: Bool = true
  ) throws(SystemError) {
    try checkReplaceable(path)
    let temporary = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16)).tmp"
    let file = try create(temporary, mode: mode)
    do throws(SystemError) {
      try writeAll(file.raw, bytes)
      if isDurable { try sync(file.raw) }
      try rename(temporary, to: path)
    } catch {
      try? remove(temporary)
      throw error
    }
    file.close()
    if isDurable { try syncDirectory(of: path) }
  }

  private static func checkReplaceable(_ path: String) throws(SystemError) {
    // SAFETY: the path ends with a zero byte.
    _ = try Syscalls.call("lstat") { unsafe linnet_check_replaceable(path) }
  }

  private static func writeAll(_ fd: CInt, _ bytes: [UInt8]) throws(SystemError) {
    var failure: SystemError?
    // SAFETY: the pointer is used only during the call.
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try unsafe write(fd, at: 0, buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// A rename is on the disk when its directory is.
  package static func syncDirectory(of path: String) throws(SystemError) {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let opened = try open(directory, O_RDONLY | O_DIRECTORY, mode: 0)
    try sync(opened.raw)
  }

  // MARK: Names

  package static func rename(_ path: String, to other: String) throws(SystemError) {
    // SAFETY: both paths end with a zero byte.
    _ = try Syscalls.call("rename") { unsafe linnet_rename(path, other) }
  }

  package static func remove(_ path: String) throws(SystemError) {
    // SAFETY: the path ends with a zero byte.
    _ = try Syscalls.call("unlink") { unsafe linnet_unlink(path) }
  }

  package static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(SystemError) {
    // SAFETY: the path ends with a zero byte.
    _ = try Syscalls.call("mkdir") { unsafe linnet_mkdir(path, mode) }
  }
}
