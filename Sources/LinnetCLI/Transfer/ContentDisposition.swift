/// The file name of a `Content-Disposition` field (RFC 6266 §4.3). Total: a field that names no file is one without a name.
package enum ContentDisposition {
  /// The name as the server gave it; `filename*` comes before `filename`. It is not yet safe as the name of a file: see
  /// ``FileName/sanitised(_:)``.
  package static func fileName(_ field: some Sequence<UInt8>) -> [UInt8]? {
    var plain: [UInt8]?
    var extended: [UInt8]?
    for (name, value) in parameters(Array(field)) {
      switch name {
      case "filename" where plain == nil: plain = value
      case "filename*" where extended == nil: extended = decoded(value)
      default: break
      }
    }
    return [extended, plain].compactMap { $0 }.first { !$0.isEmpty }
  }

  /// Names in lower case, with their values. The type before the first semicolon counts as a parameter when it has a
  /// value: some servers leave the type out.
  private static func parameters(_ bytes: [UInt8]) -> [(name: String, value: [UInt8])] {
    var found: [(String, [UInt8])] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let name = take(from: &rest) { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
      guard rest.popFirst() == UInt8(ascii: "=") else { continue }
      while let first = rest.first, isBlank(first) { rest.removeFirst() }
      var value: [UInt8]
      if rest.first == UInt8(ascii: "\"") {
        value = quoted(from: &rest)
        _ = take(from: &rest) { $0 != UInt8(ascii: ";") }
      } else {
        value = trimmed(take(from: &rest) { $0 != UInt8(ascii: ";") })
      }
      _ = rest.popFirst()
      found.append((String(decoding: trimmed(name), as: UTF8.self).lowercased(), value))
    }
    return found
  }

  private static func take(
    from rest: inout ArraySlice<UInt8>, while isPart: (UInt8) -> Bool
  ) -> ArraySlice<UInt8> {
    let part = rest.prefix(while: isPart)
    rest = rest[part.endIndex...]
    return part
  }

  /// A quoted string. A backslash escapes only a quote and itself: servers send Windows paths without escaping them.
  private static func quoted(from rest: inout ArraySlice<UInt8>) -> [UInt8] {
    var value: [UInt8] = []
    rest.removeFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\"), let next = rest.first, next == UInt8(ascii: "\"") || next == byte {
        rest.removeFirst()
        value.append(next)
      } else {
        value.append(byte)
      }
    }
    return value
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var bytes = bytes.drop(while: isBlank)
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return Array(bytes)
  }

  /// `UTF-8''na%C3%AFve.txt` as bytes of UTF-8 (RFC 8187 §3.2); nil for another character set than UTF-8 and ISO-8859-1, and
  /// for text that does not follow the grammar.
  private static func decoded(_ value: [UInt8]) -> [UInt8]? {
    let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var bytes: [UInt8] = []
    var rest = parts[2]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    switch String(decoding: parts[0], as: UTF8.self).lowercased() {
    case "utf-8": return String(validating: bytes, as: UTF8.self).map { Array($0.utf8) }
    case "iso-8859-1": return bytes.flatMap { Array(String(Unicode.Scalar($0)).utf8) }
    default: return nil
    }
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
