internal import LinnetHTTP

extension Option {
  static let connectionOptions: [Option] = [
    .repeated(
      nil, "resolve", "HOST:PORT:ADDR[,ADDR]", "connect to ADDR for HOST:PORT", \.connection.resolve,
      OptionValue.resolveEntry),
    .repeated(
      nil, "connect-to", "HOST:PORT:HOST2:PORT2", "connect to HOST2:PORT2 for HOST:PORT; each part may be empty",
      \.connection.connectTo, OptionValue.connectToEntry),
    .text(
      nil, "unix-socket", "PATH", "connect to a Unix-domain socket; @NAME for an abstract one", \.connection.unixSocket),
    .value(nil, "abstract-unix-socket", "NAME", "connect to an abstract Unix-domain socket") {
      $0.connection.unixSocket = Argument([UInt8(ascii: "@")] + $1.bytes)
    },
    .choice("4", "ipv4", "use IPv4 addresses only") { $0.connection.addressFamily = .ipv4 },
    .choice("6", "ipv6", "use IPv6 addresses only") { $0.connection.addressFamily = .ipv6 },
    .text(nil, "interface", "NAME|ADDRESS", "connect from this interface or address", \.connection.interface),
    .parsed(
      nil, "connect-timeout", "SECONDS", "the limit for connecting; 300 unless given, 0: none",
      \.connection.connectTimeout, OptionValue.duration),
    .parsed(
      nil, "keepalive-time", "SECONDS", "when TCP looks whether an idle peer is still there",
      \.connection.keepAliveTime, OptionValue.duration),
    .flag(
      nil, "keepalive", "let TCP look for dead peers, the default; --no-keepalive: not", \.connection.usesKeepAlive),
    .choice(nil, "http1.1", "use HTTP/1.1 only") { $0.connection.httpVersion = .http1Only },
    .choice(nil, "http2", "use HTTP/2 over TLS when the server agrees; this is the default") {
      $0.connection.httpVersion = .automatic
    },
    .choice(nil, "http2-prior-knowledge", "use HTTP/2 without asking in cleartext, and insist on it over TLS") {
      $0.connection.httpVersion = .http2PriorKnowledge
    },
    .parsed(
      nil, "proto", "SCHEMES", "which schemes URLs and redirections may have, such as =https", \.run.schemes,
      OptionValue.schemes),
  ]

  static let tlsOptions: [Option] = [
    .flag("k", "insecure", "do not check the server's certificate (dangerous)", \.tls.isInsecure, common: true),
    .text(nil, "cacert", "FILE", "trust only the certificate authorities in FILE", \.tls.caFile, common: true),
    .text(nil, "capath", "DIRECTORY", "trust the authorities in DIRECTORY, as c_rehash makes it", \.tls.caDirectory),
    .text("E", "cert", "FILE[:PASS]", "the client certificate", \.tls.certificate),
    .parsed(
      nil, "cert-type", "PEM|DER|P12", "how the certificate is stored; P12 holds the key too", \.tls.certificateFormat,
      OptionValue.certificateFormat),
    .text(nil, "key", "FILE", "its private key, unless it is in the same file", \.tls.key),
    .parsed(nil, "key-type", "PEM|DER", "how the key is stored", \.tls.keyFormat, OptionValue.keyFormat),
    .text(nil, "pass", "PHRASE", "the pass phrase of the private key", \.tls.passphrase),
    .text(
      nil, "pinnedpubkey", "HASHES", "accept only these public keys: sha256//BASE64;sha256//BASE64", \.tls.pinnedKeys),
    .choice(nil, "tlsv1.2", "TLS 1.2 or later; this is the default") { $0.tls.minimumVersion = .tls12 },
    .choice(nil, "tlsv1.3", "TLS 1.3 or later") { $0.tls.minimumVersion = .tls13 },
    .parsed(
      nil, "tls-max", "VERSION", "the highest version of TLS: 1.2, 1.3 or default", \.tls.maximumVersion,
      OptionValue.tlsVersion),
    .text(nil, "ciphers", "LIST", "the ciphers for TLS 1.2, in OpenSSL's words", \.tls.ciphers),
    .text(nil, "tls13-ciphers", "LIST", "the ciphers for TLS 1.3", \.tls.tls13Ciphers),
  ]

