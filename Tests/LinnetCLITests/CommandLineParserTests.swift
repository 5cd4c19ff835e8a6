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
    #expect(options.isSilent && options.showsErrors && options.failsOnHTTPError && options.isInsecure)
    #expect(options.outputs == [.file(Argument("file"))])
    #expect(options.method == "PUT")
    #expect(options.urls == [Argument("http://a/")])
  }

  @Test("a long option takes its value from the next word or after =")
  func longValues() throws {
    let options = try parse("--output=a=b", "--max-time", "2.5", "--header=A: b", "http://a/")
    #expect(options.outputs == [.file(Argument("a=b"))])
    #expect(options.maximumTime == .milliseconds(2500))
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
    #expect(options.connectTimeout == nil && options.maximumTime == nil)
    #expect(try parse("http://a/").connectTimeout == .seconds(300))
  }

  @Test(
    "--resolve takes names and addresses of both families",
    arguments: [
      ("a.test:80:127.0.0.1", "a.test:80", ["127.0.0.1"]),
      ("A.test:443:[::1],127.0.0.1", "a.test:443", ["[::1]", "127.0.0.1"]),
      ("+[::1]:80:127.0.0.1", "::1:80", ["127.0.0.1"]),
    ])
  func resolve(_ text: String, _ key: String, _ addresses: [String]) throws {
    #expect(try parse("--resolve", text, "http://a/").resolve == [.init(hostAndPort: key, addresses: addresses)])
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
    #expect(options.httpVersion == policy)
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
      (["--foo", "http://a/"], "--foo"), (["-sQ", "http://a/"], "-Q"), (["-L", "http://a/"], "-L"),
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
    let specifications = Option.allCases.map(\.specification)
    #expect(Set(specifications.map(\.long)).count == specifications.count)
    #expect(Set(specifications.compactMap(\.short)).count == specifications.compactMap(\.short).count)
    let lines = HelpText.help.split(separator: "\n")
    for specification in specifications {
      #expect(lines.contains { $0.contains("--\(specification.long)") })
    }
    #expect(lines.allSatisfy { $0.count <= 120 })
  }
}
