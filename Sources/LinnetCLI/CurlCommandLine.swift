/// What `--print-curl` prints: a command for curl that does the same, quoted for a POSIX shell. Secrets are masked unless
/// `--show-secrets` says otherwise.
package enum CurlCommandLine {
  /// Options that are ours alone, or concern only what this command itself prints.
  private static let ours: Set = [
    "print-curl", "dry-run", "show-secrets", "no-progress", "disable", "config", "help", "version", "url",
    "check-status", "output-format", "pretty", "color",
  ]

  package static func text(_ options: CommandLineOptions) -> String {
    let sections = ([options] + options.following).map { words($0).joined(separator: " ") }
    return "curl -q \(sections.joined(separator: " --next "))\n"
  }

  private static func words(_ options: CommandLineOptions) -> [String] {
    var words: [String] = []
    if let method = options.method { words += ["-X", quoted(Argument(method))] }
    for given in options.given where !ours.contains(given.name) && given.name != "request" {
      if given.name == "unix-socket", let value = given.value, value.bytes.first == UInt8(ascii: "@") {
        words += ["--abstract-unix-socket", quoted(Argument(value.bytes.dropFirst()))]
        continue
      }
      words.append("--\(given.isNegated ? "no-" : "")\(given.name)")
      if let value = given.value {
        words.append(quoted(options.showsSecrets ? value : SecretArguments.masked(value, of: given.name)))
      }
    }
    for url in options.urls {
      let completed = Argument(URLArgument.completed(url))
      words += ["--url", quoted(options.showsSecrets ? completed : SecretArguments.masked(completed, of: "url"))]
    }
    return words
  }

  /// The word for a POSIX shell; what is not text, and control characters, as in `$'\\033'` of bash and POSIX.1-2024.
  static func quoted(_ word: Argument) -> String {
    let isPlain =
      !word.bytes.isEmpty
      && word.bytes.allSatisfy { byte in
        0x61...0x7A ~= byte | 0x20 || 0x2B...0x3A ~= byte && byte != 0x2C || byte == UInt8(ascii: "_")
          || byte == UInt8(ascii: "@")
      }
    if isPlain { return word.text }
    if let text = word.exactText, !text.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }) {
      let parts = text.split(separator: "'", omittingEmptySubsequences: false)
      return "'\(parts.joined(separator: #"'\''"#))'"
    }
    var quoted = "$'"
    for byte in word.bytes {
      switch byte {
      case UInt8(ascii: "'"), UInt8(ascii: "\\"): quoted += "\\\(Character(Unicode.Scalar(byte)))"
      case 0x20...0x7E: quoted.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 8)
        quoted += "\\\(String(repeating: "0", count: 3 - digits.count))\(digits)"
      }
    }
    return quoted + "'"
  }
}
