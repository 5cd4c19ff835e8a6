/// A strict reader of multipart bodies (RFC 2046 §5.1.1), sharing nothing with the encoder.
struct MultipartReader {
  struct Part: Equatable {
    var headers: [String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  struct Malformed: Error { let reason: String }

  static func parts(of bytes: [UInt8], boundary: String) throws -> [Part] {
    let delimiter = Array("\r\n--\(boundary)".utf8)
    // The first delimiter has no line break before it.
    var sections = split(Array("\r\n".utf8) + bytes, at: delimiter)
    guard sections.count >= 2, sections.removeFirst().isEmpty else {
      throw Malformed(reason: "text before the first part")
    }
    guard sections.removeLast() == Array("--\r\n".utf8) else { throw Malformed(reason: "no end") }
    return try sections.map { section in
      guard section.starts(with: "\r\n".utf8) else { throw Malformed(reason: "text after a delimiter") }
      let content = Array(section.dropFirst(2))
      guard let end = firstIndex(of: Array("\r\n\r\n".utf8), in: content, from: 0) else {
        throw Malformed(reason: "no empty line")
      }
      let head = split(Array(content[..<end]), at: Array("\r\n".utf8))
      return Part(
        headers: head.map { String(decoding: $0, as: UTF8.self) }, body: Array(content[(end + 4)...]))
    }
  }

  private static func split(_ bytes: [UInt8], at separator: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    while let end = firstIndex(of: separator, in: bytes, from: start) {
      pieces.append(Array(bytes[start..<end]))
      start = end + separator.count
    }
    return pieces + [Array(bytes[start...])]
  }

  private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + pattern.count <= bytes.count {
      if bytes[index] == pattern[0], bytes[index..<(index + pattern.count)].elementsEqual(pattern) { return index }
      index += 1
    }
    return nil
  }
}
