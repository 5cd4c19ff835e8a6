internal import LinnetHTTP

/// What all transfers of a run share.
struct TransferContext: Sendable {
  let options: CommandLineOptions
  let builder: RequestBuilder
  let client: HTTPClient
  let verbose: VerboseOutput?
  let trace: TraceOutput?
  /// Where heads go besides (`-D`).
  let heads: HeadOutput?
  let condition: TimeCondition?
  /// Whether a single transfer may draw on the terminal.
  var showsProgress = true

  /// Opens what `-D` and `--trace` name and reads what `-z` does, before anything is sent.
  init(_ options: CommandLineOptions, builder: RequestBuilder, client: HTTPClient) throws(CommandError) {
    self.options = options
    self.builder = builder
    self.client = client
    verbose =
      options.isVerbose
      ? VerboseOutput(showsSecrets: options.showsSecrets, framingLine: builder.body.framingLine) : nil
    trace = try TraceOutput(options, framingLine: builder.body.framingLine)
    heads = try options.transfer.headFile.map { file throws(CommandError) in try HeadOutput(file) }
    condition = TimeCondition(options)
  }
}
