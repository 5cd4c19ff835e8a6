internal import Glibc
internal import LinnetHTTP

/// `linnet URL…`: the transfers that the options ask for, one after the other on one client, so that connections are
/// reused.
struct RequestCommand {
  private let options: CommandLineOptions
  private let context: TransferContext
  private let client: HTTPClient
  private let writeOutFormat: String?

  /// Runs the command and reports its errors. The status is that of the first transfer that fails.
  static func run(_ options: CommandLineOptions) async -> ExitCode {
    do throws(CommandError) {
      if let file = options.errorFile { try Console.redirect(to: file) }
      return await (try RequestCommand(options)).runAll()
    } catch {
      report(error, options)
      return error.exitCode
    }
  }

  private init(_ options: CommandLineOptions) throws(CommandError) {
    self.options = options
    try TransferRules.check(options)
    writeOutFormat = try Self.format(options.writeOut)
    let builder = try RequestBuilder(options)
    client = HTTPClient(configuration: try builder.configuration())
    context = try TransferContext(options, builder: builder, client: client)
  }

  private static func format(_ argument: Argument?) throws(CommandError) -> String? {
    guard let argument else { return nil }
    guard argument.bytes.first == UInt8(ascii: "@") else { return argument.text }
    return Argument(try InputFile.contents(of: Argument(argument.bytes.dropFirst()))).text
  }

  private static func report(_ error: CommandError, _ options: CommandLineOptions) {
    if options.reportsErrors && !error.message.isEmpty { Console.error(error.message) }
  }

  private func runAll() async -> ExitCode {
    if options.tls.isInsecure && options.reportsErrors {
      Console.warning("-k: the server's certificate is not checked; anybody on the path can read and change everything")
    }
    if options.outputs.count > options.urls.count && options.reportsErrors {
      Console.warning("there are more -o and -O than URLs")
    }
    var exitCode = ExitCode.success
    for (index, url) in options.urls.enumerated() {
      let code = await run(url, index: index)
      if exitCode == .success { exitCode = code }
      if code == .brokenPipe { break }
    }
    await client.shutdown(grace: .zero)
    return exitCode
  }

  /// One transfer with everything around it.
  private func run(_ url: Argument, index: Int) async -> ExitCode {
    let transfer = SingleTransfer(
      context: context, argument: url, output: options.output(at: index),
      isOutputExplicit: index < options.outputs.count, number: index)
    let report = await transfer.run()
    if let failure = report.failure { Self.report(failure, options) }
    do throws(CommandError) {
      try writeOut(report)
    } catch {
      Self.report(error, options)
      if report.exitCode == .success { return error.exitCode }
    }
    return report.exitCode
  }

  private func writeOut(_ report: TransferReport) throws(CommandError) {
    guard let writeOutFormat, report.exitCode != .brokenPipe else { return }
    let (parts, unknown) = WriteOut.format(writeOutFormat, report)
    for name in unknown where options.reportsErrors { Console.warning("-w: there is no variable '\(name)'") }
    for part in parts {
      let number = Descriptor.writeAll(part.isStandardError ? 2 : 1, Array(part.text.utf8))
      guard number != 0 && !part.isStandardError else { continue }
      if number == EPIPE { throw Signals.brokenPipe(writing: "standard output") }
      throw CommandError(.writeError, "cannot write standard output: \(systemText(number))")
    }
  }
}
