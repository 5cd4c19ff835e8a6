internal import FoundationEssentials

/// The user's languages as the environment names them.
package enum PreferredLanguages {
  /// Those of this process.
  static var current: [String] { list(ProcessInfo.processInfo.environment) }

  /// Language tags in order of preference: the locale is `LC_ALL`, else `LC_MESSAGES`, else `LANG`; unless it is the
  /// POSIX locale, `LANGUAGE` may put a list in its place, as for gettext.
  package static func list(_ environment: [String: String]) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale, let language = tag(locale) else { return [] }
    let listed = (environment["LANGUAGE"] ?? "").split(separator: ":").compactMap { tag(String($0)) }
    var seen: Set<String> = []
    return (listed.isEmpty ? [language] : listed).filter { seen.insert($0).inserted }
  }

  /// `de_DE.UTF-8@euro` as `de-DE`; nil for the POSIX locale and for what is no tag.
  static func tag(_ locale: String) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    guard name != "C", name != "POSIX" else { return nil }
    let tag = String(name.map { $0 == "_" ? "-" : $0 })
    return isTag(tag) ? tag : nil
  }

  /// Whether a text has the form of a language range (RFC 4647 §2.1): groups of one to eight letters or digits, the
  /// first of letters.
  static func isTag(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard let first = groups.first, first.allSatisfy(isLetter) else { return false }
    return groups.allSatisfy { (1...8).contains($0.count) && $0.allSatisfy { isLetter($0) || isDigit($0) } }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