  static let proxyOptions: [Option] = [
    .value(
      "x", "proxy", "[SCHEME://]HOST[:PORT]", "use this proxy: http, https, socks4a, socks5, socks5h", common: true
    ) {
      $0.proxy.server = .init(address: $1)
    },
    .value(nil, "socks4a", "HOST[:PORT]", "use this SOCKS 4 proxy, which resolves names") {
      $0.proxy.server = .init(kind: .socks4a, address: $1)
    },
    .value(nil, "socks5", "HOST[:PORT]", "use this SOCKS 5 proxy, and resolve names here") {
      $0.proxy.server = .init(kind: .socks5, address: $1)
    },
    .value(nil, "socks5-hostname", "HOST[:PORT]", "use this SOCKS 5 proxy, which resolves names") {
      $0.proxy.server = .init(kind: .socks5h, address: $1)
    },
    .text(nil, "noproxy", "LIST", "hosts that need no proxy, in place of $no_proxy; * for all", \.proxy.exceptions),
    .text("U", "proxy-user", "USER:PASSWORD", "credentials for the proxy", \.proxy.user),
    .choice(nil, "proxy-basic", "use them with Basic; this is the default") { $0.proxy.scheme = .basic },
    .choice(nil, "proxy-digest", "use them with Digest") { $0.proxy.scheme = .digest },
    .choice(nil, "proxy-anyauth", "use them as the proxy asks for") { $0.proxy.scheme = .any },
    .value(nil, "proxy-header", "LINE", "a header for the proxy alone; @FILE") { $0.proxy.headers.append($1) },
    .flag("p", "proxytunnel", "a tunnel (CONNECT) for http URLs too", \.proxy.tunnels),
    .flag(nil, "proxy-insecure", "do not check the certificate of an https proxy (dangerous)", \.proxy.tls.isInsecure),
    .text(nil, "proxy-cacert", "FILE", "the certificate authorities for an https proxy", \.proxy.tls.caFile),
    .text(nil, "proxy-cert", "FILE[:PASS]", "the client certificate for an https proxy", \.proxy.tls.certificate),
    .text(nil, "proxy-key", "FILE", "its private key", \.proxy.tls.key),
    .text(nil, "proxy-pass", "PHRASE", "the pass phrase of that key", \.proxy.tls.passphrase),
  ]

  static let commandOptions: [Option] = [
    .action(nil, "url", "URL", "a URL, as one without an option", .url),
    .flag(nil, "path-as-is", "send /./ and /../ in the paths of URLs as they are", \.keepsDotSegments),
    .flag("g", "globoff", "{ } and [ ] in URLs have no meaning", \.run.hasGlobbingOff),
    .flag("Z", "parallel", "transfer all URLs at the same time", \.run.isParallel),
    .parsed(
      nil, "parallel-max", "NUMBER", "at most so many at a time; 50 unless given", \.run.parallelMaximum,
      OptionValue.parallelMaximum),
    .flag(nil, "fail-early", "the first failure ends the command", \.run.failsEarly),
    .flag(nil, "dry-run", "send nothing, print the requests", \.run.isDryRun),
    .flag(nil, "print-curl", "send nothing, print commands for curl", \.run.printsCurl),
    .action("K", "config", "FILE", "read more options from FILE; - for standard input", .config),
    .action("q", "disable", nil, "read no configuration file; must be the first option", .disableConfig),
    .action("h", "help", nil, "help; --help all for all options, --help TOPIC for some", common: true, .help),
    .action("V", "version", nil, "the versions of linnet and its libraries", common: true, .version),
  ]
}

extension CommandLineOptions.Run {
  /// What `--globoff` says.
  var hasGlobbingOff: Bool {
    get { !isGlobbing }
    set { isGlobbing = !newValue }
  }
}
