internal import Glibc
internal import LinnetHTTP

/// A transfer under way.
struct TransferRun: ~Copyable {
  let transfer: SingleTransfer
  let url: HTTPURL
  let monitor: TransferMonitor?
  /// What is there of the file already, when it is continued.
  let resume: ResumeRules?
  /// The entity tag of the body that the user has.
  let entityTag: String?
  let verbose: VerboseOutput?
  let trace: TraceOutput?
  let start = ContinuousClock.now
  var output: BodyOutput
  var report: TransferReport

  var context: TransferContext { transfer.context }
  var options: CommandLineOptions { transfer.context.options }

  /// Looks at the files of the options; nothing is sent and nothing made.
  init(
    _ transfer: SingleTransfer, _ url: HTTPURL, _ place: OutputPlace, _ monitor: TransferMonitor?,
    _ report: TransferReport
  ) throws(CommandError) {
    let options = transfer.context.options
    let tag = try Self.readTag(options.transfer.etagCompareFile, options)
    var known = tag
    if tag == nil, options.transfer.resume != nil, options.transfer.etagSaveFile?.isDash != true {
      known = try Self.readTag(options.transfer.etagSaveFile, options)
    }
    let output = try BodyOutput(place)
    let offset = try Self.resume(options, output)
    self.transfer = transfer
    self.url = url
    self.monitor = monitor
    entityTag = tag
    resume = offset.map { ResumeRules(offset: $0, entityTag: ResumeRules.strong(known)) }
    verbose = transfer.context.verbose(transfer.number)
    trace = transfer.context.trace(transfer.number)
    self.report = report
    self.report.fileName = output.path?.text
    self.output = output
  }

  private static func readTag(
    _ file: Argument?, _ options: CommandLineOptions
  ) throws(CommandError) -> String? {
    guard let file else { return nil }
    return try EntityTagFile.read(file, within: options.connection.maximumTime)
  }

  /// From where a download is continued; nil from the beginning.
  private static func resume(
    _ options: CommandLineOptions, _ output: borrowing BodyOutput
  ) throws(CommandError) -> UInt64? {
    guard options.uploadFile == nil, let resume = options.transfer.resume else { return nil }
    let existing = output.existingBytes()
    switch resume {
    case .automatic:
      guard output.path != nil else { throw .usage("-C - needs a file: -o or -O") }
      return existing == 0 ? nil : existing
    case .offset(let offset):
      guard existing == 0 || existing == offset || output.path == nil else {
        throw CommandError(
          .rangeRefused,
          "-C \(offset): '\(output.path?.text ?? "")' has \(existing) bytes and could not be continued there; it is left as it is"
        )
      }
      return offset == 0 ? nil : offset
    }
  }

  // MARK: The exchange

  /// Why a transfer ends, and whether the request was sent by then.
  struct Outcome {
    var failure: CommandError?
    var isRequestSent = true

    init() {}

    init(_ error: TransportError, within limit: Duration?) {
      failure = CommandError(ExitCode(error), Self.message(error, limit))
      isRequestSent = error.sent == .all
    }

    init(_ error: CommandError) { failure = error }

    /// Nobody who gave a time thinks of a connection that was waited for.
    private static func message(_ error: TransportError, _ limit: Duration?) -> String {
      guard error.code == .totalTimeout, error.phase == .pool, let limit else { return error.description }
      let name = "\(error.method?.rawValue ?? "") \(URLArgument.masked(error.url ?? ""))"
      return "\(name): total timeout: not done after \(limit.inSeconds) s (--max-time)"
    }
  }

  /// Runs it to its end and fills the report.
  mutating func perform() async {
    let (uploads, uploadCounter) = AsyncStream.makeStream(of: Int.self)
    var outcome = Outcome()
    do throws(CommandError) {
      outcome = await exchange(try request { uploadCounter.yield($0) })
    } catch {
      outcome = Outcome(error)
      outcome.isRequestSent = false
    }
    uploadCounter.finish()
    let body = context.builder.body
    if let size = body.size, !body.isChunked {
      report.uploadedBytes = outcome.isRequestSent ? size - min(uploadOffset, size) : 0
    } else {
      for await count in uploads { report.uploadedBytes += UInt64(count) }
    }
    await monitor?.endProgress()
    guard let failure = outcome.failure else {
      do throws(CommandError) { try trace?.end() } catch { report.note(error) }
      return
    }
    report.note(failure)
    if options.transfer.removesOnError { output.remove() }
  }

  private mutating func exchange(_ prepared: HTTPRequest) async -> Outcome {
    var request = prepared
    let (events, mailbox) = AsyncStream.makeStream(of: (ExchangeEvent, ContinuousClock.Instant).self)
    let (verbose, trace) = (verbose, trace)
    request.options.onEvent = { event in
      verbose?.show(event)
      trace?.show(event)
      mailbox.yield((event, .now))
    }
    report.method = request.method.rawValue
    let start = ContinuousClock.now
    if transfer.drawsProgress && options.uploadFile != nil {
      await monitor?.showProgress(total: context.builder.body.size, offset: uploadOffset)
    }
    let response: Result<HTTPResponse, TransportError>
    do throws(TransportError) {
      response = .success(try await context.client.send(request))
    } catch {
      response = .failure(error)
    }
    mailbox.finish()
    await monitor?.endProgress()
    var heads: [ResponseHead] = []
    for await (event, moment) in events {
      report.note(event, after: start.duration(to: moment), framingLine: context.builder.body.framingLine)
      heads += event.heads
    }
    do throws(CommandError) {
      switch response {
      case .failure(let error):
        if let head = error.proxyResponse?.head {
          heads.append(head)
          report.proxyStatus = head.status.code
          show(head)
        }
        try writeHeads(heads)
        return Outcome(error, within: options.connection.maximumTime)
      case .success(let response):
        heads.append(response.head)
        report.note(response)
        show(response.head)
        try writeHeads(heads)
        return await receive(response, heads)
      }
    } catch {
      return Outcome(error)
    }
  }

  private func show(_ head: ResponseHead) {
    verbose?.show(head)
    trace?.show(head)
  }

  /// What `-D` is for.
  private func writeHeads(_ heads: [ResponseHead]) throws(CommandError) {
    for head in heads { try context.heads?.write(head) }
  }
}

extension ExchangeEvent {
  /// The heads that a server or a proxy has sent.
  fileprivate var heads: [ResponseHead] {
    switch self {
    case .connection(let connection): connection.isReused ? [] : connection.proxy?.connectResponse.map { [$0] } ?? []
    case .interim(let head), .redirected(let head, _), .challenged(let head): [head]
    case .requestHead, .resent: []
    }
  }
}
