internal import Glibc
internal import LinnetHTTP

/// `linnet URL…`: the transfers that the options ask for, one after the other or at the same time (`-Z`), on one client, so
/// that connections are reused.
struct RequestCommand {
  private let options: CommandLineOptions
  private let context: TransferContext
  private let client: HTTPClient
  private let writeOutFormat: Argument?
  private let transfers: TransferList

  /// Runs the command and reports its errors. The status is that of the first transfer that fails.
  static func run(_ options: CommandLineOptions) async -> ExitCode {
    do throws(CommandError) {
      if let file = options.errorFile, !options.run.isDryRun, !options.run.printsCurl { try Console.redirect(to: file) }
      if options.run.printsCurl { return try print(CurlCommandLine.text(options)) }
      var commands: [RequestCommand] = []
      for section in [options] + options.following {
        commands.append(try await RequestCommand(section, after: commands.last))
      }
      var exitCode = ExitCode.success
      for command in commands {
        let code = await command.runAll()
        if exitCode == .success { exitCode = code }
        if code == .brokenPipe || code != .success && options.run.failsEarly { break }
      }
      // Sections share clients: none is shut down before the last has ended.
      for command in commands { await command.client.shutdown(grace: .zero) }
      return exitCode
    } catch {
      report(error, options)
      return error.exitCode
    }
  }

  /// - Parameter former: The section before `--next`, whose cookies and connections go on where its options allow it.
  private init(_ options: CommandLineOptions, after former: RequestCommand?) async throws(CommandError) {
    self.options = options
    try TransferRules.check(options)
    transfers = try TransferList(options, from: former?.transfers.nextNumber ?? 0)
    if transfers.hasSeveral && TransferRules.usesEntityTags(options) { throw TransferRules.oneEntityTag }
    writeOutFormat = try Self.format(options.writeOut, within: options.connection.maximumTime)
    let builder = try await RequestBuilder(options, jar: former?.context.builder.cookies.jar)
    if let former, former.context.builder.hasSameClient(as: builder) {
      client = former.client
    } else {
      client = HTTPClient(configuration: try builder.configuration())
    }
    try Self.checkFiles(options, builder)
    // A dry run makes no files, and neither does a run of which nothing will come: each transfer will say why.
    var quiet = options
    if options.run.isDryRun || !transfers.samples.contains(where: { Self.canBegin($0, builder) }) {
      (quiet.trace.file, quiet.transfer.headFile) = (nil, nil)
    }
    var context = try TransferContext(quiet, builder: builder, client: client)
    context.showsProgress = !options.run.isParallel
    self.context = context
  }

  /// Whether what can be known of a transfer without sending anything is in order.
  private static func canBegin(_ job: TransferList.Job, _ builder: RequestBuilder) -> Bool {
    let options = builder.options
    do throws(CommandError) {
      let url = try builder.url(job.argument)
      _ = try BodyOutput(try OutputPlace(job.output, isExplicit: job.isOutputExplicit, of: url, options))
      return true
    } catch {
      return false
    }
  }

  /// Looks at the files of the whole run before one of them is emptied.
  private static func checkFiles(_ options: CommandLineOptions, _ builder: RequestBuilder) throws(CommandError) {
    for file in [options.trace.file, options.transfer.headFile].compactMap(\.self) { try SideFile.check(file) }
    // They are written at the end: their directory may be one that is made for a body.
    guard !options.createsDirectories else { return }
    if let file = options.transfer.etagSaveFile { try EntityTagFile.check(file) }
    try builder.cookies.checkJar()
  }

  private static func format(_ argument: Argument?, within limit: Duration?) throws(CommandError) -> Argument? {
    guard let argument, argument.bytes.first == UInt8(ascii: "@") else { return argument }
    return Argument(try InputFile.contents(of: Argument(argument.bytes.dropFirst()), within: limit))
  }

  private static func report(_ error: CommandError, _ options: CommandLineOptions) {
    if options.reportsErrors && !error.message.isEmpty { Console.error(error, asJSON: options.reportsJSON) }
  }

