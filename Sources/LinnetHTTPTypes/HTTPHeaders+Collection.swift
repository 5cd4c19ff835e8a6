internal import LinnetBytes

extension HTTPHeaders: RandomAccessCollection {
  /// Always 0.
  public var startIndex: Int { 0 }
  /// ``count``.
  public var endIndex: Int { entries.count }
  /// The number of fields, repeats counted.
  public var count: Int { entries.count }

  /// The field at `position`, which must be in `0..<count`. Its strings are made by this call.
  public subscript(position: Int) -> HTTPHeader {
    let entry = entries[position]
    let bytes = arena.span
    return HTTPHeader(
      name: FieldBytes.text(bytes.extracting(entry.nameRange)),
      value: FieldBytes.text(bytes.extracting(entry.valueRange)), isSensitive: entry.isMarkedSensitive)
  }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
  /// The fields verbatim: in order, repeats kept.
  public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// One field for each name: a later value replaces an earlier one, at the earlier position.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { update(name, value) }
  }

  /// One field for each name, sorted by name because a dictionary has no order.
  public init(_ dictionary: [String: String]) {
    for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { update(name, value) }
  }
}

extension HTTPHeaders: Hashable {
  /// Whether both have the same fields in the same order (names without case, values byte by byte) and recorded the
  /// same errors.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    guard left.count == right.count, left.rejections == right.rejections else { return false }
    return left.indices.allSatisfy {
      FieldBytes.equalIgnoringCase(left.nameBytes(at: $0), right.nameBytes(at: $0))
        && FieldBytes.equal(left.valueBytes(at: $0), right.valueBytes(at: $0))
    }
  }

  /// Hashes folded names and values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    forEachField { name, value in
      hasher.combine(FieldBytes.foldedHash(name))
      hasher.combine(value.count)
      for index in value.indices { hasher.combine(value[index]) }
    }
  }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible {
  static var redactedMark: String { "<redacted>" }

  /// One `Name: value` line for each field, with `<redacted>` in the place of sensitive values.
  public var description: String { map(\.description).joined(separator: "\n") }

  /// The same as ``description``: a debugger's or a log's dump shows no credentials either.
  public var debugDescription: String { description }
}

extension HTTPHeaders: CustomReflectable {
  /// The fields as ``description`` shows them.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: map(\.description), displayStyle: .collection) }
}
