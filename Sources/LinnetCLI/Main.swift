internal import Glibc
internal import LinnetHTTP

/// The `linnet` command.
@main
enum LinnetCommand {
  static func main() {
    // Before anything can open a descriptor.
    Signals.occupyStandardDescriptors()
    Signals.install()
    let options: CommandLineOptions
    do throws(CommandError) {
      options = try CommandLineParser.parse(
        Argument.ofProcess, standardConfig: ConfigFiles.standard, readConfig: ConfigFiles.read)
    } catch {
      Console.error(error, asJSON: asksForJSON(Argument.ofProcess))
      Signals.end(error.exitCode)
    }
    Argument.hideSecrets(of: options)
    switch options.action {
    case .help: show(HelpText.help(options.topic))
    case .version: show(HelpText.version)
    case .completions: show(Completions.text(for: options.topic ?? ""))
    case .demo: run { await Demo.run() ? .success : .aborted }
    case .request: run { await RequestCommand.run(options) }
    }
  }

  /// Whether a command line that cannot be understood as a whole asks for errors as JSON.
  private static func asksForJSON(_ words: [Argument]) -> Bool {
    zip(words, words.dropFirst()).contains { $0.text == "--output-format" && $1.text == "json" }
      || words.contains { $0.text == "--output-format=json" }
  }

  /// Prints what the user asked for. A reader that has seen enough (`| head -1`) is no error.
  private static func show(_ text: String) -> Never {
    let number = Descriptor.writeAll(1, Array(text.utf8))
    guard number != 0 && number != EPIPE else { Signals.end(.success) }
    Console.error("cannot write standard output: \(systemText(number))")
    Signals.end(.writeError)
  }

  /// Runs the command on the task pool while the main thread takes the signals.
  private static func run(_ command: @escaping @Sendable () async -> ExitCode) -> Never {
    Task.detached { Signals.end(await command()) }
    while true { pause() }
  }
}
