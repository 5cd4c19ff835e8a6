internal import Glibc
internal import LinnetHTTP

/// The netrc file of `-n`, `--netrc-file` and `--netrc-optional`.
enum NetrcOptions {
  /// Where the client looks for credentials. A file that cannot be read is found here, before anything is sent.
  static func source(_ options: CommandLineOptions) throws(CommandError) -> NetrcSource {
    guard options.credentials.usesNetrc else { return .off }
    // What a netrc file gives is shown as Basic: not what was asked for.
    guard options.credentials.scheme == .basic || options.credentials.user != nil else {
      throw .usage("--digest and --anyauth do not go with a netrc file: give the credentials with -u")
    }
    guard let path = options.credentials.netrcFile ?? standardPath else { return .off }
    // Without --netrc-file a file is not promised to be there.
    let isOptional = options.credentials.isNetrcOptional || options.credentials.netrcFile == nil
    // Not opened: it may be a pipe.
    var status = stat()
    guard path.withCString({ stat($0, &status) }) == 0,
      path.withCString({ faccessat(AT_FDCWD, $0, R_OK, AT_EACCESS) }) == 0
    else {
      let number = errno
      if number == ENOENT && isOptional { return .off }
      throw .usage("cannot read the netrc file '\(path.text)': \(systemText(number))")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw .usage("cannot read the netrc file '\(path.text)': \(systemText(EISDIR))")
    }
    guard let text = path.exactText else { throw .usage("the name of the netrc file '\(path.text)' is not UTF-8") }
    if status.st_mode & 0o077 != 0 && options.reportsErrors {
      Console.warning(
        "other users can read the passwords in '\(path.text)'; chmod 600 keeps them out", asJSON: options.reportsJSON)
    }
    return .file(text)
  }

  /// `$NETRC`, else `.netrc` in the home directory. Nil without a home directory.
  private static var standardPath: Argument? {
    if let named = Environment.value("NETRC") { return Argument(named) }
    return Environment.value("HOME").map { Argument($0 + Array("/.netrc".utf8)) }
  }
}
