internal import Glibc
internal import LinnetHTTP

/// `linnet URL…`: the transfers that the options ask for, one after the other on one client, so that connections are
/// reused.
struct RequestCommand {
  private let options: CommandLineOptions
  private let builder: RequestBuilder
  private let client: HTTPClient
  private let verbose: VerboseOutput?
  private let writeOutFormat: String?

  /// Runs the command and reports its errors. The status is that of the first transfer that fails.
  static func run(_ options: CommandLineOptions) async -> ExitCode {
    do throws(CommandError) {
      return await (try RequestCommand(options)).runAll()
    } catch {
      report(error, options)
      return error.exitCode
    }
  }

  private init(_ options: CommandLineOptions) throws(CommandError) {
    self.options = options
    writeOutFormat = try Self.format(options.writeOut)
    builder = try RequestBuilder(options)
    client = HTTPClient(configuration: try builder.configuration())
    verbose =
      options.isVerbose
      ? VerboseOutput(showsSecrets: options.showsSecrets, framingLine: builder.body.framingLine) : nil
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
    var report = TransferReport(url: url.text)
    let start = ContinuousClock.now
    do throws(CommandError) {
      try await transfer(url, index: index, &report)
    } catch {
      report.note(error)
      Self.report(error, options)
    }
    report.totalTime = start.duration(to: .now)
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

  // MARK: One transfer

  private func transfer(_ argument: Argument, index: Int, _ report: inout TransferReport) async throws(CommandError) {
    let url = try builder.target(try URLArgument.parse(argument))
    var output = try BodyOutput(options, index: index, url: url)
    report.effectiveURL = url.description
    report.scheme = url.scheme.rawValue
    report.fileName = output.path?.text
    if url.hasUserinfo && options.reportsErrors {
      Console.warning("the user name and password of '\(url.redactedDescription)' are not sent")
    }
    let (uploads, uploadCounter) = AsyncStream.makeStream(of: Int.self)
    let outcome = await exchange(url, { uploadCounter.yield($0) }, &output, &report)
    uploadCounter.finish()
    if let size = builder.body.size, !builder.body.isChunked {
      report.uploadedBytes = outcome.isRequestSent ? size : 0
    } else {
      for await count in uploads { report.uploadedBytes += UInt64(count) }
    }
    if let failure = outcome.failure { throw failure }
  }

  private struct Outcome {
    var failure: CommandError?
    var isRequestSent = true

    init() {}

    init(_ error: TransportError) {
      failure = CommandError(ExitCode(error), error.description)
      isRequestSent = error.sent == .all
    }

    init(_ error: CommandError) { failure = error }
  }

  private func exchange(
    _ url: HTTPURL, _ onRead: @escaping @Sendable (Int) -> Void, _ output: inout BodyOutput,
    _ report: inout TransferReport
  ) async -> Outcome {
    let verbose = verbose
    let (events, mailbox) = AsyncStream.makeStream(of: ExchangeEvent.self)
    let request = builder.request(to: url, onRead: onRead) { event in
      verbose?.show(event)
      mailbox.yield(event)
    }
    report.method = request.method.rawValue
    let response: Result<HTTPResponse, TransportError>
    do throws(TransportError) {
      response = .success(try await client.send(request))
    } catch {
      response = .failure(error)
    }
    mailbox.finish()
    var interimHeads: [ResponseHead] = []
    for await event in events {
      switch event {
      case .connection(let connection): report.note(connection)
      case .interim(let head): interimHeads.append(head)
      case .requestHead, .resent, .redirected, .challenged: break
      }
    }
    switch response {
    case .failure(let error):
      return Outcome(error)
    case .success(let response):
      report.note(response)
      verbose?.show(response.head)
      return await receive(response, after: interimHeads, &output, &report)
    }
  }

  /// Writes head and body as the options say.
  private func receive(
    _ response: HTTPResponse, after interimHeads: [ResponseHead], _ output: inout BodyOutput,
    _ report: inout TransferReport
  ) async -> Outcome {
    var outcome = Outcome()
    if options.failsOnHTTPError && response.status.code >= 400 {
      let reason = response.head.reason.isEmpty ? response.status.reasonPhrase : response.head.reason
      outcome.failure = CommandError(
        .httpError,
        "\(report.method) \(response.url.redactedDescription): the server answered \(response.status.code) \(reason)")
      guard options.keepsBodyOfHTTPError else { return outcome }
    }
    do throws(CommandError) {
      try output.open()
      if options.includesHead || options.wantsHeadOnly {
        for head in interimHeads + [response.head] { try output.write(Self.text(head)) }
      }
      if let failed = try await copy(response, to: &output) { outcome = Outcome(failed) }
      report.downloadedBytes = response.body.receivedWireBytes
      try output.finish()
    } catch {
      report.downloadedBytes = response.body.receivedWireBytes
      outcome = Outcome(error)
    }
    return outcome
  }

  /// Copies the body piece by piece; returns what ended it early.
  private func copy(_ response: HTTPResponse, to output: inout BodyOutput) async throws(CommandError) -> TransportError?
  {
    let body = response.body
    let showsProgress =
      options.showsProgress && !options.isSilent && !options.isVerbose && output.isFile && isatty(2) == 1
    var progress = showsProgress ? ProgressBar(total: body.expectedLength) : nil
    var received: UInt64 = 0
    defer { progress?.finish(received: received) }
    while true {
      let chunk: ByteChunk?
      do throws(TransportError) {
        chunk = try await body.next()
      } catch {
        return error
      }
      guard let chunk else { break }
      try output.write(chunk)
      received += UInt64(chunk.count)
      progress?.update(received: received)
    }
    if let verbose, let trailers = body.trailers, !trailers.isEmpty { verbose.show(trailers: trailers) }
    return nil
  }

  /// The head as `-i` and `-I` write it.
  private static func text(_ head: ResponseHead) -> String {
    let fields = head.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    return "\(head.version) \(head.status.code) \(head.reason)\r\n\(fields)\r\n"
  }
}
