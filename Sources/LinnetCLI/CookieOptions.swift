internal import LinnetHTTP

/// The cookies of `-b` and `-c`.
enum CookieOptions {
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
}
