internal import Glibc
internal import LinnetHTTP

/// What `--trace` and `--trace-ascii` write. Secrets in heads are masked as those of `-v`; bodies are shown as they are.
struct TraceOutput: Sendable {
  private let file: SideFile
  private let format: TraceFormat
  private let showsTime: Bool
  private let mask: SecretMask
  private let framingLine: String?

  /// Nil when no trace was asked for. Only the user may read the file: it has bodies in it.
  init?(_ options: CommandLineOptions, framingLine: String?) throws(CommandError) {
    guard let path = options.trace.file else { return nil }
    file = try SideFile(path, mode: 0o600)
    format = TraceFormat(style: options.trace.isTextOnly ? .text : .hexadecimal)
    showsTime = options.trace.showsTime
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
      note("following the redirection to \(hop.to.redactedDescription)")
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
    write(format.block(direction, bytes, stamp: stamp))
  }

  func note(_ text: String) { write(format.information(text, stamp: stamp)) }

  /// A trace that cannot be written does not fail the transfer that it is about.
  private func write(_ bytes: [UInt8]) { try? file.write(bytes) }

  private var stamp: String {
    guard showsTime else { return "" }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var local = tm()
    var seconds = now.tv_sec
    let offset = localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
    return TraceFormat.stamp(
      seconds: Int64(now.tv_sec), microseconds: Int64(now.tv_nsec / 1000), offset: Int64(offset))
  }
}
