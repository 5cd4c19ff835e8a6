internal import LinnetBytes

/// The content of a netrc file: names and passwords by machine.
package struct Netrc: Sendable {
  /// What is said about one machine. A machine can have several entries, for different names.
  package struct Entry: Sendable {
    /// Nil in the entry for all others (`default`).
    package let machine: [UInt8]?
    package fileprivate(set) var login: [UInt8]?
    package fileprivate(set) var password: [UInt8]?
    package fileprivate(set) var account: [UInt8]?
  }

  /// The entries in order.
  package let entries: [Entry]

  /// The largest file that is read; curl's limit is the same.
  package static var maximumBytes: Int { 128 << 10 }

  /// The first entry for this machine that has a name or a password. The one for all others (`default`) is for every
  /// machine: it belongs at the end, because what stands behind it is not looked at, as with ftp and curl.
  ///
  /// - Parameters:
  ///   - host: The host, in ASCII; compared without case. Never a domain above it.
  ///   - login: The name that is asked for; nil for any.
  ///   - includingDefault: Whether the entry for all others counts.
  package func entry(for host: String, login: [UInt8]?, includingDefault: Bool) -> Entry? {
    entries.first { entry in
      guard entry.login != nil || entry.password != nil else { return false }
      if let login, entry.login != login { return false }
      guard let machine = entry.machine else { return includingDefault }
      return ASCII.equalIgnoringCase(machine, host.utf8)
    }
  }
}

/// What makes a netrc file unusable. Never says what stands there, which may be a password.
package struct NetrcError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Problem: Sendable, Hashable {
    case missingValue(of: String)
    case outsideEntry(String)
    case unfinishedQuote
    case control
    case tooLarge
  }

  /// The line, from 1.
  package let line: Int
  package let problem: Problem

  package init(line: Int, problem: Problem) {
    self.line = line
    self.problem = problem
  }

  package var description: String {
    switch problem {
    case .missingValue(let keyword): "line \(line): nothing follows \"\(keyword)\""
    case .outsideEntry(let keyword): "line \(line): \"\(keyword)\" stands before any \"machine\""
    case .unfinishedQuote: "line \(line): a quoted string does not end"
    case .control: "line \(line): a control character"
    case .tooLarge: "larger than \(Netrc.maximumBytes) bytes"
    }
  }
}

extension Netrc.Entry: CustomStringConvertible, CustomReflectable {
  /// The machine alone.
  package var description: String { machine.map { "machine \(String(decoding: $0, as: UTF8.self))" } ?? "default" }

  package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

extension Netrc {
  /// Parses a file.
  ///
  /// Words are parted by white space. One in double quotes may have white space and the escapes `\"`, `\\`, `\n`, `\r` and
  /// `\t`, as curl reads it. A word that begins with `#` where a keyword could stand begins a comment up to the end of the
  /// line; in a value it is a character like others. `macdef` and the lines up to an empty one are skipped, and words that
  /// are no keyword.
  package init(parsing bytes: [UInt8]) throws(NetrcError) {
    guard bytes.count <= Self.maximumBytes else { throw NetrcError(line: 0, problem: .tooLarge) }
    var parser = NetrcParser(bytes: bytes)
    entries = try parser.parse()
  }
}

private struct NetrcParser {
  let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var entries: [Netrc.Entry] = []

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func parse() throws(NetrcError) -> [Netrc.Entry] {
    while let word = try nextWord(skippingComments: true) {
      switch word.isQuoted ? "" : String(decoding: word.bytes, as: UTF8.self).asciiLowercased {
      case "machine": entries.append(Netrc.Entry(machine: try value(of: "machine")))
      case "default": entries.append(Netrc.Entry(machine: nil))
      case "login": try set("login") { $0.login = $1 }
      case "password": try set("password") { $0.password = $1 }
      case "account": try set("account") { $0.account = $1 }
      case "macdef": skipMacro()
      default: break
      }
    }
    return entries
  }

  private mutating func set(_ keyword: String, _ change: (inout Netrc.Entry, [UInt8]) -> Void) throws(NetrcError) {
    let place = line
    let value = try value(of: keyword)
    guard let last = entries.indices.last else {
      throw NetrcError(line: place, problem: .outsideEntry(keyword))
    }
    change(&entries[last], value)
  }

  private mutating func value(of keyword: String) throws(NetrcError) -> [UInt8] {
    let place = line
    guard let word = try nextWord(skippingComments: false) else {
      throw NetrcError(line: place, problem: .missingValue(of: keyword))
    }
    return word.bytes
  }

  private mutating func nextWord(skippingComments: Bool) throws(NetrcError) -> (bytes: [UInt8], isQuoted: Bool)? {
    while position < bytes.count {
      let byte = bytes[position]
      if Self.isSpace(byte) {
        advance()
      } else if skippingComments, byte == UInt8(ascii: "#") {
        while position < bytes.count, bytes[position] != ASCII.lf { position += 1 }
      } else if byte == UInt8(ascii: "\"") {
        return (try quotedWord(), true)
      } else {
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]) {
          if Self.isControl(bytes[position]) { throw NetrcError(line: line, problem: .control) }
          position += 1
        }
        return (Array(bytes[start..<position]), false)
      }
    }
    return nil
  }

  private mutating func quotedWord() throws(NetrcError) -> [UInt8] {
    let place = line
    var word: [UInt8] = []
    position += 1
    while position < bytes.count {
      var byte = bytes[position]
      // It ends on its line: a quote that was forgotten must not swallow the entries after it.
      if byte == ASCII.lf { break }
      position += 1
      if byte == UInt8(ascii: "\"") { return word }
      if byte == UInt8(ascii: "\\"), position < bytes.count {
        byte = Self.unescaped(bytes[position])
        position += 1
      } else if Self.isControl(byte) && byte != ASCII.tab {
        throw NetrcError(line: place, problem: .control)
      }
      word.append(byte)
    }
    throw NetrcError(line: place, problem: .unfinishedQuote)
  }

  /// Past the first empty line.
  private mutating func skipMacro() {
    var isEmptyLine = false
    while position < bytes.count {
      let byte = bytes[position]
      advance()
      guard byte == ASCII.lf else {
        if byte != ASCII.cr { isEmptyLine = false }
        continue
      }
      if isEmptyLine { return }
      isEmptyLine = true
    }
  }

  private mutating func advance() {
    if bytes[position] == ASCII.lf { line += 1 }
    position += 1
  }

  private static func unescaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "n"): ASCII.lf
    case UInt8(ascii: "r"): ASCII.cr
    case UInt8(ascii: "t"): ASCII.tab
    default: byte
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    ASCII.isWhitespace(byte) || byte == ASCII.lf || byte == ASCII.cr
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
}
