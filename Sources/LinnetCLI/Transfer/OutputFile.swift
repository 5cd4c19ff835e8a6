internal import Glibc

/// A file that the user named to be written to: the one place where it is decided what becomes of links and of what is no
/// regular file. `-o`, `-D`, `--trace`, `--stderr`, `--etag-save` and `-c` all come here.
///
/// A symbolic link is followed when it belongs to the user or to root, who could do everything anyway. One that somebody
/// else has made would lead the user's data, or what the user may overwrite, to where that somebody likes: it is refused.
struct OutputFile {
  /// The name that the user gave, for messages.
  private let name: Argument
  /// Where the links have led.
  let path: Argument
  /// What stands there; nil: nothing yet.
  private let status: stat?
  /// The last link is one of the kernel's (`/dev/stdout`, `/dev/fd/3`), which lead to open files and not to names.
  private let isDescriptor: Bool

  /// As many as the kernel follows.
  private static let maximumLinks = 40

  init(_ name: Argument) throws(CommandError) {
    self.name = name
    var path = name
    for _ in 0...Self.maximumLinks {
      var status = stat()
      guard path.withCString({ lstat($0, &status) }) == 0 else {
        guard errno == ENOENT else { throw Self.failure(name, errno) }
        (self.path, self.status, isDescriptor) = (path, nil, false)
        return
      }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        (self.path, self.status, isDescriptor) = (path, status, false)
        return
      }
      guard status.st_uid == geteuid() || status.st_uid == 0 else {
        throw CommandError(
          .writeError, "cannot write '\(name.text)': it is a symbolic link that another user has made")
      }
      if Self.isOfProc(status) {
        (self.path, self.status, isDescriptor) = (path, nil, true)
        return
      }
      path = try Self.target(of: path, name)
    }
    throw Self.failure(name, ELOOP)
  }

  private static func isOfProc(_ link: stat) -> Bool {
    var proc = stat()
    return stat("/proc", &proc) == 0 && proc.st_dev == link.st_dev
  }

  private static func target(of link: Argument, _ name: Argument) throws(CommandError) -> Argument {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = link.withCString { readlink($0, &room, room.count) }
    guard count > 0 else { throw failure(name, count < 0 ? errno : ENOENT) }
    let target = room[..<count].map { UInt8(bitPattern: $0) }
    let slash = link.bytes.lastIndex(of: UInt8(ascii: "/"))
    guard target.first != UInt8(ascii: "/"), let slash else { return Argument(target) }
    return Argument(link.bytes[...slash] + target)
  }

  // MARK: Writing

  /// Opens it where it is. `flags` say what becomes of what is there, and whether it may be there at all.
  func open(_ flags: CInt, mode: mode_t) throws(CommandError) -> CInt {
    // What has become a link since it was looked at is not followed.
    let nofollow = isDescriptor ? 0 : O_NOFOLLOW
    let descriptor = path.withCString { Glibc.open($0, O_WRONLY | O_CLOEXEC | nofollow | flags, mode) }
    guard descriptor >= 0 else { throw Self.failure(name, errno) }
    return descriptor
  }

  /// Whether another file may take its place. Devices, pipes and sockets stay what they are, and so does a file of somebody
  /// else behind a link: a new one would not be theirs.
  private var isReplaceable: Bool {
    guard !isDescriptor else { return false }
    guard let status else { return true }
    guard status.st_mode & S_IFMT == S_IFREG else { return false }
    return path == name || status.st_uid == geteuid()
  }

  /// Writes the whole content. A file is replaced in one step, so that nobody sees half of it, and only its owner may read it.
  func write(_ bytes: [UInt8]) throws(CommandError) {
    guard isReplaceable else {
      let descriptor = try open(O_TRUNC, mode: 0)
      let number = Self.write(bytes, to: descriptor)
      guard number == 0 else { throw Self.failure(name, number) }
      return
    }
    let suffix = String(UInt64.random(in: .min ... .max), radix: 16)
    let temporary = Argument(path.bytes + Array(".\(suffix).tmp".utf8))
    let descriptor = temporary.withCString {
      Glibc.open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw Self.failure(name, errno) }
    var number = Self.write(bytes, to: descriptor)
    if number == 0, temporary.withCString({ from in path.withCString { rename(from, $0) } }) != 0 { number = errno }
    guard number != 0 else { return }
    _ = temporary.withCString { unlink($0) }
    throw Self.failure(name, number)
  }

  /// Writes and closes. Returns 0, or the error number: a full disk may show only when the file is closed.
  private static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
    let number = Descriptor.writeAll(descriptor, bytes)
    return close(descriptor) != 0 && errno != EINTR && number == 0 ? errno : number
  }

  // MARK: Before anything is sent

  /// Looks whether it can be opened; nothing is made or emptied.
  ///
  /// - Parameter isNew: What is there is left alone, and a file is made beside it.
  func checkOpens(isNew: Bool = false) throws(CommandError) {
    var number: CInt = 0
    if isDescriptor || status != nil && !isNew {
      if status.map({ $0.st_mode & S_IFMT }) == S_IFDIR {
        number = EISDIR
      } else if path.withCString({ access($0, W_OK) }) != 0 {
        number = errno
      }
    } else if path.bytes.isEmpty {
      number = ENOENT
    } else {
      number = Self.problem(ofDirectory: Self.directory(of: path))
    }
    guard number == 0 else { throw Self.failure(name, number) }
  }

  /// Looks whether ``write(_:)`` will do.
  func checkWrites() throws(CommandError) { try checkOpens(isNew: isReplaceable) }

  /// Looks whether files can be made in a directory.
  static func check(directory: Argument) throws(CommandError) {
    let number = problem(ofDirectory: directory)
    guard number == 0 else { throw failure(directory, number) }
  }

  private static func problem(ofDirectory directory: Argument) -> CInt {
    var status = stat()
    guard directory.withCString({ stat($0, &status) }) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFDIR else { return ENOTDIR }
    return directory.withCString { access($0, W_OK | X_OK) } == 0 ? 0 : errno
  }

  private static func directory(of path: Argument) -> Argument {
    path.bytes.lastIndex(of: UInt8(ascii: "/")).map { Argument(path.bytes[...$0]) } ?? Argument(".")
  }

  // MARK: Afterwards

  /// Removes the regular file at the path if it is the one that was opened, and nothing that has taken its place.
  ///
  /// - Parameter opened: What `fstat` tells of the descriptor.
  func remove(ifStill opened: stat) {
    var status = stat()
    guard path.withCString({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_dev == opened.st_dev, status.st_ino == opened.st_ino
    else { return }
    _ = path.withCString { unlink($0) }
  }

  private static func failure(_ name: Argument, _ number: CInt) -> CommandError {
    CommandError(.writeError, "cannot write '\(name.text)': \(systemText(number))")
  }
}
