/// The options of the command. One table: the parser, the help text and the tests read the same rows.
package enum Option: Sendable, CaseIterable {
  // The request.
  case request, header, data, dataBinary, dataRaw, json, uploadFile, head, userAgent, referer, range, compressed
  // The output.
  case output, remoteName, include, fail, failWithBody, writeOut, createDirectories, silent, showError, verbose
  case showSecrets, noProgress
  // The connection.
  case insecure, caFile, certificate, key, passphrase, http11, http2, http2PriorKnowledge, resolve, unixSocket,
    abstractUnixSocket, ipv4, ipv6
  case connectTimeout, maximumTime, expectTimeout
  // The command.
  case help, version

  /// How an option is written.
  package struct Specification: Sendable {
    package let short: Character?
    package let long: String
    /// What its value is called; nil: it has none.
    package let value: String?
    package let help: String

    init(_ short: Character?, _ long: String, _ value: String?, _ help: String) {
      self.short = short
      self.long = long
      self.value = value
      self.help = help
    }
  }

  /// The options under their headings, in the order of the help text.
  static let groups: [(title: String, options: [Option])] = [
    (
      "Request",
      [
        .request, .header, .data, .dataBinary, .dataRaw, .json, .uploadFile, .head, .userAgent, .referer, .range,
        .compressed,
      ]
    ),
    (
      "Output",
      [
        .output, .remoteName, .createDirectories, .include, .fail, .failWithBody, .writeOut, .silent, .showError,
        .verbose, .showSecrets, .noProgress,
      ]
    ),
    (
      "Connection",
      [
        .insecure, .caFile, .certificate, .key, .passphrase, .http11, .http2, .http2PriorKnowledge, .resolve,
        .unixSocket,
        .abstractUnixSocket, .ipv4, .ipv6, .connectTimeout, .maximumTime, .expectTimeout,
      ]
    ),
    ("Command", [.help, .version]),
  ]

  package var specification: Specification {
    switch self {
    case .request: .init("X", "request", "METHOD", "the method")
    case .header: .init("H", "header", "LINE", "'Name: value' adds, 'Name:' removes, 'Name;' sends it empty; @FILE")
    case .data: .init("d", "data", "DATA", "send DATA with POST; @FILE or @- without line ends; repeats join with &")
    case .dataBinary: .init(nil, "data-binary", "DATA", "as -d, but @FILE is sent byte for byte")
    case .dataRaw: .init(nil, "data-raw", "DATA", "as -d, but @ has no meaning")
    case .json: .init(nil, "json", "DATA", "send DATA as JSON with POST; @FILE or @-")
    case .uploadFile: .init("T", "upload-file", "FILE", "send FILE with PUT; - for standard input")
    case .head: .init("I", "head", nil, "send HEAD and print the response's head")
    case .userAgent: .init("A", "user-agent", "NAME", "the User-Agent; empty: none")
    case .referer: .init("e", "referer", "URL", "the Referer")
    case .range: .init("r", "range", "RANGE", "ask for these bytes only, such as 0-499 or -500")
    case .compressed: .init(nil, "compressed", nil, "ask for a gzip or deflate body and decode it")
    case .output: .init("o", "output", "FILE", "write the body to FILE; the n-th -o is for the n-th URL; - for stdout")
    case .remoteName: .init("O", "remote-name", nil, "write the body to a file named as the end of the URL's path")
    case .createDirectories: .init(nil, "create-dirs", nil, "make missing directories of -o FILE")
    case .include: .init("i", "include", nil, "write the response's head before the body")
    case .fail: .init("f", "fail", nil, "no body and status 22 when the server answers 400 or more")
    case .failWithBody: .init(nil, "fail-with-body", nil, "the body and status 22 when the server answers 400 or more")
    case .writeOut:
      .init("w", "write-out", "FORMAT", "print after the transfer: %{http_code} and others, %{json} for all; @FILE")
    case .silent: .init("s", "silent", nil, "neither progress nor errors")
    case .showError: .init("S", "show-error", nil, "errors even with -s")
    case .verbose: .init("v", "verbose", nil, "tell on stderr what is sent and received")
    case .showSecrets: .init(nil, "show-secrets", nil, "with -v, do not mask credentials, cookies and tokens")
    case .noProgress: .init(nil, "no-progress", nil, "no progress bar")
    case .insecure: .init("k", "insecure", nil, "do not check the server's certificate (dangerous)")
    case .caFile: .init(nil, "cacert", "FILE", "trust only the certificate authorities in FILE")
    case .certificate: .init("E", "cert", "FILE[:PASS]", "the client certificate")
    case .key: .init(nil, "key", "FILE", "its private key, unless it is in the same file")
    case .passphrase: .init(nil, "pass", "PHRASE", "the pass phrase of the private key")
    case .http11: .init(nil, "http1.1", nil, "use HTTP/1.1 only")
    case .http2: .init(nil, "http2", nil, "use HTTP/2 over TLS when the server agrees; this is the default")
    case .http2PriorKnowledge:
      .init(nil, "http2-prior-knowledge", nil, "use HTTP/2 without asking in cleartext, and insist on it over TLS")
    case .resolve: .init(nil, "resolve", "HOST:PORT:ADDR[,ADDR]", "connect to ADDR for HOST:PORT")
    case .unixSocket: .init(nil, "unix-socket", "PATH", "connect to a Unix-domain socket; @NAME for an abstract one")
    case .abstractUnixSocket: .init(nil, "abstract-unix-socket", "NAME", "connect to an abstract Unix-domain socket")
    case .ipv4: .init("4", "ipv4", nil, "use IPv4 addresses only")
    case .ipv6: .init("6", "ipv6", nil, "use IPv6 addresses only")
    case .connectTimeout:
      .init(nil, "connect-timeout", "SECONDS", "the limit for connecting; 300 unless given, 0: none")
    case .maximumTime: .init("m", "max-time", "SECONDS", "the limit for the whole transfer; none unless given")
    case .expectTimeout:
      .init(nil, "expect100-timeout", "SECONDS", "how long 'Expect: 100-continue' waits; 1 unless given")
    case .help: .init("h", "help", nil, "this text")
    case .version: .init("V", "version", nil, "the versions of linnet and its libraries")
    }
  }

  static let byLongName: [String: Option] = Dictionary(
    allCases.map { ($0.specification.long, $0) } + [("no-progress-meter", .noProgress)],
    uniquingKeysWith: { first, _ in first })

  static let byShortName: [Character: Option] = Dictionary(
    allCases.compactMap { option in option.specification.short.map { ($0, option) } },
    uniquingKeysWith: { first, _ in first })
}
