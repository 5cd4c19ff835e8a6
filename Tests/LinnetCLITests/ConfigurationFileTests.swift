import LinnetTestSupport
import Testing

/// The user's configuration file and `-K`, as processes.
@Suite("Configuration files of the command", .timeLimit(.minutes(2)))
struct ConfigurationFileTests {
  private static let script = ServerScript.handler { .text($0.headers["User-Agent"] ?? "-") }

  /// A directory with a configuration in both places.
  private func home() async throws -> TemporaryDirectory {
    let files = try TemporaryDirectory()
    _ = try await CommandRun.shell("mkdir -p '\(files.path)/xdg/linnet' '\(files.path)/.config/linnet'")
    _ = try files.write("user-agent = xdg\n", to: "xdg/linnet/config")
    _ = try files.write("user-agent = home\n", to: ".config/linnet/config")
    return files
  }

  @Test("$XDG_CONFIG_HOME comes before ~/.config; -q reads neither, and the command line wins")
  func places() async throws {
    let files = try await home()
    let home = ["HOME": files.path]
    let both = ["HOME": files.path, "XDG_CONFIG_HOME": files.path(of: "xdg")]
    try await ScriptedServer.with(Self.script) { server async throws in
      let url = server.url()
      #expect(try await CommandRun.linnet(url, environment: home).output == "home")
      #expect(try await CommandRun.linnet(url, environment: both).output == "xdg")
      #expect(try await CommandRun.linnet("-A", "me", url, environment: both).output == "me")
      #expect(try await CommandRun.linnet("-q", url, environment: both).output.hasPrefix("linnet/"))
      #expect(try await CommandRun.linnet("--no-config", url, environment: both).output.hasPrefix("linnet/"))
      #expect(
        try await CommandRun.linnet(url, environment: ["XDG_CONFIG_HOME": "relative"]).output.hasPrefix("linnet/"))
      #expect(try await CommandRun.linnet(url, environment: ["HOME": "/nowhere"]).output.hasPrefix("linnet/"))
      #expect(try await CommandRun.linnet(url).output.hasPrefix("linnet/"))
    }
  }

  @Test("-K reads a file or standard input; a missing file and a wrong line are errors with their place")
  func named() async throws {
    let files = try await home()
    try await ScriptedServer.with(Self.script) { server async throws in
      let file = try files.write("user-agent = \"K\"\nurl = \(server.url())\n", to: "k")
      #expect(try await CommandRun.linnet("-K", file).output == "K")
      #expect(try await CommandRun.linnet("-K", "-", input: "-A stdin\nurl=\(server.url())").output == "stdin")
      let count = server.snapshot.connectionCount
      let missing = try await CommandRun.linnet("-K", "/nowhere/k", server.url())
      #expect(missing.status == 2 && missing.error.contains("'/nowhere/k'"))
      let wrong = try files.write("silent\nnonsense = 1\n", to: "wrong")
      let refused = try await CommandRun.linnet("-K", wrong, server.url())
      #expect(refused.status == 2 && refused.error.contains("\(wrong):2: ") && refused.error.contains("nonsense"))
      #expect(server.snapshot.connectionCount == count)
    }
  }
}
