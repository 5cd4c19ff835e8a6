internal import LinnetBytes
package import LinnetHTTPTypes

/// The directives of a `Cache-Control` field (RFC 9111 §5.2), read as generously as is safe.
///
/// Commas inside quoted arguments do not separate directives, names compare without case, an argument may be a token or
/// a quoted string whatever the directive (§5.2), and unknown directives are ignored. Where a text is damaged the reading
/// is the one that reuses less: the name of a directive ends where the token ends, so `no-store;` forbids storing, and a
/// time that is repeated or is not a number is ``Seconds/invalid``, not absent.
package struct CacheControl: Sendable, Hashable {
  /// One directive.
  package struct Directive: Sendable, Hashable {
    /// The name in lower case.
    package let name: String
    /// The argument without quotes and escapes; nil when there is none.
    package let argument: String?
  }

  /// The argument of a directive that names a time.
  package enum Seconds: Sendable, Hashable {
    /// The directive is not there.
    case absent
    /// It is there more than once, has no argument, or one that is no number. Such a response counts as stale
    /// (RFC 9111 §4.2.1).
    case invalid
    /// The time, at most ``CacheControl/longestTime``.
    case valid(Duration)

    /// The time, or nil when there is none to rely on.
    package var duration: Duration? {
      if case .valid(let duration) = self { return duration }
      return nil
    }
  }

  /// 2³¹ seconds: what a larger number counts as (RFC 9111 §1.2.2), and the longest window of a policy.
  package static var longestTime: Duration { .seconds(2_147_483_648) }

  /// The directives in order, repeats kept.
  package let directives: [Directive]

  /// The directives of all `Cache-Control` fields of a message.
  package init(_ headers: HTTPHeaders) {
    var found: [Directive] = []
    headers.forEachListMember(of: "Cache-Control") { member in
      if let directive = Self.parse(member) { found.append(directive) }
    }
    directives = found
  }

  /// Whether there is a directive of this name, which must be in lower case, with or without argument.
  package func contains(_ name: String) -> Bool { directives.contains { $0.name == name } }

  /// The time that the directive of this name has.
  package func seconds(_ name: String) -> Seconds {
    var found: Seconds = .absent
    for directive in directives where directive.name == name {
      guard case .absent = found, let argument = directive.argument else { return .invalid }
      found = Self.deltaSeconds(argument.utf8).map(Seconds.valid) ?? .invalid
    }
    return found
  }

  /// Parses `delta-seconds` (RFC 9111 §1.2.2): digits and nothing else.
  package static func deltaSeconds(_ digits: some Collection<UInt8>) -> Duration? {
    guard !digits.isEmpty else { return nil }
    var total: Int64 = 0
    for byte in digits {
      guard let digit = ASCII.digitValue(byte) else { return nil }
      total = min(total * 10 + Int64(digit), 2_147_483_648)
    }
    return .seconds(total)
  }

  private static func parse(_ member: Span<UInt8>) -> Directive? {
    var index = 0
    while index < member.count, ASCII.isToken(member[index]) { index += 1 }
    guard index > 0 else { return nil }
    let name = text(member, 0..<index) { ASCII.lowercased($0) }
    while index < member.count, ASCII.isWhitespace(member[index]) { index += 1 }
    guard index < member.count, member[index] == UInt8(ascii: "=") else { return Directive(name: name, argument: nil) }
    index += 1
    while index < member.count, ASCII.isWhitespace(member[index]) { index += 1 }
    if index < member.count, member[index] == UInt8(ascii: "\"") {
      return Directive(name: name, argument: quotedString(member, after: index))
    }
    return Directive(name: name, argument: text(member, index..<member.count) { $0 })
  }

  /// The content of the quoted string that opens at `quote`; one that never closes runs to the end. Text after the
  /// closing quote is kept, so that `max-age="1"2` is no number.
  private static func quotedString(_ member: Span<UInt8>, after quote: Int) -> String {
    var bytes: [UInt8] = []
    var isQuoted = true
    var index = quote + 1
    while index < member.count {
      let byte = member[index]
      if isQuoted, byte == UInt8(ascii: "\\"), index + 1 < member.count {
        index += 1
        bytes.append(member[index])
      } else if isQuoted, byte == UInt8(ascii: "\"") {
        isQuoted = false
      } else {
        bytes.append(byte)
      }
      index += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>, _ map: (UInt8) -> UInt8) -> String {
    var kept: [UInt8] = []
    kept.reserveCapacity(range.count)
    for index in range { kept.append(map(bytes[index])) }
    return String(decoding: kept, as: UTF8.self)
  }
}

extension CacheControl {
  /// Must not be stored (§5.2.1.5, §5.2.2.5).
  package var hasNoStore: Bool { contains("no-store") }
  /// Must be validated before each use (§5.2.1.4, §5.2.2.4). A qualified form, which names fields, counts as the
  /// unqualified one, as §5.2.2.4 allows.
  package var hasNoCache: Bool { contains("no-cache") }
  /// For one user (§5.2.2.7). A qualified form counts as the unqualified one, as §5.2.2.7 allows.
  package var hasPrivate: Bool { contains("private") }
  /// May be stored although the request had credentials (§5.2.2.9).
  package var hasPublic: Bool { contains("public") }
  /// Must not be used stale (§5.2.2.2).
  package var hasMustRevalidate: Bool { contains("must-revalidate") }
  /// May be stored only by who knows the status, and by them also in spite of `no-store` (§5.2.2.3).
  package var hasMustUnderstand: Bool { contains("must-understand") }
  /// The request is not to be sent (§5.2.1.7).
  package var hasOnlyIfCached: Bool { contains("only-if-cached") }
}
