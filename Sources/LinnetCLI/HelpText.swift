internal import LinnetHTTP

/// What `--help` and `--version` print.
package enum HelpText {
  /// - Parameter topic: Nil for the common options, `all`, or the topic of a group.
  package static func help(_ topic: String?) -> String {
    var text = """
      Usage: linnet [options] [METHOD] URL...
             linnet demo
             linnet completions bash|zsh|fish|man

      Sends HTTP requests. The body goes to stdout, everything else to stderr. A URL without a scheme is http; ':8080/x'
      stands for localhost. Options and exit statuses are curl's where both have them.

      """
    guard let topic else {
      text += "\nCommon options\n"
      for option in Option.all where option.isCommon { text += line(for: option) }
      let topics = Option.groups.map(\.topic).joined(separator: ", ")
      return text + "\nMore with --help all, or --help TOPIC, which is one of\n  \(topics)\n"
    }
    for group in Option.groups where topic == "all" || topic == group.topic {
      text += "\n\(group.title)\n"
      for option in group.options { text += line(for: option) }
    }
    return topic == "all" ? text + ending : text
  }

  private static let ending = """

    A switch such as --location is turned off again by --no-location.

    Exit statuses
      0 done  1 scheme not supported, redirection refused  2 wrong use  3 malformed URL
      4/5 status 400/500 or more with --check-status  5 proxy not found  6 host not found  7 cannot connect
      8 not HTTP  16 broken HTTP/2, or none  18 body cut short
      22 status 400 or more with --fail  23 cannot write  26 cannot read  28 timeout  33 cannot continue
      35 TLS handshake  42 aborted  47 too many redirections  52 empty reply
      55/56 connection lost while sending/receiving  58 client certificate  60 server certificate refused
      61 bad encoding  63 too large  65 body cannot be sent again  77 CA file  90 pinned key differs
      92 HTTP/2 stream reset or refused  97 proxy refused or broken  130 SIGINT  141 SIGPIPE  143 SIGTERM
      With several URLs the status is that of the first failure.

    Environment
      http_proxy, https_proxy, all_proxy, no_proxy   proxies, and hosts that need none
      SSL_CERT_FILE, SSL_CERT_DIR, LINNET_CA_BUNDLE  where certificate authorities are
      SSLKEYLOGFILE                                  a file for TLS secrets, for Wireshark
      NETRC                                          the file of --netrc
      NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM    whether a terminal is coloured

    Files
      $XDG_CONFIG_HOME/linnet/config, else ~/.config/linnet/config   options for every run; -q leaves them out

    """

  private static func line(for option: Option) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    let names = "  \(short)--\(option.long)\(option.value.map { " \($0)" } ?? "")"
    let column = 32
    guard names.count <= column - 2 else { return "\(names)\n\(String(repeating: " ", count: column))\(option.help)\n" }
    return "\(names)\(String(repeating: " ", count: column - names.count))\(option.help)\n"
  }

  package static var version: String {
    let components = LinnetLibrary.componentVersions.map { "\($0.name)/\($0.version)" }
    return """
      linnet \(LinnetLibrary.version) (\(architecture)-linux) \(components.joined(separator: " "))
      Protocols: http https
      Features: HTTP/1.1 HTTP2 TLSv1.2 TLSv1.3 gzip deflate IPv6 UnixSockets keep-alive

      """
  }

  private static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #else
      "unknown"
    #endif
  }
}
