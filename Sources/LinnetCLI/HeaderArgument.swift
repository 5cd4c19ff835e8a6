/// A line of `-H` or `--proxy-header`.
enum HeaderArgument {
  /// `Name: value` or `Name;`.
  case field(name: String, value: [UInt8])
  /// `Name:` leaves a header out.
  case omission(name: String)

  init(_ line: Argument) throws(CommandError) {
    guard let colon = line.bytes.firstIndex(of: UInt8(ascii: ":")) else {
      guard line.bytes.last == UInt8(ascii: ";") else { throw .usage("header '\(Self.shown(line))' has no colon") }
      self = .field(name: Argument(line.bytes.dropLast()).text, value: [])
      return
    }
    // What is not UTF-8 is no name either, and is refused as one.
    let name = Argument(line.bytes[..<colon]).text
    let value = line.bytes[(colon + 1)...].drop { $0 == 0x20 || $0 == 0x09 }
    self = value.isEmpty ? .omission(name: name) : .field(name: name, value: Array(value))
  }

  /// What errors show of a line: its name. What stands behind it may be a secret, and so may a line without a colon, of which
  /// no more is shown than its first letters.
  static func shown(_ line: Argument) -> String {
    let name = line.bytes.prefix { $0 != UInt8(ascii: ":") }
    if name.count < line.bytes.count { return Argument(name).text }
    let word = line.bytes.prefix { 0x41...0x5A ~= $0 & 0xDF || $0 == UInt8(ascii: "-") }
    // A name and its value with no colon between them, or one long word.
    let isName = word.count < line.bytes.count && line.bytes[word.count] == 0x20
    return isName
      ? "\(Argument(word).text) …" : line.bytes.count <= 4 ? line.text : "\(Argument(line.bytes.prefix(2)).text)…"
  }

  /// The lines of all arguments; `@FILE` stands for those of a file.
  ///
  /// - Parameter limit: How long each file is waited for at most.
  static func lines(_ arguments: [Argument], within limit: Duration?) throws(CommandError) -> [Argument] {
    var lines: [Argument] = []
    for argument in arguments {
      guard argument.bytes.first == UInt8(ascii: "@") else {
        lines.append(argument)
        continue
      }
      let content = try InputFile.contents(of: Argument(argument.bytes.dropFirst()), within: limit)
      for line in content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
        let bare = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if !bare.isEmpty { lines.append(Argument(bare)) }
      }
    }
    return lines
  }
}
