import LinnetCLI
import LinnetTestSupport
import LinnetTestRandom
import Testing

/// `--pretty` and `--color`.
@Suite("Output for people", .timeLimit(.minutes(2)))
struct PrettyOutputTests {
  private static let text = "{\"a\":[1, true,{}],\"b\":\"x\\\"y: {\",\"c\":[]}"
  private static let script = ServerScript.handler { request in
    var response = ServerResponse(body: ServerBody(bytes: Array(Self.text.utf8)))
    if request.path == "/part" { response.status = 206 }
    let types = ["/text": "text/plain", "/utf16": "application/json; charset=\"UTF-16\""]
    return response.adding("Content-Type", types[request.path] ?? "application/json; charset=utf-8")
  }
  private static let pretty = """
    {
      "a": [
        1,
        true,
        {}
      ],
      "b": "x\\"y: {",
      "c": []
    }

    """

  private func run(_ words: [String], path: String = "/", environment: [String: String] = [:]) async throws -> String {
    try await ScriptedServer.with(Self.script) { server async throws in
      let line = [CommandRun.path, "-s"] + words + [server.url(path)]
      return try await CommandRun(line.map { Array($0.utf8) }, environment: environment).result().output
    }
  }

  @Test("bytes for a program stay as they are, whatever the environment says")
  func exact() async throws {
    let variables = ["FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm"]
    for words in [[], ["--pretty=auto", "--color=auto"], ["--pretty", "never", "--color", "never"]] {
      #expect(try await run(words, environment: variables) == Self.text)
    }
  }

  @Test("--pretty=always lays out JSON, and nothing else: no other type or encoding, no part, no file")
  func always() async throws {
    #expect(try await run(["--pretty=always"]) == Self.pretty)
    #expect(try await run(["--pretty=always", "--limit-rate", "100M"]) == Self.pretty)
    for path in ["/text", "/part", "/utf16"] {
      #expect(try await run(["--pretty=always", "--color=always"], path: path) == Self.text)
    }
    let files = try TemporaryDirectory()
    _ = try await run(["--pretty=always", "-o", files.path(of: "x")])
    #expect(TemporaryDirectory.contents(of: files.path(of: "x")) == Array(Self.text.utf8))
  }

