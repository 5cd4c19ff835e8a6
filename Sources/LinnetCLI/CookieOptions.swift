internal import Glibc
internal import LinnetHTTP

/// The cookies of `-b` and `-c`.
struct CookieOptions: Sendable {
  private let options: CommandLineOptions.Cookies
  private let reportsProblems: Bool
  private let isJSON: Bool
  /// How long a file is waited for.
  private let limit: Duration?
  /// Nil when cookies are not kept.
  let jar: CookieJar?

  /// - Parameter jar: One that is there already, for the options behind `--next`.
  init(_ options: CommandLineOptions, jar former: CookieJar? = nil) {
    self.options = options.cookies
    reportsProblems = options.reportsErrors
    isJSON = options.reportsJSON
    limit = options.connection.maximumTime
    jar = options.cookies.isOn ? former ?? CookieJar() : nil
  }

  /// The `Cookie` field of the pairs that `-b` gives; nil without any.
  static func header(_ options: CommandLineOptions.Cookies) -> [UInt8]? {
    options.given.isEmpty ? nil : Array(options.given.map(\.bytes).joined(separator: "; ".utf8))
  }

  // MARK: Files

  /// Reads the files of `-b`. Lines that are no cookies are named, and the others count; a file that does not exist may be
  /// made by `-c` later.
  func load() async throws(CommandError) {
    guard let jar else { return }
    for path in options.files where !path.bytes.isEmpty {
      if !path.isDash, path.withCString({ access($0, F_OK) }) != 0, errno == ENOENT {
        if reportsProblems && options.jar != path {
          Console.warning("there is no cookie file '\(path.text)'", asJSON: isJSON)
        }
        continue
      }
      let bytes: [UInt8]
      do throws(CommandError) {
        bytes = try InputFile.contents(of: path, within: limit)
      } catch {
        throw error.exitCode == .timeout ? error : .usage(error.message)
      }
      for problem in await jar.load(netscape: bytes) where reportsProblems {
        Console.warning("cookie file '\(path.isDash ? "standard input" : path.text)', \(problem)", asJSON: isJSON)
      }
    }
    if options.dropsSessionCookies { jar.removeSessionCookies() }
  }

  /// Looks whether the file of `-c` can be written.
  func checkJar() throws(CommandError) {
    guard let path = options.jar, !path.isDash else { return }
    try OutputFile(path).checkWrites()
  }

  /// Writes the file of `-c`.
  func save() async throws(CommandError) {
    guard let jar, let path = options.jar else { return }
    let bytes = NetscapeCookieFile(jar.cookies).serialised()
    if path.isDash { try SideFile(path, mode: 0o600).write(bytes) } else { try OutputFile(path).write(bytes) }
  }
}
