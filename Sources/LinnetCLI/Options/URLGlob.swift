/// A URL that stands for several: `{a,b}` for each of the words, `[1-9]`, `[01-10:2]` and `[a-z]` for each number or letter,
/// as in curl. A backslash takes the meaning of a brace or bracket away; an IPv6 address and `[]` have none.
///
/// The URLs are made one by one: `[1-999999999]` takes no more room than its own text.
package struct URLGlob: Sendable, Equatable {
  /// What stands between literal text.
  enum Part: Sendable, Equatable {
    case literal([UInt8])
    case words([[UInt8]])
    /// Numbers with at least `width` digits.
    case numbers(first: UInt64, step: UInt64, count: UInt64, width: Int)
    case letters(first: UInt8, step: UInt8, count: UInt64)

    var count: UInt64 {
      switch self {
      case .literal: 1
      case .words(let words): UInt64(words.count)
      case .numbers(_, _, let count, _), .letters(_, _, let count): count
      }
    }

    /// The value at an index below ``count``.
    func value(at index: UInt64) -> [UInt8] {
      switch self {
      case .literal(let text): return text
      case .words(let words):
        let position = Int(clamping: index)
        return position < words.count ? words[position] : []
      case .numbers(let first, let step, _, let width):
        // Neither overflows: the last number was looked at when the pattern was read.
        let digits = String(first &+ index &* step)
        return Array(repeating: UInt8(ascii: "0"), count: max(0, width - digits.utf8.count)) + Array(digits.utf8)
      case .letters(let first, let step, _):
        return [first &+ UInt8(truncatingIfNeeded: index) &* step]
      }
    }
  }

  private let parts: [Part]
  /// How many URLs there are.
  package let count: UInt64

  /// One of the URLs.
  package struct Expansion: Sendable, Equatable {
    package let url: Argument
    /// What stands for each brace and bracket, in order.
    package let values: [[UInt8]]
  }

  /// The URL as it stands.
  package init(literal url: Argument) {
    parts = [.literal(url.bytes)]
    count = 1
  }

  /// Reads a pattern.
  ///
  /// - Throws: `malformedURL` with the position of what is wrong.
  package init(_ pattern: Argument) throws(CommandError) {
    var scanner = Scanner(pattern)
    parts = try scanner.scan()
    var count: UInt64 = 1
    for part in parts {
      let (product, isTooLarge) = count.multipliedReportingOverflow(by: part.count)
      guard !isTooLarge else { throw scanner.failure("it stands for too many URLs") }
      count = product
    }
    self.count = count
  }

  /// The URL at an index below ``count``; the last brace or bracket changes first.
  package func expansion(at index: UInt64) -> Expansion {
    var rest = index
    var url: [[UInt8]] = []
    var values: [[UInt8]] = []
    for part in parts.reversed() {
      let value = part.value(at: rest % part.count)
      rest /= part.count
      url.append(value)
      if case .literal = part { continue }
      values.append(value)
    }
    return Expansion(url: Argument(url.reversed().joined()), values: values.reversed())
  }
}

extension URLGlob.Expansion {
  /// The name of a file with `#1`, `#2`… replaced by the values; other numbers stay as they are.
  package func name(_ template: Argument) -> Argument {
    var name: [UInt8] = []
    var rest = template.bytes[...]
    while let byte = rest.popFirst() {
      let digits = byte == UInt8(ascii: "#") ? rest.prefix { 0x30...0x39 ~= $0 } : []
      guard let number = Int(String(decoding: digits, as: UTF8.self)), 1...max(1, values.count) ~= number,
        number <= values.count
      else {
        name.append(byte)
        continue
      }
      name += values[number - 1]
      rest = rest.dropFirst(digits.count)
    }
    return Argument(name)
  }
}

extension URLGlob {
  /// Reads a pattern from its start to its end.
  private struct Scanner {
    private let pattern: Argument
    private var rest: ArraySlice<UInt8>
    private var parts: [Part] = []
    private var literal: [UInt8] = []

    init(_ pattern: Argument) {
      self.pattern = pattern
      rest = pattern.bytes[...]
    }

