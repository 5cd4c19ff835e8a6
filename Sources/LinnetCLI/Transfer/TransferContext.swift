internal import LinnetHTTP

/// What all transfers of a run share.
struct TransferContext: Sendable {
  let options: CommandLineOptions
  let builder: RequestBuilder
  let client: HTTPClient
  /// Where heads go besides (`-D`).
  let heads: HeadOutput?
  let condition: TimeCondition?
  /// Whether a transfer may draw on the terminal: not when several run at the same time.
  var showsProgress = true
  private let traceFile: SideFile?

  /// Opens what `-D` and `--trace` name and reads what `-z` does, before anything is sent.
  init(_ options: CommandLineOptions, builder: RequestBuilder, client: HTTPClient) throws(CommandError) {
    self.options = options
    self.builder = builder
    self.client = client
    traceFile = try TraceOutput.file(options)
    heads = try options.transfer.headFile.map { file throws(CommandError) in try HeadOutput(file) }
    condition = TimeCondition(options)
  }

  /// What `-v` shows of the transfer with this number.
  func verbose(_ number: Int) -> VerboseOutput? {
    guard options.isVerbose else { return nil }
    return VerboseOutput(
      showsSecrets: options.showsSecrets, framingLine: builder.body.framingLine,
      stamp: TraceStamp(options, number: number), showsTimes: options.verbosity > 1)
  }

  /// What `--trace` shows of it.
  func trace(_ number: Int) -> TraceOutput? {
    traceFile.map { TraceOutput($0, options, framingLine: builder.body.framingLine, number: number) }
  }
}
