internal import Glibc
internal import LinnetHTTP

/// Where a response goes: standard output, or a file that is made only when there is something to put into it.
struct BodyOutput: ~Copyable {
  /// Nil: standard output.
  let path: Argument?
  private let createsDirectories: Bool
  /// The user named standard output, so binary data may go to a terminal.
  private let isExplicit: Bool
  private var descriptor: CInt = -1
  private var isFirst = true

  /// Chooses the file and looks whether it can be written, before anything is sent; nothing is made yet.
  init(_ options: CommandLineOptions, index: Int, url: HTTPURL) throws(CommandError) {
    let chosen = try Self.path(options.output(at: index), url)
    if let chosen, !options.createsDirectories { try Self.checkWritable(chosen) }
    path = chosen
    createsDirectories = options.createsDirectories
    isExplicit = index < options.outputs.count
  }

  private static func path(_ output: CommandLineOptions.Output, _ url: HTTPURL) throws(CommandError) -> Argument? {
    switch output {
    case .standardOutput: return nil
    case .file(let name): return name
    case .remoteName:
      let segments = url.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      guard let name = segments.last, !name.isEmpty else {
        throw CommandError(.writeError, "-O: the path of '\(url.redactedDescription)' does not end with a file name")
      }
      return Argument(name)
    }
  }

  deinit { if path != nil && descriptor >= 0 { close(descriptor) } }

  /// Whether the body ends up in a file, so that a progress bar disturbs nobody.
  var isFile: Bool {
    guard path == nil else { return true }
    var status = stat()
    return fstat(1, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Makes or empties the file.
  mutating func open() throws(CommandError) {
    guard let path else {
      descriptor = 1
      return
    }
    if createsDirectories { try Self.createDirectories(for: path) }
    descriptor = path.withCString { Glibc.open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
    guard descriptor >= 0 else { throw failure(errno) }
  }

  mutating func write(_ chunk: ByteChunk) throws(CommandError) {
    if isFirst && !chunk.isEmpty {
      isFirst = false
      if path == nil && !isExplicit && chunk.prefix(2000).contains(0) && isatty(1) == 1 {
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

  /// Closes the file: a full disk or quota may show only now.
  mutating func finish() throws(CommandError) {
    guard path != nil, descriptor >= 0 else { return }
    let open = descriptor
    descriptor = -1
    if close(open) != 0 && errno != EINTR { throw failure(errno) }
  }

  private func failure(_ number: CInt) -> CommandError {
    if path == nil && number == EPIPE { return Signals.brokenPipe(writing: "standard output") }
    return CommandError(
      .writeError, "cannot write \(path.map { "'\($0.text)'" } ?? "standard output"): \(systemText(number))")
  }

  private static func checkWritable(_ path: Argument) throws(CommandError) {
    var status = stat()
    var number: CInt = 0
    if path.withCString({ stat($0, &status) }) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR {
        number = EISDIR
      } else if path.withCString({ access($0, W_OK) }) != 0 {
        number = errno
      }
    } else {
      let slash = path.bytes.lastIndex(of: UInt8(ascii: "/"))
      let parent = slash.map { Argument(path.bytes[...$0]) } ?? Argument(".")
      if path.bytes.isEmpty {
        number = ENOENT
      } else if parent.withCString({ access($0, W_OK | X_OK) }) != 0 {
        number = errno
      }
    }
    guard number == 0 else {
      throw CommandError(.writeError, "cannot write '\(path.text)': \(systemText(number))")
    }
  }

  private static func createDirectories(for path: Argument) throws(CommandError) {
    for (index, byte) in path.bytes.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
      let directory = Argument(path.bytes[..<index])
      if directory.withCString({ mkdir($0, 0o777) }) != 0 && errno != EEXIST {
        throw CommandError(.writeError, "cannot make the directory '\(directory.text)': \(systemText(errno))")
      }
    }
  }
}
