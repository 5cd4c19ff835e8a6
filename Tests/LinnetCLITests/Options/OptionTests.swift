import LinnetCLI
import LinnetHTTP
import Testing

/// What single options mean.
@Suite("Options")
struct OptionTests {
  private func parse(_ words: String...) throws(CommandError) -> CommandLineOptions {
    try CommandLineParser.parse((words + ["http://a/"]).map { Argument($0) })
  }

  @Test("--no- before the name of a switch turns it off, and the last word counts")
  func negation() throws {
    #expect(try parse("-L", "--no-location").redirects.isFollowing == false)
    #expect(try parse("--no-location", "-L").redirects.isFollowing)
    #expect(try parse("--no-keepalive").connection.usesKeepAlive == false)
    #expect(try parse("--no-clobber").transfer.clobber == .never)
    #expect(try parse("--clobber").transfer.clobber == .always)
    #expect(try parse().transfer.clobber == .standard)
    #expect(try parse("--no-progress-meter").showsProgress == false)
    #expect(try parse("--no-progress", "-#").showsProgress)
  }

  @Test("-L follows 50 redirections unless told otherwise, --location-trusted follows too")
  func redirections() throws {
    #expect(try parse().redirects.isFollowing == false)
    #expect(try parse("-L").redirects.maximumHops == 50)
    #expect(try parse("-L", "--max-redirs", "-1").redirects.maximumHops == nil)
    #expect(try parse("-L", "--max-redirs", "0").redirects.maximumHops == 0)
    let trusting = try parse("--location-trusted").redirects
    #expect(trusting.isFollowing && trusting.isTrusted)
  }

  @Test(
    "lists of schemes are read as curl's",
    arguments: [
      ("=https", ["https"]), ("https", ["http", "https"]), ("-http", ["https"]), ("=http,https", ["http", "https"]),
      ("-all,https", ["https"]), ("=all", ["http", "https"]), ("-all", []), ("=HTTPS", ["https"]),
    ] as [(String, Set<String>)])
  func schemes(_ text: String, _ schemes: Set<String>) throws {
    #expect(try parse("--proto-redir", text).redirects.schemes == schemes)
    #expect(try parse("--proto", text).run.schemes == schemes)
  }

  @Test(
    "sizes have binary units and fractions, and 0 is no limit",
    arguments: [
      ("0", nil), ("4096", 4096), ("1k", 1024), ("1K", 1024), ("1.5M", 1_572_864), ("2g", 2_147_483_648),
      ("1KB", 1024), ("1T", 1 << 40), ("0K", nil), ("18446744073709551615", .max),
    ] as [(String, UInt64?)])
  func sizes(_ text: String, _ bytes: UInt64?) throws {
    #expect(try parse("--limit-rate", text).transfer.rateLimit == bytes)
    #expect(try parse("--max-filesize", text).transfer.maximumFileSize == bytes)
  }

  @Test("-b with = is data, without it a file, and an empty one turns cookies on")
  func cookies() throws {
    let cookies = try parse("-b", "a=b; c=d", "-b", "file", "-b", "", "-c", "-", "-j").cookies
    #expect(cookies.given == [Argument("a=b; c=d")] && cookies.files == [Argument("file"), Argument("")])
    #expect(cookies.jar == Argument("-") && cookies.dropsSessionCookies && cookies.isOn)
    #expect(try parse("-b", "a=b").cookies.isOn == false)
  }

  @Test("of --basic, --digest and --anyauth the last one counts")
  func schemesOfCredentials() throws {
    #expect(try parse("-u", "a:b").credentials.scheme == .basic)
    #expect(try parse("--basic", "--digest").credentials.scheme == .digest)
    #expect(try parse("--digest", "--anyauth").credentials.scheme == .any)
    #expect(try parse("--proxy-digest").proxy.scheme == .digest)
  }

  @Test("--netrc-file and --netrc-optional turn netrc on")
  func netrc() throws {
    #expect(try parse().credentials.usesNetrc == false)
    #expect(try parse("--netrc-file", "f").credentials.usesNetrc)
    let optional = try parse("--netrc-optional").credentials
    #expect(optional.usesNetrc && optional.isNetrcOptional)
  }

