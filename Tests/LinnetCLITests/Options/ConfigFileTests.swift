import LinnetCLI
import LinnetTestRandom
import Testing

@Suite("Configuration files")
struct ConfigFileTests {
  private func parse(_ content: String, _ words: String...) throws(CommandError) -> CommandLineOptions {
    let file = ConfigFile(name: "config", content: Array(content.utf8))
    return try CommandLineParser.parse(words.map { Argument($0) }, standardConfig: { () throws(CommandError) in file })
  }

  @Test("names stand with or without dashes, values after space, = or :")
  func forms() throws {
    let options = try parse(
      """
      # a comment
      \t silent
      --location
      -i
      max-redirs = 7
      user-agent: "a \\"b\\" \\t\\\\\\q"
      output=file # the rest is a comment
      header "X-A: b"
      -H "X-B: c"
      -d=x
      url = http://a/\r
      -m 5
      --proxy http://p:1
      """)
    #expect(options.isSilent && options.redirects.isFollowing && options.includesHead)
    #expect(options.redirects.maximumHops == 7)
    #expect(options.userAgent == Argument("a \"b\" \t\\q"))
    #expect(options.outputs == [.file(Argument("file"))])
    #expect(options.headers == [Argument("X-A: b"), Argument("X-B: c")])
    #expect(options.data == [.init(source: .bytes(Array("=x".utf8)))])
    #expect(options.urls == [Argument("http://a/")])
    #expect(options.connection.maximumTime == .seconds(5))
    #expect(options.proxy.server?.address == Argument("http://p:1"))
  }

  @Test("the command line comes after the file, so that it wins")
  func order() throws {
    #expect(try parse("max-redirs 3\nlocation", "--max-redirs", "4", "--no-location", "a").redirects.maximumHops == 4)
    #expect(try parse("location", "--no-location", "a").redirects.isFollowing == false)
  }

  @Test(
    "-q, --disable and --no-config as first option leave the file out",
    arguments: ["-q", "--disable", "--no-config", "-qs"])
  func disabled(_ word: String) throws {
    #expect(try parse("nonsense", word, "a").urls == [Argument("a")])
  }

  @Test(
    "an error names the file and the line",
    arguments: [
      ("silent\nnonsense", "config:2:", "--nonsense"), ("output", "config:1:", "--output"),
      ("\n\nsilent = 1", "config:3:", "no value"), ("-Q", "config:1:", "-Q"),
      ("user-agent = a b", "config:1:", "quotes"), ("user-agent = \"a", "config:1:", "quote"),
      ("user-agent = \"a\" b", "config:1:", "quotes"), ("= x", "config:1:", "no option"),
      ("max-time soon", "config:1:", "soon"), ("-q", "config:1:", "-q"), ("--x=y", "config:1:", "--x"),
    ])
  func errors(_ content: String, _ place: String, _ culprit: String) {
    do throws(CommandError) {
      _ = try parse(content, "a")
      Issue.record("accepted")
    } catch {
      #expect(error.exitCode == .usage && error.message.hasPrefix(place), "\(error.message)")
      #expect(error.message.contains(culprit), "\(error.message)")
    }
  }

  @Test("-K reads more options at its place, and files may name files")
  func named() throws {
    let files = ["one": "max-redirs 1\nconfig two", "two": "max-redirs 2\nsilent"]
    let options = try CommandLineParser.parse(
      ["--max-redirs", "9", "-K", "one", "a"].map { Argument($0) },
      readConfig: { name, _ throws(CommandError) in
        ConfigFile(name: name.text, content: Array((files[name.text] ?? "").utf8))
      })
    #expect(options.redirects.maximumHops == 2 && options.isSilent)
  }

  @Test("a file that names itself is an error")
  func endless() {
    do throws(CommandError) {
      _ = try CommandLineParser.parse(
        ["-K", "one", "a"].map { Argument($0) },
        readConfig: { name, _ throws(CommandError) in ConfigFile(name: name.text, content: Array("config = one".utf8)) }
      )
      Issue.record("accepted")
    } catch {
      #expect(error.exitCode == .usage && error.message.contains("one"))
    }
  }

  @Test("no bytes of a file trap the parser")
  func random() {
    var generator = SeededGenerator(seed: 5)
    let alphabet = Array("-=: \t\"\\#\r\nokdurlx\u{0}\u{FF}".utf8)
    for _ in 0..<2000 {
      let content = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      _ = try? CommandLineParser.parse(
        [Argument("a")], standardConfig: { () throws(CommandError) in ConfigFile(name: "c", content: content) })
    }
  }
}
