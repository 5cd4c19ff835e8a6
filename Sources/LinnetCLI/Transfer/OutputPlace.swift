package import LinnetHTTP

/// Where the options want a body: what is known about it before the response is.
package struct OutputPlace: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case standardOutput
    case file
    /// A file whose name the server may choose (`-OJ`).
    case headerName
  }

  package let kind: Kind
  /// The file, when its name is known; in the directory of `--output-dir`.
  package let path: Argument?
  /// The file that is taken when the server chooses no name.
  private let fallback: Argument?
  /// That of `--output-dir`.
  let directory: Argument?
  package let createsDirectories: Bool
  package let clobber: CommandLineOptions.Clobber
  /// The user named standard output, so binary data may go to a terminal.
  package let isExplicit: Bool

  /// - Parameters:
  ///   - output: What `-o` or `-O` says about this URL.
  ///   - isExplicit: The user has said it.
  package init(
    _ output: CommandLineOptions.Output, isExplicit: Bool, of url: HTTPURL, _ options: CommandLineOptions
  ) throws(CommandError) {
    directory = options.transfer.outputDirectory
    createsDirectories = options.createsDirectories
    clobber = options.transfer.clobber
    self.isExplicit = isExplicit
    switch output {
    case .standardOutput: (kind, path, fallback) = (.standardOutput, nil, nil)
    case .file(let name): (kind, path, fallback) = (.file, FileName.inside(directory, name), nil)
    case .remoteName where options.transfer.usesHeaderName:
      (kind, path, fallback) = (.headerName, nil, FileName.last(of: url))
    case .remoteName:
      guard let name = FileName.last(of: url) else { throw Self.nameless(url) }
      (kind, path, fallback) = (.file, FileName.inside(directory, name), nil)
    }
  }

  /// The file for a response when the server may choose: the name of `Content-Disposition`, else that of the URL, else
  /// that of the URL which redirections led to.
  package func path(for head: ResponseHead, from url: HTTPURL) throws(CommandError) -> Argument {
    let given = head.headers.value(for: "Content-Disposition").flatMap { ContentDisposition.fileName($0.utf8) }
    let chosen =
      given.flatMap { FileName.sanitised($0) } ?? fallback
      ?? FileName.last(of: url).flatMap { FileName.sanitised($0.bytes) }
    guard let chosen else { throw Self.nameless(url) }
    return FileName.inside(directory, chosen)
  }

  private static func nameless(_ url: HTTPURL) -> CommandError {
    CommandError(.writeError, "-O: the path of '\(URLArgument.masked(url.description))' does not end with a file name")
  }
}
