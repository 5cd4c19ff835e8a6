public import FoundationEssentials
internal import LinnetBytes
internal import LinnetHTTP

/// What is replaced before an exchange is written into a cassette, and before a request is looked up in one.
///
/// The URL's user name and password are always left out. Request bodies are stored only as digests. Response bodies are
/// stored as they came unless ``redactResponseBody`` changes them: give it for services that answer with tokens.
public struct VCRRedactionPolicy: Sendable {
  /// The names of header fields whose values are replaced, in requests and responses; compared without case. Fields that
  /// are marked as sensitive are replaced too.
  public var sensitiveHeaderNames: Set<String>
  /// The names of query items whose values are replaced; compared without case after percent-decoding. They are replaced
  /// in the URL of the request and in `Location`, `Content-Location` and `Referer` fields.
  public var sensitiveQueryItemNames: Set<String>
  /// What stands in the place of a value.
  public var replacement: String
  /// Changes response bodies before they are stored; nil, the default, for no change. The recording caller gets the body
  /// as it came.
  public var redactResponseBody: (@Sendable (Data) -> Data)?

  /// A policy; each argument has the value of ``default`` unless given.
  public init(
    sensitiveHeaderNames: Set<String> = ["authorization", "cookie", "proxy-authorization", "set-cookie", "x-api-key"],
    sensitiveQueryItemNames: Set<String> = ["access_token", "api_key", "token"], replacement: String = "<redacted>"
  ) {
    self.sensitiveHeaderNames = sensitiveHeaderNames
    self.sensitiveQueryItemNames = sensitiveQueryItemNames
    self.replacement = replacement
  }

  /// The fields `authorization`, `cookie`, `proxy-authorization`, `set-cookie`, `x-api-key`; the query items
  /// `access_token`, `api_key`, `token`; the replacement `<redacted>`.
  public static var `default`: VCRRedactionPolicy { VCRRedactionPolicy() }

  /// The fields with the values of sensitive ones replaced.
  func redact(_ headers: HTTPHeaders) -> HTTPHeaders {
    var redacted = HTTPHeaders()
    for header in headers {
      if header.isSensitive || Self.contains(sensitiveHeaderNames, header.name) {
        redacted.add(header.name, replacement)
      } else if Self.contains(Self.namesOfURLFields, header.name) {
        redacted.add(header.name, redactQuery(of: header.value))
      } else {
        redacted.add(header)
      }
    }
    return redacted
  }

  /// The URL as it is stored and compared.
  func redact(_ url: HTTPURL) -> String { redactQuery(of: url.removingUserinfo().removingFragment().description) }

  private static let namesOfURLFields: Set<String> = ["Location", "Content-Location", "Referer"]

  private static func contains(_ names: Set<String>, _ name: String) -> Bool {
    names.contains { ASCII.equalIgnoringCase($0.utf8, name.utf8) }
  }

  /// Replaces the values of sensitive items between the first `?` and the fragment of a URL.
  func redactQuery(of url: String) -> String {
    let (beforeFragment, fragment) = Self.cut(url, at: "#")
    let (path, query) = Self.cut(String(beforeFragment), at: "?")
    guard let query else { return url }
    let items = query.split(separator: "&", omittingEmptySubsequences: false).map { item -> String in
      let (name, value) = Self.cut(String(item), at: "=")
      let decoded = String(decoding: PercentEncoding.decode(name), as: UTF8.self)
      guard value != nil, Self.contains(sensitiveQueryItemNames, decoded) else { return String(item) }
      return "\(name)=\(replacement)"
    }
    return "\(path)?\(items.joined(separator: "&"))\(fragment.map { "#\($0)" } ?? "")"
  }

  /// The text before the first `separator`, and what follows it.
  private static func cut(_ text: String, at separator: Character) -> (String, String?) {
    guard let index = text.firstIndex(of: separator) else { return (text, nil) }
    return (String(text[..<index]), String(text[text.index(after: index)...]))
  }
}
