internal import FoundationEssentials
internal import LinnetBytes

/// Replaces the values of some keys in JSON, and keeps every other byte as it came.
///
/// It looks at tokens only: a text before a colon is a key, and brackets are counted, not matched. So it needs neither
/// recursion nor a whole document, and gives a result for every input: of a body that was cut off, or of several values
/// in a row, the secrets go all the same.
struct JSONValueRedaction {
  private let bytes: [UInt8]
  private let isSensitive: (String) -> Bool
  private let replacement: [UInt8]

  private var position = 0
  private var output: [UInt8] = []
  /// The end of the input that is in the output already.
  private var copied = 0
  /// Whether the next value is that of a sensitive key.
  private var isValueSensitive = false
  /// How many brackets are open inside the value of a sensitive key.
  private var sensitiveDepth = 0

  /// The input with every text and number that is, or is inside, the value of a sensitive key replaced by a text.
  static func redact(
    _ bytes: [UInt8], replacement: String, isSensitive: @escaping (String) -> Bool
  ) -> [UInt8] {
    var scan = JSONValueRedaction(bytes: bytes, replacement: replacement, isSensitive: isSensitive)
    return scan.run()
  }

  private init(bytes: [UInt8], replacement: String, isSensitive: @escaping (String) -> Bool) {
    self.bytes = bytes
    self.isSensitive = isSensitive
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    self.replacement = (try? encoder.encode(replacement)).map { Array($0) } ?? Array(#""""#.utf8)
  }

  private mutating func run() -> [UInt8] {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""): text()
      case UInt8(ascii: "{"), UInt8(ascii: "["): open()
      case UInt8(ascii: "}"), UInt8(ascii: "]"): close()
      case UInt8(ascii: ","):
        isValueSensitive = false
        position += 1
      case UInt8(ascii: ":"): position += 1
      case let byte where Self.isSpace(byte): position += 1
      default: word()
      }
    }
    output += bytes[copied...]
    return output
  }

  private mutating func open() {
    if isValueSensitive || sensitiveDepth > 0 { sensitiveDepth += 1 }
    isValueSensitive = false
    position += 1
  }

  private mutating func close() {
    if sensitiveDepth > 0 { sensitiveDepth -= 1 }
    isValueSensitive = false
    position += 1
  }

  /// Passes a key or a text; one without an end reaches to the end of the input.
  private mutating func text() {
    let start = position
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position = min(position + 1, bytes.count)
    if isValueSensitive {
      replace(from: start)
    } else if isBeforeColon {
      isValueSensitive = sensitiveDepth == 0 && isSensitive(Self.decoded(bytes[start..<position]))
    } else if sensitiveDepth > 0 {
      replace(from: start)
    }
  }

  /// Passes a number, a literal, or what should not be there.
  private mutating func word() {
    let start = position
    while position < bytes.count, !Self.endsWord(bytes[position]) { position += 1 }
    let word = bytes[start..<position]
    let isLiteral = ["true", "false", "null"].contains { word.elementsEqual($0.utf8) }
    if !isLiteral, isValueSensitive || sensitiveDepth > 0 {
      replace(from: start)
    } else {
      isValueSensitive = false
    }
  }

  private mutating func replace(from start: Int) {
    output += bytes[copied..<start]
    output += replacement
    copied = position
    isValueSensitive = false
  }

  private var isBeforeColon: Bool {
    bytes[position...].first { !Self.isSpace($0) } == UInt8(ascii: ":")
  }

  /// The key that a token stands for; one whose escapes are wrong stands for itself.
  private static func decoded(_ token: ArraySlice<UInt8>) -> String {
    if token.contains(UInt8(ascii: "\\")), let key = try? JSONDecoder().decode(String.self, from: Data(token)) {
      return key
    }
    return String(decoding: token.dropFirst().dropLast(), as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    ASCII.isWhitespace(byte) || byte == ASCII.lf || byte == ASCII.cr
  }

  private static func endsWord(_ byte: UInt8) -> Bool { isSpace(byte) || "{}[]:,\"".utf8.contains(byte) }
}