  @Test("-x and --socks* name one proxy, the last one")
  func proxies() throws {
    #expect(try parse().proxy.server == nil)
    #expect(try parse("-x", "p:1").proxy.server == .init(address: Argument("p:1")))
    #expect(
      try parse("-x", "p:1", "--socks5-hostname", "q").proxy.server == .init(kind: .socks5h, address: Argument("q")))
    #expect(try parse("--socks4a", "q", "-x", "").proxy.server == .init(address: Argument("")))
  }

  @Test(
    "--connect-to may leave out each part",
    arguments: [
      ("a:80:b:81", .init(host: "a", port: 80, newHost: "b", newPort: 81)),
      ("::b:81", .init(host: nil, port: nil, newHost: "b", newPort: 81)),
      ("A:443::", .init(host: "a", port: 443, newHost: nil, newPort: nil)),
      ("[::1]:80:[fe80::1]:", .init(host: "::1", port: 80, newHost: "fe80::1", newPort: nil)),
    ] as [(String, CommandLineOptions.ConnectToEntry)])
  func connectTo(_ text: String, _ entry: CommandLineOptions.ConnectToEntry) throws {
    #expect(try parse("--connect-to", text).connection.connectTo == [entry])
  }

  @Test(
    "--data-urlencode has five forms",
    arguments: [
      ("a b", .init(source: .bytes(Array("a b".utf8)), encodedAfter: [])),
      ("=a=b", .init(source: .bytes(Array("a=b".utf8)), encodedAfter: [])),
      ("n=a@b", .init(source: .bytes(Array("a@b".utf8)), encodedAfter: Array("n=".utf8))),
      ("@f", .init(source: .file(Argument("f")), encodedAfter: [])),
      ("n@f=g", .init(source: .file(Argument("f=g")), encodedAfter: Array("n=".utf8))),
    ] as [(String, CommandLineOptions.DataPiece)])
  func encodedData(_ text: String, _ piece: CommandLineOptions.DataPiece) throws {
    #expect(try parse("--data-urlencode", text).data == [piece])
    #expect(try parse("--url-query", text).queries == [piece])
  }

  @Test("--url-query +TEXT is not encoded")
  func plainQuery() throws {
    #expect(try parse("--url-query", "+a b").queries == [.init(source: .bytes(Array("a b".utf8)))])
  }

  @Test("-C takes an offset, or - for the file's size")
  func resume() throws {
    #expect(try parse("-C", "-").transfer.resume == .automatic)
    #expect(try parse("-C500").transfer.resume == .offset(500))
  }

  @Test("-z takes a date or file, after - the other way round")
  func timeCondition() throws {
    #expect(try parse("-z", "yesterday").transfer.timeCondition == .init(isOlder: false, value: Argument("yesterday")))
    #expect(try parse("-z", "-f").transfer.timeCondition == .init(isOlder: true, value: Argument("f")))
  }

  @Test("--trace and --trace-ascii name one file, the last one")
  func trace() throws {
    let trace = try parse("--trace", "a", "--trace-ascii", "-", "--trace-time").trace
    #expect(trace.file == Argument("-") && trace.isTextOnly && trace.showsTime && !trace.showsIDs)
  }

  @Test("TLS versions, formats of keys and defaults")
  func tls() throws {
    let tls = try parse("--tlsv1.2", "--tlsv1.3", "--tls-max", "1.3", "--cert", "c", "--cert-type", "p12").tls
    #expect(tls.minimumVersion == .tls13 && tls.maximumVersion == .tls13 && tls.certificateFormat == .pkcs12)
    #expect(try parse("--tls-max", "default").tls.maximumVersion == nil)
  }

  @Test("--url is a URL like a word, in the order of the command line, but never a method")
  func urls() throws {
    let options = try CommandLineParser.parse(["--url", "GET", "b", "--url=-c"].map { Argument($0) })
    #expect(options.urls.map(\.text) == ["GET", "b", "-c"] && options.method == nil)
    #expect(try CommandLineParser.parse(["PUT", "--url", "b"].map { Argument($0) }).method == "PUT")
  }

  @Test("--remote-name-all is -O for every URL without -o")
  func remoteNameAll() throws {
    let options = try parse("-o", "x", "--remote-name-all", "http://b/")
    #expect(options.outputs == [.file(Argument("x"))] && options.namesAllRemotely)
  }

  @Test("--help takes a topic, completions a shell")
  func topics() throws {
    func action(_ words: String...) throws -> (CommandLineOptions.Action, String?) {
      let options = try CommandLineParser.parse(words.map { Argument($0) })
      return (options.action, options.topic)
    }
    #expect(try action("--help", "all") == (.help, "all"))
    #expect(try action("-h", "tls") == (.help, "tls"))
    #expect(try action("http://a/", "--help") == (.help, nil))
    #expect(try action("completions", "fish") == (.completions, "fish"))
    #expect(try action("completions", "localhost") == (.request, nil))
    #expect(try action("completions") == (.request, nil))
  }
}
