internal import LinnetBytes
package import LinnetHTTPTypes

/// What a `Set-Cookie` field says (RFC 6265bis §5.6), before it is known whether its server may say so.
package struct SetCookie: Sendable, Hashable {
  /// The name; empty for a cookie that has none, which is sent as its value alone.
  package var name: [UInt8] = []
  package var value: [UInt8] = []
  /// When it expires, by `Max-Age` or else by `Expires`; nil for a session cookie.
  package var expires: HTTPDate?
  /// In lower case and without a leading dot; empty when there is none, or none that counts.
  package var domain: [UInt8] = []
  /// Nil when there is none, or none that begins with a slash: the default path.
  package var path: [UInt8]?
  package var isSecure = false
  package var isHTTPOnly = false
  /// Nil when there is none, or none that is known.
  package var sameSite: CookieRecord.SameSite?

  /// Bytes of name and value together; a larger cookie is ignored.
  package static var maximumBytes: Int { 4096 }
  /// Bytes of an attribute's value; a longer attribute is ignored.
  package static var maximumAttributeBytes: Int { 1024 }
  /// The longest time that a server can have a cookie kept for (§5.5): 400 days.
  package static var maximumAge: Int64 { 400 * 86_400 }

  package init() {}

  /// Parses the value of one field.
  ///
  /// - Parameter now: What `Max-Age` counts from, and the limit for both kinds of lifetime.
  /// - Throws: ``CookieProblem`` for a field that is ignored as a whole. Broken attributes alone never are a reason.
  package init(parsing field: [UInt8], now: HTTPDate) throws(CookieProblem) {
    guard !field.contains(where: CookieProblem.isControl) else { throw .controlCharacter }
    let parts = field.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let (name, value) = Self.pair(parts.first ?? [])
    if let value {
      self.name = Array(name)
      self.value = Array(value)
    } else {
      self.value = Array(name)
    }
    guard !self.name.isEmpty || !self.value.isEmpty else { throw .empty }
    guard self.name.count + self.value.count <= Self.maximumBytes else { throw .tooLarge }

    var hasMaximumAge = false
    for part in parts.dropFirst() {
      let (name, value) = Self.pair(part)
      take(name, value ?? [], now: now, &hasMaximumAge)
    }
  }

  /// Splits at the first `=` and drops white space around both; nil when there is no `=`.
  private static func pair(_ text: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?) {
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(text), nil) }
    return (trimmed(text[..<equals]), trimmed(text[(equals + 1)...]))
  }

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop(while: ASCII.isWhitespace)
    while let last = text.last, ASCII.isWhitespace(last) { text.removeLast() }
    return text
  }

  /// Of several attributes with one name the last counts.
  private mutating func take(
    _ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>, now: HTTPDate, _ hasMaximumAge: inout Bool
  ) {
    func isNamed(_ other: String) -> Bool { ASCII.equalIgnoringCase(name, other.utf8) }
    guard value.count <= Self.maximumAttributeBytes else { return }
    let limit = HTTPDate(secondsSince1970: now.secondsSince1970 + Self.maximumAge)
    if isNamed("expires") {
      guard !hasMaximumAge, let seconds = CookieDate.secondsSince1970(value) else { return }
      expires = min(HTTPDate(secondsSince1970: seconds), limit)
    } else if isNamed("max-age") {
      guard let seconds = Self.seconds(value) else { return }
      hasMaximumAge = true
      expires = seconds > 0 ? min(HTTPDate(secondsSince1970: now.secondsSince1970 + seconds), limit) : .earliest
    } else if isNamed("domain") {
      let isDotted = value.first == UInt8(ascii: ".")
      domain = (isDotted ? value.dropFirst() : value).map(ASCII.lowercased)
    } else if isNamed("path") {
      path = value.first == UInt8(ascii: "/") ? Array(value) : nil
    } else if isNamed("secure") {
      isSecure = true
    } else if isNamed("httponly") {
      isHTTPOnly = true
    } else if isNamed("samesite") {
      sameSite = CookieRecord.SameSite(value)
    }
  }

  /// Digits, after a `-` perhaps; more than ``maximumAge`` is as good as that.
  private static func seconds(_ value: ArraySlice<UInt8>) -> Int64? {
    let isNegative = value.first == UInt8(ascii: "-")
    let digits = isNegative ? value.dropFirst() : value
    guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
    if isNegative { return 0 }
    return digits.reduce(0) { min($0 * 10 + Int64($1 & 0x0F), maximumAge) }
  }
}

/// Why a cookie is not kept.
package enum CookieProblem: Error, Sendable, Hashable, CaseIterable {
  /// A control character other than a tab: somebody tries to inject something.
  case controlCharacter
  /// Neither a name nor a value.
  case empty
  /// Name and value exceed ``SetCookie/maximumBytes``.
  case tooLarge
  /// The `Domain` is not ASCII.
  case domainNotASCII
  /// The `Domain` is one that unrelated sites share.
  case publicSuffix
  /// The `Domain` is not the host nor a parent of it.
  case foreignDomain
  /// `Secure` from a server that was not asked over a secure connection.
  case secureFromInsecureOrigin
  /// It would take the place of a secure cookie, or hide one.
  case hidesSecureCookie
  /// `SameSite=None` without `Secure`.
  case sameSiteNoneWithoutSecure
  /// The name promises what the attributes do not keep (`__Secure-`, `__Host-`).
  case prefix

  /// A byte that no cookie may have.
  package static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != ASCII.tab) || byte == 0x7F }
}
