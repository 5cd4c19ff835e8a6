internal import FoundationEssentials
internal import LinnetBytes

/// The text that separates the parts of a form (RFC 2046 §5.1.1).
enum MultipartBoundary {
  static var maximumLength: Int { 70 }

  static func random() -> String { "linnet.boundary.\(UUID().uuidString)" }

  /// Only the allowed characters, without the space, which is not allowed at the end.
  static func sanitised(_ text: String) -> String {
    let kept = text.utf8.filter { ASCII.isAlpha($0) || ASCII.isDigit($0) || "'()+_,-./:=?".utf8.contains($0) }
    return String(decoding: kept.prefix(maximumLength), as: UTF8.self)
  }

  /// Whether a character can stand in a parameter without quotes.
  static func isToken(_ byte: UInt8) -> Bool { ASCII.isToken(byte) }
}

/// Looks for a boundary in content that comes in pieces.
struct BoundarySearch {
  private let pattern: [UInt8]
  /// How far the pattern may move on when it does not match and this byte stands under its end.
  private let shift: [Int]
  /// The end of what was seen, too short to contain the pattern.
  private var tail: [UInt8] = []

  init(boundary: String) {
    pattern = Array("--\(boundary)".utf8)
    var shift = [Int](repeating: pattern.count, count: 256)
    for (index, byte) in pattern.dropLast().enumerated() { shift[Int(byte)] = pattern.count - 1 - index }
    self.shift = shift
  }

  /// Whether the pattern occurs in the pieces so far, this one included.
  mutating func finds(in piece: some RandomAccessCollection<UInt8>) -> Bool {
    let seam = tail + piece.prefix(pattern.count - 1)
    if occurs(in: seam) { return true }
    let found = piece.withContiguousStorageIfAvailable { occurs(in: $0) } ?? occurs(in: Array(piece))
    tail = piece.count >= pattern.count - 1 ? Array(piece.suffix(pattern.count - 1)) : seam.suffix(pattern.count - 1)
    return found
  }

  /// The algorithm of Horspool: looks at about one byte in each length of the pattern.
  private func occurs(in bytes: some RandomAccessCollection<UInt8>) -> Bool {
    var end = pattern.count - 1
    let count = bytes.count
    while end < count {
      let last = bytes[bytes.index(bytes.startIndex, offsetBy: end)]
      if last == pattern[pattern.count - 1] {
        let start = bytes.index(bytes.startIndex, offsetBy: end - pattern.count + 1)
        if bytes[start...].starts(with: pattern) { return true }
      }
      end += shift[Int(last)]
    }
    return false
  }
}
