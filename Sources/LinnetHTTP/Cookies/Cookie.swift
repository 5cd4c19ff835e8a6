internal import LinnetBytes
public import LinnetHTTPTypes
package import LinnetProtocols

/// A cookie in a ``CookieJar``.
///
/// Servers set cookies with `Set-Cookie` fields, and the jar makes these values of them. To put one in by hand, make it
/// with ``init(name:value:domain:)``, change what is not a default, and give it to ``CookieJar/add(_:)``.
///
/// Two cookies are the same one to a jar when name, domain, ``isHostOnly`` and path are equal. `==` compares everything
/// that this value shows.
public struct Cookie: Sendable, Hashable {
  /// What a site wants about requests that another site starts.
  ///
  /// It is kept and shown, and `none` needs ``Cookie/isSecure``. It has no influence on what is sent: a program's own
  /// request was started by no site.
  public enum SameSite: Sendable, Hashable {
    /// Only with requests that the site itself starts.
    case strict
    /// Also when somebody follows a link to the site.
    case lax
    /// With every request.
    case none
  }

  package var record: CookieRecord

  package init(_ record: CookieRecord) { self.record = record }

  /// A session cookie for every path of one host.
  ///
  /// - Parameters:
  ///   - name: The name; empty for a cookie that is sent as its value alone.
  ///   - value: The value.
  ///   - domain: The host. A dot in front is dropped; it does not widen the cookie, ``isHostOnly`` does.
  public init(name: String, value: String, domain: String) {
    record = CookieRecord(
      identity: CookieRecord.Identity(
        name: Array(name.utf8), domain: domain.utf8.first == UInt8(ascii: ".") ? String(domain.dropFirst()) : domain,
        isHostOnly: true, path: [UInt8(ascii: "/")]), value: Array(value.utf8))
  }

  /// The name; empty for a cookie without one. Bytes that are not UTF-8 appear as Latin-1 and are sent as they came.
  public var name: String {
    get { Self.text(record.identity.name) }
    set { record.identity.name = Array(newValue.utf8) }
  }

  /// The value.
  public var value: String {
    get { Self.text(record.value) }
    set { record.value = Array(newValue.utf8) }
  }

  /// The host that it belongs to, with all below it unless ``isHostOnly``; without a dot in front.
  public var domain: String {
    get { record.identity.domain }
    set { record.identity.domain = newValue }
  }

  /// Whether it is sent to ``domain`` only and not to names below it. Default true, as for a `Set-Cookie` without `Domain`.
  public var isHostOnly: Bool {
    get { record.identity.isHostOnly }
    set { record.identity.isHostOnly = newValue }
  }

  /// The path at and below which it is sent. Default `/`.
  public var path: String {
    get { Self.text(record.identity.path) }
    set { record.identity.path = Array(newValue.utf8) }
  }

  /// Whether it is sent over TLS only, or to the own machine. Default false.
  public var isSecure: Bool {
    get { record.isSecure }
    set { record.isSecure = newValue }
  }

  /// Whether scripts in a browser must not see it. Kept for files; it has no influence here. Default false.
  public var isHTTPOnly: Bool {
    get { record.isHTTPOnly }
    set { record.isHTTPOnly = newValue }
  }

  /// What the site wants about requests that other sites start; nil when it does not say.
  public var sameSite: SameSite? {
    get {
      switch record.sameSite {
      case .strict: .strict
      case .lax: .lax
      case .some(.none): SameSite.none
      case nil: nil
      }
    }
    set {
      switch newValue {
      case .strict: record.sameSite = .strict
      case .lax: record.sameSite = .lax
      case .some(.none): record.sameSite = CookieRecord.SameSite.none
      case nil: record.sameSite = nil
      }
    }
  }

  /// When it expires; nil for a session cookie, which lives as long as the jar or until
  /// ``CookieJar/removeSessionCookies()``.
  public var expires: HTTPDate? {
    get { record.expires }
    set { record.expires = newValue }
  }

  static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }

  /// The record with its domain in the form of a URL's host.
  func checked() throws(CookieError) -> CookieRecord {
    var record = record
    do throws(HTTPURLError) {
      record.identity.domain = try Origin(scheme: .https, host: domain).host
    } catch {
      throw .invalidDomain
    }
    guard record.identity.path.first == UInt8(ascii: "/"), !record.identity.path.contains(where: Self.endsPath) else {
      throw .invalidPath
    }
    // The end of a cookie in a `Cookie` field; in a name it would end the name as well.
    guard !record.value.contains(UInt8(ascii: ";")), !record.identity.name.contains(where: Self.endsName) else {
      throw .invalidCharacter
    }
    guard Self.isTrimmed(record.identity.name), Self.isTrimmed(record.value) else { throw .invalidCharacter }
    do throws(CookieProblem) { try record.check() } catch { throw CookieError(error) }
    return record
  }

  private static func endsName(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: "=") }

  private static func endsPath(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || CookieProblem.isControl(byte) }

  private static func isTrimmed(_ text: [UInt8]) -> Bool {
    !(text.first.map(ASCII.isWhitespace) ?? false) && !(text.last.map(ASCII.isWhitespace) ?? false)
  }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Name, domain and path, without the value: it is often as good as a password.
  public var description: String { "\(name)=<redacted>; \(isHostOnly ? "" : ".")\(domain)\(path)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// Nothing more than ``description``.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Why a cookie cannot be put into a ``CookieJar``. It has nothing of the cookie in it.
public enum CookieError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Neither a name nor a value.
  case empty
  /// A control character; a semicolon; `=` in a name; white space at an end.
  case invalidCharacter
  /// The domain is no host name and no IP address.
  case invalidDomain
  /// The path does not begin with a slash, or cannot be one.
  case invalidPath
  /// Name and value have more than 4,096 bytes (RFC 6265bis §5.6).
  case tooLarge
  /// `SameSite=None` without `Secure` (§5.7).
  case sameSiteNoneWithoutSecure
  /// A name that begins with `__Secure-` without `Secure`, or with `__Host-` without `Secure`, host-only and the path `/`
  /// (§5.4).
  case brokenPrefix

  init(_ problem: CookieProblem) {
    switch problem {
    case .empty: self = .empty
    case .tooLarge: self = .tooLarge
    case .sameSiteNoneWithoutSecure: self = .sameSiteNoneWithoutSecure
    case .prefix: self = .brokenPrefix
    default: self = .invalidCharacter
    }
  }

  /// The reason in words, as it stands inside a sentence.
  public var description: String {
    switch self {
    case .empty: "neither a name nor a value"
    case .invalidCharacter: "a character that no cookie can have there"
    case .invalidDomain: "the domain is no host"
    case .invalidPath: "the path is none"
    case .tooLarge: "more than \(SetCookie.maximumBytes) bytes"
    case .sameSiteNoneWithoutSecure: "SameSite=None without Secure"
    case .brokenPrefix: "the name begins with __Host- or __Secure-, whose conditions are not met"
    }
  }
}
