internal import LinnetHTTP

extension HTTPHeaders {
  /// The fields as lines, `Name: value`: repeats and order survive, and a person can read them.
  var fieldLines: [String] { map { "\($0.name): \($0.value)" } }
}

extension KeyedDecodingContainer {
  /// Fields that were written as lines; none when there is no such key.
  func decodeFieldLines(forKey key: Key) throws -> HTTPHeaders {
    var headers = HTTPHeaders()
    for (index, line) in try (decodeIfPresent([String].self, forKey: key) ?? []).enumerated() {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, (try? headers.add(name: String(parts[0]), value: String(parts[1]))) != nil else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: codingPath + [key, LineKey(intValue: index)], debugDescription: "a field line is `Name: value`")
        )
      }
    }
    return headers
  }
}

/// The position of a line in its list.
private struct LineKey: CodingKey {
  let intValue: Int?

  var stringValue: String { intValue.map { "\($0)" } ?? "" }

  init(intValue: Int) { self.intValue = intValue }

  init?(stringValue: String) { return nil }
}
