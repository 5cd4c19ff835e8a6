extension CommandLineOptions {
  /// What the sections between `--next` cannot see alone.
  func checkWhole() throws(CommandError) {
    guard action == .request else { return }
    let sections = [self] + following
    let readers = sections.flatMap(\.readersOfStandardInput)
    guard readers.count < 2 else {
      throw .usage("\(readers[0]) and \(readers[1]) cannot both read standard input")
    }
    if reportsJSON, let writer = sections.compactMap(\.plainWriterToStandardError).first {
      throw .usage("--output-format json cannot be used together with \(writer), which writes other lines to stderr")
    }
  }

  /// The options that read standard input, once each time they do.
  private var readersOfStandardInput: [String] {
    let dash = Argument("-")
    let atDash = Argument("@-")
    var readers = given.filter { $0.name == "config" && $0.value == dash }.map { _ in "-K -" }
    if uploadFile == dash { readers.append("-T -") }
    readers += (data + queries).filter { $0.source == .file(dash) }.map { _ in "-d @-" }
    readers += (headers + proxy.headers).filter { $0 == atDash }.map { _ in "-H @-" }
    readers += cookies.files.filter { $0 == dash }.map { _ in "-b -" }
    if writeOut == atDash { readers.append("-w @-") }
    return readers
  }

  /// An option that would put lines between the JSON on standard error.
  private var plainWriterToStandardError: String? {
    let standardError = Argument("%")
    if isVerbose { return "-v" }
    if trace.file == standardError { return "--trace %" }
    if transfer.headFile == standardError { return "-D %" }
    if let writeOut, writeOut.bytes.firstRange(of: "%{stderr}".utf8) != nil { return "%{stderr} of -w" }
    return nil
  }
}