    func failure(_ reason: String) -> CommandError {
      CommandError(
        .malformedURL,
        "malformed URL '\(URLArgument.masked(pattern.text))': \(reason); with -g braces and brackets have no meaning")
    }

    mutating func scan() throws(CommandError) -> [Part] {
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "{"): try scanWords()
        case UInt8(ascii: "["): if isLiteral { literal.append(byte) } else { try scanRange() }
        case UInt8(ascii: "}"): throw failure("a closing brace at position \(position) has no opening one")
        case UInt8(ascii: "]") where !isInLiteralBracket:
          throw failure("a closing bracket at position \(position) has no opening one")
        case UInt8(ascii: "\\"): literal.append(escaped() ?? byte)
        default: literal.append(byte)
        }
      }
      endLiteral()
      return parts
    }

    /// Where the byte that was taken last stands, from 1.
    private var position: Int { pattern.bytes.count - rest.count }

    /// The byte after a backslash, when the backslash means something.
    private mutating func escaped() -> UInt8? {
      guard let next = rest.first, "{}[],".utf8.contains(next) else { return nil }
      return rest.popFirst()
    }

    private mutating func endLiteral() {
      if !literal.isEmpty { parts.append(.literal(literal)) }
      literal = []
    }

    /// An opening bracket was copied, of which this is the end.
    private var isInLiteralBracket: Bool {
      literal.last { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") } == UInt8(ascii: "[")
    }

    /// Whether what follows an opening bracket is an IPv6 address, which has two colons or more, or nothing.
    private var isLiteral: Bool {
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let content = rest[..<end]
      return content.isEmpty || content.filter { $0 == UInt8(ascii: ":") }.count > 1
    }

    private mutating func scanWords() throws(CommandError) {
      let start = position
      endLiteral()
      var words: [[UInt8]] = [[]]
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "}"):
          guard words != [[]] else { throw failure("the braces at position \(start) are empty") }
          parts.append(.words(words))
          return
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "]"):
          throw failure("a brace or bracket at position \(position) stands inside of braces")
        case UInt8(ascii: ","): words.append([])
        case UInt8(ascii: "\\"): words[words.count - 1].append(escaped() ?? byte)
        default: words[words.count - 1].append(byte)
        }
      }
      throw failure("the brace at position \(start) is not closed")
    }

    private mutating func scanRange() throws(CommandError) {
      let start = position
      endLiteral()
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else {
        throw failure("the bracket at position \(start) is not closed")
      }
      let content = rest[..<end]
      rest = rest[(end + 1)...]
      guard let part = Self.range(content) else {
        throw failure("the brackets at position \(start) hold no range such as 1-9, 01-10:2 or a-z")
      }
      parts.append(part)
    }

    private static func range(_ content: ArraySlice<UInt8>) -> Part? {
      let halves = content.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard let ends = halves.first?.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false),
        ends.count == 2, let step = halves.count == 2 ? number(halves[1]) : 1, step > 0
      else { return nil }
      // As in curl: a step leads to another value, or there is none.
      func fits(_ distance: UInt64) -> Bool { distance == 0 ? step == 1 : step <= distance }
      if let first = number(ends[0]), let last = number(ends[1]), first <= last {
        guard fits(last - first) else { return nil }
        let (count, isTooLarge) = ((last - first) / step).addingReportingOverflow(1)
        guard !isTooLarge else { return nil }
        return .numbers(first: first, step: step, count: count, width: ends[0].first == 0x30 ? ends[0].count : 0)
      }
      guard ends[0].count == 1, ends[1].count == 1, let first = ends[0].first, let last = ends[1].first, first <= last,
        isLetter(first), isLetter(last), first & 0x20 == last & 0x20, fits(UInt64(last - first))
      else { return nil }
      return .letters(first: first, step: UInt8(step), count: UInt64(last - first) / step + 1)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }

    /// At most 18 digits, so that no sum of what is read overflows.
    private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
      guard 1...18 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
      return UInt64(String(decoding: digits, as: UTF8.self))
    }
  }
}
