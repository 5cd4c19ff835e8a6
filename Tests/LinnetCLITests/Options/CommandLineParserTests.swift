import LinnetCLI
import LinnetHTTP
import Testing

@Suite("Command line")
struct CommandLineParserTests {
  private func parse(_ words: String...) throws(CommandError) -> CommandLineOptions {
    try CommandLineParser.parse(words.map { Argument($0) })
  }

  private func message(_ words: [String]) -> String {
    do throws(CommandError) {
      _ = try CommandLineParser.parse(words.map { Argument($0) })
      return ""
    } catch {
      return error.exitCode == .usage ? error.message : "\(error)"
    }
  }

  @Test("short options without values can be combined, and the last one may take a value")
  func combined() throws {
    let options = try parse("-sSfo", "file", "-kXPUT", "http://a/")
    #expect(options.isSilent && options.showsErrors && options.failsOnHTTPError && options.tls.isInsecure)
    #expect(options.outputs == [.file(Argument("file"))])
    #expect(options.method == "PUT")
    #expect(options.urls == [Argument("http://a/")])
  }

  @Test("a long option takes its value from the next word or after =")
  func longValues() throws {
    let options = try parse("--output=a=b", "--max-time", "2.5", "--header=A: b", "http://a/")
    #expect(options.outputs == [.file(Argument("a=b"))])
    #expect(options.connection.maximumTime == .milliseconds(2500))
    #expect(options.headers == [Argument("A: b")])
  }

  @Test("after -- everything is a URL")
  func endOfOptions() throws {
    #expect(try parse("-s", "--", "-v", "--x").urls == [Argument("-v"), Argument("--x")])
  }

  @Test("options may follow the URL, and there may be several URLs")
  func order() throws {
    let options = try parse("http://a/", "-i", "http://b/", "-o", "x", "-O")
    #expect(options.urls.map(\.text) == ["http://a/", "http://b/"])
    #expect(options.includesHead)
    #expect(options.outputs == [.file(Argument("x")), .remoteName])
  }

  @Test("a first word in capitals before a URL is the method; alone it is a host")
  func methodWord() throws {
    #expect(try parse("DELETE", "localhost/x").method == "DELETE")
    #expect(try parse("DELETE", "localhost/x").urls == [Argument("localhost/x")])
    #expect(try parse("LOCALHOST").urls == [Argument("LOCALHOST")])
    #expect(try parse("M-SEARCH", "localhost").method == "M-SEARCH")
    #expect(try parse("a.example", "B").method == nil)
    for words in [["--url", "http://a/", "POST"], ["POST", "--url", "http://a/"], ["-K", "f", "POST"]] {
      let options = try CommandLineParser.parse(
        words.map { Argument($0) },
        readConfig: { name, _ throws(CommandError) in
          ConfigFile(name: name.text, content: Array("url = http://a/\n".utf8))
        })
      #expect(options.method == "POST" && options.urls == [Argument("http://a/")], "\(words)")
    }
    #expect(try parse("--url", "http://a/", "--", "POST").urls == [Argument("http://a/"), Argument("POST")])
  }

  @Test("demo alone is the demo, with anything else a host")
  func demo() throws {
    #expect(try parse("demo").action == .demo)
    #expect(try parse("demo", "localhost").action == .request)
  }

