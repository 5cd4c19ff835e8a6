internal import LinnetHTTP

/// What `--trace` and `--trace-ascii` write. Secrets in heads are masked as those of `-v`; bodies are shown as they are.
struct TraceOutput: Sendable {
  private let file: SideFile
  private let format: TraceFormat
  private let stamp: TraceStamp
  private let mask: SecretMask
  private let framingLine: String?

  /// The file, for all transfers; nil when no trace was asked for. Only the user may read it: it has bodies in it.
  static func file(_ options: CommandLineOptions) throws(CommandError) -> SideFile? {
    try options.trace.file.map { path throws(CommandError) in try SideFile(path, mode: 0o600) }
  }

  init(_ file: SideFile, _ options: CommandLineOptions, framingLine: String?, number: Int) {
    self.file = file
    format = TraceFormat(style: options.trace.isTextOnly ? .text : .hexadecimal)
    stamp = TraceStamp(options, number: number)
    mask = SecretMask(showsSecrets: options.showsSecrets)
    self.framingLine = framingLine
  }

  func show(_ event: ExchangeEvent) {
    switch event {
    case .connection(let connection): note(connection)
    case .requestHead(let head):
      note("using \(head.version)")
      show(.sentHead, Array(mask.text(head, framingLine: framingLine).utf8))
    case .interim(let head): show(head)
    case .redirected(let head, let hop):
      show(head)
      note("following the redirection to \(mask.url(hop.to))")
    case .challenged(let head):
      show(head)
      note("sending again with credentials")
    case .resent(let reason): note("\(reason); sending again on another connection")
    }
  }

  private func note(_ connection: ConnectionInfo) {
    for line in VerboseOutput.notes(on: connection) { note(line) }
    if !connection.isReused, let head = connection.proxy?.connectResponse { show(head) }
  }

  func show(_ head: ResponseHead) { show(.receivedHead, Array(mask.text(head).utf8)) }

  func show(_ direction: TraceFormat.Direction, _ bytes: some RandomAccessCollection<UInt8>) {
    write(format.block(direction, bytes, stamp: stamp.text))
  }

  func note(_ text: String) { write(format.information(text, stamp: stamp.text)) }

  /// Ends the trace of a transfer.
  ///
  /// - Throws: What keeps the trace from being written: by then the transfer itself is done.
  func end() throws(CommandError) { try file.write(format.information("the transfer is done", stamp: stamp.text)) }

  /// A trace that cannot be written does not end the transfer that it is about; ``end()`` tells of it.
  private func write(_ bytes: [UInt8]) { try? file.write(bytes) }
}
