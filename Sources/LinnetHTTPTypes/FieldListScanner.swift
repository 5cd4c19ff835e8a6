internal import LinnetBytes

/// Finds the members of a comma-separated field value (RFC 9110 §5.6.1) without copying them.
///
/// Commas inside quoted strings do not separate, and empty members are skipped, as a recipient must (§5.6.1.2). A
/// quoted string that does not end runs to the end of the value. The scanner holds only a position, so the caller
/// passes the same bytes each time.
package struct FieldListScanner: Sendable {
  private var position = 0

  package init() {}

  /// The range of the next member in `value` without the whitespace around it, or nil after the last.
  package mutating func next(in value: Span<UInt8>) -> Range<Int>? {
    while position < value.count {
      let start = position
      let end = endOfMember(in: value)
      position = end + 1
      let member = FieldBytes.trimmed(value, start..<end)
      if !member.isEmpty { return member }
    }
    return nil
  }

  private func endOfMember(in value: Span<UInt8>) -> Int {
    var index = position
    var isQuoted = false
    while index < value.count {
      switch value[index] {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "\\") where isQuoted: index += 1
      case UInt8(ascii: ",") where !isQuoted: return index
      default: break
      }
      index += 1
    }
    return value.count
  }
}

extension HTTPHeaders {
  /// Calls `body` with each member of the list that all fields of this name make together (RFC 9110 §5.3).
  package func forEachListMember<E: Error>(of name: String, _ body: (Span<UInt8>) throws(E) -> Void) throws(E) {
    var next = 0
    while let index = nextIndex(of: name, from: next) {
      let value = valueBytes(at: index)
      var scanner = FieldListScanner()
      while let member = scanner.next(in: value) { try body(value.extracting(member)) }
      next = index + 1
    }
  }

  /// Whether the list of this name has `token` as a member, compared without case: for `Connection`, `Vary` and others.
  package func listContains(_ token: String, in name: String) -> Bool {
    let token = token.utf8Span.span
    var next = 0
    while let index = nextIndex(of: name, from: next) {
      let value = valueBytes(at: index)
      var scanner = FieldListScanner()
      while let member = scanner.next(in: value) {
        if FieldBytes.equalIgnoringCase(value.extracting(member), token) { return true }
      }
      next = index + 1
    }
    return false
  }
}
