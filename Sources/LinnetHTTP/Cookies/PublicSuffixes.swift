internal import LinnetBytes
internal import LinnetHTTPTypes
internal import LinnetIO

/// The domains under which unrelated people register names, such as `com`, `co.uk` and `github.io`: a cookie for one of
/// them would reach strangers, so it is refused (RFC 6265bis §5.7 step 9).
///
/// They are read from the list of publicsuffix.org that the system has, if any. Without it a rule of thumb remains, which
/// knows `com` and `co.uk` but not `github.io`.
package struct PublicSuffixes: Sendable {
  private struct Rules: Sendable {
    var exact: Set<String> = []
    /// Names directly below these are public suffixes.
    var wildcards: Set<String> = []
    var exceptions: Set<String> = []
  }

  private let rules: Rules?

  /// The rule of thumb: names with one label, and `co`, `com`, `org` and the like below the two letters of a country.
  package static let ruleOfThumb = PublicSuffixes(rules: nil)

  private init(rules: Rules?) { self.rules = rules }

  /// Reads a list: one rule a line, up to white space; `//` begins a comment. Both parts of it, that of the registries
  /// and that of private operators, count. Lines that are no rules are skipped.
  package init(list: [UInt8]) {
    var rules = Rules()
    for line in list.split(whereSeparator: { $0 == ASCII.lf || $0 == ASCII.cr }) {
      let rule = line.drop(while: ASCII.isWhitespace).prefix { !ASCII.isWhitespace($0) }
      if rule.isEmpty || rule.starts(with: "//".utf8) { continue }
      if rule.first == UInt8(ascii: "!") {
        if let name = Self.name(rule.dropFirst()) { rules.exceptions.insert(name) }
      } else if rule.starts(with: "*.".utf8) {
        if let name = Self.name(rule.dropFirst(2)) { rules.wildcards.insert(name) }
      } else if let name = Self.name(rule) {
        rules.exact.insert(name)
      }
    }
    self.rules = rules
  }

  /// The ASCII form; names of the list are in Unicode.
  private static func name(_ text: ArraySlice<UInt8>) -> String? {
    let text = String(decoding: text, as: UTF8.self)
    return try? DomainName(text).ascii
  }

  /// Whether a domain is a public suffix. A name that no rule knows is one when it has a single label.
  ///
  /// - Parameter domain: A name in the form of a URL's host.
  package func contains(_ domain: String) -> Bool {
    let name = domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
    guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
    let label = name[..<dot]
    let parent = String(name[name.utf8.index(after: dot)...])
    guard let rules else {
      return parent.utf8.count == 2 && parent.utf8.allSatisfy(ASCII.isAlpha) && Self.usualLabels.contains(String(label))
    }
    if rules.exceptions.contains(name) { return false }
    return rules.exact.contains(name) || rules.wildcards.contains(parent)
  }

  private static let usualLabels: Set<String> = ["ac", "co", "com", "edu", "gov", "mil", "net", "org"]
}

/// The list of the system.
extension PublicSuffixes {
  /// Where Debian and Ubuntu (`publicsuffix`), Fedora (`publicsuffix-list`) and Arch have it.
  package static var systemPath: String { "/usr/share/publicsuffix/public_suffix_list.dat" }
  /// It has 0.3 MB; what is larger than this is something else.
  private static var maximumListBytes: Int { 8 << 20 }

  private static let read = Lock<PublicSuffixes?>(nil)
  /// Blocks while the file is read.
  private static let blocking = load(systemPath)

  /// The list in a file; the rule of thumb when there is none that can be read.
  package static func load(_ path: String) -> PublicSuffixes {
    guard let bytes = try? FileIO.readAll(path, limit: maximumListBytes) else { return ruleOfThumb }
    return PublicSuffixes(list: bytes)
  }

  /// The list if it was read before.
  package static var known: PublicSuffixes? { read.withLock { $0 } }

  /// The list, read once in the life of the process, at the first cookie that needs it, and never in the caller's thread.
  /// Nil when the task was cancelled before it was there.
  package static func system() async -> PublicSuffixes? {
    let loaded: PublicSuffixes
    do throws(BlockingPoolError) {
      loaded = try await BlockingPool.shared.run { blocking }
    } catch {
      return error == .cancelled ? nil : ruleOfThumb
    }
    read.withLock { $0 = loaded }
    return loaded
  }
}
