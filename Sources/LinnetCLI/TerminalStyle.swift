internal import Glibc
internal import LinnetHTTP

/// How what goes to standard output is made pleasant for people (`--pretty`, `--color`). Bytes for programs are never changed
/// unless an option says so: the environment decides about terminals only.
package struct TerminalStyle: Sendable, Equatable {
  package var indentsJSON: Bool
  package var colours: Bool

  /// - Parameters:
  ///   - isTerminal: Standard output is one.
  ///   - variables: The environment's value for a name; nil for one that is not set, or empty.
  package init(_ options: CommandLineOptions, isTerminal: Bool, variables: (String) -> String?) {
    indentsJSON = options.pretty.isOn(where: isTerminal)
    let isForced = ["CLICOLOR_FORCE", "FORCE_COLOR"].contains { variables($0).map { $0 != "0" } ?? false }
    let isWanted = variables("NO_COLOR") == nil && (isForced || variables("TERM").map { $0 != "dumb" } ?? false)
    colours = options.colour.isOn(where: isTerminal && isWanted)
  }

  init(_ options: CommandLineOptions) {
    self.init(options, isTerminal: isatty(1) == 1) { name in
      Environment.value(name).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// What lays out the body of a response; nil when it stays as it is.
  func layout(for response: HTTPResponse, isDecoded: Bool) -> JSONLayout? {
    guard indentsJSON || colours, response.status.code != 206, Self.isJSON(response.headers),
      isDecoded || !response.headers.contains("Content-Encoding")
    else { return nil }
    return JSONLayout(indents: indentsJSON, colours: colours)
  }

  /// JSON is UTF-8 (RFC 8259 §8.1). What says to be in another encoding is not looked at.
  private static func isJSON(_ headers: HTTPHeaders) -> Bool {
    guard let type = headers.value(for: "Content-Type").flatMap({ MediaType($0) }) else { return false }
    let isUTF8 = type.charset.map { ["utf-8", "utf8", "us-ascii"].contains($0) } ?? true
    return isUTF8 && (type.isJSON || type.essence == "application/x-ndjson")
  }

  /// A head as `-i` and `-I` print it: the status in bold, the names in colour.
  func head(_ text: String) -> String {
    guard colours else { return text }
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    return lines.enumerated().map { index, line in
      if index == 0 { return "\u{1B}[1m\(line)\u{1B}[0m" }
      guard let colon = line.firstIndex(of: ":") else { return String(line) }
      return "\u{1B}[36m\(line[..<colon])\u{1B}[0m\(line[colon...])"
    }.joined(separator: "\r\n")
  }
}

extension CommandLineOptions.When {
  fileprivate func isOn(where condition: Bool) -> Bool {
    switch self {
    case .auto: condition
    case .always: true
    case .never: false
    }
  }
}