  @Test("-d @file drops line ends, --data-binary does not, --data-raw sends the @")
  func data() throws {
    let options = try parse("-d", "a=1", "-d@f", "--data-binary", "@f", "--data-raw", "@f", "--data", "@-", "http://a/")
    #expect(
      options.data == [
        .init(source: .bytes(Array("a=1".utf8))), .init(source: .file(Argument("f")), dropsLineEnds: true),
        .init(source: .file(Argument("f"))), .init(source: .bytes(Array("@f".utf8))),
        .init(source: .file(Argument("-")), dropsLineEnds: true),
      ])
  }

  @Test("--json marks the body as JSON and joins nothing with &")
  func json() throws {
    let options = try parse("--json", #"{"a":"#, "--json", "1}", "http://a/")
    #expect(options.sendsJSON && options.data.allSatisfy { !$0.isFormData })
  }

  @Test("a time of 0 is no limit")
  func noLimit() throws {
    let options = try parse("--connect-timeout", "0", "-m", "0", "http://a/")
    #expect(options.connection.connectTimeout == nil && options.connection.maximumTime == nil)
    #expect(try parse("http://a/").connection.connectTimeout == .seconds(300))
  }

  @Test(
    "--resolve takes names and addresses of both families",
    arguments: [
      ("a.test:80:127.0.0.1", "a.test:80", ["127.0.0.1"]),
      ("A.test:443:[::1],127.0.0.1", "a.test:443", ["[::1]", "127.0.0.1"]),
      ("+[::1]:80:127.0.0.1", "::1:80", ["127.0.0.1"]),
    ])
  func resolve(_ text: String, _ key: String, _ addresses: [String]) throws {
    #expect(
      try parse("--resolve", text, "http://a/").connection.resolve == [.init(hostAndPort: key, addresses: addresses)])
  }

  @Test(
    "of --http1.1, --http2 and --http2-prior-knowledge the last one counts; HTTP/2 is used over TLS without any",
    arguments: [
      ([], .automatic), (["--http1.1"], .http1Only), (["--http2"], .automatic),
      (["--http2-prior-knowledge"], .http2PriorKnowledge), (["--http2-prior-knowledge", "--http1.1"], .http1Only),
      (["--http1.1", "--http2"], .automatic), (["--http1.1", "--http2-prior-knowledge"], .http2PriorKnowledge),
    ] as [([String], HTTPVersionPolicy)])
  func versions(_ words: [String], _ policy: HTTPVersionPolicy) throws {
    let options = try CommandLineParser.parse((words + ["http://a/"]).map { Argument($0) })
    #expect(options.connection.httpVersion == policy)
  }

  @Test(
    "standard input has one reader, and JSON lines have standard error for themselves",
    arguments: [
      ["-T", "-", "-b", "-", "a"], ["-d", "@-", "-d", "@-", "a"], ["-d", "@-", "a", "--next", "-w", "@-", "b"],
      ["-H", "@-", "--url-query", "@-", "a"], ["--output-format", "json", "-v", "a"],
      ["-v", "a", "--next", "--output-format", "json", "b"], ["--output-format", "json", "--trace", "%", "a"],
      ["--output-format", "json", "-D", "%", "a"], ["--output-format", "json", "-w", "x%{stderr}", "a"],
    ])
  func whole(_ words: [String]) {
    let error = #expect(throws: CommandError.self) { _ = try CommandLineParser.parse(words.map { Argument($0) }) }
    #expect(error?.exitCode == .usage)
  }

  @Test("-K - is a reader of standard input")
  func configOfStandardInput() {
    let error = #expect(throws: CommandError.self) {
      _ = try CommandLineParser.parse(
        ["-K", "-", "a"].map { Argument($0) },
        readConfig: { _, _ throws(CommandError) in
          ConfigFile(name: "standard input", content: Array("data = @-\n".utf8))
        })
    }
    #expect(error?.exitCode == .usage && error?.message.contains("-K -") == true)
  }

  @Test("a word that is not UTF-8 keeps its bytes")
  func bytes() throws {
    let name: [UInt8] = [0x66, 0xFF, 0xE9]
    let options = try CommandLineParser.parse([Argument("-o"), Argument(name), Argument("http://a/")])
    #expect(options.outputs == [.file(Argument(name))])
  }

  @Test("--help and --version need no URL, and the first one counts")
  func helpAndVersion() throws {
    #expect(try parse("--help", "-V").action == .help)
    #expect(try parse("-V").action == .version)
    #expect(try parse("-sh", "http://a/").action == .help)
  }

  @Test(
    "a wrong word is an error of one line that names it",
    arguments: [
      (["--foo", "http://a/"], "--foo"), (["-sQ", "http://a/"], "-Q"), (["-F", "a=b", "http://a/"], "multipart"),
      (["--retry", "3", "http://a/"], "'--retry'"),
      (["--no-foo", "http://a/"], "--no-foo"), (["--no-output", "x", "http://a/"], "--no-output"),
      (["-v", "-q", "http://a/"], "-q"), (["-sq", "http://a/"], "-q"),
      (["--max-redirs", "-2", "http://a/"], "-2"), (["--proto-redir", "=ftp", "http://a/"], "ftp"),
      (["--limit-rate", "1.2.3K", "http://a/"], "1.2.3K"),
      (["--limit-rate", "99999999999999999999", "http://a/"], "9999"),
      (["--limit-rate", "18446744073709551615T", "http://a/"], "T"), (["--limit-rate", "K", "http://a/"], "'K'"),
      (["-C", "x", "http://a/"], "'x'"), (["-z", "-", "http://a/"], "'-'"),
      (["--parallel-max", "0", "http://a/"], "'0'"),
      (["--connect-to", "a:80:b", "http://a/"], "a:80:b"), (["--connect-to", "a:x:b:1", "http://a/"], "a:x"),
      (["--connect-to", "[::1:1:b:2", "http://a/"], "[::1"), (["--cert-type", "ENG", "http://a/"], "ENG"),
      (["--tls-max", "1.1", "http://a/"], "retired"), (["--tlsv1.3", "--tls-max", "1.2", "http://a/"], "1.2"),
      (["-u", "a", "--oauth2-bearer", "b", "http://a/"], "--oauth2-bearer"), (["-K", "f", "http://a/"], "'f'"),
      (["--proxy-key", "k", "http://a/"], "--proxy-cert"), (["-G", "--json", "1", "http://a/"], "-G"),
      (["http://a/", "-o"], "-o"), (["http://a/", "--max-time"], "--max-time"),
      (["--silent=1", "http://a/"], "--silent"),
      (["-m", "soon", "http://a/"], "soon"), (["-m", "nan", "http://a/"], "nan"), (["-m", "-1", "http://a/"], "-1"),
      (["-m", "1e3", "http://a/"], "1e3"), (["--resolve", "a:80", "http://a/"], "a:80"),
      (["--resolve", "a:0:127.0.0.1", "http://a/"], "a:0"), (["-r", "x", "http://a/"], "'x'"), ([], "no URL"),
      (["GET"], "after GET"),
      (["-I", "-d", "x", "http://a/"], "-I"), (["-T", "f", "-d", "x", "http://a/"], "-T"),
      (["--key", "k", "http://a/"], "--cert"), (["PUT", "-X", "POST", "http://a/"], "PUT"),
    ])
  func refused(_ words: [String], _ culprit: String) {
    let text = message(words)
    #expect(text.contains(culprit))
    #expect(!text.isEmpty && !text.contains("\n"))
  }

  @Test("every option has its own names and stands in the help text")
  func table() {
    let options = Option.all
    #expect(Set(options.map(\.long)).count == options.count)
    #expect(Set(options.compactMap(\.short)).count == options.compactMap(\.short).count)
    #expect(Set(options.map(\.long)).isDisjoint(with: Option.aliases.keys))
    let lines = HelpText.help("all").split(separator: "\n")
    for option in options { #expect(lines.contains { $0.contains("--\(option.long)") }) }
    for topic in [nil, "all"] + Option.groups.map(\.topic) {
      #expect(HelpText.help(topic).split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
    #expect(HelpText.help(nil).split(separator: "\n").count < 50)
  }

  @Test("every option is accepted as the table says: with its value or without one")
  func accepted() throws {
    let samples = [
      "SECONDS": "1", "NUMBER": "1", "SPEED": "1K", "BYTES": "1M", "OFFSET": "-", "RANGE": "0-1",
      "HOST:PORT:ADDR[,ADDR]": "a:1:127.0.0.1", "HOST:PORT:HOST2:PORT2": ":::", "PEM|DER|P12": "P12", "PEM|DER": "DER",
      "VERSION": "1.3", "SCHEMES": "=https", "text|json": "json", "auto|always|never": "always",
    ]
    for option in Option.all where !["disable", "config"].contains(option.long) {
      let value = option.value.map { [samples[$0] ?? "x"] } ?? []
      let isOfProxy = option.long.hasPrefix("proxy-")
      let isOfCertificate = ["key", "key-type", "pass", "cert-type"].contains(
        isOfProxy ? String(option.long.dropFirst(6)) : option.long)
      let needed = isOfCertificate ? ["--\(isOfProxy ? "proxy-" : "")cert", "c"] : []
      let url = option.long == "next" ? ["http://b/"] : []
      let more = needed + ["http://a/"]
      _ = try CommandLineParser.parse((url + ["--\(option.long)"] + value + more).map { Argument($0) })
      if let short = option.short {
        _ = try CommandLineParser.parse((url + ["-\(short)"] + value + more).map { Argument($0) })
      }
    }
  }
}
