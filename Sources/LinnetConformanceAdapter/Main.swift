import LinnetHTTP

/// The child process that conformance suites drive: one JSON request a line on standard input, one JSON reply a line on
/// standard output, in the order in which exchanges end. `docs/CONFORMANCE.md` says how to run the suites.
///
/// The main thread does nothing but wait for lines, so that a blocking read never takes a thread from the exchanges.
@main enum Main {
  @MainActor
  static func main() async {
    let exchanges = ExchangeRunner()
    let replies = ReplyWriter()
    await withDiscardingTaskGroup { group in
      while let line = readLine() {
        group.addTask { @concurrent in
          await replies.write(await exchanges.reply(toLine: line))
        }
      }
    }
  }
}
