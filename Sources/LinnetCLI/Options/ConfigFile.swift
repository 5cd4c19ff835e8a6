/// A file of options, in the syntax of curl's: one option a line, `name value`, `name = value`, `name: value` or as on the
/// command line; values with spaces in double quotes with `\\`, `\"`, `\t`, `\n`, `\r` and `\v`; `#` starts a comment.
package struct ConfigFile: Sendable, Equatable {
  /// How errors name it.
  package let name: String
  package let content: [UInt8]

  package init(name: String, content: [UInt8]) {
    self.name = name
    self.content = content
  }

  /// A line that is neither empty nor a comment.
  struct Line {
    let number: Int
    let text: ArraySlice<UInt8>
  }

  var lines: [Line] {
    var lines: [Line] = []
    for (index, line) in content.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let text = line.drop(while: Line.isSpace)
      guard let first = text.first, first != UInt8(ascii: "#") else { continue }
      lines.append(Line(number: index + 1, text: text))
    }
    return lines
  }
}

extension ConfigFile.Line {
  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  /// The option, with its dashes, and its value.
  func words() throws(CommandError) -> (option: Argument, value: Argument?) {
    let hasDash = text.first == UInt8(ascii: "-")
    // After an option with dashes only a space separates, as in curl: `-d=x` sends `=x`.
    func isSeparator(_ byte: UInt8) -> Bool {
      Self.isSpace(byte) || !hasDash && (byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":"))
    }
    let name = text.prefix { !isSeparator($0) }
    guard !name.isEmpty else { throw .usage("the line has no option") }
    let option = Argument(hasDash ? Array(name) : Array("--".utf8) + name)
    let rest = text[name.endIndex...].drop(while: isSeparator)
    guard let first = rest.first else { return (option, nil) }
    if first == UInt8(ascii: "\"") { return (option, try Self.quoted(rest.dropFirst())) }
    if first == UInt8(ascii: "#") { return (option, nil) }
    let value = rest.prefix { !Self.isSpace($0) }
    try Self.checkEnd(rest[value.endIndex...])
    return (option, Argument(value))
  }

  /// The value whose opening quote is taken already.
  private static func quoted(_ text: ArraySlice<UInt8>) throws(CommandError) -> Argument {
    var value: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        try checkEnd(rest)
        return Argument(value)
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { break }
        switch escaped {
        case UInt8(ascii: "t"): value.append(0x09)
        case UInt8(ascii: "n"): value.append(0x0A)
        case UInt8(ascii: "r"): value.append(0x0D)
        case UInt8(ascii: "v"): value.append(0x0B)
        default: value.append(escaped)
        }
      default: value.append(byte)
      }
    }
    throw .usage("the value has no closing quote")
  }

  private static func checkEnd(_ text: ArraySlice<UInt8>) throws(CommandError) {
    guard let first = text.drop(while: isSpace).first, first != UInt8(ascii: "#") else { return }
    throw .usage("a value with spaces needs double quotes")
  }
}
