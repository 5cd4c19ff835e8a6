internal import LinnetHTTP

/// The manual page, in the language of man(7), made from the same table as the help text.
package enum ManualPage {
  package static var text: String {
    var page = """
      .TH LINNET 1 "" "linnet \(LinnetLibrary.version)" "User Commands"
      .SH NAME
      linnet \\- send HTTP requests
      .SH SYNOPSIS
      .B linnet
      .RI [ options ]
      .RI [ METHOD ]
      .IR URL ...
      .br
      .B linnet demo
      .br
      .B linnet completions
      .BR bash | zsh | fish | man
      .SH DESCRIPTION
      Sends HTTP requests over HTTP/1.1 and HTTP/2. The body of the response goes to standard output, everything else to
      standard error. Options and exit statuses are those of
      .BR curl (1)
      where both have them.
      .PP
      A URL without a scheme is http; :8080/x stands for localhost. Braces and brackets in a URL stand for several:
      {a,b}, [1-9], [01-10:2] and [a-z]; #1 in the name of \\-o is what the first of them stands for, and \\-g takes their
      meaning away.
      .SH OPTIONS
      A switch such as \\-\\-location is turned off again by \\-\\-no\\-location.

      """
    for group in Option.groups {
      page += ".SS \(escaped(group.title))\n"
      for option in group.options { page += entry(option) }
    }
    page += ".SH EXIT STATUS\n"
    for (code, meaning) in statuses { page += ".TP\n.B \(code)\n\(escaped(meaning))\n" }
    page += "With several URLs it is that of the first failure.\n.SH ENVIRONMENT\n"
    for (name, meaning) in variables { page += ".TP\n.B \(escaped(name))\n\(escaped(meaning))\n" }
    page += ".SH FILES\n"
    for (name, meaning) in files { page += ".TP\n.I \(escaped(name))\n\(escaped(meaning))\n" }
    return page + ".SH SEE ALSO\n.BR curl (1),\n.BR netrc (5)\n"
  }

  private static func entry(_ option: Option) -> String {
    let names = (option.short.map { ["-\($0)"] } ?? []) + ["--\(option.long)"]
    let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
    return ".TP\n\(names.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", "))\(value)\n\(escaped(option.help))\n"
  }

  /// The text without a meaning to roff: backslashes, hyphens that are meant as such, and a dot or quote that begins a line.
  private static func escaped(_ text: String) -> String {
    let escaped = text.reduce(into: "") { text, character in
      switch character {
      case "\\": text += "\\e"
      case "-": text += "\\-"
      case "…": text += "..."
      default: text.append(character)
      }
    }
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
  }

  /// What each exit status means.
  package static let statuses: [(code: Int32, meaning: String)] = [
    (0, "Done."), (1, "The scheme is not supported, or a redirection was refused."), (2, "Wrong use of the command."),
    (3, "Malformed URL."), (4, "The server answered 400 to 499, with --check-status."),
    (5, "The proxy's name has no address; with --check-status: the server answered 500 or more."),
    (6, "The host's name has no address."),
    (7, "Cannot connect."), (8, "The answer is not HTTP."), (16, "Broken HTTP/2, or none although it has to be."),
    (18, "The body was cut short."), (22, "The server answered 400 or more, with --fail."), (23, "Cannot write."),
    (26, "Cannot read."), (28, "Timeout."), (33, "The transfer cannot be continued."), (35, "TLS handshake failed."),
    (42, "Aborted."), (47, "Too many redirections."), (52, "Empty reply."), (55, "Connection lost while sending."),
    (56, "Connection lost while receiving."), (58, "The client certificate cannot be used."),
    (60, "The server's certificate was refused."), (61, "The content encoding is broken."), (63, "Too large."),
    (65, "The body cannot be sent again."), (77, "The certificate authorities cannot be read."),
    (90, "The server's public key is not a pinned one."), (92, "HTTP/2 stream reset or refused."),
    (97, "The proxy refused, or its answer makes no sense."), (130, "SIGINT."), (141, "SIGPIPE."), (143, "SIGTERM."),
  ]

  private static let variables = [
    ("http_proxy, https_proxy, all_proxy", "The proxies, as for -x."), ("no_proxy", "Hosts that need none."),
    ("LINNET_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR", "Where certificate authorities are."),
    ("SSLKEYLOGFILE", "A file for the secrets of TLS sessions, for Wireshark."), ("NETRC", "The file of --netrc."),
    (
      "NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM",
      "Whether a terminal is coloured; for what is none, only --color counts."
    ),
  ]

  private static let files = [
    ("$XDG_CONFIG_HOME/linnet/config, else ~/.config/linnet/config", "Options for every run; -q leaves them out."),
    ("~/.netrc", "Credentials for --netrc."),
  ]
}
