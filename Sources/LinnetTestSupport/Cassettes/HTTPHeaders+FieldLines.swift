internal import LinnetHTTP

extension HTTPHeaders {
  /// The fields as lines, `Name: value`: repeats and order survive, and a person can read them.
  var fieldLines: [String] { map { "\($0.name): \($0.value)" } }
}

extension KeyedDecodingContainer {
  /// Fields that were written as lines.
  func decodeFieldLines(forKey key: Key) throws -> HTTPHeaders {
    var headers = HTTPHeaders()
    guard contains(key) else { return headers }
    var lines = try nestedUnkeyedContainer(forKey: key)
    while !lines.isAtEnd {
      let line = try lines.decode(String.self)
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, (try? headers.add(name: String(parts[0]), value: String(parts[1]))) != nil else {
        throw DecodingError.dataCorruptedError(in: lines, debugDescription: "a field line is `Name: value`")
      }
    }
    return headers
  }
}
