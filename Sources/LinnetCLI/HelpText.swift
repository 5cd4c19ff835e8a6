internal import LinnetHTTP

/// What `--help` and `--version` print.
package enum HelpText {
  package static var help: String {
    var text = """
      Usage: linnet [options] [METHOD] URL...
             linnet demo

      Sends HTTP requests. The body goes to stdout, everything else to stderr. A URL without a scheme is http; ':8080/x'
      stands for localhost. Options and exit statuses are curl's where both have them; redirects, cookies, proxies and
      credentials are not there yet. With several URLs the status is that of the first failure.

      """
    for (title, options) in Option.groups {
      text += "\n\(title)\n"
      for option in options { text += line(for: option.specification) }
    }
    text += """

      Exit statuses
        0 done  1 scheme not supported  2 wrong use  3 malformed URL  6 host not found  7 cannot connect
        8 not HTTP  16 broken HTTP/2, or none  18 body cut short  22 status 400 or more with --fail
        23 cannot write  26 cannot read  28 timeout  35 TLS handshake  52 empty reply
        55/56 connection lost while sending/receiving  58 client certificate  60 server certificate refused
        61 bad encoding  63 too large  77 CA file  92 HTTP/2 stream reset or refused
        130 SIGINT  141 SIGPIPE  143 SIGTERM

      Environment
        SSL_CERT_FILE, SSL_CERT_DIR, LINNET_CA_BUNDLE  where certificate authorities are
        SSLKEYLOGFILE                                  a file for TLS secrets, for Wireshark

      """
    return text
  }

  private static func line(for option: Option.Specification) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    let names = "  \(short)--\(option.long)\(option.value.map { " \($0)" } ?? "")"
    let column = 32
    let padding = String(repeating: " ", count: max(2, column - names.count))
    return "\(names)\(padding)\(option.help)\n"
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