  @Test("--color=always colours the body and the heads of -i")
  func colours() async throws {
    let output = try await run(["--color=always", "-i"])
    #expect(output.hasPrefix("\u{1B}[1mHTTP/1.1 200 OK\u{1B}[0m\r\n\u{1B}[36m"))
    #expect(
      output.hasSuffix(
        "{\u{1B}[34m\"a\"\u{1B}[0m:[\u{1B}[36m1\u{1B}[0m, \u{1B}[35mtrue\u{1B}[0m,{}],"
          + "\u{1B}[34m\"b\"\u{1B}[0m:\u{1B}[32m\"x\\\"y: {\"\u{1B}[0m,\u{1B}[34m\"c\"\u{1B}[0m:[]}"))
  }

  @Test(
    "the option goes before NO_COLOR, that before the forcing variables, those before TERM; without a terminal only the option counts",
    arguments: [
      ([], true, ["TERM": "xterm"], true), ([], true, ["TERM": "dumb"], false), ([], true, [:], false),
      ([], true, ["TERM": "dumb", "FORCE_COLOR": "1"], true), ([], true, ["CLICOLOR_FORCE": "1"], true),
      ([], true, ["TERM": "xterm", "NO_COLOR": "0"], false), ([], true, ["NO_COLOR": "1", "FORCE_COLOR": "1"], false),
      ([], true, ["TERM": "dumb", "FORCE_COLOR": "0"], false),
      ([], false, ["TERM": "xterm", "FORCE_COLOR": "1"], false),
      (["--color=always"], false, ["NO_COLOR": "1"], true), (["--color=never"], true, ["FORCE_COLOR": "1"], false),
    ] as [([String], Bool, [String: String], Bool)])
  func environment(_ words: [String], _ isTerminal: Bool, _ variables: [String: String], _ colours: Bool) throws {
    let options = try CommandLineParser.parse((words + ["a"]).map { Argument($0) })
    let style = TerminalStyle(options, isTerminal: isTerminal) { variables[$0] }
    #expect(style.colours == colours && style.indentsJSON == isTerminal)
  }

  private func layout(_ pieces: [ArraySlice<UInt8>], colours: Bool = false) -> String {
    var layout = JSONLayout(indents: true, colours: colours)
    var out: [UInt8] = []
    for piece in pieces { layout.append(piece, to: &out) }
    layout.finish(&out)
    return String(decoding: out, as: UTF8.self)
  }

  @Test(
    "values of every kind, whole and byte by byte",
    arguments: [
      ("", ""), ("null", "null\n"), (" [ ] ", "[]\n"), ("{ }", "{}\n"), ("[[]]", "[\n  []\n]\n"), ("1\n2", "1\n2\n"),
      ("{}\n{}\n", "{}\n{}\n"), ("\"a\\\\\"\r\n\"b\"", "\"a\\\\\"\n\"b\"\n"),
      ("[1.5e+3,-0]", "[\n  1.5e+3,\n  -0\n]\n"),
      ("{\"a\":\"é\"}", "{\n  \"a\": \"é\"\n}\n"), ("[", "[\n"), ("\"open", "\"open\n"),
      ("[\"\\u00Ff\\n\"]", "[\n  \"\\u00Ff\\n\"\n]\n"),
      ("{\"a\" : {\"b\":[ ]} , \"c\":1}", "{\n  \"a\": {\n    \"b\": []\n  },\n  \"c\": 1\n}\n"),
    ])
  func values(_ text: String, _ expected: String) {
    let bytes = Array(text.utf8)
    #expect(layout([bytes[...]]) == expected)
    #expect(layout(bytes.indices.map { bytes[$0...$0] }) == expected)
  }

  @Test(
    "from the first byte that is no JSON everything stays as it is",
    arguments: [
      ("[1 2]", "[\n  1 2]"), ("1 2", "1 2"), ("{}{}", "{}{}"), ("not found\n", "not found\n"),
      ("404 page  not found", "404 page  not found"), ("true story", "true story"), ("nullx y", "nullx y"),
      ("{ // no\n \"a\": 1 }", "{ // no\n \"a\": 1 }"), ("[1, /* a */ 2]", "[\n  1, /* a */ 2]"), ("[1,]", "[\n  1,]"),
      ("{\"a\" 1}", "{\n  \"a\" 1}"), ("{\"a\":,}", "{\n  \"a\":,}"), ("{a: 1}", "{a: 1}"), ("[1}  ", "[\n  1}  "),
      ("{]", "{]"), ("]]}", "]]}"), ("01 ", "01 "), ("[- 1]", "[\n  - 1]"), ("[1. ]", "[\n  1. ]"), ("[+1 ]", "[+1 ]"),
      ("\"\u{1B}[31m\" x", "\"\u{1B}[31m\" x"), ("\"\\x  \"", "\"\\x  \""), ("\"\\u12 \" 1", "\"\\u12 \" 1"),
      ("[\u{0}1\u{0}]\u{0} ", "[\u{0}1\u{0}]\u{0} "), ("\u{FEFF}[1, 2]", "\u{FEFF}[1, 2]"), ("  \n ", "  \n "),
      ("{\"a\": 'b c'}", "{\n  \"a\": 'b c'}"), ("{\"a\":1}\n\nError: x  y", "{\n  \"a\": 1\n}\n\nError: x  y"),
    ])
  func noJSON(_ text: String, _ expected: String) {
    let bytes = Array(text.utf8)
    #expect(layout([bytes[...]]) == expected)
    #expect(layout(bytes.indices.map { bytes[$0...$0] }) == expected)
  }

  @Test("only white space between tokens changes, whatever comes; colours change nothing else")
  func total() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        Array("{}[]\",:\\ 1a\n\u{1}".utf8).randomElement(using: &random) ?? 0
      }
      let plain = layout([bytes[...]])
      #expect(plain.utf8.filter { $0 != 0x20 && $0 != 0x0A } == bytes.filter { $0 != 0x20 && $0 != 0x0A })
      let cut = Int.random(in: 0...bytes.count, using: &random)
      #expect(layout([bytes[..<cut], bytes[cut...]]) == plain)
      let coloured = layout([bytes[...]], colours: true)
      let bare = [0, 32, 34, 35, 36].reduce(coloured) { $0.replacing("\u{1B}[\($1)m", with: "") }
      #expect(bare == plain)
    }
  }

  @Test("neither deep nesting nor white space grows without bound")
  func bounds() {
    let deep = Array(repeatElement(UInt8(ascii: "["), count: 10_000))
    #expect(layout([deep[...]]).utf8.count < 1024 * 131 + 10_000)
    let blank = Array(repeatElement(UInt8(ascii: " "), count: 100_000)) + Array("[1 ]".utf8)
    #expect(layout([blank[...]]).utf8.elementsEqual(blank))
  }
}
