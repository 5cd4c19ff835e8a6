extension SecretMask {
  /// Where a URL has secrets, in order: its userinfo, that of each URL that stands in it, and parameters of its query and of
  /// its fragment. Text around it does no harm.
  static func secrets(inURL bytes: [UInt8]) -> [Range<Int>] {
    let start = authorityStart(bytes)
    let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    let userinfo = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map { [start..<$0] } ?? []
    let query = bytes[end...].firstIndex { "?#".utf8.contains($0) }
    return joined(userinfo + userinfos(in: bytes) + (query.map { secrets(inForm: bytes, from: $0 + 1) } ?? []))
  }

  /// Where the authority of a URL begins that may lack its scheme (`//host`, `host`) or a slash (`http:/host`).
  private static func authorityStart(_ bytes: [UInt8]) -> Int {
    let scheme = bytes.prefix { 0x61...0x7A ~= $0 | 0x20 || 0x30...0x39 ~= $0 || "+-.".utf8.contains($0) }.count
    let slash = UInt8(ascii: "/")
    if scheme > 0, bytes[scheme...].starts(with: ":/".utf8) {
      return bytes[(scheme + 1)...].firstIndex { $0 != slash } ?? bytes.count
    }
    return bytes.starts(with: "//".utf8) ? bytes.firstIndex { $0 != slash } ?? bytes.count : 0
  }

  /// Whether a URL with its scheme stands somewhere in the text.
  static func hasURL(_ bytes: [UInt8]) -> Bool { bytes.indices.contains { authority(at: $0, in: bytes) != nil } }

  /// The userinfo of each URL with a scheme, wherever it stands: a query has some of them, also percent-encoded.
  static func userinfos(in bytes: [UInt8]) -> [Range<Int>] {
    bytes.indices.compactMap { index in
      guard let (start, isEncoded) = authority(at: index, in: bytes) else { return nil }
      var position = start
      var at: Int?
      while position < bytes.count {
        let (byte, length) = decoded(at: position, in: bytes)
        if "/?#".utf8.contains(byte) && (length == 1 || isEncoded) { break }
        if byte == UInt8(ascii: "@") { at = position }
        position += length
      }
      return at.map { start..<$0 }
    }
  }

  /// Where the authority begins whose `://` begins at an index, and whether that was percent-encoded as a whole.
  private static func authority(at index: Int, in bytes: [UInt8]) -> (start: Int, isEncoded: Bool)? {
    guard bytes[index] == UInt8(ascii: ":") || bytes[index] == UInt8(ascii: "%") else { return nil }
    var position = index
    for expected in "://".utf8 {
      guard position < bytes.count else { return nil }
      let (byte, length) = decoded(at: position, in: bytes)
      guard byte == expected else { return nil }
      position += length
    }
    return (position, position == index + 9)
  }

  /// The byte that stands at an index, and how many bytes stand for it.
  private static func decoded(at index: Int, in bytes: [UInt8]) -> (byte: UInt8, length: Int) {
    guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
      let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
    else { return (bytes[index], 1) }
    return (byte, 3)
  }

  /// The ranges in order; those that overlap, or follow each other with nothing between them, as one.
  static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
  }

  /// The values of secret parameters in `name=value&name=value`.
  static func secrets(inForm bytes: [UInt8], from start: Int = 0) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var position = start
    while position < bytes.count {
      let end = bytes[position...].firstIndex { "&;?#".utf8.contains($0) } ?? bytes.count
      if let equals = bytes[position..<end].firstIndex(of: UInt8(ascii: "=")), equals + 1 < end,
        isSecret(name: bytes[position..<equals])
      {
        ranges.append(equals + 1..<end)
      }
      position = end + 1
    }
    return ranges
  }

  /// Where the body of a request has secrets, in order: a member of JSON or a field of a form whose name says so, and the
  /// userinfo of URLs.
  ///
  /// - Parameter start: Where the body begins in the bytes.
  static func secrets(inBody bytes: [UInt8], from start: Int = 0) -> [Range<Int>] {
    let first = bytes[start...].first { $0 > 0x20 }
    let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    return joined(
      (isJSON ? secrets(inJSON: bytes, from: start) : secrets(inForm: bytes, from: start)) + userinfos(in: bytes))
  }

  /// The values of secret members: the content of strings, and numbers.
  private static func secrets(inJSON bytes: [UInt8], from start: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var position = start
    /// The last string, and whether a colon stands behind it.
    var name: Range<Int>?
    var isValue = false
    while position < bytes.count {
      let begin = position
      position += 1
      switch bytes[begin] {
      case ...0x20: continue
      case UInt8(ascii: ":"):
        isValue = name != nil
        continue
      case UInt8(ascii: "\""):
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
          position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        let content = begin + 1..<min(position, bytes.count)
        position += 1
        if isValue, let name, isSecret(name: bytes[name]) { ranges.append(content) }
        name = isValue ? nil : content
      case UInt8(ascii: "-"), 0x30...0x39:
        position = bytes[position...].firstIndex { $0 <= 0x20 || ",]}".utf8.contains($0) } ?? bytes.count
        if isValue, let name, isSecret(name: bytes[name]) { ranges.append(begin..<position) }
        name = nil
      default: name = nil
      }
      isValue = false
    }
    return ranges.filter { !$0.isEmpty }
  }

  private static func isSecret(name bytes: ArraySlice<UInt8>) -> Bool {
    let name = String(decoding: bytes, as: UTF8.self).lowercased()
    return secretNames.contains(name) || secretWords.contains { name.contains($0) }
  }
}
