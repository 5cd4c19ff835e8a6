/// Finds where a text stops being JSON (RFC 8259). The decoder of the Foundation that we may use says only that it does.
struct JSONSyntax {
  /// What is wrong, and in which line, from 1 on.
  struct Problem: Error {
    let line: Int
    let detail: String
  }

  private let bytes: [UInt8]
  private var position = 0
  private var depth = 0

  /// Deeper nesting than a cassette needs.
  private static let maximumDepth = 100

  static func firstProblem(in bytes: [UInt8]) -> Problem? {
    var scan = JSONSyntax(bytes: bytes)
    do throws(Problem) {
      try scan.value()
      scan.skipSpace()
      if scan.position < bytes.count { throw scan.problem("expected the end of the file") }
      return nil
    } catch {
      return error
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func problem(_ expectation: String) -> Problem {
    let line = bytes.prefix(position).count { $0 == UInt8(ascii: "\n") } + 1
    let found = current.map { $0 < 0x7F && $0 > 0x20 ? "'\(Character(UnicodeScalar($0)))'" : "byte \($0)" }
    return Problem(line: line, detail: "\(expectation), found \(found ?? "the end of the file")")
  }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Problem) {
    guard take(UInt8(ascii: character)) else { throw problem("expected '\(character)'") }
  }

  private mutating func value() throws(Problem) {
    skipSpace()
    switch current {
    case UInt8(ascii: "{"): try list(closedBy: "}", isObject: true)
    case UInt8(ascii: "["): try list(closedBy: "]", isObject: false)
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): try number()
    default: throw problem("expected a value")
    }
  }

  private mutating func list(closedBy end: Unicode.Scalar, isObject: Bool) throws(Problem) {
    guard depth < Self.maximumDepth else { throw problem("expected less than \(Self.maximumDepth) levels") }
    depth += 1
    defer { depth -= 1 }
    position += 1
    skipSpace()
    if take(UInt8(ascii: end)) { return }
    while true {
      if isObject {
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw problem("expected a name in quotation marks") }
        try string()
        skipSpace()
        try expect(":")
      }
      try value()
      skipSpace()
      if take(UInt8(ascii: ",")) { continue }
      if take(UInt8(ascii: end)) { return }
      throw problem("expected ',' or '\(end)'")
    }
  }

  private mutating func string() throws(Problem) {
    position += 1
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw problem("expected no control character in a text")
      default: position += 1
      }
    }
    throw problem("expected the quotation mark that ends a text")
  }

  private mutating func escape() throws(Problem) {
    position += 1
    guard let byte = current else { throw problem("expected an escape") }
    switch byte {
    case UInt8(ascii: "u"):
      position += 1
      for _ in 0..<4 {
        guard let digit = current, Character(UnicodeScalar(digit)).isHexDigit else {
          throw problem("expected 4 hex digits")
        }
        position += 1
      }
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 1
    default: throw problem("expected an escape")
    }
  }

  private mutating func word(_ word: StaticString) throws(Problem) {
    for byte in "\(word)".utf8 { guard take(byte) else { throw problem("expected \(word)") } }
  }

  private mutating func number() throws(Problem) {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return }
    if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
    try digits()
  }

  private mutating func digits() throws(Problem) {
    let start = position
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    if position == start { throw problem("expected a digit") }
  }
}
