internal import LinnetBytes

/// `myURLProperty` to `my_url_property`, by the rules of Foundation's JSON encoder.
///
/// After the first character, a word begins at the first upper-case letter, and again right before the next lower-case
/// one when that does not follow at once: what is between the two is a word such as `URL`.
enum SnakeCase {
  /// The least recently made results go first. Keys are the names of properties, so programs have fewer.
  private static var maximumEntries: Int { 4096 }

  private struct Cache {
    var results: [String: String] = [:]
    var order = RingDeque<String>()
  }

  private static let cache = Lock(Cache())

  static func convert(_ key: String) -> String {
    if let known = cache.withLock({ $0.results[key] }) { return known }
    let result = words(of: key).joined(separator: "_")
    cache.withLock { cache in
      guard cache.results.updateValue(result, forKey: key) == nil else { return }
      cache.order.append(key)
      if cache.order.count > maximumEntries, let oldest = cache.order.popFirst() {
        cache.results[oldest] = nil
      }
    }
    return result
  }

  private static func words(of key: String) -> [String] {
    let characters = Array(key)
    guard !characters.isEmpty else { return [] }
    var words: [ArraySlice<Character>] = []
    var wordStart = 0
    var searchStart = 1
    while let upper = characters[searchStart...].firstIndex(where: \.isUppercase) {
      words.append(characters[wordStart..<upper])
      wordStart = upper
      guard let lower = characters[upper...].firstIndex(where: \.isLowercase) else { break }
      if lower > upper + 1 {
        words.append(characters[upper..<(lower - 1)])
        wordStart = lower - 1
      }
      searchStart = lower + 1
    }
    words.append(characters[wordStart...])
    return words.map { String($0).lowercased() }
  }
}
