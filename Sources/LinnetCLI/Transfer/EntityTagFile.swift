internal import Glibc

/// The files of `--etag-save` and `--etag-compare`: an entity tag on the first line.
enum EntityTagFile {
  /// The tag that is kept there; nil when there is none, or no file.
  static func read(_ path: Argument) throws(CommandError) -> String? {
    if path.withCString({ access($0, F_OK) }) != 0 && errno == ENOENT { return nil }
    let content = try InputFile.contents(of: path)
    let line = content.prefix { $0 != 0x0A && $0 != 0x0D }
    let tag = String(decoding: line, as: UTF8.self).drop { $0 == " " || $0 == "\t" }
    return tag.isEmpty ? nil : String(tag)
  }

  /// Replaces the file as a whole, so that another run never sees half of it. Without a tag it becomes empty: an old tag must
  /// not be taken for that of the new body.
  static func save(_ tag: String?, to path: Argument) throws(CommandError) {
    let bytes = Array((tag.map { "\($0)\n" } ?? "").utf8)
    var status = stat()
    if path.withCString({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT != S_IFREG,
      status.st_mode & S_IFMT != S_IFLNK
    {
      // A device or a pipe is not replaced.
      try SideFile(path, mode: 0o600).write(bytes)
      return
    }
    let temporary = Argument(path.bytes + Array(".\(getpid()).tmp".utf8))
    let descriptor = temporary.withCString {
      open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw failure(path, errno) }
    var number = Descriptor.writeAll(descriptor, bytes)
    if close(descriptor) != 0 && errno != EINTR && number == 0 { number = errno }
    if number == 0 {
      let result = temporary.withCString { from in path.withCString { to in rename(from, to) } }
      if result != 0 { number = errno }
    }
    guard number != 0 else { return }
    _ = temporary.withCString { unlink($0) }
    throw failure(path, number)
  }

  private static func failure(_ path: Argument, _ number: CInt) -> CommandError {
    CommandError(.writeError, "cannot write '\(path.text)': \(systemText(number))")
  }
}
