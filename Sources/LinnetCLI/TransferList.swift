/// The transfers of a run: the URLs of the command line with their braces and brackets expanded, one by one.
struct TransferList {
  /// One transfer to be.
  struct Job: Sendable {
    /// From 0 on.
    let number: Int
    let argument: Argument
    let output: CommandLineOptions.Output
    let isOutputExplicit: Bool
  }

  private let options: CommandLineOptions
  private let globs: [URLGlob]
  private var globIndex = 0
  private var expansionIndex: UInt64 = 0
  private var number: Int

  /// - Parameter number: That of the first transfer: those behind `--next` go on with it.
  /// - Throws: `malformedURL` for the first URL whose braces or brackets are wrong.
  init(_ options: CommandLineOptions, from number: Int) throws(CommandError) {
    self.number = number
    self.options = options
    var globs: [URLGlob] = []
    for url in options.urls { globs.append(options.run.isGlobbing ? try URLGlob(url) : URLGlob(literal: url)) }
    self.globs = globs
  }

  /// Whether there is more than one transfer.
  var hasSeveral: Bool { globs.count > 1 || globs.contains { $0.count > 1 } }

  /// The number that follows the last one.
  var nextNumber: Int {
    globs.reduce(number) { sum, glob in
      let (next, isTooLarge) = sum.addingReportingOverflow(Int(clamping: glob.count))
      return isTooLarge ? .max : next
    }
  }

  /// The first transfer of each URL of the command line.
  var samples: [Job] { globs.indices.map { job(0, of: $0, number: $0) } }

  private func job(_ expansionIndex: UInt64, of globIndex: Int, number: Int) -> Job {
    let expansion = globs[globIndex].expansion(at: expansionIndex)
    var output = options.output(at: globIndex)
    if case .file(let name) = output, options.run.isGlobbing { output = .file(expansion.name(name)) }
    return Job(
      number: number, argument: expansion.url, output: output, isOutputExplicit: globIndex < options.outputs.count)
  }

  mutating func next() -> Job? {
    guard globIndex < globs.count else { return nil }
    let glob = globs[globIndex]
    let job = job(expansionIndex, of: globIndex, number: number)
    number &+= 1
    expansionIndex += 1
    if expansionIndex == glob.count { (globIndex, expansionIndex) = (globIndex + 1, 0) }
    return job
  }
}
