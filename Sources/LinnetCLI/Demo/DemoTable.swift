/// A line of the table.
struct DemoRow {
  let title: String
  var outcome = DemoOutcome("")
  var time: Duration = .zero

  init(title: String) { self.title = title }
}

/// Prints the tour as an aligned table, line by line as it goes.
struct DemoTable {
  private static let widths = (title: 36, version: 17, connection: 10, time: 8)

  func printTitle() {
    line(mark: "  ", title: "What", version: "Protocol", connection: "Connection", time: "Time", text: "Result")
    write(String(repeating: "-", count: 116) + "\n")
  }

  func print(_ row: DemoRow, isGood: Bool) {
    line(
      mark: isGood ? "  " : "! ", title: row.title, version: row.outcome.version, connection: row.outcome.connection,
      time: Self.text(row.time), text: row.outcome.text)
  }

  func printEnd(_ text: String) { write("\n\(text)\n") }

  private func line(mark: String, title: String, version: String, connection: String, time: String, text: String) {
    let widths = Self.widths
    let cells = [
      Self.padded(title, widths.title), Self.padded(version, widths.version),
      Self.padded(connection, widths.connection),
      Self.padded(time, widths.time, onLeft: true),
    ]
    write("\(mark)\(cells.joined(separator: "  "))  \(Console.singleLine(text))\n")
  }

  private static func padded(_ text: String, _ width: Int, onLeft: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - text.count))
    return onLeft ? padding + text : text + padding
  }

  private static func text(_ duration: Duration) -> String {
    let seconds = duration.inSeconds
    return seconds < 1 ? "\(fixed(seconds * 1000, digits: 1)) ms" : "\(fixed(seconds, digits: 2)) s"
  }

  /// A reader that went away (`| head`) ends the tour, as it ends every tool.
  private func write(_ text: String) {
    guard Descriptor.writeAll(1, Array(text.utf8)) != 0 else { return }
    Signals.end(Signals.brokenPipe(writing: "standard output").exitCode)
  }
}