  private func runAll() async -> ExitCode {
    if options.tls.isInsecure && options.reportsErrors {
      Console.warning(
        "-k: the server's certificate is not checked; anybody on the path can read and change everything",
        asJSON: options.reportsJSON)
    }
    if options.proxy.tls.isInsecure && options.reportsErrors {
      Console.warning(
        "--proxy-insecure: the proxy's certificate is not checked; anybody may take its place",
        asJSON: options.reportsJSON)
    }
    if options.reportsErrors {
      for warning in IdleOptions.warnings(options, hasProxyVariables: Environment.namesProxy) {
        Console.warning(warning, asJSON: options.reportsJSON)
      }
    }
    if options.outputs.count > options.urls.count && options.reportsErrors {
      Console.warning("there are more -o and -O than URLs", asJSON: options.reportsJSON)
    }
    let exitCode = options.run.isParallel ? await runParallel() : await runInTurn()
    if options.run.isDryRun { return exitCode }
    do throws(CommandError) {
      try await context.builder.cookies.save()
    } catch {
      Self.report(error, options)
      return exitCode == .success ? error.exitCode : exitCode
    }
    return exitCode
  }

  private func runInTurn() async -> ExitCode {
    var exitCode = ExitCode.success
    var transfers = transfers
    while let job = transfers.next() {
      let code = await run(job)
      if exitCode == .success { exitCode = code }
      if code == .brokenPipe || code != .success && options.run.failsEarly { break }
    }
    return exitCode
  }

  /// Up to `--parallel-max` transfers at a time. Bodies for standard output come as they arrive, as in curl. The status is
  /// that of the first failure in the order of the URLs, so that it does not depend on which server is faster.
  private func runParallel() async -> ExitCode {
    await withTaskGroup(of: (number: Int, code: ExitCode).self) { group in
      var transfers = transfers
      var first: (number: Int, code: ExitCode)?
      func start() {
        guard let job = transfers.next() else { return }
        group.addTask { (job.number, await run(job)) }
      }
      for _ in 0..<options.run.parallelMaximum { start() }
      var isStopped = false
      while let ended = await group.next() {
        if isStopped { continue }
        if ended.code != .success, ended.number < first?.number ?? .max { first = ended }
        if ended.code == .brokenPipe || ended.code != .success && options.run.failsEarly {
          isStopped = true
          group.cancelAll()
        } else {
          start()
        }
      }
      return first?.code ?? .success
    }
  }

  /// One transfer with everything around it.
  private func run(_ job: TransferList.Job) async -> ExitCode {
    let transfer = SingleTransfer(
      context: context, argument: job.argument, output: job.output, isOutputExplicit: job.isOutputExplicit,
      number: job.number)
    if options.run.isDryRun {
      do throws(CommandError) {
        return try Self.print(try await transfer.preview())
      } catch {
        Self.report(error, options)
        return error.exitCode
      }
    }
    let report = await transfer.run()
    // When nobody reads any more there is nothing to say. What --fail-early has ended tells so.
    if Task.isCancelled && !options.run.failsEarly { return report.exitCode }
    if options.reportsJSON {
      Console.write(WriteOut.record(report, SecretMask(showsSecrets: options.showsSecrets)) + "\n")
    } else if let failure = report.failure {
      Self.report(failure, options)
    }
    context.verbose(job.number)?.show(report)
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
    for name in unknown where options.reportsErrors {
      Console.warning("-w: there is no variable '\(name)'", asJSON: options.reportsJSON)
    }
    for part in parts {
      if part.isStandardError { Console.write(part.bytes) } else { try Self.print(part.bytes) }
    }
  }

  private static func print(_ text: String) throws(CommandError) -> ExitCode {
    try print(Array(text.utf8))
    return .success
  }

  private static func print(_ bytes: [UInt8]) throws(CommandError) {
    let number = Descriptor.writeAll(1, bytes)
    if number == EPIPE { throw Signals.brokenPipe(writing: "standard output") }
    guard number == 0 else { throw CommandError(.writeError, "cannot write standard output: \(systemText(number))") }
  }
}
