import LinnetCLI
import LinnetTestSupport
import Testing

/// No option is accepted without an effect and without a word.
@Suite("Options without effect", .timeLimit(.minutes(2)))
struct IdleOptionTests {
  private func warnings(_ words: [String], config: String? = nil, hasProxyVariables: Bool = false) throws -> [String] {
    let options = try CommandLineParser.parse(
      (words + ["http://a/"]).map { Argument($0) },
      standardConfig: { () throws(CommandError) in
        config.map { ConfigFile(name: "config", content: Array($0.utf8)) }
      })
    return IdleOptions.warnings(options, hasProxyVariables: hasProxyVariables)
  }

  @Test(
    "each names what it needs, and says nothing when that is there",
    arguments: [
      (["--output-dir", "d"], ["-O"], "-o or -O"), (["-R"], ["-o", "x"], "-o or -O"), (["--post301"], ["-L"], "-L"),
      (["--post303"], ["-L"], "-L"), (["-L", "--post303", "-X", "PUT"], ["-X", "POST"], "the method POST"),
      (["-e", ";auto"], ["-L"], "-L"), (["--digest"], ["-u", "a:b"], "-u"),
      (["--anyauth"], ["-n"], "-u"), (["--trace-time"], ["-v"], "-v"), (["--trace-ids"], ["--trace", "x"], "--trace"),
      (["--expect100-timeout", "1"], ["-H", "Expect: 100-continue"], "Expect"),
      (["--keepalive-time", "1", "--no-keepalive"], ["--keepalive"], "--keepalive"),
      (["-U", "a:b"], ["-x", "p"], "a proxy"), (["-p"], ["-x", "p"], "a proxy"),
      (["--proxy-header", "A: b"], ["-x", "p"], "a proxy"),
      (["--proxy-header", "A: b", "-x", "socks5://p"], ["-x", "https://p"], "an HTTP proxy"),
      (["--proxy-insecure"], ["-x", "https://p"], "a proxy"),
      (["--proxy-cacert", "f", "-x", "http://p"], ["-x", "https://p"], "an https proxy"),
      (["--proxy-insecure", "--socks5", "p"], ["-x", "HTTPS://p"], "an https proxy"),
    ] as [([String], [String], String)])
  func needs(_ words: [String], _ more: [String], _ need: String) throws {
    let found = try warnings(words)
    #expect(found.count == 1 && found.allSatisfy { $0.contains("no effect without ") && $0.contains(need) }, "\(found)")
    #expect(try warnings(words + more).isEmpty)
    let isNegatable = words.count == 1 && words[0].hasPrefix("--")
    if isNegatable, (try? warnings(["--no-\(words[0].dropFirst(2))"])) != nil {
      #expect(try warnings(words + ["--no-\(words[0].dropFirst(2))"]).isEmpty)
    }
  }

  @Test("a variable's proxy is one, and what stands in the configuration file is for other runs")
  func elsewhere() throws {
    #expect(try warnings(["-U", "a:b"], hasProxyVariables: true).isEmpty)
    #expect(try warnings(["-U", "a:b", "-x", ""], hasProxyVariables: true).count == 1)
    #expect(try warnings([], config: "proxy-user = a:b\noutput-dir = d\npost301\n").isEmpty)
  }

  @Test("what goes to a socket by its path has no other way")
  func unixSocket() throws {
    #expect(try warnings(["--unix-socket", "/s", "-x", "p", "--interface", "lo"]).count == 1)
  }

  @Test(
    "what is about a client certificate is refused without one",
    arguments: [
      ["--pass", "x"], ["--key", "f"], ["--cert-type", "DER"], ["--key-type", "PEM"], ["--proxy-pass", "x"],
      ["--proxy-key", "f"], ["--oauth2-bearer", "x", "--digest"],
    ])
  func refused(_ words: [String]) throws {
    let error = #expect(throws: CommandError.self) {
      try CommandLineParser.parse((words + ["http://a/"]).map { Argument($0) })
    }
    #expect(error?.exitCode == .usage && error?.message.contains(words[0]) == true)
  }

  @Test("the command tells on stderr, and nothing with -s")
  func told() async throws {
    try await ScriptedServer.with(.handler { _ in .text("x") }) { server async throws in
      let result = try await CommandRun.linnet("--post301", server.url())
      #expect(result.status == 0 && result.error == "linnet: warning: --post301: no effect without -L\n")
      #expect(try await CommandRun.linnet("-s", "--post301", server.url()).error.isEmpty)
    }
  }
}
