internal import Glibc
internal import LinnetHTTP

/// The cookies of `-b` and `-c`.
struct CookieOptions: Sendable {
  private let options: CommandLineOptions.Cookies
  private let reportsProblems: Bool
  /// Nil when cookies are not kept.
  let jar: CookieJar?

  init(_ options: CommandLineOptions) {
    self.options = options.cookies
    reportsProblems = options.reportsErrors
    jar = options.cookies.isOn ? CookieJar() : nil
  }

  /// The `Cookie` field of the pairs that `-b` gives; nil without any.
  static func header(_ options: CommandLineOptions.Cookies) throws(CommandError) -> String? {
    guard !options.given.isEmpty else { return nil }
    var parts: [String] = []
    for argument in options.given {
      guard let text = argument.exactText else { throw .usage("option --cookie: '\(argument.text)' is not UTF-8") }
      parts.append(text)
    }
    return parts.joined(separator: "; ")
  }

  // MARK: Files

  /// Reads the files of `-b`. Lines that are no cookies are named, and the others count; a file that does not exist may be
  /// made by `-c` later.
  func load() async throws(CommandError) {
    guard let jar else { return }
    for path in options.files where !path.bytes.isEmpty {
      if !path.isDash, path.withCString({ access($0, F_OK) }) != 0, errno == ENOENT {
        if reportsProblems && options.jar != path { Console.warning("there is no cookie file '\(path.text)'") }
        continue
      }
      let bytes: [UInt8]
      do throws(CommandError) {
        bytes = try InputFile.contents(of: path)
      } catch {
        throw .usage(error.message)
      }
      for problem in await jar.load(netscape: bytes) where reportsProblems {
        Console.warning("cookie file '\(path.isDash ? "standard input" : path.text)', \(problem)")
      }
    }
    if options.dropsSessionCookies { jar.removeSessionCookies() }
  }

  /// Writes the file of `-c`.
  func save() async throws(CommandError) {
    guard let jar, let path = options.jar else { return }
    // What is no regular file, such as /dev/null, is written to; putting a file in its place would break the system.
    var status = stat()
    let isSpecial = path.withCString { stat($0, &status) } == 0 && status.st_mode & S_IFMT != S_IFREG
    guard path.isDash || isSpecial || path.exactText == nil else {
      do throws(CookieFileError) {
        try await jar.save(netscapeFile: path.text)
      } catch {
        throw CommandError(.writeError, error.description)
      }
      return
    }
    let descriptor = path.isDash ? 1 : path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) }
    defer { if descriptor > 1 { close(descriptor) } }
    let number =
      descriptor < 0 ? errno : Descriptor.writeAll(descriptor, NetscapeCookieFile(jar.cookies).serialised())
    guard number == 0 else {
      if path.isDash && number == EPIPE { throw Signals.brokenPipe(writing: "standard output") }
      throw CommandError(.writeError, "cannot write the cookie file '\(path.text)': \(systemText(number))")
    }
  }
}
