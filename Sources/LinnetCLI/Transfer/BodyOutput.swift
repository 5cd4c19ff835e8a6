internal import Glibc
internal import LinnetHTTP

/// Where a response goes: standard output, or a file that is made only when there is something to put into it.
struct BodyOutput: ~Copyable {
  private let place: OutputPlace
  /// The file, once it is known: a server may choose its name.
  private(set) var path: Argument?
  private var descriptor: CInt = -1
  /// The file that this transfer has made or emptied, and what it was when that was done.
  private var opened: (file: OutputFile, status: stat)?
  private var isFirst = true

  /// Looks whether the file can be written, before anything is sent; nothing is made yet.
  init(_ place: OutputPlace) throws(CommandError) {
    self.place = place
    path = place.path
    guard !place.createsDirectories else { return }
    if let path {
      try OutputFile(path).checkOpens(isNew: place.clobber == .never)
    } else if place.kind == .headerName {
      try OutputFile.check(directory: place.directory ?? Argument("."))
    }
  }

  deinit { if isOpenFile { close(descriptor) } }

  var isStandardOutput: Bool { place.kind == .standardOutput }

  private var isOpenFile: Bool { !isStandardOutput && descriptor >= 0 }

  /// Whether the body ends up in a file, so that a progress bar disturbs nobody.
  var isFile: Bool {
    guard isStandardOutput else { return true }
    var status = stat()
    return fstat(1, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  // MARK: Opening

  /// How many bytes of the file are there already.
  func existingBytes() -> UInt64 {
    var status = stat()
    guard let path, path.withCString({ stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return UInt64(clamping: status.st_size)
  }

  /// Makes or empties the file that the response goes to.
  mutating func open(for head: ResponseHead, from url: HTTPURL) throws(CommandError) {
    guard !isStandardOutput else {
      descriptor = 1
      return
    }
    let name = if let path { path } else { try place.path(for: head, from: url) }
    if place.createsDirectories { try Self.createDirectories(for: name) }
    if place.kind == .headerName || place.clobber == .never {
      try openNew(name)
    } else {
      path = name
      let file = try OutputFile(name)
      descriptor = try file.open(O_CREAT | O_TRUNC, mode: 0o666)
      note(file)
    }
  }

  private mutating func note(_ file: OutputFile) {
    var status = stat()
    if fstat(descriptor, &status) == 0 { opened = (file, status) }
  }

  /// The most names that are tried; as many as curl's.
  private static let maximumNumber = 100

  /// Makes a file that was not there before. A link is not followed, wherever it leads.
  private mutating func openNew(_ name: Argument) throws(CommandError) {
    for number in 0...(place.clobber == .never ? Self.maximumNumber : 0) {
      let candidate = number == 0 ? name : FileName.numbered(name, number)
      path = candidate
      descriptor = candidate.withCString { Glibc.open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
      if descriptor >= 0 {
        note(try OutputFile(candidate))
        return
      }
      guard errno == EEXIST || errno == EISDIR else { throw failure(errno) }
    }
    path = name
    guard place.clobber == .never else {
      throw CommandError(
        .writeError,
        "'\(name.text)' is there already, and a name that the server chose overwrites nothing; see --no-clobber")
    }
    throw CommandError(.writeError, "'\(name.text)' and its names with numbers are all there already")
  }

  /// Opens the file behind its last byte. It must still have as many bytes as were counted when the request was made.
  mutating func append(after offset: UInt64) throws(CommandError) {
    guard !isStandardOutput, let path else {
      descriptor = 1
      return
    }
    if place.createsDirectories { try Self.createDirectories(for: path) }
    descriptor = try OutputFile(path).open(O_CREAT | O_APPEND, mode: 0o666)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
    guard UInt64(clamping: status.st_size) == offset else {
      throw CommandError(.rangeRefused, "'\(path.text)' has changed meanwhile; it is left as it is")
    }
  }

  // MARK: Writing

  mutating func write(_ chunk: ByteChunk) throws(CommandError) {
    if isFirst && !chunk.isEmpty {
      isFirst = false
      if isStandardOutput && !place.isExplicit && chunk.prefix(2000).contains(0) && isatty(1) == 1 {
        throw CommandError(
          .writeError, "the body is binary and would upset the terminal; use -o FILE, or -o - to print it")
      }
    }
    let number = chunk.withUnsafeBytes { Descriptor.writeAll(descriptor, $0) }
    if number != 0 { throw failure(number) }
  }

  mutating func write(_ text: String) throws(CommandError) {
    let number = Descriptor.writeAll(descriptor, Array(text.utf8))
    if number != 0 { throw failure(number) }
  }

  /// `UTIME_OMIT`, which Swift does not see.
  private static let unchanged = (1 << 30) - 2

  /// Gives the file the time of `Last-Modified`; the time of the last access stays. A device or a pipe keeps its own.
  func setModificationTime(_ seconds: Int64) {
    var status = stat()
    guard isOpenFile, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    let times = [timespec(tv_sec: 0, tv_nsec: Self.unchanged), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
    _ = futimens(descriptor, times)
  }

  /// Closes the file: a full disk or quota may show only now.
  mutating func finish() throws(CommandError) {
    guard isOpenFile else { return }
    let open = descriptor
    descriptor = -1
    if close(open) != 0 && errno != EINTR { throw failure(errno) }
  }

  /// Removes what was written so far, if it is a plain file that this transfer has opened, and still the same one.
  mutating func remove() {
    guard let opened else { return }
    // It is still open where that can be, so that no other file has got its number.
    opened.file.remove(ifStill: opened.status)
    if isOpenFile { close(descriptor) }
    descriptor = -1
  }

  private func failure(_ number: CInt) -> CommandError {
    if isStandardOutput && number == EPIPE { return Signals.brokenPipe(writing: "standard output") }
    return CommandError(
      .writeError, "cannot write \(path.map { "'\($0.text)'" } ?? "standard output"): \(systemText(number))")
  }

  // MARK: The file system

  private static func createDirectories(for path: Argument) throws(CommandError) {
    for (index, byte) in path.bytes.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
      let directory = Argument(path.bytes[..<index])
      // The permissions that curl gives.
      if directory.withCString({ mkdir($0, 0o750) }) != 0 && errno != EEXIST {
        throw CommandError(.writeError, "cannot make the directory '\(directory.text)': \(systemText(errno))")
      }
    }
  }
}
