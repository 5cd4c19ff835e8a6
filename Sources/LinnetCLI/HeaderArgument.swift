/// A line of `-H` or `--proxy-header`.
enum HeaderArgument {
  /// `Name: value` or `Name;`.
  case field(name: String, value: String)
  /// `Name:` leaves a header out.
  case omission(name: String)

  init(_ line: Argument) throws(CommandError) {
    guard let text = line.exactText else { throw .usage("header '\(line.text)' is not UTF-8") }
    guard let colon = text.firstIndex(of: ":") else {
      guard text.hasSuffix(";") else { throw .usage("header '\(text)' has no colon") }
      self = .field(name: String(text.dropLast()), value: "")
      return
    }
    let name = String(text[..<colon])
    let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    self = value.isEmpty ? .omission(name: name) : .field(name: name, value: String(value))
  }

  /// The lines of all arguments; `@FILE` stands for those of a file.
  static func lines(_ arguments: [Argument]) throws(CommandError) -> [Argument] {
    var lines: [Argument] = []
    for argument in arguments {
      guard argument.bytes.first == UInt8(ascii: "@") else {
        lines.append(argument)
        continue
      }
      let content = try InputFile.contents(of: Argument(argument.bytes.dropFirst()))
      for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
        let bare = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if !bare.isEmpty { lines.append(Argument(bare)) }
      }
    }
    return lines
  }
}
