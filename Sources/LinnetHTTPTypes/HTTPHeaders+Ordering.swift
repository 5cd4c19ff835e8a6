internal import LinnetBytes

extension HTTPHeaders {
  /// Sorts by name without case. Fields of one name keep their order, which has meaning (RFC 9110 §5.3).
  public mutating func sort() {
    let bytes = arena
    entries.sort { left, right in
      bytes[left.nameRange].lexicographicallyPrecedes(bytes[right.nameRange]) {
        ASCII.lowercased($0) < ASCII.lowercased($1)
      }
    }
  }

  /// The fields sorted as ``sort()`` does.
  public func sorted() -> HTTPHeaders {
    var copy = self
    copy.sort()
    return copy
  }

  /// One entry for each name: under the spelling of its first field, with the values joined as ``value(for:)`` does.
  public var dictionary: [String: String] {
    var result: [String: String] = [:]
    for index in entries.indices where nextIndex(of: nameBytes(at: index), from: 0) == index {
      let name = FieldBytes.text(nameBytes(at: index))
      result[name] = value(for: name)
    }
    return result
  }

  /// Names of which a request has only one: two of them are either an error (RFC 9110 §5.3) or would let two recipients
  /// choose differently.
  private static var singleValueRequestNames: [String] {
    [
      "Authorization", "Proxy-Authorization", "Content-Type", "Content-Length", "Host", "User-Agent", "From", "Referer",
      "Cookie",
    ]
  }

  /// Keeps only the last value of the fields of which a request has one, at the position of the first. Other repeats
  /// stay. For the place where a set of headers is put on a request.
  package mutating func collapseSingleValueFields() {
    guard mayHaveRepeats else { return }
    for name in Self.singleValueRequestNames {
      guard let first = nextIndex(of: name, from: 0), var last = nextIndex(of: name, from: first + 1) else { continue }
      while let next = nextIndex(of: name, from: last + 1) { last = next }
      let kept = entries[last]
      liveCount += kept.liveCount - entries[first].liveCount
      entries[first] = kept
      removeMatches(of: name, from: first + 1)
    }
    compactIfWorthwhile()
  }

  /// False when no two fields have one name. Only small sets are looked at, where that is cheaper than looking for names.
  private var mayHaveRepeats: Bool {
    guard entries.count <= 16 else { return true }
    for (index, entry) in entries.enumerated() {
      for other in entries[(index + 1)...] where other.hash == entry.hash { return true }
    }
    return false
  }
}
